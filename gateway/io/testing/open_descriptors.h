#ifndef GATEWAY_IO_TESTING_OPEN_DESCRIPTORS_H_
#define GATEWAY_IO_TESTING_OPEN_DESCRIPTORS_H_

#include <cstddef>

namespace sluice {

// How many descriptors this process has open, for tests that nothing leaks.
size_t CountOpenDescriptors();

}  // namespace sluice

#endif  // GATEWAY_IO_TESTING_OPEN_DESCRIPTORS_H_
