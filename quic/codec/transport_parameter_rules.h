#ifndef QUIC_CODEC_TRANSPORT_PARAMETER_RULES_H_
#define QUIC_CODEC_TRANSPORT_PARAMETER_RULES_H_

#include <optional>

#include "absl/status/status.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// What `sender` must say.
constexpr ParameterSet RequiredOf(Endpoint sender) {
  return RowsWhere([sender](const TransportParameterRow& row) {
    return row.required && (sender == Endpoint::kServer || !row.server_only);
  });
}

// The first thing, in the order of the table, for which a peer would refuse these parameters of
// `sender`; nothing when they are good. What a decoder accepts is good, and what is to be encoded
// ought to be. Does not know which connection it is, so that it compares no connection id with
// that of a packet (RFC 9000 section 7.3).
std::optional<TransportParameterError> FindViolation(const TransportParameters& parameters,
                                                     Endpoint sender);

// InvalidArgument, with a sentence that names the first number out of its range.
absl::Status CheckEndpointParameters(const EndpointParameters& parameters);

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETER_RULES_H_
