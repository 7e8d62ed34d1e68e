#include "quic/server/endpoint_limits.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sluice {
namespace {

// More than one thread can keep up with.
constexpr uint32_t kMost = uint32_t{1} << 20;

}  // namespace

absl::Status CheckEndpointLimits(const EndpointLimits& limits) {
  const struct {
    absl::string_view name;
    uint32_t value;
    uint32_t min;
    uint32_t max;
  } kRows[] = {
      {"max_connections", limits.max_connections, 1, kMost},
      {"max_connections_per_source", limits.max_connections_per_source, 1, limits.max_connections},
      {"max_half_open", limits.max_half_open, 1, limits.max_connections},
      {"retry_above_half_open", limits.retry_above_half_open, 0, limits.max_half_open},
      {"retry_above_half_open_per_source", limits.retry_above_half_open_per_source, 0,
       limits.max_half_open},
      {"stateless_answers_per_second", limits.stateless_answers_per_second, 0, kMost},
      {"send_streams", limits.send_streams, 1, kMost},
      {"send_blocks", limits.send_blocks, 1, kMost},
  };
  for (const auto& row : kRows) {
    if (row.value < row.min || row.value > row.max) {
      return absl::InvalidArgumentError(
          absl::StrCat(row.name, " is ", row.value, ", not ", row.min, " to ", row.max));
    }
  }
  return absl::OkStatus();
}

}  // namespace sluice
