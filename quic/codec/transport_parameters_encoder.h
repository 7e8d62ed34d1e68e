#ifndef QUIC_CODEC_TRANSPORT_PARAMETERS_ENCODER_H_
#define QUIC_CODEC_TRANSPORT_PARAMETERS_ENCODER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/codec/parameter_writer.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// The longest that transport parameters can become: every row at its longest, and a reserved one.
inline constexpr size_t kTransportParametersSizeMax = SizeMax(~ParameterSet{0}) + kGreaseSizeMax;

// Where they are written: larger than the longest by what a store may write too much, and in whole
// cache lines.
using TransportParametersBuffer = std::array<uint8_t, 448>;
static_assert(sizeof(TransportParametersBuffer) >= kTransportParametersSizeMax + kWriteSlack);

// Writes what is to stand in the TLS extension quic_transport_parameters (RFC 9000 section 18): in
// the order of the table, a reserved parameter last, each number in its shortest form, without
// parameters that say what their absence would. Cannot fail and allocates nothing: numbers that no
// varint holds become the largest that does; FindViolation tells what a peer would refuse. Returns
// the front of `out`.
absl::Span<uint8_t> EncodeTransportParameters(const TransportParameters& parameters,
                                              TransportParametersBuffer& out);

// The same of what a client that resumes may remember and no more (RFC 9000 section 7.4.1): nothing
// of one connection, no reserved parameter. Equal parameters give equal bytes, so that they can be
// compared as bytes, as BoringSSL does with its early data context.
absl::Span<uint8_t> EncodeRememberedParameters(const EndpointParameters& parameters,
                                               TransportParametersBuffer& out);

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETERS_ENCODER_H_
