#ifndef QUIC_CONNECTION_CONNECTION_LIMITS_H_
#define QUIC_CONNECTION_CONNECTION_LIMITS_H_

#include <ngtcp2/ngtcp2.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/codec/quic_version.h"

namespace sluice {

// What a connection may take, beyond what transport parameters say. The same for all connections of
// an endpoint.
struct ConnectionLimits {
  // From the first packet to the end of the handshake. Three round trips over a satellite with two
  // of them lost take less.
  TimeDelta handshake_timeout = TimeDelta::Seconds(10);
  // Bytes on one stream that are written and have not arrived. More than a bandwidth-delay product
  // of signalling, and little enough that one slow peer does not empty the pool.
  DataSize max_unacknowledged = DataSize::Bytes(int64_t{64} * 1024);
  // The same of all streams together, in blocks of the pool: four streams that have all that they
  // may have, and as much as our clients let come at once.
  DataSize max_unacknowledged_in_all = DataSize::Bytes(int64_t{256} * 1024);
  // Streams that keep something at a time: more than the calls or requests that a connection may
  // have by default, with those of HTTP/3 itself.
  uint32_t max_send_streams = 64;
  // The largest datagram that is sent once the path is known to carry it (RFC 9000 section 14.3);
  // 1200 goes everywhere.
  DataSize max_datagram_size = DataSize::Bytes(1452);
  // Whether larger datagrams than 1200 bytes are tried at all.
  bool discover_path_mtu = true;
  // Whether version 2 (RFC 9369) is spoken with those who prefer it.
  bool version2 = false;
  // What windows may grow to when the peer is fast; zero leaves them as the parameters say.
  DataSize max_connection_window = DataSize::Zero();
  DataSize max_stream_window = DataSize::Zero();
};

// InvalidArgument, with a sentence that names the first limit out of its range.
absl::Status CheckConnectionLimits(const ConnectionLimits& limits);

// The same, but no more of a pool for one connection than a quarter: other connections can have the
// rest, whatever it does. For pools that connections share.
ConnectionLimits WithinPool(const ConnectionLimits& limits, size_t streams, size_t blocks);

// Whether a connection may begin with it.
bool IsSpoken(QuicVersion version, const ConnectionLimits& limits);

// What ngtcp2 is to know of them, for a connection that begins at `now`.
ngtcp2_settings SettingsOf(const ConnectionLimits& limits, Timestamp now);

// What happened to one connection.
struct ConnectionCounters {
  uint64_t datagrams_received = 0;
  uint64_t datagrams_sent = 0;
  // Write found no place for a stream or for bytes.
  uint64_t writes_cut = 0;
  // Too many streams waited for a place already for another one to wait.
  uint64_t waits_lost = 0;
  // The outbox was full before all was written.
  uint64_t outbox_full = 0;
  // Datagrams after the end, and how many of them were answered with it once more.
  uint64_t received_after_close = 0;
  uint64_t closes_repeated = 0;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_CONNECTION_LIMITS_H_
