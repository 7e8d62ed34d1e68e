#include "quic/tls/ngtcp2_parameters.h"

#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

// More than a century, and far from what overflows 64 bits of nanoseconds.
constexpr TimeDelta kLongestIdleTimeout = TimeDelta::Seconds(int64_t{1} << 32);

PreferredAddress PreferredAddressOf(const ngtcp2_preferred_addr& theirs) {
  PreferredAddress address;
  address.connection_id = FromNgtcp2(theirs.cid);
  CopyBytes(absl::MakeSpan(address.stateless_reset_token), theirs.stateless_reset_token);
  if (theirs.ipv4_present != 0) {
    StoreBe32(address.ipv4_address.data(), ntohl(theirs.ipv4.sin_addr.s_addr));
    address.ipv4_port = ntohs(theirs.ipv4.sin_port);
  }
  if (theirs.ipv6_present != 0) {
    CopyBytes(absl::MakeSpan(address.ipv6_address), theirs.ipv6.sin6_addr.s6_addr);
    address.ipv6_port = ntohs(theirs.ipv6.sin6_port);
  }
  return address;
}

VersionInformation VersionInformationOf(const ngtcp2_version_info& theirs) {
  VersionInformation information{QuicVersion(theirs.chosen_version)};
  for (size_t i = 0; i + 4 <= theirs.available_versionslen; i += 4) {
    const QuicVersion version(LoadBe32(theirs.available_versions + i));
    // One too many is ours, and only less is offered then.
    static_cast<void>(information.AddAvailable(version));
  }
  return information;
}

}  // namespace

ngtcp2_cid ToNgtcp2(const ConnectionId& id) {
  ngtcp2_cid cid;
  ngtcp2_cid_init(&cid, id.bytes().data(), id.size());
  return cid;
}

ConnectionId FromNgtcp2(const ngtcp2_cid& id) {
  return ConnectionId(absl::MakeConstSpan(id.data, id.datalen));
}

absl::Status CheckNgtcp2Parameters(const EndpointParameters& parameters) {
  absl::Status status = CheckEndpointParameters(parameters);
  if (!status.ok()) return status;
  if (parameters.active_connection_id_limit > kNgtcp2ConnectionIdLimit) {
    return absl::InvalidArgumentError(
        absl::StrCat("active_connection_id_limit is ", parameters.active_connection_id_limit,
                     ", at most ", kNgtcp2ConnectionIdLimit, " can be kept"));
  }
  if (parameters.max_idle_timeout.IsFinite() && parameters.max_idle_timeout > kLongestIdleTimeout) {
    return absl::InvalidArgumentError(absl::StrCat(
        "max_idle_timeout is ", parameters.max_idle_timeout, ", say 0 for no timeout at all"));
  }
  return absl::OkStatus();
}

void LimitForNgtcp2(EndpointParameters& parameters) {
  // Zero is never.
  if (parameters.max_idle_timeout > kLongestIdleTimeout) {
    parameters.max_idle_timeout = TimeDelta::Zero();
  }
}

void SetEndpointParameters(const EndpointParameters& parameters, ngtcp2_transport_params& theirs) {
  const auto bytes = [](DataSize size) { return static_cast<uint64_t>(size.bytes()); };
  const auto nanoseconds = [](TimeDelta time) { return static_cast<uint64_t>(time.us()) * 1000; };
  theirs.max_idle_timeout = parameters.max_idle_timeout.IsFinite()
                                ? nanoseconds(TimeDelta::Millis(parameters.max_idle_timeout.ms()))
                                : 0;
  theirs.max_udp_payload_size = bytes(parameters.max_udp_payload_size);
  theirs.initial_max_data = bytes(parameters.initial_max_data);
  theirs.initial_max_stream_data_bidi_local = bytes(parameters.initial_max_stream_data_bidi_local);
  theirs.initial_max_stream_data_bidi_remote =
      bytes(parameters.initial_max_stream_data_bidi_remote);
  theirs.initial_max_stream_data_uni = bytes(parameters.initial_max_stream_data_uni);
  theirs.initial_max_streams_bidi = parameters.initial_max_streams_bidi;
  theirs.initial_max_streams_uni = parameters.initial_max_streams_uni;
  theirs.ack_delay_exponent = parameters.ack_delay_exponent;
  theirs.max_ack_delay = nanoseconds(TimeDelta::Millis(parameters.max_ack_delay.ms()));
  theirs.disable_active_migration = parameters.disable_active_migration ? 1 : 0;
  theirs.active_connection_id_limit = parameters.active_connection_id_limit;
  theirs.max_datagram_frame_size = bytes(parameters.max_datagram_frame_size);
  theirs.grease_quic_bit = parameters.grease_quic_bit ? 1 : 0;
}

ConnectionParameters ConnectionParametersOf(const ngtcp2_transport_params& theirs) {
  ConnectionParameters ours;
  if (theirs.original_dcid_present != 0) {
    ours.original_destination_connection_id = FromNgtcp2(theirs.original_dcid);
  }
  if (theirs.initial_scid_present != 0) {
    ours.initial_source_connection_id = FromNgtcp2(theirs.initial_scid);
  }
  if (theirs.retry_scid_present != 0) {
    ours.retry_source_connection_id = FromNgtcp2(theirs.retry_scid);
  }
  if (theirs.stateless_reset_token_present != 0) {
    CopyBytes(absl::MakeSpan(ours.stateless_reset_token.emplace()), theirs.stateless_reset_token);
  }
  if (theirs.preferred_addr_present != 0) {
    ours.preferred_address = PreferredAddressOf(theirs.preferred_addr);
  }
  if (theirs.version_info_present != 0) {
    ours.version_information = VersionInformationOf(theirs.version_info);
  }
  return ours;
}

}  // namespace sluice
