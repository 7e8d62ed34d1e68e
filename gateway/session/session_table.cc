#include "gateway/session/session_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/time_delta.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg.h"
#include "gateway/session/byte_budget.h"
#include "gateway/session/leg_entry.h"
#include "gateway/session/packet_pipeline.h"
#include "gateway/session/session.h"
#include "gateway/session/timer_queue.h"

namespace sluice {
namespace {

// How soon a session that could not report its end is asked again: long enough for the worker to
// empty the outbox, short against every timeout.
constexpr TimeDelta kEndRetryDelay = TimeDelta::Millis(10);

// Between two timeouts of one session: what a pacer needs, and short against all else.
constexpr TimeDelta kShortestTimeout = TimeDelta::Micros(500);

}  // namespace

struct SessionTable::State {
  State(const SessionTableLimits& table_limits, PacketArena& arena, CryptoEngine& crypto_engine,
        const ChainEnvironment& chain_environment)
      : limits(table_limits),
        engine(crypto_engine),
        chains(chain_environment),
        extra_srtp(limits.extra_srtp_bytes),
        interceptor_bytes(limits.interceptor_bytes),
        held_packets(limits.held_packets),
        sessions(limits.sessions),
        legs(limits.legs),
        timers(limits.sessions),
        handles(limits.sessions),
        pipeline(limits.receive_batch, limits.destinations_per_leg,
                 {legs, sessions, timers, arena, crypto_engine}) {
    by_id.reserve(limits.sessions);
  }

  struct FoundLeg {
    LegHandle handle;
    LegEntry* entry;
  };

  absl::StatusOr<SessionHandle> FindSession(absl::string_view id) const;
  absl::StatusOr<FoundLeg> FindLeg(SessionHandle session, absl::string_view leg_id);
  LegEntry& EntryOf(LegHandle handle);

  std::vector<absl::string_view> LegIds(const Session& session);
  SessionSnapshot Snapshot(Timestamp now, const Session& session);
  // Looks the rules in force up, for the packet path.
  void CompileForwarding(Session& session);
  // ResourceExhausted, unless the leg may go from `before` to `after` bytes beyond what every leg
  // may take.
  absl::Status CheckExtra(size_t before, size_t after);
  // The same of interceptors: from those that `entry` was charged for to `after`.
  absl::Status CheckInterceptors(const LegEntry& entry, const InterceptorOptions& after);
  // What the leg takes of the budgets is charged; with `gone`, nothing.
  void Charge(LegEntry& entry, bool gone = false);
  // To be called after every change of legs, their hold or keys, and of timeouts.
  void Rearm(Timestamp now, SessionHandle handle);
  void HandleSessionTimeout(Timestamp now, SessionHandle handle, Outbox& out);
  // The session is gone afterwards.
  EndedSession End(Timestamp now, SessionHandle handle, EndReason reason);

