#include "quic/codec/testing/random_parameters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/random_source.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

bool Coin(RandomSource& random) { return random.Below(2) == 0; }

// Any value that a member may have, of any size that it may have. Numbers depend on their row.
template <typename Number>
void Randomize(Number&, RandomSource&) {}
void Randomize(bool& flag, RandomSource&) { flag = true; }
void Randomize(std::optional<ConnectionId>& id, RandomSource& random) {
  id = RandomConnectionId(random.Below(ConnectionId::kMaxSize + 1), random);
}
void Randomize(std::optional<StatelessResetToken>& token, RandomSource& random) {
  random.Fill(absl::MakeSpan(token.emplace()));
}
void Randomize(std::optional<PreferredAddress>& address, RandomSource& random) {
  PreferredAddress& value = address.emplace();
  if (Coin(random)) {
    random.Fill(absl::MakeSpan(value.ipv4_address));
    value.ipv4_port = static_cast<uint16_t>(random.NextU32());
  }
  if (Coin(random)) {
    random.Fill(absl::MakeSpan(value.ipv6_address));
    value.ipv6_port = static_cast<uint16_t>(random.NextU32());
  }
  value.connection_id = RandomConnectionId(1 + random.Below(ConnectionId::kMaxSize), random);
  random.Fill(absl::MakeSpan(value.stateless_reset_token));
}
void Randomize(std::optional<VersionInformation>& information, RandomSource& random) {
  const QuicVersion chosen(random.NextU32() | 1);
  information.emplace(chosen);
  const size_t others = random.Below(VersionInformation::kMaxAvailable);
  for (size_t i = 0; i < others; ++i) {
    SLUICE_CHECK(information->AddAvailable(DrawReservedVersion(random)));
  }
  SLUICE_CHECK(information->AddAvailable(chosen));
}

}  // namespace

void SetNumber(EndpointParameters& parameters, const TransportParameterRow& row, uint64_t number) {
  std::visit(
      [&](auto field) {
        if constexpr (std::is_invocable_v<decltype(field), EndpointParameters&>) {
          using Member = std::remove_cvref_t<decltype(parameters.*field)>;
          if constexpr (!std::is_same_v<Member, bool>) {
            parameters.*field = FromWireNumber<Member>(number);
          }
        }
      },
      row.field);
}

uint64_t LargestKept(const TransportParameterRow& row) {
  constexpr uint64_t kMaxFiniteMs = INT64_MAX / 1000;
  const uint64_t largest = std::min(row.range.max, row.range.clamp);
  return row.form() == ParameterForm::kMilliseconds ? std::min(largest, kMaxFiniteMs) : largest;
}

ConnectionId RandomConnectionId(size_t size, RandomSource& random) {
  std::array<uint8_t, ConnectionId::kMaxSize> bytes;
  random.Fill(absl::MakeSpan(bytes));
  return *ConnectionId::From(absl::MakeConstSpan(bytes).first(size));
}

uint64_t RandomVarint(RandomSource& random) {
  constexpr int kBits[] = {6, 14, 30, 62};
  return random.NextU64() >> (64 - kBits[random.Below(4)]);
}

TransportParameters RandomParameters(Endpoint sender, RandomSource& random) {
  TransportParameters parameters;
  const ParameterSet required = RequiredOf(sender);
  for (size_t i = 0; i < kTransportParameterCount; ++i) {
    const TransportParameterRow& row = kTransportParameterTable[i];
    if (row.server_only && sender == Endpoint::kClient) continue;
    if ((required >> i & 1) == 0 && Coin(random)) continue;
    if (row.is_number()) {
      SetNumber(parameters, row, std::clamp(RandomVarint(random), row.range.min, LargestKept(row)));
    } else {
      std::visit([&](auto field) { Randomize(parameters.*field, random); }, row.field);
    }
  }
  if (parameters.initial_source_connection_id->empty()) parameters.preferred_address.reset();
  if (Coin(random)) parameters.grease = GreaseParameter::Draw(random);
  return parameters;
}

TransportParameters LongestParameters(RandomSource& random) {
  TransportParameters parameters;
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (row.is_number()) {
      SetNumber(parameters, row, row.range.max);
    } else {
      std::visit([&](auto field) { Randomize(parameters.*field, random); }, row.field);
    }
  }
  const ConnectionId longest = RandomConnectionId(ConnectionId::kMaxSize, random);
  parameters.original_destination_connection_id = longest;
  parameters.initial_source_connection_id = longest;
  parameters.retry_source_connection_id = longest;
  parameters.preferred_address->connection_id = longest;
  while (parameters.version_information->AddAvailable(kQuicVersion1)) {
  }
  parameters.grease.emplace();
  parameters.grease->id = 31 * ((uint64_t{1} << 57) - 1) + 27;
  parameters.grease->value_size = GreaseParameter::kMaxValueSize;
  return parameters;
}

}  // namespace sluice
