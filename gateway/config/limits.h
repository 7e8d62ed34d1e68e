#ifndef GATEWAY_CONFIG_LIMITS_H_
#define GATEWAY_CONFIG_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace sluice {

// How much one gateway may hold. Every pool, table and queue of the process has its size from here,
// once, at start; what does not fit is refused by name and counted. Defaults suit the 5000 port
// pairs of the default port range.
struct Limits {
  // Of the whole gateway, live ones. Two legs each use up the default port range.
  size_t sessions = 2500;
  // A bridge has two; the rest is room for listeners and recorders.
  size_t legs_per_session = 16;
  // SSRCs per leg and direction. A leg with audio, three simulcast layers and repair streams has
  // eight; 64 is what a small conference on one leg needs. An SRTP context beyond it replaces the
  // least recently used.
  size_t streams_per_leg = 64;
  // Datagrams that a worker takes from its sockets before it processes them together: enough for
  // the crypto to work on many at once, at 1400 bytes half of a core's second-level cache.
  size_t receive_batch = 64;
  // Datagrams of a worker on their way to the kernel: a whole batch copied to every other leg of a
  // session of the default size (64 * 15), rounded up.
  size_t outbox_packets = 1024;
  // Control calls that wait for one worker: every gRPC thread, watchers apart, waits for one.
  size_t mailbox_commands = 64;
  // Media events of one worker that the event pump has not taken yet. When all sessions of a worker
  // get their media in the same moment, each raises a handful.
  size_t event_queue = 8192;
  // KiB that all SRTP legs together may take beyond what each of them has anyway (three keys,
  // replay windows of 1024 and 128 packets): half a thousand legs with 16 keys, or eighty with the
  // widest windows for 64 streams.
  size_t extra_srtp_kib = 65'536;
  // KiB that the interceptors of all legs together may take: some 400 legs with repair, reports and
  // transport-wide feedback, at 660 KiB each.
  size_t interceptor_kib = 262'144;
  // Packets that pacers and jitter buffers together may keep, each a packet slot of 2 KiB: six legs
  // with a pacer, which few need. 0: none.
  size_t held_packets = 4096;
  // Legs whose packets are written to a file at the same time, each with a MiB between worker and
  // disk: for looking into a few calls, not for recording all.
  size_t packet_logs = 16;
  // Events kept for watchers that come back: several minutes of a busy gateway.
  size_t event_log = 16384;
  // Streams of events and of statistics at the same time, controllers' and participants'; each
  // holds a gRPC thread.
  size_t watchers = 32;
  // Ended sessions that are remembered: four times the live ones.
  size_t tombstones = 10000;
  // Participants' tokens that are revoked and would still be valid, each remembered for up to a
  // day: twenty for each leg that the default port range has room for.
  size_t revoked_tokens = 100'000;
  // gRPC threads for calls other than event streams. They wait for workers most of their time.
  size_t grpc_threads = 16;
  // Participants' connections over QUIC, also those that are coming to their end: most of the legs
  // of the default port range. A peaceful one takes 40 KiB, a hostile one up to eight times as
  // much, and so many are provided for.
  size_t quic_connections = 4096;
  // Of one IPv4 address or IPv6 network: an office behind one NAT, not a botnet behind one address.
  // Above quic_connections it means nothing.
  size_t quic_connections_per_source = 256;
  // Of those, whose handshake is not done. Each is memory that a forged address may have asked for;
  // from a quarter of them on, all must show that they have their address.
  size_t quic_half_open = 1024;
  // Threads for calls over QUIC. They wait for workers most of their time.
  size_t quic_threads = 8;
  // How long the id of an ended session stays taken: longer than any controller retries a call.
  absl::Duration tombstone_lifetime = absl::Minutes(10);

  friend bool operator==(const Limits&, const Limits&) = default;
};

// The range of one limit; the name is that of the configuration file, of errors and of GetNode.
struct LimitRow {
  absl::string_view name;
  size_t Limits::*member;
  size_t min;
  size_t max;
};

