#ifndef TESTS_E2E_RESERVED_PORTS_H_
#define TESTS_E2E_RESERVED_PORTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace sluice {

// Consecutive UDP ports that nobody uses: found by trying, and kept from every other test that runs
// on this machine until the object goes. They lie outside the range from which the kernel gives out
// ports by itself, so that no passer-by takes one.
class ReservedPorts {
 public:
  // `ports` > 0; the first is even.
  static absl::StatusOr<ReservedPorts> Reserve(size_t ports);

  ReservedPorts(ReservedPorts&& other) noexcept;
  ReservedPorts& operator=(ReservedPorts&& other) noexcept;
  ~ReservedPorts();

  uint16_t first() const { return first_; }
  uint16_t last() const { return last_; }

 private:
  ReservedPorts(uint16_t first, uint16_t last, std::vector<int> claims);

  uint16_t first_;
  uint16_t last_;
  // One socket per block of ports; holding its name is the claim.
  std::vector<int> claims_;
};

}  // namespace sluice

#endif  // TESTS_E2E_RESERVED_PORTS_H_
