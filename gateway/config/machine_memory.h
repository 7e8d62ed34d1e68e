#ifndef GATEWAY_CONFIG_MACHINE_MEMORY_H_
#define GATEWAY_CONFIG_MACHINE_MEMORY_H_

#include <cstdint>
#include <string>

namespace sluice {

// Bytes that this process may come to use: the machine's memory, or less if the control group
// (version 1 or 2) of a container says so.
uint64_t MachineMemory();

// The same, of a machine with `physical` bytes whose files are below `root`. For tests.
uint64_t MachineMemoryBelow(const std::string& root, uint64_t physical);

}  // namespace sluice

#endif  // GATEWAY_CONFIG_MACHINE_MEMORY_H_
