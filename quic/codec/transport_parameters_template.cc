#include "quic/codec/transport_parameters_template.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "quic/codec/parameter_writer.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_encoder.h"

namespace sluice {
namespace {

constexpr ParameterSet kConnectionRows =
    RowsWhere([](const TransportParameterRow& row) { return row.of_connection(); });

}  // namespace

absl::StatusOr<TransportParametersTemplate> TransportParametersTemplate::Create(
    const EndpointParameters& parameters) {
  const absl::Status status = CheckEndpointParameters(parameters);
  if (!status.ok()) return status;
  return TransportParametersTemplate(parameters);
}

TransportParametersTemplate::TransportParametersTemplate(const EndpointParameters& parameters) {
  const uint8_t* end = WriteParameters<kEndpointRows>(block_.data(), parameters);
  size_ = static_cast<size_t>(end - block_.data());
}

absl::Span<uint8_t> TransportParametersTemplate::Encode(const ConnectionParameters& connection,
                                                        TransportParametersBuffer& out) const {
  // What the copy writes behind size_ is written over or not part of the result.
  static_assert(kBlockSize + SizeMax(kConnectionRows) + kGreaseSizeMax + kWriteSlack <=
                sizeof(TransportParametersBuffer));
  StoreBytes(out.data(), block_);
  uint8_t* end = WriteParameters<kConnectionRows>(out.data() + size_, connection);
  if (connection.grease.has_value()) end = WriteGrease(end, *connection.grease);
  const auto size = static_cast<size_t>(end - out.data());
  SLUICE_DCHECK(size <= kTransportParametersSizeMax);
  return absl::MakeSpan(out).first(size);
}

}  // namespace sluice
