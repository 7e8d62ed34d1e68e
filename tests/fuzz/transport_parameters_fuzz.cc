// Any bytes as transport parameters. What is accepted is good and says the same once more; ngtcp2
// judges it as we do, apart from what is listed in quic/codec/testing/ngtcp2_codec.h.
//
// The first byte says what the rest is:
//   0  parameters of a client
//   1  parameters of a server
//   2  the parameters of a ticket
//   3  one variable-length integer after the other
// (more by the same remainder of 4).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "quic/codec/parameter_shuffle.h"
#include "quic/codec/testing/ngtcp2_codec.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_printer.h"
#include "quic/codec/transport_parameters_template.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

using Bytes = absl::Span<const uint8_t>;

// Encodes good parameters in every way that there is: all of them are read alike.
void EncodeAndDecode(const TransportParameters& parameters, Endpoint sender) {
  TransportParameterError error;
  TransportParametersBuffer buffer;
  const absl::Span<uint8_t> whole = EncodeTransportParameters(parameters, buffer);
  SLUICE_CHECK(whole.size() <= kTransportParametersSizeMax);
  SLUICE_CHECK(DecodeTransportParameters(whole, sender, error) == parameters);

  const std::map<uint64_t, std::vector<uint8_t>> by_id = ParametersById(whole);
  SeededRandom random(whole.size());
  ShuffleParameters(whole, random);
  SLUICE_CHECK(DecodeTransportParameters(whole, sender, error) == parameters);

  const TransportParametersTemplate same = *TransportParametersTemplate::Create(parameters);
  TransportParametersBuffer other;
  SLUICE_CHECK(ParametersById(same.Encode(parameters, other)) == by_id);
}

void Handshake(Bytes block, Endpoint sender) {
  const std::string difference = UnintendedDifference(block, sender);
  SLUICE_CHECK(difference.empty()) << difference;
  TransportParameterError error = {TransportParameterFault::kTruncated, 0};
  const std::optional<TransportParameters> parameters =
      DecodeTransportParameters(block, sender, error);
  if (!parameters.has_value()) {
    SLUICE_CHECK(!error.name().empty() && !FaultName(error.fault).empty());
    return;
  }
  SLUICE_CHECK(!FindViolation(*parameters, sender).has_value());
  SLUICE_CHECK(!PrintTransportParameters(*parameters).empty());
  EncodeAndDecode(*parameters, sender);
}

void Ticket(Bytes ticket) {
  TransportParameterError error;
  const std::optional<EndpointParameters> parameters = DecodeRememberedParameters(ticket, error);
  if (!parameters.has_value()) return;
  SLUICE_CHECK(CheckEndpointParameters(*parameters).ok());
  TransportParametersBuffer buffer;
  const Bytes again = EncodeRememberedParameters(*parameters, buffer);
  SLUICE_CHECK(DecodeRememberedParameters(again, error) == parameters);
}

void Integers(Bytes bytes) {
  while (!bytes.empty()) {
    const size_t size = size_t{1} << (bytes[0] >> 6);
    Bytes rest = bytes;
    uint64_t value = 0;
    SLUICE_CHECK(ReadVarint(rest, value) == (bytes.size() >= size));
    if (bytes.size() < size) return;
    SLUICE_CHECK(bytes.size() - rest.size() == size);
    SLUICE_CHECK(VarintBytes(value, size) == bytes.first(size));
    uint64_t same = 0;
    SLUICE_CHECK(ReadVarintOfSize(bytes, size, same) && same == value);
    uint8_t shortest[kMaxVarintSize];
    const size_t written = Varint::From(value)->StoreTo(shortest);
    SLUICE_CHECK(written <= size);
    SLUICE_CHECK(VarintBytes(value) == absl::MakeConstSpan(shortest, written));
    bytes = rest;
  }
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const absl::Span<const uint8_t> rest = absl::MakeConstSpan(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      sluice::Handshake(rest, sluice::Endpoint::kClient);
      break;
    case 1:
      sluice::Handshake(rest, sluice::Endpoint::kServer);
      break;
    case 2:
      sluice::Ticket(rest);
      break;
    default:
      sluice::Integers(rest);
  }
  return 0;
}
