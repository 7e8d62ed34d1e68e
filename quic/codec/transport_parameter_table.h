#ifndef QUIC_CODEC_TRANSPORT_PARAMETER_TABLE_H_
#define QUIC_CODEC_TRANSPORT_PARAMETER_TABLE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/varint.h"
#include "quic/codec/version_information.h"

namespace sluice {

// The transport parameters that we know, described once: encoder, decoder, printer, rules and tests
// read this table and know no parameter by themselves.

// Where the value lives; the type of the member is the form on the wire. The order is that of
// ParameterForm.
using ParameterField = std::variant<uint64_t EndpointParameters::*, DataSize EndpointParameters::*,
                                    TimeDelta EndpointParameters::*, bool EndpointParameters::*,
                                    std::optional<ConnectionId> ConnectionParameters::*,
                                    std::optional<StatelessResetToken> ConnectionParameters::*,
                                    std::optional<PreferredAddress> ConnectionParameters::*,
                                    std::optional<VersionInformation> ConnectionParameters::*>;

enum class ParameterForm : uint8_t {
  kCount,         // A varint.
  kBytes,         // A varint that counts bytes.
  kMilliseconds,  // A varint that counts milliseconds.
  kFlag,          // No bytes: it is there or not.
  kConnectionId,
  kToken,
  kPreferredAddress,
  kVersionInformation,
};

// Of a number, in the unit of the wire.
struct NumberRange {
  // What the absence of the parameter means.
  uint64_t absent = 0;
  // Outside of these a value is illegal.
  uint64_t min = 0;
  uint64_t max = kMaxVarint;
  // A larger legal value is taken for this one.
  uint64_t clamp = kMaxVarint;
};

struct TransportParameterRow {
  constexpr ParameterForm form() const { return static_cast<ParameterForm>(field.index()); }
  constexpr bool is_number() const { return form() <= ParameterForm::kMilliseconds; }
  // Whether it is of one connection, not of all that an endpoint has.
  constexpr bool of_connection() const { return form() >= ParameterForm::kConnectionId; }

