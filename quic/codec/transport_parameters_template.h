#ifndef QUIC_CODEC_TRANSPORT_PARAMETERS_TEMPLATE_H_
#define QUIC_CODEC_TRANSPORT_PARAMETERS_TEMPLATE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "quic/codec/parameter_writer.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_encoder.h"

namespace sluice {

// The transport parameters of a listener (or of a client that connects often): what is the same on
// every connection is encoded once, and a connection only adds what is its own. A value that does
// not change after Create: any number of threads may encode with it.
class TransportParametersTemplate {
 public:
  // InvalidArgument, naming it, when a number is out of its range.
  static absl::StatusOr<TransportParametersTemplate> Create(const EndpointParameters& parameters);

  // Writes the parameters of one connection: the same ones as EncodeTransportParameters would, but
  // those of the connection come last. Cannot fail and allocates nothing. Returns the front of
  // `out`.
  absl::Span<uint8_t> Encode(const ConnectionParameters& connection,
                             TransportParametersBuffer& out) const;

 private:
  static constexpr ParameterSet kEndpointRows =
      RowsWhere([](const TransportParameterRow& row) { return !row.of_connection(); });
  // In whole vectors, so that it is copied with as many stores, whatever its size.
  static constexpr size_t kBlockSize = (SizeMax(kEndpointRows) + kWriteSlack + 15) / 16 * 16;

  explicit TransportParametersTemplate(const EndpointParameters& parameters);

  // Of which the first size_ bytes count.
  std::array<uint8_t, kBlockSize> block_{};
  size_t size_;
};

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETERS_TEMPLATE_H_
