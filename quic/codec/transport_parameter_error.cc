#include "quic/codec/transport_parameter_error.h"

#include <iterator>

#include "absl/strings/string_view.h"
#include "quic/codec/transport_parameter_table.h"

namespace sluice {
namespace {

// In the order of the enum.
constexpr absl::string_view kFaultNames[] = {
    "truncated", "duplicate",           "wrong_length",   "out_of_range",     "server_only",
    "missing",   "needs_connection_id", "not_remembered", "too_many_unknown",
};
static_assert(std::size(kFaultNames) == kTransportParameterFaultCount);

}  // namespace

absl::string_view FaultName(TransportParameterFault fault) {
  return kFaultNames[static_cast<size_t>(fault)];
}

absl::string_view TransportParameterError::name() const {
  const TransportParameterRow* row = FindTransportParameter(id);
  return row != nullptr ? row->name : "unknown";
}

}  // namespace sluice
