#include "gateway/config/limits.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace sluice {
namespace {

// What one thing costs at most while it lives; gateway/control/memory_sum_test.cc measures.

// Labels (16 of 63 + 255 bytes) with the worker and in the directory, id, forwarding table.
constexpr size_t kSessionBytes = 20 * 1024;
// Sockets' kernel structures, leg state, payload types, SSRC filter, session keys of three keys in
// the form of the engine that needs most.
constexpr size_t kLegBytes = 16 * 1024;
// One SSRC in both directions: SRTP indices and replay windows (1024 + 128 + 1024 bits), two SSRCs
// that lost their place and are remembered, reception statistics, table entries.
constexpr size_t kStreamBytes = 1024;
// A stored event: two ids of up to 128 bytes, two addresses, message overhead.
constexpr size_t kEventBytes = 1024;
// A media event on its way from a worker, in its outbox and in the queue to the pump: two inline
// ids and two addresses each.
constexpr size_t kNoticeBytes = 1024;
// A tombstone with the statistics of two legs of some streams each, labels and ids.
constexpr size_t kTombstoneBytes = 4 * 1024;
// An id and a time in a hash table at its lowest load.
constexpr size_t kRevokedTokenBytes = 72;
// Touched stack and call state of one gRPC thread, a request and a response of the largest size.
constexpr size_t kGrpcThreadBytes = 3 * 1024 * 1024;
// Touched stack of a thread for calls over QUIC, and a request and an answer of the largest size.
constexpr size_t kQuicThreadBytes = 1024 * 1024;
// Code, libraries, gRPC's own tables.
constexpr size_t kBaseBytes = 48 * 1024 * 1024;

std::string InMebibytes(uint64_t bytes) {
  return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB");
}

}  // namespace

absl::Status CheckLimits(const Limits& limits) {
  for (const LimitRow& row : kLimitRows) {
    const size_t value = limits.*row.member;
    if (value < row.min || value > row.max) {
      return absl::InvalidArgumentError(absl::StrCat("limits.", row.name, " is ", value,
                                                     ", it has to be ", row.min, "..", row.max));
    }
  }
  if (limits.outbox_packets < limits.receive_batch) {
    return absl::InvalidArgumentError(
        absl::StrCat("limits.outbox_packets is ", limits.outbox_packets,
                     ", it has to be at least limits.receive_batch (", limits.receive_batch,
                     ") or packets are lost in every full batch"));
  }
  if (limits.mailbox_commands < limits.grpc_threads) {
    return absl::InvalidArgumentError(
        absl::StrCat("limits.mailbox_commands is ", limits.mailbox_commands,
                     ", it has to be at least limits.grpc_threads (", limits.grpc_threads,
                     "), since each of them may wait for the same worker"));
  }
  if (limits.tombstone_lifetime < kMinTombstoneLifetime ||
      limits.tombstone_lifetime > kMaxTombstoneLifetime) {
    return absl::InvalidArgumentError(absl::StrCat(
        "limits.tombstone_lifetime is ", absl::FormatDuration(limits.tombstone_lifetime),
        ", it has to be ", absl::FormatDuration(kMinTombstoneLifetime), " to ",
        absl::FormatDuration(kMaxTombstoneLifetime)));
  }
  return absl::OkStatus();
}

size_t SessionsPerWorker(const Limits& limits, size_t workers) {
  return (limits.sessions + workers - 1) / workers;
}

size_t ExtraSrtpBytesPerWorker(const Limits& limits, size_t workers) {
  return (limits.extra_srtp_kib + workers - 1) / workers * 1024;
}

size_t InterceptorBytesPerWorker(const Limits& limits, size_t workers) {
  return (limits.interceptor_kib + workers - 1) / workers * 1024;
}

size_t HeldPacketsPerWorker(const Limits& limits, size_t workers) {
  return (limits.held_packets + workers - 1) / workers;
}

size_t TombstoneBytes(const Limits& limits) { return limits.tombstones * kTombstoneBytes; }

std::vector<MemoryUse> SumMemory(const Limits& limits, const MemoryFactors& factors) {
  const size_t sessions = SessionsPerWorker(limits, factors.workers) * factors.workers;
  const size_t legs = std::min(sessions * limits.legs_per_session, factors.port_pairs);
  std::vector<MemoryUse> uses = {
      {"the process itself", kBaseBytes},
      {"packet_slots", factors.workers * factors.packet_slots * factors.packet_slot_bytes},
      {"sessions", sessions * kSessionBytes},
      {"legs", legs * kLegBytes},
      {"streams_per_leg", legs * limits.streams_per_leg * kStreamBytes},
      {"extra_srtp_kib", factors.workers * ExtraSrtpBytesPerWorker(limits, factors.workers)},
      {"interceptor_kib", factors.workers * InterceptorBytesPerWorker(limits, factors.workers)},
      {"packet_logs", limits.packet_logs * factors.packet_log_bytes},
      {"event_queue", factors.workers * limits.event_queue * kNoticeBytes},
      {"event_log", limits.event_log * kEventBytes},
      {"tombstones", TombstoneBytes(limits)},
      {"revoked_tokens", limits.revoked_tokens * kRevokedTokenBytes},
      {"grpc_threads and watchers",
       factors.grpc_ports * (limits.grpc_threads + limits.watchers) * kGrpcThreadBytes},
  };
  if (factors.quic_connection_bytes > 0) {
    uses.push_back({"quic_connections", limits.quic_connections * factors.quic_connection_bytes +
                                            factors.quic_pool_bytes});
    uses.push_back({"quic_threads", limits.quic_threads * kQuicThreadBytes});
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const MemoryUse& a, const MemoryUse& b) { return a.bytes > b.bytes; });
  return uses;
}

absl::Status CheckMemory(const std::vector<MemoryUse>& uses, uint64_t available) {
  uint64_t sum = 0;
  for (const MemoryUse& use : uses) {
    sum += use.bytes;
  }
  if (sum <= available) {
    return absl::OkStatus();
  }
  const size_t named = std::min<size_t>(uses.size(), 3);
  return absl::ResourceExhaustedError(absl::StrCat(
      "the limits add up to ", InMebibytes(sum), " and this machine has ", InMebibytes(available),
      ": lower the limits, first of all ",
      absl::StrJoin(uses.begin(), uses.begin() + named, ", ",
                    [](std::string* out, const MemoryUse& use) {
                      absl::StrAppend(out, use.what, " (", InMebibytes(use.bytes), ")");
                    })));
}

}  // namespace sluice