  const SessionTableLimits limits;
  CryptoEngine& engine;
  const ChainEnvironment chains;
  ByteBudget extra_srtp;
  ByteBudget interceptor_bytes;
  // In packets.
  ByteBudget held_packets;
  SessionSlots sessions;
  LegSlots legs;
  absl::flat_hash_map<std::string, SessionHandle> by_id;
  // By slot of a session.
  TimerQueue timers;
  std::vector<SessionHandle> handles;
  PacketPipeline pipeline;
};

absl::StatusOr<SessionHandle> SessionTable::State::FindSession(absl::string_view id) const {
  const auto found = by_id.find(id);
  if (found == by_id.end()) {
    return ResourceNotFound("session", id);
  }
  return found->second;
}

LegEntry& SessionTable::State::EntryOf(LegHandle handle) {
  LegEntry* const entry = legs.Find(handle);
  SLUICE_CHECK(entry != nullptr) << "a session holds a stale leg";
  return *entry;
}

absl::StatusOr<SessionTable::State::FoundLeg> SessionTable::State::FindLeg(
    SessionHandle session, absl::string_view leg_id) {
  for (const LegHandle handle : sessions.Find(session)->legs()) {
    LegEntry& entry = EntryOf(handle);
    if (entry.leg.id() == leg_id) {
      return FoundLeg{handle, &entry};
    }
  }
  return ResourceNotFound("leg", leg_id);
}

std::vector<absl::string_view> SessionTable::State::LegIds(const Session& session) {
  std::vector<absl::string_view> ids;
  ids.reserve(session.legs().size());
  for (const LegHandle handle : session.legs()) {
    ids.push_back(EntryOf(handle).leg.id());
  }
  return ids;
}

SessionSnapshot SessionTable::State::Snapshot(Timestamp now, const Session& session) {
  SessionSnapshot snapshot = session.Snapshot(now);
  snapshot.legs.reserve(session.legs().size());
  for (const LegHandle handle : session.legs()) {
    snapshot.legs.push_back(EntryOf(handle).leg.Snapshot());
  }
  snapshot.forwarding = session.forwarding().InForce(LegIds(session));
  return snapshot;
}

void SessionTable::State::CompileForwarding(Session& session) {
  const std::vector<absl::string_view> ids = LegIds(session);
  const auto handle_of = [&](absl::string_view id) {
    const auto at = std::find(ids.begin(), ids.end(), id);
    SLUICE_CHECK(at != ids.end()) << "a forwarding rule names a leg that is gone";
    return session.legs()[static_cast<size_t>(at - ids.begin())];
  };
  for (const LegHandle handle : session.legs()) {
    EntryOf(handle).destinations.clear();
  }
  for (const ForwardingRule& rule : session.forwarding().InForce(ids)) {
    std::vector<LegHandle>& destinations = EntryOf(handle_of(rule.from_leg)).destinations;
    for (const std::string& to : rule.to_legs) {
      destinations.push_back(handle_of(to));
    }
  }
}

absl::Status SessionTable::State::CheckExtra(size_t before, size_t after) {
  if (extra_srtp.Allows(before, after)) {
    return absl::OkStatus();
  }
  return LimitReached("extra_srtp_kib", extra_srtp.limit() / 1024,
                      absl::StrCat("the leg would take ", (after + 1023) / 1024,
                                   " KiB for wide replay windows and for more keys: ask for "
                                   "narrower windows, or retire keys"));
}

absl::Status SessionTable::State::CheckInterceptors(const LegEntry& entry,
                                                    const InterceptorOptions& after) {
  if (!interceptor_bytes.Allows(entry.interceptor_bytes, InterceptorBytes(after))) {
    return LimitReached(
        "interceptor_kib", interceptor_bytes.limit() / 1024,
        absl::StrCat("the leg's interceptors would take ", InterceptorBytes(after) / 1024,
                     " KiB: switch some off, or raise the limit"));
  }
  if (!held_packets.Allows(entry.held_packets, InterceptorHeldPackets(after))) {
    return LimitReached(
        "held_packets", held_packets.limit(),
        absl::StrCat("the leg's pacer and jitter buffer may keep ", InterceptorHeldPackets(after),
                     " packets: switch them off, or raise the limit"));
  }
  return absl::OkStatus();
}

void SessionTable::State::Charge(LegEntry& entry, bool gone) {
  extra_srtp.Charge(entry.extra_bytes, gone ? 0 : entry.leg.ExtraBytes());
  const InterceptorOptions& options = entry.leg.interceptors();
  interceptor_bytes.Charge(entry.interceptor_bytes, gone ? 0 : InterceptorBytes(options));
  held_packets.Charge(entry.held_packets, gone ? 0 : InterceptorHeldPackets(options));
}

void SessionTable::State::Rearm(Timestamp now, SessionHandle handle) {
  Session& session = *sessions.Find(handle);
  bool all_on_hold = !session.legs().empty();
  Timestamp next = Timestamp::PlusInfinity();
  for (const LegHandle leg : session.legs()) {
    LegEntry& entry = EntryOf(leg);
    Charge(entry);
    all_on_hold = all_on_hold && entry.leg.hold();
    next = std::min(next, entry.leg.NextTimeout());
  }
  session.SetAllOnHold(now, all_on_hold);
  // Interceptors that cannot wait are asked again soon, not at once, so that this ends.
  next = std::max(next, now + kShortestTimeout);
  timers.Set(handle.index, std::min(next, session.NextDeadline().at));
}

void SessionTable::State::HandleSessionTimeout(Timestamp now, SessionHandle handle, Outbox& out) {
  Session& session = *sessions.Find(handle);
  for (const LegHandle leg : session.legs()) {
    LegEntry& entry = EntryOf(leg);
    entry.leg.HandleTimeout(now);
    pipeline.HandleChainTimeout(now, leg, entry, out);
  }
  pipeline.Flush(now, out);
  const Session::Deadline end = session.NextDeadline();
  if (end.at > now) {
    Rearm(now, handle);
  } else if (out.CanEnd()) {
    out.PushEnded(std::make_unique<EndedSession>(End(now, handle, end.reason)));
  } else {
    timers.Set(handle.index, now + kEndRetryDelay);
  }
}

EndedSession SessionTable::State::End(Timestamp now, SessionHandle handle, EndReason reason) {
  Session& session = *sessions.Find(handle);
  EndedSession ended;
  ended.report = Snapshot(now, session);
  ended.report.state = SessionState::kEnded;
  ended.report.end_reason = reason;
  for (const LegHandle leg : session.legs()) {
    LegEntry& entry = EntryOf(leg);
    Charge(entry, /*gone=*/true);
    ended.sockets.push_back(entry.leg.local().rtp_socket);
    if (!entry.leg.rtcp_mux()) {
      ended.sockets.push_back(entry.leg.local().rtcp_socket);
    }
    legs.Erase(leg);
  }
  by_id.erase(session.id());
  timers.Cancel(handle.index);
  sessions.Erase(handle);
  return ended;
}

SessionTable::SessionTable(const SessionTableLimits& limits, PacketArena& arena,
                           CryptoEngine& engine, const ChainEnvironment& chains)
    : state_(std::make_unique<State>(limits, arena, engine, chains)) {}

SessionTable::~SessionTable() = default;

absl::Status SessionTable::CreateSession(Timestamp now, SessionSpec spec) {
  if (state_->by_id.contains(spec.id)) {
    return ResourceExists("session", spec.id, "a session with this id is live");
  }
  const std::string id = spec.id;
  const std::optional<SessionHandle> handle = state_->sessions.Emplace(now, std::move(spec));
  if (!handle.has_value()) {
    return LimitReached("sessions", state_->limits.sessions, "no room for another session");
  }
  state_->by_id.emplace(id, *handle);
  state_->handles[handle->index] = *handle;
  state_->Rearm(now, *handle);
  return absl::OkStatus();
}

absl::StatusOr<SessionSnapshot> SessionTable::GetSession(Timestamp now,
                                                         absl::string_view session_id) const {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  return state_->Snapshot(now, *state_->sessions.Find(*handle));
}

absl::Status SessionTable::UpdateSession(Timestamp now, absl::string_view session_id,
                                         const SessionUpdate& update) {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  state_->sessions.Find(*handle)->Update(update);
  state_->Rearm(now, *handle);
  return absl::OkStatus();
}

absl::StatusOr<EndedSession> SessionTable::DeleteSession(Timestamp now,
                                                         absl::string_view session_id) {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  return state_->End(now, *handle, EndReason::kDeleted);
}

absl::StatusOr<LegHandle> SessionTable::AddLeg(Timestamp now, absl::string_view session_id,
                                               LegSpec spec, const LocalTransport& local) {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  Session& session = *state_->sessions.Find(*handle);
  if (state_->FindLeg(*handle, spec.id).ok()) {
    return ResourceExists("leg", spec.id, "the session has a leg with this id");
  }
  const SessionTableLimits& limits = state_->limits;
  if (session.legs().size() >= limits.legs_per_session) {
    return LimitReached("legs_per_session", limits.legs_per_session,
                        absl::StrCat("session \"", session_id, "\" has no room for another leg"));
  }
  if (state_->legs.full()) {
    return LimitReached("legs", limits.legs, "no room for another leg");
  }
  absl::StatusOr<Leg> leg = Leg::Create(now, std::move(spec), local, limits.streams_per_leg,
                                        state_->engine, state_->chains);
  if (!leg.ok()) {
    return leg.status();
  }
  LegEntry entry = {.leg = *std::move(leg), .session = *handle, .destinations = {}};
  absl::Status status = state_->CheckExtra(0, entry.leg.ExtraBytes());
  status.Update(state_->CheckInterceptors(entry, entry.leg.interceptors()));
  if (!status.ok()) {
    return status;
  }
  const std::optional<LegHandle> added = state_->legs.Insert(std::move(entry));
  SLUICE_CHECK(added.has_value());
  session.legs().push_back(*added);
  state_->CompileForwarding(session);
  state_->Rearm(now, *handle);
  return *added;
}

absl::StatusOr<LegSnapshot> SessionTable::GetLeg(Timestamp, absl::string_view session_id,
                                                 absl::string_view leg_id) const {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  const auto found = state_->FindLeg(*handle, leg_id);
  if (!found.ok()) {
    return found.status();
  }
  return found->entry->leg.Snapshot();
}

absl::Status SessionTable::UpdateLeg(Timestamp now, absl::string_view session_id,
                                     absl::string_view leg_id, LegUpdate update) {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  const auto found = state_->FindLeg(*handle, leg_id);
  if (!found.ok()) {
    return found.status();
  }
  LegEntry& entry = *found->entry;
  absl::Status status = state_->CheckExtra(entry.extra_bytes, entry.leg.ExtraBytesAfter(update));
  if (status.ok()) {
    const absl::StatusOr<InterceptorOptions> interceptors = entry.leg.InterceptorsAfter(update);
    status =
        interceptors.ok() ? state_->CheckInterceptors(entry, *interceptors) : interceptors.status();
  }
  if (status.ok()) {
    status = entry.leg.Update(now, std::move(update));
  }
  if (status.ok()) {
    state_->Rearm(now, *handle);
  }
  return status;
}

absl::StatusOr<LegSnapshot> SessionTable::RemoveLeg(Timestamp now, absl::string_view session_id,
                                                    absl::string_view leg_id) {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  const auto found = state_->FindLeg(*handle, leg_id);
  if (!found.ok()) {
    return found.status();
  }
  LegSnapshot snapshot = found->entry->leg.Snapshot();
  state_->Charge(*found->entry, /*gone=*/true);
  Session& session = *state_->sessions.Find(*handle);
  std::erase(session.legs(), found->handle);
  session.forwarding().RemoveLeg(leg_id);
  state_->legs.Erase(found->handle);
  state_->CompileForwarding(session);
  state_->Rearm(now, *handle);
  return snapshot;
}

absl::Status SessionTable::SetForwarding(absl::string_view session_id,
                                         const std::vector<ForwardingRule>& rules) {
  const absl::StatusOr<SessionHandle> handle = state_->FindSession(session_id);
  if (!handle.ok()) {
    return handle.status();
  }
  Session& session = *state_->sessions.Find(*handle);
  const absl::Status status =
      session.forwarding().Set(rules, state_->LegIds(session), state_->limits.destinations_per_leg);
  if (status.ok()) {
    state_->CompileForwarding(session);
  }
  return status;
}

void SessionTable::HandleBatch(Timestamp now, absl::Span<ReceivedDatagram> batch, Outbox& out) {
  state_->pipeline.HandleBatch(now, batch, out);
}

void SessionTable::HandleTimeout(Timestamp now, Outbox& out) {
  // Whatever is popped is either gone or re-armed later than `now`, so this ends.
  while (const std::optional<uint32_t> due = state_->timers.PopDue(now)) {
    state_->HandleSessionTimeout(now, state_->handles[*due], out);
  }
}

Timestamp SessionTable::NextTimeout() const { return state_->timers.Next(); }

void SessionTable::HandleSendResult(LegHandle leg, bool sent, size_t bytes) {
  if (LegEntry* entry = state_->legs.Find(leg); entry != nullptr) {
    entry->leg.CountSendResult(sent, bytes);
  }
}

size_t SessionTable::session_count() const { return state_->sessions.size(); }

size_t SessionTable::leg_count() const { return state_->legs.size(); }

BudgetUse SessionTable::extra_srtp() const { return state_->extra_srtp.use(); }

BudgetUse SessionTable::interceptor_bytes() const { return state_->interceptor_bytes.use(); }

BudgetUse SessionTable::held_packets() const { return state_->held_packets.use(); }

uint64_t SessionTable::stale_datagrams() const { return state_->pipeline.stale_datagrams(); }

InterceptorDrops SessionTable::interceptor_drops() const {
  return state_->pipeline.interceptor_drops();
}

}  // namespace sluice
