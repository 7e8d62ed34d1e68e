#include "gateway/control/node_report.h"

#include <dirent.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "gateway/control/event_log.h"
#include "gateway/control/session_convert.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/time_convert.h"
#include "gateway/control/watcher_places.h"
#include "gateway/session/byte_budget.h"
#include "gateway/worker/worker.h"
#include "gateway/worker/worker_pool.h"
#include "gateway/worker/worker_usage.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// Sums over all workers.
struct Totals {
  uint64_t packet_slots = 0;
  uint64_t packet_slots_free = 0;
  uint64_t packet_slots_exhausted = 0;
  uint64_t events_dropped = 0;
  BudgetUse extra_srtp;
  BudgetUse interceptor_bytes;
  BudgetUse held_packets;
};

void Add(const BudgetUse& use, BudgetUse& total) {
  total.used += use.used;
  total.refused += use.refused;
}

// Nothing for what never happened.
template <typename Counts>
void AddCount(absl::string_view name, uint64_t count, Counts& out) {
  if (count > 0) {
    pb::NamedCount& named = *out.Add();
    named.set_name(std::string(name));
    named.set_count(count);
  }
}

void ReportDrops(const WorkerUsage& usage, pb::WorkerStatus& out) {
  auto& drops = *out.mutable_interceptors_dropped();
  AddCount("rtp", usage.interceptor_drops.rtp, drops);
  AddCount("rtcp", usage.interceptor_drops.rtcp, drops);
  AddCount("events", usage.interceptor_drops.events, drops);
  AddCount("malformed", usage.interceptor_drops.malformed, drops);
}

uint64_t ToKib(uint64_t bytes) { return (bytes + 1023) / 1024; }

void AddLimit(absl::string_view name, const LimitState& state, pb::Node& out) {
  pb::LimitUsage& usage = *out.add_limits();
  usage.set_name(std::string(name));
  usage.set_limit(state.limit);
  usage.set_used(state.used);
  usage.set_refused(state.refused);
}

absl::Status ReportWorkers(WorkerPool& workers, Totals& totals, pb::Node& out) {
  for (size_t i = 0; i < workers.size(); ++i) {
    const absl::StatusOr<WorkerUsage> usage = workers.worker(i).GetUsage();
    if (!usage.ok()) {
      return usage.status();
    }
    pb::WorkerStatus& status = *out.add_workers();
    status.set_worker(static_cast<uint32_t>(i));
    status.set_sessions(usage->sessions);
    status.set_legs(usage->legs);
    status.set_packet_slots(usage->packet_slots);
    status.set_packet_slots_free(usage->packet_slots_free);
    status.set_events_dropped(usage->events_dropped);
    ReportDrops(*usage, status);
    totals.packet_slots += usage->packet_slots;
    totals.packet_slots_free += usage->packet_slots_free;
    totals.packet_slots_exhausted += usage->packet_slots_exhausted;
    totals.events_dropped += usage->events_dropped;
    Add(usage->extra_srtp, totals.extra_srtp);
    Add(usage->interceptor_bytes, totals.interceptor_bytes);
    Add(usage->held_packets, totals.held_packets);
  }
  return absl::OkStatus();
}

// Every row of kLimitRows, and what follows from them.
void ReportLimits(const NodeSources& sources, ControlRoom& room, const Totals& totals,
                  const QuicUse& quic, pb::Node& out) {
  const DirectoryUsage directory_usage = room.directory().usage();
  for (const LimitRow& row : kLimitRows) {
    LimitState state{.limit = sources.limits.*row.member};
    if (row.member == &Limits::sessions) {
      state.used = directory_usage.sessions;
      state.refused = directory_usage.sessions_refused;
    } else if (row.member == &Limits::tombstones) {
      state.used = directory_usage.tombstones;
      state.refused = directory_usage.tombstones_evicted;
    } else if (row.member == &Limits::watchers) {
      state.used = room.watchers().used();
      state.refused = room.watchers().refused();
    } else if (row.member == &Limits::event_log) {
      state.used = std::min<uint64_t>(room.log().latest(), state.limit);
    } else if (row.member == &Limits::event_queue) {
      state.refused = totals.events_dropped;
    } else if (row.member == &Limits::extra_srtp_kib) {
      state.used = ToKib(totals.extra_srtp.used);
      state.refused = totals.extra_srtp.refused;
    } else if (row.member == &Limits::interceptor_kib) {
      state.used = ToKib(totals.interceptor_bytes.used);
      state.refused = totals.interceptor_bytes.refused;
    } else if (row.member == &Limits::packet_logs && sources.packet_logs != nullptr) {
      state = sources.packet_logs();
    } else if (row.member == &Limits::revoked_tokens && sources.revoked_tokens != nullptr) {
      state = sources.revoked_tokens();
    } else if (row.member == &Limits::held_packets) {
      state.used = totals.held_packets.used;
      state.refused = totals.held_packets.refused;
    } else if (row.member == &Limits::quic_connections) {
      state.used = quic.connections.used;
      state.refused = quic.connections.refused;
    } else if (row.member == &Limits::quic_connections_per_source) {
      state.refused = quic.refused_source;
    } else if (row.member == &Limits::quic_half_open) {
      state.used = quic.half_open.used;
      state.refused = quic.half_open.refused;
    } else if (row.member == &Limits::quic_threads) {
      state.used = quic.threads.used;
      state.refused = quic.threads.refused;
    }
    AddLimit(row.name, state, out);
  }
  AddLimit("media_ports", sources.media_ports(), out);
  AddLimit("packet_slots",
           {totals.packet_slots, totals.packet_slots - totals.packet_slots_free,
            totals.packet_slots_exhausted},
           out);
}

}  // namespace

absl::Status ReportNode(const NodeSources& sources, ControlRoom& room, pb::Node& out) {
  Totals totals;
  absl::Status status = ReportWorkers(room.workers(), totals, out);
  if (!status.ok()) {
    return status;
  }
  out.set_version(sources.version);
  out.set_instance_id(room.log().instance_id());
  *out.mutable_start_time() = ToProto(sources.start_time);
  const absl::Duration uptime = std::max(room.now() - sources.start_time, absl::ZeroDuration());
  *out.mutable_uptime() = ToProto(TimeDelta::Micros(absl::ToInt64Microseconds(uptime)));

  if (sources.quic != nullptr) {
    QuicUse quic = sources.quic();
    *out.mutable_quic() = std::move(quic.status);
    ReportLimits(sources, room, totals, quic, out);
  } else {
    ReportLimits(sources, room, totals, {}, out);
  }
  if (sources.participants_refused != nullptr) {
    for (const auto& [name, count] : sources.participants_refused()) {
      AddCount(name, count, *out.mutable_participants_refused());
    }
  }
  ToProto(sources.session_defaults, *out.mutable_default_session_config());
  out.set_open_file_descriptors(OpenFileDescriptors());
  out.set_crypto_engine(std::string(EngineName(sources.crypto_engine)));
  return absl::OkStatus();
}

uint64_t OpenFileDescriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
  if (folder == nullptr) {
    return 0;
  }
  uint64_t count = 0;
  while (readdir(folder.get()) != nullptr) {
    ++count;
  }
  // ".", ".." and the one that reads the folder.
  return count > 3 ? count - 3 : 0;
}

}  // namespace sluice
