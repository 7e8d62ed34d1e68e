#include "quic/codec/transport_parameters_decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/data_size.h"
#include "base/time_delta.h"
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
  if (value.size() > ConnectionId::kMaxSize) return Fault::kWrongLength;
  out.emplace(value);
  return std::nullopt;
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
  address.connection_id = ConnectionId(value.subspan(kAddressesSize + 1, id_size));
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

// `bytes` are the value's and all behind it.
Verdict ReadNumber(Bytes bytes, size_t size, const TransportParameterRow& row,
                   EndpointParameters& out) {
  uint64_t number = 0;
  if (!ReadVarintOfSize(bytes, size, number)) return Fault::kWrongLength;
  if (number < row.range.min || number > row.range.max) return Fault::kOutOfRange;
  number = std::min(number, row.range.clamp);
  if (const auto* size_field = std::get_if<DataSize EndpointParameters::*>(&row.field)) {
    out.** size_field = FromWireNumber<DataSize>(number);
  } else if (const auto* count_field = std::get_if<uint64_t EndpointParameters::*>(&row.field)) {
    out.** count_field = number;
  } else {
    out.**std::get_if<TimeDelta EndpointParameters::*>(&row.field) =
        FromWireNumber<TimeDelta>(number);
  }
  return std::nullopt;
}

// A row that is no number.
template <size_t kIndex>
Verdict ReadRow(Bytes value, Endpoint sender, TransportParameters& out) {
  constexpr const TransportParameterRow& kRow = kTransportParameterTable[kIndex];
  auto& member = out.*std::get<kRow.field.index()>(kRow.field);
  if constexpr (kRow.form() == ParameterForm::kFlag) {
    member = true;
    return value.empty() ? std::nullopt : Verdict(Fault::kWrongLength);
  } else if constexpr (!kRow.is_number()) {
    return ReadValue(value, sender, member);
  } else {
    return std::nullopt;
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

// What stands in front of a value.
struct Header {
  uint64_t id;
  uint64_t size;
};

// In whatever form they are. Cuts them off `block`; else says what is wrong.
std::optional<Error> ReadLongHeader(Bytes& block, Header& out) {
  if (!ReadVarint(block, out.id)) return Error{Fault::kTruncated, Error::kNoId};
  if (!ReadVarint(block, out.size)) return Error{Fault::kTruncated, out.id};
  return std::nullopt;
}

// One parameter that we know; `bytes` are its value and all behind it.
Verdict ReadParameter(size_t index, Bytes bytes, size_t size, Endpoint sender,
                      TransportParameters& out) {
  const TransportParameterRow& row = kTransportParameterTable[index];
  return row.is_number() ? ReadNumber(bytes, size, row, out)
                         : kRowReaders[index](bytes.first(size), sender, out);
}

// Reads the parameters one after the other and stops at the first fault.
std::optional<Error> ReadBlock(Bytes block, const Grammar& grammar, TransportParameters& out) {
  UnknownParameters unknown;
  ParameterSet seen = 0;
  while (!block.empty()) {
    Header header;
    if (block.size() >= 2 && block[0] < 0x40 && block[1] < 0x40) {
      // Nearly always one byte each.
      header = {block[0], block[1]};
      block.remove_prefix(2);
    } else {
      Bytes rest = block;
      if (const std::optional<Error> error = ReadLongHeader(rest, header)) return error;
      block = rest;
    }
    if (header.size > block.size()) return Error{Fault::kTruncated, header.id};

    const size_t index = TransportParameterIndex(header.id);
    Verdict fault;
    if (index == kTransportParameterCount) {
      fault = grammar.unknown_allowed ? unknown.Add(header.id) : Fault::kNotRemembered;
    } else if (const ParameterSet bit = ParameterSet{1} << index; (seen & bit) != 0) {
      fault = Fault::kDuplicate;
    } else if ((grammar.allowed & bit) == 0) {
      fault = grammar.not_allowed;
    } else {
      seen |= bit;
      fault = ReadParameter(index, block, header.size, grammar.sender, out);
    }
    if (fault.has_value()) return Error{*fault, header.id};
    block.remove_prefix(header.size);
  }
  if (const ParameterSet missing = grammar.required & ~seen; missing != 0) {
    return Error{Fault::kMissing, kTransportParameterTable[std::countr_zero(missing)].id};
  }
  return std::nullopt;
}

// What only the whole block tells.
std::optional<Error> CheckWhole(const TransportParameters& parameters) {
  if (parameters.preferred_address.has_value() &&
      parameters.initial_source_connection_id->empty()) {
    return Error{Fault::kNeedsConnectionId, RowOf(&ConnectionParameters::preferred_address).id};
  }
  return std::nullopt;
}

// The result is built where the caller wants it: it is too large to be copied for nothing.
std::optional<TransportParameters> Decode(Bytes block, const Grammar& grammar, Error& error) {
  std::optional<TransportParameters> result(std::in_place);
  std::optional<Error> found = ReadBlock(block, grammar, *result);
  if (!found.has_value()) found = CheckWhole(*result);
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