inline constexpr LimitRow kLimitRows[] = {
    {"sessions", &Limits::sessions, 1, 1'000'000},
    // The forwarding table of a session names every pair.
    {"legs_per_session", &Limits::legs_per_session, 2, 256},
    // As many contexts as an SRTP receiver can keep.
    {"streams_per_leg", &Limits::streams_per_leg, 1, 1024},
    // recvmmsg and sendmmsg take at most 1024 (UIO_MAXIOV).
    {"receive_batch", &Limits::receive_batch, 1, 1024},
    {"outbox_packets", &Limits::outbox_packets, 1, 65'536},
    {"mailbox_commands", &Limits::mailbox_commands, 1, 65'536},
    {"event_queue", &Limits::event_queue, 1, 1'000'000},
    // Up to 16 GiB: more than all legs could ask for.
    {"extra_srtp_kib", &Limits::extra_srtp_kib, 1, 16 * 1024 * 1024},
    {"interceptor_kib", &Limits::interceptor_kib, 0, 64 * 1024 * 1024},
    {"held_packets", &Limits::held_packets, 0, 4'000'000},
    {"packet_logs", &Limits::packet_logs, 0, 10'000},
    {"event_log", &Limits::event_log, 1, 1'000'000},
    {"watchers", &Limits::watchers, 1, 1024},
    {"tombstones", &Limits::tombstones, 1, 1'000'000},
    {"revoked_tokens", &Limits::revoked_tokens, 1, 10'000'000},
    {"grpc_threads", &Limits::grpc_threads, 1, 1024},
    // All of them are served by one thread.
    {"quic_connections", &Limits::quic_connections, 1, 1'000'000},
    {"quic_connections_per_source", &Limits::quic_connections_per_source, 1, 1'000'000},
    {"quic_half_open", &Limits::quic_half_open, 1, 1'000'000},
    {"quic_threads", &Limits::quic_threads, 1, 256},
};
inline constexpr absl::Duration kMinTombstoneLifetime = absl::Seconds(1);
inline constexpr absl::Duration kMaxTombstoneLifetime = absl::Hours(24);

// InvalidArgument with a sentence about the first limit that is out of its range or does not go
// with another one.
absl::Status CheckLimits(const Limits& limits);

// Sessions that one of `workers` workers may get: all, spread evenly.
size_t SessionsPerWorker(const Limits& limits, size_t workers);

// What one of `workers` workers gets of extra_srtp_kib, in bytes.
size_t ExtraSrtpBytesPerWorker(const Limits& limits, size_t workers);

// The same of interceptor_kib, and of held_packets.
size_t InterceptorBytesPerWorker(const Limits& limits, size_t workers);
size_t HeldPacketsPerWorker(const Limits& limits, size_t workers);

// Most memory that the statistics of all tombstones together may take; the oldest go first.
size_t TombstoneBytes(const Limits& limits);

// One consumer of memory.
struct MemoryUse {
  absl::string_view what;
  size_t bytes;
};

// What the sum of all limits depends on besides the limits.
struct MemoryFactors {
  size_t workers = 1;
  // Of one worker, with their headroom.
  size_t packet_slots = 0;
  size_t packet_slot_bytes = 0;
  // Of all families together; no leg is without one.
  size_t port_pairs = 0;
  // Of one packet log; 0 where there is no folder for them.
  size_t packet_log_bytes = 0;
  // Ports with gRPC threads of their own: controllers', and participants' where there is one.
  size_t grpc_ports = 1;
  // Of one connection over QUIC, at most, and what all of them share; 0 without a port for QUIC.
  size_t quic_connection_bytes = 0;
  size_t quic_pool_bytes = 0;
};

// The most that a gateway with these limits can come to hold, by consumer, largest first.
std::vector<MemoryUse> SumMemory(const Limits& limits, const MemoryFactors& factors);

// ResourceExhausted with a sentence that names the largest consumers when `uses` together are more
// than `available` bytes.
absl::Status CheckMemory(const std::vector<MemoryUse>& uses, uint64_t available);

}  // namespace sluice

#endif  // GATEWAY_CONFIG_LIMITS_H_
