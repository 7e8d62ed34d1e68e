#ifndef QUIC_CODEC_TRANSPORT_PARAMETERS_H_
#define QUIC_CODEC_TRANSPORT_PARAMETERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/version_information.h"

namespace sluice {

// Who said it. Some parameters are only for servers.
enum class Endpoint : uint8_t { kClient, kServer };

// What lets its holder end a connection (RFC 9000 section 10.3): a secret until it is used, so
// nothing here prints it.
inline constexpr size_t kStatelessResetTokenSize = 16;
using StatelessResetToken = std::array<uint8_t, kStatelessResetTokenSize>;

// Where a server would rather be talked to (RFC 9000 sections 9.6 and 18.2). An address and port of
// all zeros is a family that it does not offer.
struct PreferredAddress {
  bool HasIpv4() const { return ipv4_port != 0 || ipv4_address != std::array<uint8_t, 4>{}; }
  bool HasIpv6() const { return ipv6_port != 0 || ipv6_address != std::array<uint8_t, 16>{}; }

  friend bool operator==(const PreferredAddress& a, const PreferredAddress& b) = default;

  // Addresses in network order, ports as numbers.
  std::array<uint8_t, 4> ipv4_address{};
  uint16_t ipv4_port = 0;
  std::array<uint8_t, 16> ipv6_address{};
  uint16_t ipv6_port = 0;
  // Never empty; has the sequence number 1.
  ConnectionId connection_id;
  StatelessResetToken stateless_reset_token{};
};

// What an endpoint says about itself on every connection alike (RFC 9000 section 18.2, where each
// is explained; RFC 9221 section 3; RFC 9287 section 3). A member that says what its absence would
// is not sent. Ranges are in kTransportParameterTable.
struct EndpointParameters {
  friend bool operator==(const EndpointParameters& a, const EndpointParameters& b) = default;

  // Whole milliseconds on the wire. Zero is "never", and so is what a TimeDelta cannot hold.
  TimeDelta max_idle_timeout = TimeDelta::Zero();
  DataSize max_udp_payload_size = DataSize::Bytes(65527);
  DataSize initial_max_data = DataSize::Zero();
  DataSize initial_max_stream_data_bidi_local = DataSize::Zero();
  DataSize initial_max_stream_data_bidi_remote = DataSize::Zero();
  DataSize initial_max_stream_data_uni = DataSize::Zero();
  uint64_t initial_max_streams_bidi = 0;
  uint64_t initial_max_streams_uni = 0;
  uint64_t ack_delay_exponent = 3;
  // Whole milliseconds on the wire.
  TimeDelta max_ack_delay = TimeDelta::Millis(25);
  bool disable_active_migration = false;
  uint64_t active_connection_id_limit = 2;
  // Of a whole DATAGRAM frame; zero is "none, please".
  DataSize max_datagram_frame_size = DataSize::Zero();
  bool grease_quic_bit = false;
};

// What an endpoint says about one connection. Those that are not there are not sent.
struct ConnectionParameters {
  friend bool operator==(const ConnectionParameters& a, const ConnectionParameters& b) = default;

  // Servers only, and every one of them: what the client first called them.
  std::optional<ConnectionId> original_destination_connection_id;
  // Servers only, and none whose connection id is empty.
  std::optional<StatelessResetToken> stateless_reset_token;
  // Servers only, and none whose connection id is empty.
  std::optional<PreferredAddress> preferred_address;
  // Everybody.
  std::optional<ConnectionId> initial_source_connection_id;
  // Servers only, and only after a Retry.
  std::optional<ConnectionId> retry_source_connection_id;
  // RFC 9368.
  std::optional<VersionInformation> version_information;
  // Never received: a decoder ignores it as it ignores whatever it does not know.
  std::optional<GreaseParameter> grease;
};

// All that an endpoint says in the TLS extension quic_transport_parameters. A value of some 300
// bytes without pointers.
struct TransportParameters : EndpointParameters, ConnectionParameters {
  // Says nothing. Written out, because a defaulted one would also clear what no member needs clear.
  constexpr TransportParameters() {}

  friend bool operator==(const TransportParameters& a, const TransportParameters& b) = default;
};

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETERS_H_
