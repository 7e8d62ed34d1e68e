#include "quic/codec/transport_parameters_decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/varint.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

using Bytes = absl::Span<const uint8_t>;
using Fault = TransportParameterFault;
using Error = TransportParameterError;
// What is wrong with a value; nothing when it is good.
using Verdict = std::optional<Fault>;

// ---- One value, by its form. `value` is exactly as long as the parameter's length says. ----

Verdict ReadValue(Bytes value, Endpoint, std::optional<ConnectionId>& out) {
  out = ConnectionId::From(value);
  return out.has_value() ? std::nullopt : Verdict(Fault::kWrongLength);
}

Verdict ReadValue(Bytes value, Endpoint, std::optional<StatelessResetToken>& out) {
  if (value.size() != kStatelessResetTokenSize) return Fault::kWrongLength;
  CopyBytes(absl::MakeSpan(out.emplace()), value);
  return std::nullopt;
}

Verdict ReadValue(Bytes value, Endpoint, std::optional<PreferredAddress>& out) {
  constexpr size_t kAddressesSize = 4 + 2 + 16 + 2;
  constexpr size_t kFixedSize = kAddressesSize + 1 + kStatelessResetTokenSize;
  if (value.size() < kFixedSize) return Fault::kWrongLength;
  const size_t id_size = value[kAddressesSize];
  if (id_size < 1 || id_size > ConnectionId::kMaxSize || value.size() != kFixedSize + id_size) {
    return Fault::kWrongLength;
  }
  PreferredAddress& address = out.emplace();
  CopyBytes(absl::MakeSpan(address.ipv4_address), value.first(4));
  address.ipv4_port = LoadBe16(value.data() + 4);
  CopyBytes(absl::MakeSpan(address.ipv6_address), value.subspan(6, 16));
  address.ipv6_port = LoadBe16(value.data() + 22);
  address.connection_id = *ConnectionId::From(value.subspan(kAddressesSize + 1, id_size));
  CopyBytes(absl::MakeSpan(address.stateless_reset_token), value.last(kStatelessResetTokenSize));
  return std::nullopt;
}

Verdict ReadValue(Bytes value, Endpoint sender, std::optional<VersionInformation>& out) {
  if (value.empty() || value.size() % 4 != 0) return Fault::kWrongLength;
  const QuicVersion chosen(LoadBe32(value.data()));
  bool offered = sender == Endpoint::kServer;
  bool zero = chosen == kVersionNegotiation;
  VersionInformation& information = out.emplace(chosen);
  for (value.remove_prefix(4); !value.empty(); value.remove_prefix(4)) {
    const QuicVersion version(LoadBe32(value.data()));
    zero |= version == kVersionNegotiation;
    offered |= version == chosen;
    // Those for which there is no room were looked at all the same.
    static_cast<void>(information.AddAvailable(version));
  }
  return zero || !offered ? Verdict(Fault::kOutOfRange) : std::nullopt;
}

template <size_t kIndex>
Verdict ReadRow(Bytes value, Endpoint sender, TransportParameters& out) {
  constexpr const TransportParameterRow& kRow = kTransportParameterTable[kIndex];
  auto& member = out.*std::get<kRow.field.index()>(kRow.field);
  using Member = std::remove_cvref_t<decltype(member)>;
  if constexpr (kRow.is_number()) {
    uint64_t number = 0;
    if (!ReadVarint(value, number) || !value.empty()) return Fault::kWrongLength;
    if (number < kRow.range.min || number > kRow.range.max) return Fault::kOutOfRange;
    member = FromWireNumber<Member>(std::min(number, kRow.range.clamp));
    return std::nullopt;
  } else if constexpr (std::is_same_v<Member, bool>) {
    member = true;
    return value.empty() ? std::nullopt : Verdict(Fault::kWrongLength);
  } else {
    return ReadValue(value, sender, member);
  }
}

using RowReader = Verdict (*)(Bytes, Endpoint, TransportParameters&);
constexpr std::array<RowReader, kTransportParameterCount> kRowReaders =
    []<size_t... kIndices>(std::index_sequence<kIndices...>) {
  return std::array<RowReader, kTransportParameterCount>{&ReadRow<kIndices>...};
}
(std::make_index_sequence<kTransportParameterCount>());

// ---- A block of parameters. ----

// What may and must be in a block.
struct Grammar {
  Endpoint sender;
  ParameterSet allowed;
  // What is wrong with a row that is not allowed.
  Fault not_allowed;
  ParameterSet required;
  // Whether parameters without a row are allowed.
  bool unknown_allowed;
};

