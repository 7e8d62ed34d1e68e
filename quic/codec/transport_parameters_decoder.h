#ifndef QUIC_CODEC_TRANSPORT_PARAMETERS_DECODER_H_
#define QUIC_CODEC_TRANSPORT_PARAMETERS_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// How many parameters that we do not know are let pass. They are ignored, but each must be compared
// with the others, because none may come twice (RFC 9000 section 7.4): the number bounds memory and
// time. Stacks in wide use send fewer than ten; all that are registered are fewer than this.
inline constexpr size_t kMaxUnknownParameters = 64;

// Reads what `sender` put into the TLS extension quic_transport_parameters (RFC 9000 section 18),
// whatever the bytes are: all of it or nothing. Strict: a duplicate, a length that does not fit, a
// number out of its range, what only servers may say from a client, and the absence of what must be
// said are errors, of which `error` becomes the first; it is left alone when there is none.
//
// Lenient where RFC 9000 is: parameters that we do not know are ignored, numbers may have any of
// their forms, and large legal values are taken for the largest that means anything
// (NumberRange::clamp; times become infinite). Of available versions the first
// VersionInformation::kMaxAvailable are kept, and the chosen one.
//
// What must be compared with the packets of the connection (RFC 9000 section 7.3, RFC 9368 section
// 4) is not compared here. Allocates nothing and keeps no view of `block`.
std::optional<TransportParameters> DecodeTransportParameters(absl::Span<const uint8_t> block,
                                                             Endpoint sender,
                                                             TransportParameterError& error);

// The same of what EncodeRememberedParameters wrote, some time ago and perhaps another version of
// us: what is not remembered, or not known, is an error too, and nothing need be there.
std::optional<EndpointParameters> DecodeRememberedParameters(absl::Span<const uint8_t> block,
                                                             TransportParameterError& error);

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETERS_DECODER_H_
