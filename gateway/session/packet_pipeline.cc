#include "gateway/session/packet_pipeline.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_chain.h"
#include "gateway/session/session_event.h"
#include "interceptor/chain.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

PacketPipeline::PacketPipeline(size_t receive_batch, size_t destinations_per_leg,
                               const PacketPathRooms& rooms)
    : receive_batch_(std::max<size_t>(receive_batch, 1)),
      rooms_(rooms),
      attributes_(receive_batch_ + InterceptorOutboxLimits().rtp_packets),
      made_(InterceptorOutboxLimits(), rooms.arena, attributes_),
      // Enough for a batch of bridged calls in one Protect; wider fan-out takes several.
      send_(receive_batch_ + destinations_per_leg, rooms) {
  admitted_.reserve(receive_batch_);
  unprotect_jobs_.reserve(receive_batch_);
  rtp_rows_.reserve(receive_batch_);
  rtcp_rows_.reserve(receive_batch_);
}

void PacketPipeline::HandleBatch(Timestamp now, absl::Span<ReceivedDatagram> batch, Outbox& out) {
  while (!batch.empty()) {
    const size_t count = std::min(batch.size(), receive_batch_);
    HandlePortion(now, batch.first(count), out);
    batch.remove_prefix(count);
  }
}

void PacketPipeline::HandlePortion(Timestamp now, absl::Span<ReceivedDatagram> portion,
                                   Outbox& out) {
  admitted_.clear();
  unprotect_jobs_.clear();
  for (ReceivedDatagram& datagram : portion) {
    Admit(now, datagram);
  }
  Unprotect(absl::MakeSpan(unprotect_jobs_), rooms_.arena, rooms_.engine);
  for (size_t i = 0; i < admitted_.size();) {
    i += HandleRun(now, i, out);
  }
  TellKeyLimits(now, out);
  send_.Flush(now, out);
}

void PacketPipeline::Admit(Timestamp now, ReceivedDatagram& datagram) {
  SLUICE_DCHECK(datagram.packet);
  LegEntry* const from = rooms_.legs.Find(datagram.leg);
  if (from == nullptr) {
    ++stale_datagrams_;
    datagram.packet.Return();
    return;
  }
  const Leg::Admission admission = from->leg.Admit(now, datagram.component, datagram.source,
                                                   datagram.packet.bytes(), datagram.truncated);
  if (admission.reject.has_value()) {
    from->leg.Conclude(*admission.reject);
    datagram.packet.Return();
    return;
  }
  uint32_t job = kNoJob;
  if (SrtpReceiver* receiver = from->leg.receiver(); receiver != nullptr) {
    job = static_cast<uint32_t>(unprotect_jobs_.size());
    unprotect_jobs_.push_back(
        {receiver, &datagram.packet, admission.kind, UnprotectVerdict::kMalformed});
  }
  admitted_.push_back({from, &datagram, admission.kind, job});
}

std::optional<RtpSummary> PacketPipeline::Accept(Timestamp now, const Admitted& admitted,
                                                 Outbox& out) {
  Leg& leg = admitted.from->leg;
  ReceivedDatagram& datagram = *admitted.datagram;
  SLUICE_DCHECK(leg.secure() == (admitted.job != kNoJob));
  if (admitted.job != kNoJob) {
    const UnprotectVerdict verdict = unprotect_jobs_[admitted.job].verdict;
    if (verdict != UnprotectVerdict::kOk) {
      leg.Conclude(ToPacketVerdict(verdict));
      datagram.packet.Return();
      return std::nullopt;
    }
  }
  const Leg::Acceptance acceptance =
      leg.Accept(now, datagram.component, admitted.kind, datagram.source, datagram.packet.bytes());
  if (acceptance.accepted) {
    Session& session = *rooms_.sessions.Find(admitted.from->session);
    PushEvents(now, session, leg, acceptance, out);
    if (session.OnAccepted(now, admitted.kind == PacketKind::kRtp)) {
      // The idle timeout may be shorter than what was left of the offer's. Later packets only put
      // the end off, which the timer finds out when it fires.
      rooms_.timers.BringForward(admitted.from->session.index, session.NextDeadline().at);
    }
  }
  if (acceptance.reject.has_value()) {
    leg.Conclude(*acceptance.reject);
    datagram.packet.Return();
    return std::nullopt;
  }
  return acceptance.rtp;
}

