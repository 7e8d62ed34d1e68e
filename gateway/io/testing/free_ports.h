#ifndef GATEWAY_IO_TESTING_FREE_PORTS_H_
#define GATEWAY_IO_TESTING_FREE_PORTS_H_

#include <cstddef>
#include <cstdint>

namespace sluice {

struct PortRange {
  // Even.
  uint16_t first;
  // Odd.
  uint16_t last;
};

// A range of `pairs` even/odd port pairs that nobody had bound a moment ago on the loopback
// addresses of either family, outside of the range that the kernel gives ports from by itself. Ends
// the process when there is none.
PortRange FindFreePorts(size_t pairs);

}  // namespace sluice

#endif  // GATEWAY_IO_TESTING_FREE_PORTS_H_