  uint64_t id;
  // As in the IANA registry (RFC 9000 section 22.3).
  absl::string_view name;
  ParameterField field;
  // Of numbers only.
  NumberRange range;
  // A client that sends it breaks the protocol (RFC 9000 section 18.2).
  bool server_only;
  // Whoever may send it must.
  bool required;
  // A client that resumes may act on the value of last time (RFC 9000 section 7.4.1).
  bool remembered;
};

// RFC 9000 section 4.6: stream ids have 62 bits, two of which are not for counting.
inline constexpr uint64_t kMaxStreams = uint64_t{1} << 60;
// RFC 9000 section 18.2: what fits into a UDP datagram over IPv6 without jumbograms, and the least
// that any QUIC endpoint takes.
inline constexpr uint64_t kMaxUdpPayload = 65527;
inline constexpr uint64_t kMinUdpPayload = 1200;
// RFC 9221 section 3: "any DATAGRAM frame that fits inside a QUIC packet".
inline constexpr uint64_t kMaxDatagramFrame = 65535;
// RFC 9000 sections 18.2 and 19.3.
inline constexpr uint64_t kMaxAckDelayExponent = 20;
inline constexpr uint64_t kMaxAckDelayMs = (1 << 14) - 1;
// RFC 9000 section 5.1.1. Nobody needs more ids than he has paths, and 64 is the most that a stack
// in wide use asks for.
inline constexpr uint64_t kMinConnectionIdLimit = 2;
inline constexpr uint64_t kMaxConnectionIdLimit = 64;

// In ascending order of ids. A row is id, name, member; range, who sends it, whether he must, and
// whether a client that resumes remembers it.
inline constexpr auto kTransportParameterTable = [] {
  using E = EndpointParameters;
  using C = ConnectionParameters;
  constexpr NumberRange kAny = {};
  constexpr NumberRange kUdpPayload = {
      .absent = kMaxUdpPayload, .min = kMinUdpPayload, .clamp = kMaxUdpPayload};
  constexpr NumberRange kStreams = {.max = kMaxStreams};
  constexpr NumberRange kExponent = {.absent = 3, .max = kMaxAckDelayExponent};
  constexpr NumberRange kAckDelay = {.absent = 25, .max = kMaxAckDelayMs};
  constexpr NumberRange kIdLimit = {
      .absent = 2, .min = kMinConnectionIdLimit, .clamp = kMaxConnectionIdLimit};
  constexpr NumberRange kDatagram = {.clamp = kMaxDatagramFrame};
  constexpr NumberRange kNone = {};
  constexpr bool kBoth = false;
  constexpr bool kServer = true;
  constexpr bool kMay = false;
  constexpr bool kMust = true;
  constexpr bool kForgotten = false;
  constexpr bool kRemembered = true;
  return std::to_array<TransportParameterRow>({
      // RFC 9000 section 18.2.
      {0x00, "original_destination_connection_id", &C::original_destination_connection_id,  //
       kNone, kServer, kMust, kForgotten},
      {0x01, "max_idle_timeout", &E::max_idle_timeout,  //
       kAny, kBoth, kMay, kRemembered},
      {0x02, "stateless_reset_token", &C::stateless_reset_token,  //
       kNone, kServer, kMay, kForgotten},
      {0x03, "max_udp_payload_size", &E::max_udp_payload_size,  //
       kUdpPayload, kBoth, kMay, kRemembered},
      {0x04, "initial_max_data", &E::initial_max_data,  //
       kAny, kBoth, kMay, kRemembered},
      {0x05, "initial_max_stream_data_bidi_local", &E::initial_max_stream_data_bidi_local,  //
       kAny, kBoth, kMay, kRemembered},
      {0x06, "initial_max_stream_data_bidi_remote", &E::initial_max_stream_data_bidi_remote,  //
       kAny, kBoth, kMay, kRemembered},
      {0x07, "initial_max_stream_data_uni", &E::initial_max_stream_data_uni,  //
       kAny, kBoth, kMay, kRemembered},
      {0x08, "initial_max_streams_bidi", &E::initial_max_streams_bidi,  //
       kStreams, kBoth, kMay, kRemembered},
      {0x09, "initial_max_streams_uni", &E::initial_max_streams_uni,  //
       kStreams, kBoth, kMay, kRemembered},
      {0x0a, "ack_delay_exponent", &E::ack_delay_exponent,  //
       kExponent, kBoth, kMay, kForgotten},
      {0x0b, "max_ack_delay", &E::max_ack_delay,  //
       kAckDelay, kBoth, kMay, kForgotten},
      {0x0c, "disable_active_migration", &E::disable_active_migration,  //
       kNone, kBoth, kMay, kRemembered},
      {0x0d, "preferred_address", &C::preferred_address,  //
       kNone, kServer, kMay, kForgotten},
      {0x0e, "active_connection_id_limit", &E::active_connection_id_limit,  //
       kIdLimit, kBoth, kMay, kRemembered},
      {0x0f, "initial_source_connection_id", &C::initial_source_connection_id,  //
       kNone, kBoth, kMust, kForgotten},
      {0x10, "retry_source_connection_id", &C::retry_source_connection_id,  //
       kNone, kServer, kMay, kForgotten},
      // RFC 9368 section 3. Negotiated anew by every connection.
      {0x11, "version_information", &C::version_information,  //
       kNone, kBoth, kMay, kForgotten},
      // RFC 9221 section 3.
      {0x20, "max_datagram_frame_size", &E::max_datagram_frame_size,  //
       kDatagram, kBoth, kMay, kRemembered},
      // RFC 9287 section 3. Remembered with an address token, if at all, not with a ticket (3.1).
      {0x2ab2, "grease_quic_bit", &E::grease_quic_bit,  //
       kNone, kBoth, kMay, kForgotten},
  });
}();

inline constexpr size_t kTransportParameterCount = kTransportParameterTable.size();

// A set of rows: bit i is row i.
using ParameterSet = uint32_t;
static_assert(kTransportParameterCount <= 32);

// The rows that `is_in` is true of.
template <typename Predicate>
constexpr ParameterSet RowsWhere(Predicate is_in) {
  ParameterSet set = 0;
  for (size_t i = 0; i < kTransportParameterCount; ++i) {
    if (is_in(kTransportParameterTable[i])) set |= ParameterSet{1} << i;
  }
  return set;
}

namespace table_internal {

// All ids but one are below this, and found without a search.
inline constexpr uint64_t kSmallIds = 64;
inline constexpr std::array<uint8_t, kSmallIds> kIndexOfSmallId = [] {
  std::array<uint8_t, kSmallIds> index{};
  index.fill(kTransportParameterCount);
  for (size_t i = 0; i < kTransportParameterCount; ++i) {
    const uint64_t id = kTransportParameterTable[i].id;
    if (id < kSmallIds) index[id] = static_cast<uint8_t>(i);
  }
  return index;
}();

}  // namespace table_internal

// The place of a parameter in the table; kTransportParameterCount when we do not know it.
constexpr size_t TransportParameterIndex(uint64_t id) {
  if (id < table_internal::kSmallIds) return table_internal::kIndexOfSmallId[id];
  for (size_t i = kTransportParameterCount; i-- > 0;) {
    const uint64_t known = kTransportParameterTable[i].id;
    if (known == id) return i;
    if (known < table_internal::kSmallIds) break;
  }
  return kTransportParameterCount;
}

// The row of a member: RowOf(&ConnectionParameters::preferred_address).
template <typename Member>
constexpr const TransportParameterRow& RowOf(Member member) {
  return *std::find_if(
      kTransportParameterTable.begin(), kTransportParameterTable.end(),
      [member](const TransportParameterRow& row) { return row.field == ParameterField(member); });
}

// The row of a parameter; nullptr when we do not know it.
constexpr const TransportParameterRow* FindTransportParameter(uint64_t id) {
  const size_t i = TransportParameterIndex(id);
  return i < kTransportParameterCount ? &kTransportParameterTable[i] : nullptr;
}

// ---- Numbers as members have them, and as the wire has them. ----

// Above kMaxVarint when the member is negative or too large: FindViolation tells.
constexpr uint64_t WireNumber(uint64_t count) { return count; }
constexpr uint64_t WireNumber(DataSize size) { return static_cast<uint64_t>(size.bytes()); }
constexpr uint64_t WireNumber(TimeDelta time) {
  // Without its bit 62 an infinite time, 2^63 - 1 ms, is kMaxVarint. No finite one has that bit.
  return static_cast<uint64_t>(time.ms()) & ~(uint64_t{1} << 62);
}

// The other way; milliseconds that a TimeDelta cannot hold become infinite.
template <typename T>
constexpr T FromWireNumber(uint64_t number) {
  if constexpr (std::is_same_v<T, DataSize>) {
    return DataSize::Bytes(static_cast<int64_t>(number));
  } else if constexpr (std::is_same_v<T, TimeDelta>) {
    return TimeDelta::Millis(static_cast<int64_t>(number));
  } else {
    return number;
  }
}

// The number of a row with is_number().
constexpr uint64_t NumberOf(const EndpointParameters& parameters,
                            const TransportParameterRow& row) {
  if (const auto* count = std::get_if<uint64_t EndpointParameters::*>(&row.field)) {
    return WireNumber(parameters.**count);
  }
  if (const auto* size = std::get_if<DataSize EndpointParameters::*>(&row.field)) {
    return WireNumber(parameters.**size);
  }
  return WireNumber(parameters.*std::get<TimeDelta EndpointParameters::*>(row.field));
}

// Whether a row says anything that its absence would not.
constexpr bool IsPresent(const TransportParameters& parameters, const TransportParameterRow& row) {
  if (row.is_number()) return NumberOf(parameters, row) != row.range.absent;
  return std::visit(
      [&](auto field) {
        if constexpr (std::is_same_v<decltype(field), bool EndpointParameters::*>) {
          return parameters.*field;
        } else if constexpr (std::is_constructible_v<bool, decltype(parameters.*field)> &&
                             !std::is_arithmetic_v<
                                 std::remove_cvref_t<decltype(parameters.*field)>>) {
          return (parameters.*field).has_value();
        } else {
          return false;
        }
      },
      row.field);
}

// ---- What else must be true of the table. ----

static_assert(static_cast<size_t>(ParameterForm::kVersionInformation) + 1 ==
              std::variant_size_v<ParameterField>);
static_assert([] {
  const TransportParameters nothing_said;
  for (size_t i = 0; i < kTransportParameterCount; ++i) {
    const TransportParameterRow& row = kTransportParameterTable[i];
    if (i > 0 && row.id <= kTransportParameterTable[i - 1].id) return false;
    if (IsReservedParameterId(row.id) || FindTransportParameter(row.id) != &row) return false;
    // A member begins as its absence, whose meaning is legal.
    if (IsPresent(nothing_said, row)) return false;
    if (row.is_number() && (row.range.absent < row.range.min || row.range.absent > row.range.max ||
                            row.range.absent > row.range.clamp)) {
      return false;
    }
  }
  return true;
}());

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETER_TABLE_H_
