#include "quic/connection/connection_limits.h"

#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/codec/quic_version.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/ngtcp2_time.h"
#include "quic/connection/send_stream.h"

namespace sluice {
namespace {

// RFC 9000 section 14.
constexpr DataSize kSmallestMaximum = DataSize::Bytes(1200);
constexpr TimeDelta kLongestHandshake = TimeDelta::Minutes(1);
constexpr DataSize kLargestWindow = DataSize::Bytes(int64_t{1} << 30);
// They are looked for one after the other.
constexpr uint32_t kMostSendStreams = 1024;
// Of a pool for one connection: one part of so many.
constexpr size_t kPartsOfPool = 4;

}  // namespace

absl::Status CheckConnectionLimits(const ConnectionLimits& limits) {
  if (limits.handshake_timeout <= TimeDelta::Zero() ||
      limits.handshake_timeout > kLongestHandshake) {
    return absl::InvalidArgumentError(absl::StrCat("handshake_timeout is ",
                                                   limits.handshake_timeout, ", not above 0 up to ",
                                                   kLongestHandshake));
  }
  if (limits.max_unacknowledged <= DataSize::Zero() || limits.max_unacknowledged > kLargestWindow) {
    return absl::InvalidArgumentError(absl::StrCat(
        "max_unacknowledged is ", limits.max_unacknowledged, ", not 1 byte to ", kLargestWindow));
  }
  if (limits.max_unacknowledged_in_all < limits.max_unacknowledged ||
      limits.max_unacknowledged_in_all > kLargestWindow) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_unacknowledged_in_all is ", limits.max_unacknowledged_in_all, ", not ",
                     limits.max_unacknowledged, " to ", kLargestWindow));
  }
  if (limits.max_send_streams < 1 || limits.max_send_streams > kMostSendStreams) {
    return absl::InvalidArgumentError(absl::StrCat("max_send_streams is ", limits.max_send_streams,
                                                   ", not 1 to ", kMostSendStreams));
  }
  constexpr auto kLargest = DataSize::Bytes(int64_t{DatagramOutbox::kMaxDatagramSize});
  if (limits.max_datagram_size < kSmallestMaximum || limits.max_datagram_size > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat("max_datagram_size is ",
                                                   limits.max_datagram_size, ", not ",
                                                   kSmallestMaximum, " to ", kLargest));
  }
  for (const DataSize window : {limits.max_connection_window, limits.max_stream_window}) {
    if (window < DataSize::Zero() || window > kLargestWindow) {
      return absl::InvalidArgumentError(
          absl::StrCat("a window may grow to ", window, ", at most ", kLargestWindow));
    }
  }
  return absl::OkStatus();
}

ConnectionLimits WithinPool(const ConnectionLimits& limits, size_t streams, size_t blocks) {
  const auto part_of = [](size_t all) { return (all + kPartsOfPool - 1) / kPartsOfPool; };
  ConnectionLimits within = limits;
  within.max_send_streams = static_cast<uint32_t>(
      std::min<size_t>(limits.max_send_streams, std::max<size_t>(part_of(streams), 1)));
  within.max_unacknowledged_in_all =
      std::min(limits.max_unacknowledged_in_all,
               DataSize::Bytes(static_cast<int64_t>(part_of(blocks) * SendStreamPool::kBlockSize)));
  return within;
}

bool IsSpoken(QuicVersion version, const ConnectionLimits& limits) {
  return version == kQuicVersion1 || (limits.version2 && version == kQuicVersion2);
}

ngtcp2_settings SettingsOf(const ConnectionLimits& limits, Timestamp now) {
  // Best first. ngtcp2 takes a copy.
  static constexpr uint32_t kVersions[] = {NGTCP2_PROTO_VER_V2, NGTCP2_PROTO_VER_V1};
  ngtcp2_settings settings;
  ngtcp2_settings_default(&settings);
  settings.initial_ts = ToNanoseconds(now);
  settings.max_tx_udp_payload_size = static_cast<size_t>(limits.max_datagram_size.bytes());
  settings.no_pmtud = limits.discover_path_mtu ? 0 : 1;
  settings.handshake_timeout = ToNanoseconds(limits.handshake_timeout);
  settings.max_window = static_cast<uint64_t>(limits.max_connection_window.bytes());
  settings.max_stream_window = static_cast<uint64_t>(limits.max_stream_window.bytes());
  settings.preferred_versions = limits.version2 ? kVersions : kVersions + 1;
  settings.preferred_versionslen = limits.version2 ? 2 : 1;
  settings.available_versions = settings.preferred_versions;
  settings.available_versionslen = settings.preferred_versionslen;
  return settings;
}

}  // namespace sluice