constexpr ParameterSet kAllRows = RowsWhere([](const TransportParameterRow&) { return true; });
constexpr Grammar kFromClient = {
    .sender = Endpoint::kClient,
    .allowed = RowsWhere([](const TransportParameterRow& row) { return !row.server_only; }),
    .not_allowed = Fault::kServerOnly,
    .required = RequiredOf(Endpoint::kClient),
    .unknown_allowed = true,
};
constexpr Grammar kFromServer = {
    .sender = Endpoint::kServer,
    .allowed = kAllRows,
    .not_allowed = Fault::kServerOnly,
    .required = RequiredOf(Endpoint::kServer),
    .unknown_allowed = true,
};
constexpr Grammar kFromTicket = {
    .sender = Endpoint::kServer,
    .allowed = RowsWhere([](const TransportParameterRow& row) { return row.remembered; }),
    .not_allowed = Fault::kNotRemembered,
    .required = 0,
    .unknown_allowed = false,
};

// The parameters that we do not know, as far as one has to know them.
class UnknownParameters {
 public:
  Verdict Add(uint64_t id) {
    const auto end = ids_.begin() + count_;
    if (std::find(ids_.begin(), end, id) != end) return Fault::kDuplicate;
    if (count_ == ids_.size()) return Fault::kTooManyUnknown;
    ids_[count_++] = id;
    return std::nullopt;
  }

 private:
  size_t count_ = 0;
  // Of which the first count_ were written.
  std::array<uint64_t, kMaxUnknownParameters> ids_;
};

// Reads the parameters one after the other and stops at the first fault. Which rows were there is
// added to `seen`.
std::optional<Error> ReadBlock(Bytes block, const Grammar& grammar, TransportParameters& out,
                               ParameterSet& seen) {
  UnknownParameters unknown;
  while (!block.empty()) {
    uint64_t id = 0;
    uint64_t size = 0;
    if (!ReadVarint(block, id)) return Error{Fault::kTruncated, Error::kNoId};
    if (!ReadVarint(block, size) || size > block.size()) return Error{Fault::kTruncated, id};
    const Bytes value = block.first(size);
    block.remove_prefix(size);

    const size_t index = TransportParameterIndex(id);
    Verdict fault;
    if (index == kTransportParameterCount) {
      fault = grammar.unknown_allowed ? unknown.Add(id) : Fault::kNotRemembered;
    } else if (const ParameterSet bit = ParameterSet{1} << index; (seen & bit) != 0) {
      fault = Fault::kDuplicate;
    } else if ((grammar.allowed & bit) == 0) {
      fault = grammar.not_allowed;
    } else {
      seen |= bit;
      fault = kRowReaders[index](value, grammar.sender, out);
    }
    if (fault.has_value()) return Error{*fault, id};
  }
  return std::nullopt;
}

// What only the whole block tells.
std::optional<Error> CheckWhole(const TransportParameters& parameters, const Grammar& grammar,
                                ParameterSet seen) {
  if (const ParameterSet missing = grammar.required & ~seen; missing != 0) {
    return Error{Fault::kMissing, kTransportParameterTable[std::countr_zero(missing)].id};
  }
  if (parameters.preferred_address.has_value() &&
      parameters.initial_source_connection_id->empty()) {
    return Error{Fault::kNeedsConnectionId, RowOf(&ConnectionParameters::preferred_address).id};
  }
  return std::nullopt;
}

// The result is built where the caller wants it: it is too large to be copied for nothing.
std::optional<TransportParameters> Decode(Bytes block, const Grammar& grammar, Error& error) {
  std::optional<TransportParameters> result(std::in_place);
  ParameterSet seen = 0;
  std::optional<Error> found = ReadBlock(block, grammar, *result, seen);
  if (!found.has_value()) found = CheckWhole(*result, grammar, seen);
  if (found.has_value()) {
    error = *found;
    result.reset();
  }
  return result;
}

}  // namespace

std::optional<TransportParameters> DecodeTransportParameters(absl::Span<const uint8_t> block,
                                                             Endpoint sender,
                                                             TransportParameterError& error) {
  return Decode(block, sender == Endpoint::kClient ? kFromClient : kFromServer, error);
}

std::optional<EndpointParameters> DecodeRememberedParameters(absl::Span<const uint8_t> block,
                                                             TransportParameterError& error) {
  const std::optional<TransportParameters> result = Decode(block, kFromTicket, error);
  if (!result.has_value()) return std::nullopt;
  return *result;
}

}  // namespace sluice
