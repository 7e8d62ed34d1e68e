#include "quic/codec/transport_parameters_encoder.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/check.h"
#include "quic/codec/parameter_writer.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

constexpr ParameterSet kAllRows = RowsWhere([](const TransportParameterRow&) { return true; });
constexpr ParameterSet kRememberedRows =
    RowsWhere([](const TransportParameterRow& row) { return row.remembered; });

// RFC 9000 section 7.4.1 forbids to remember them, and EndpointParameters does not have them.
static_assert((kRememberedRows & RowsWhere([](const TransportParameterRow& row) {
                 return row.of_connection();
               })) == 0);

absl::Span<uint8_t> Written(TransportParametersBuffer& out, const uint8_t* end) {
  const auto size = static_cast<size_t>(end - out.data());
  SLUICE_DCHECK(size <= kTransportParametersSizeMax);
  return absl::MakeSpan(out).first(size);
}

}  // namespace

absl::Span<uint8_t> EncodeTransportParameters(const TransportParameters& parameters,
                                              TransportParametersBuffer& out) {
  uint8_t* end = WriteParameters<kAllRows>(out.data(), parameters);
  if (parameters.grease.has_value()) end = WriteGrease(end, *parameters.grease);
  return Written(out, end);
}

absl::Span<uint8_t> EncodeRememberedParameters(const EndpointParameters& parameters,
                                               TransportParametersBuffer& out) {
  return Written(out, WriteParameters<kRememberedRows>(out.data(), parameters));
}

}  // namespace sluice
