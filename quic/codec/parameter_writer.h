#ifndef QUIC_CODEC_PARAMETER_WRITER_H_
#define QUIC_CODEC_PARAMETER_WRITER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/varint.h"
#include "quic/codec/version_information.h"

namespace sluice {

// Rows of kTransportParameterTable as bytes: what encoders are made of, and of no use to others.
//
// Each row becomes straight-line code when it is compiled. It writes all that the longest value of
// its form would need and advances by what the value has, so that nothing depends on how long a
// number is; rows behind it write over what was too much. So `to` must have room for the longest
// form of all rows together (SizeMax), and that is a constant.

// Bytes of preferred_address without its connection id (RFC 9000 figure 22), and of one version.
inline constexpr size_t kPreferredAddressFixedSize = 4 + 2 + 16 + 2 + 1 + kStatelessResetTokenSize;
inline constexpr size_t kVersionSize = 4;

// Bytes of the longest legal value.
constexpr size_t ParameterValueSizeMax(const TransportParameterRow& row) {
  switch (row.form()) {
    case ParameterForm::kCount:
    case ParameterForm::kBytes:
    case ParameterForm::kMilliseconds:
      return VarintSize(row.range.max);
    case ParameterForm::kFlag:
      return 0;
    case ParameterForm::kConnectionId:
      return ConnectionId::kMaxSize;
    case ParameterForm::kToken:
      return kStatelessResetTokenSize;
    case ParameterForm::kPreferredAddress:
      return kPreferredAddressFixedSize + ConnectionId::kMaxSize;
    case ParameterForm::kVersionInformation:
      return kVersionSize * (1 + VersionInformation::kMaxAvailable);
  }
  return 0;
}

// Bytes of the longest legal parameter: id, length, value.
constexpr size_t ParameterSizeMax(const TransportParameterRow& row) {
  const size_t value = ParameterValueSizeMax(row);
  return VarintSize(row.id) + VarintSize(value) + value;
}

inline constexpr size_t kGreaseSizeMax = kMaxVarintSize + 1 + GreaseParameter::kMaxValueSize;

// Bytes of the longest legal parameters of a set of rows.
constexpr size_t SizeMax(ParameterSet rows) {
  size_t size = 0;
  for (size_t i = 0; i < kTransportParameterCount; ++i) {
    if ((rows >> i & 1) != 0) size += ParameterSizeMax(kTransportParameterTable[i]);
  }
  return size;
}

// How far a row may write beyond the longest form of its value: a number that may be one byte long
// at most is stored in kMaxVarintSize all the same.
inline constexpr size_t kWriteSlack = kMaxVarintSize;

// Copies a fixed number of bytes in pieces that are one load and one store each, where a copy of
// any other size would be a call.
template <size_t kSize>
inline void StoreBytes(uint8_t* to, const std::array<uint8_t, kSize>& bytes) {
  constexpr size_t kPiece = 16;
  constexpr size_t kPieces = kSize / kPiece;
  constexpr size_t kRest = kSize % kPiece;
  const auto copy = [&](size_t at, size_t size) {
    CopyBytes(absl::MakeSpan(to + at, size), absl::MakeConstSpan(bytes.data() + at, size));
  };
  [&]<size_t... kNumbers>(std::index_sequence<kNumbers...>) {
    (copy(kNumbers * kPiece, kPiece), ...);
  }
  (std::make_index_sequence<kPieces>());
  if constexpr (kRest > 0) copy(kPieces * kPiece, kRest);
}

namespace writer_internal {

// These write a value with its length in front and return the place behind it.

inline uint8_t* WriteNumber(uint8_t* to, Varint number) {
  const size_t size = number.StoreTo(to + 1);
  to[0] = static_cast<uint8_t>(size);
  return to + 1 + size;
}

inline uint8_t* WriteValue(uint8_t* to, const ConnectionId& id) {
  to[0] = static_cast<uint8_t>(id.size());
  StoreBytes(to + 1, id.padded());
  return to + 1 + id.size();
}

inline uint8_t* WriteValue(uint8_t* to, const StatelessResetToken& token) {
  to[0] = kStatelessResetTokenSize;
  StoreBytes(to + 1, token);
  return to + 1 + kStatelessResetTokenSize;
}

inline uint8_t* WriteValue(uint8_t* to, const PreferredAddress& address) {
  static_assert(kPreferredAddressFixedSize + ConnectionId::kMaxSize < 64, "a length of one byte");
  to[0] = static_cast<uint8_t>(kPreferredAddressFixedSize + address.connection_id.size());
  StoreBytes(to + 1, address.ipv4_address);
  StoreBe16(to + 5, address.ipv4_port);
  StoreBytes(to + 7, address.ipv6_address);
  StoreBe16(to + 23, address.ipv6_port);
  to = WriteValue(to + 25, address.connection_id);
  StoreBytes(to, address.stateless_reset_token);
  return to + kStatelessResetTokenSize;
}

inline uint8_t* WriteValue(uint8_t* to, const VersionInformation& information) {
  static_assert(kVersionSize * (1 + VersionInformation::kMaxAvailable) < 64,
                "a length of one byte");
  const size_t count = information.available_count();
  to[0] = static_cast<uint8_t>(kVersionSize * (1 + count));
  StoreBe32(to + 1, information.chosen().value());
  to += 1 + kVersionSize;
  for (size_t i = 0; i < count; ++i, to += kVersionSize) {
    StoreBe32(to, information.available(i).value());
  }
  return to;
}

// Ids of one byte are stored as such, so that the value's store comes right behind.
template <uint64_t kId>
inline uint8_t* WriteId(uint8_t* to) {
  if constexpr (kId < 64) {
    to[0] = kId;
    return to + 1;
  } else {
    static_assert(kId < (1 << 14), "all that we know have one or two bytes");
    StoreBe16(to, kId | 0x4000);
    return to + 2;
  }
}

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// A row, if it says anything. `Parameters` has the row's member.
template <size_t kIndex, typename Parameters>
inline uint8_t* WriteRow(uint8_t* to, const Parameters& parameters) {
  constexpr const TransportParameterRow& kRow = kTransportParameterTable[kIndex];
  constexpr auto kField = std::get<kRow.field.index()>(kRow.field);
  const auto& member = parameters.*kField;
  using Member = std::remove_cvref_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, bool>) {
    if (!member) return to;
    to = WriteId<kRow.id>(to);
    to[0] = 0;
    return to + 1;
  } else if constexpr (kIsOptional<Member>) {
    return member.has_value() ? WriteValue(WriteId<kRow.id>(to), *member) : to;
  } else {
    const uint64_t number = WireNumber(member);
    if (number == kRow.range.absent) return to;
    return WriteNumber(WriteId<kRow.id>(to), Varint::Trusted(number));
  }
}

template <ParameterSet kRows, typename Parameters, size_t... kIndices>
inline uint8_t* WriteRows(uint8_t* to, const Parameters& parameters,
                          std::index_sequence<kIndices...>) {
  const auto write = [&]<size_t kIndex>(std::integral_constant<size_t, kIndex>) {
    if constexpr ((kRows >> kIndex & 1) != 0) to = WriteRow<kIndex>(to, parameters);
  };
  (write(std::integral_constant<size_t, kIndices>()), ...);
  return to;
}

}  // namespace writer_internal

// Writes the rows of a set that say anything, in the order of the table, and returns the place
// behind the last. `to` has room for SizeMax(kRows) + kWriteSlack bytes. `Parameters` is the part
// of TransportParameters that has these rows, or all of it.
template <ParameterSet kRows, typename Parameters>
inline uint8_t* WriteParameters(uint8_t* to, const Parameters& parameters) {
  return writer_internal::WriteRows<kRows>(to, parameters,
                                           std::make_index_sequence<kTransportParameterCount>());
}

// As above for a reserved parameter: kGreaseSizeMax bytes.
inline uint8_t* WriteGrease(uint8_t* to, const GreaseParameter& grease) {
  to += Varint::Trusted(grease.id).StoreTo(to);
  to[0] = grease.value_size;
  StoreBytes(to + 1, grease.value);
  return to + 1 + grease.value_size;
}

}  // namespace sluice

#endif  // QUIC_CODEC_PARAMETER_WRITER_H_