size_t PacketPipeline::HandleRun(Timestamp now, size_t first, Outbox& out) {
  const Admitted& admitted = admitted_[first];
  Leg& leg = admitted.from->leg;
  if (leg.chain() != nullptr) {
    size_t end = first + 1;
    while (end < admitted_.size() && admitted_[end].from == admitted.from &&
           admitted_[end].kind == admitted.kind) {
      ++end;
    }
    const auto run = absl::MakeConstSpan(admitted_).subspan(first, end - first);
    if (admitted.kind == PacketKind::kRtp) {
      HandleRtp(now, run, out);
    } else {
      HandleRtcp(now, run, out);
    }
    return run.size();
  }
  if (const std::optional<RtpSummary> rtp = Accept(now, admitted, out); rtp.has_value()) {
    PacketLoan& packet = admitted.datagram->packet;
    const bool ends_here = admitted.kind == PacketKind::kRtcp && leg.terminates_rtcp();
    leg.Conclude(ends_here ? PacketVerdict::kRtcpTerminated
                           : Forward(now, *admitted.from, packet, admitted.kind, *rtp, out));
    packet.Return();
  }
  return 1;
}

void PacketPipeline::HandleRtp(Timestamp now, absl::Span<const Admitted> run, Outbox& out) {
  LegEntry& from = *run.front().from;
  const LegHandle handle = run.front().datagram->leg;
  LegChain& chain = *from.leg.chain();
  rtp_rows_.clear();
  for (const Admitted& admitted : run) {
    if (!Accept(now, admitted, out).has_value()) {
      continue;
    }
    // Has one: the leg has parsed it.
    if (const auto row = InterceptedRtp::Of(admitted.datagram->packet); row.has_value()) {
      chain.Prepare(now, PacketDirection::kIncoming, row->view);
      rtp_rows_.push_back(*row);
    }
  }
  const size_t accepted = rtp_rows_.size();
  const absl::Span<InterceptedRtp> left =
      chain.chain().OnIncomingRtp(now, absl::MakeSpan(rtp_rows_), made_);
  for (size_t i = left.size(); i < accepted; ++i) {
    from.leg.Conclude(PacketVerdict::kIntercepted);
  }
  for (InterceptedRtp& row : left) {
    from.leg.Conclude(
        Forward(now, from, *row.packet, PacketKind::kRtp, RtpSummary::Of(row.view), out));
    row.packet->Return();
  }
  ForwardDeliveries(now, from, out);
  send_.TakeMade(now, handle, from, made_, out);
}

void PacketPipeline::HandleRtcp(Timestamp now, absl::Span<const Admitted> run, Outbox& out) {
  LegEntry& from = *run.front().from;
  const LegHandle handle = run.front().datagram->leg;
  rtcp_rows_.clear();
  for (const Admitted& admitted : run) {
    if (!Accept(now, admitted, out).has_value()) {
      continue;
    }
    if (const auto row = InterceptedRtcp::Of(admitted.datagram->packet); row.has_value()) {
      rtcp_rows_.push_back(*row);
    }
  }
  const size_t accepted = rtcp_rows_.size();
  const absl::Span<InterceptedRtcp> left =
      from.leg.chain()->chain().OnIncomingRtcp(now, absl::MakeSpan(rtcp_rows_), made_);
  for (size_t i = left.size(); i < accepted; ++i) {
    from.leg.Conclude(PacketVerdict::kIntercepted);
  }
  for (InterceptedRtcp& row : left) {
    from.leg.Conclude(from.leg.terminates_rtcp()
                          ? PacketVerdict::kRtcpTerminated
                          : Forward(now, from, *row.packet, PacketKind::kRtcp, {}, out));
    row.packet->Return();
  }
  ForwardDeliveries(now, from, out);
  send_.TakeMade(now, handle, from, made_, out);
}

void PacketPipeline::HandleChainTimeout(Timestamp now, LegHandle handle, LegEntry& entry,
                                        Outbox& out) {
  if (entry.leg.chain() == nullptr || entry.leg.chain()->NextTimeout() > now) {
    return;
  }
  entry.leg.chain()->chain().OnTimeout(now, made_);
  ForwardDeliveries(now, entry, out);
  send_.TakeMade(now, handle, entry, made_, out);
}

void PacketPipeline::ForwardDeliveries(Timestamp now, const LegEntry& from, Outbox& out) {
  for (OutboxRtp& made : made_.deliveries()) {
    if (const auto row = InterceptedRtp::Of(made.packet); row.has_value() && !from.leg.hold()) {
      Forward(now, from, made.packet, PacketKind::kRtp, RtpSummary::Of(row->view), out);
    }
    made.packet.Return();
  }
}

void PacketPipeline::PushEvents(Timestamp now, const Session& session, const Leg& leg,
                                const Leg::Acceptance& acceptance, Outbox& out) {
  if (!acceptance.media_started && !acceptance.stream_added &&
      !acceptance.address_change.has_value()) {
    return;
  }
  SessionEvent event = LegEvent(now, SessionEventKind::kMediaStarted, session.id(), leg.id());
  if (acceptance.media_started) {
    out.PushEvent(event);
  }
  if (acceptance.stream_added) {
    event.kind = SessionEventKind::kStreamAdded;
    event.ssrc = acceptance.rtp.ssrc;
    out.PushEvent(event);
    event.ssrc = Ssrc(0);
  }
  if (acceptance.address_change.has_value()) {
    event.kind = SessionEventKind::kRemoteAddressChanged;
    event.old_rtp = acceptance.address_change->before;
    event.new_rtp = acceptance.address_change->after;
    out.PushEvent(event);
  }
}

PacketVerdict PacketPipeline::Forward(Timestamp now, const LegEntry& from, PacketLoan& packet,
                                      PacketKind kind, const RtpSummary& rtp, Outbox& out) {
  // The loan itself goes to the last that gets the packet, which is known only at the end.
  LegEntry* last = nullptr;
  OutgoingDatagram last_datagram;
  bool terminated = false;
  for (const LegHandle handle : from.destinations) {
    LegEntry* const to = rooms_.legs.Find(handle);
    SLUICE_DCHECK(to != nullptr);
    if (kind == PacketKind::kRtcp && to->leg.terminates_rtcp()) {
      terminated = true;
      continue;
    }
    const std::optional<Leg::Destination> destination = to->leg.DestinationFor(kind);
    if (!destination.has_value()) {
      continue;
    }
    if (last != nullptr) {
      last_datagram.packet = rooms_.arena.LendCopy(packet);
      send_.Forward(now, *last, std::move(last_datagram), kind, rtp, out);
    }
    last = to;
    last_datagram.socket = destination->socket;
    last_datagram.destination = destination->address;
    last_datagram.leg = handle;
  }
  if (last == nullptr) {
    return terminated ? PacketVerdict::kRtcpTerminated : PacketVerdict::kNoDestination;
  }
  last_datagram.packet = std::move(packet);
  send_.Forward(now, *last, std::move(last_datagram), kind, rtp, out);
  return PacketVerdict::kForwarded;
}

void PacketPipeline::TellKeyLimits(Timestamp now, Outbox& out) {
  for (const Admitted& admitted : admitted_) {
    if (admitted.job == kNoJob) {
      continue;
    }
    const UnprotectVerdict verdict = unprotect_jobs_[admitted.job].verdict;
    const auto limit = admitted.from->leg.TakeKeyLimit(verdict);
    if (!limit.has_value()) {
      continue;
    }
    SessionEvent event =
        LegEvent(now, SessionEventKind::kKeyLimitReached,
                 rooms_.sessions.Find(admitted.from->session)->id(), admitted.from->leg.id());
    event.direction = StreamDirection::kReceived;
    event.limit = *limit;
    out.PushEvent(event);
  }
}

}  // namespace sluice
