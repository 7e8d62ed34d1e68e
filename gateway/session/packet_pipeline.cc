#include "gateway/session/packet_pipeline.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/inline_id.h"
#include "gateway/session/session.h"
#include "gateway/session/session_event.h"
#include "srtp/rtp_types.h"

namespace sluice {

PacketPipeline::PacketPipeline(size_t receive_batch, size_t destinations_per_leg, LegSlots& legs,
                               SessionSlots& sessions, TimerQueue& timers, PacketArena& arena,
                               CryptoEngine& engine)
    : receive_batch_(std::max<size_t>(receive_batch, 1)),
      // Enough for a batch of bridged calls in one Protect; wider fan-out takes several.
      max_outgoing_(receive_batch_ + destinations_per_leg),
      legs_(legs),
      sessions_(sessions),
      timers_(timers),
      arena_(arena),
      engine_(engine) {
  admitted_.reserve(receive_batch_);
  unprotect_jobs_.reserve(receive_batch_);
  outgoing_.reserve(max_outgoing_);
  protect_jobs_.reserve(max_outgoing_);
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
  Unprotect(absl::MakeSpan(unprotect_jobs_), arena_, engine_);
  for (const Admitted& admitted : admitted_) {
    Accept(now, admitted, out);
  }
  TellReceiveKeyLimits(now, out);
  Flush(now, out);
}

void PacketPipeline::Admit(Timestamp now, ReceivedDatagram& datagram) {
  SLUICE_DCHECK(datagram.packet);
  LegEntry* const from = legs_.Find(datagram.leg);
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

void PacketPipeline::Accept(Timestamp now, const Admitted& admitted, Outbox& out) {
  Leg& leg = admitted.from->leg;
  ReceivedDatagram& datagram = *admitted.datagram;
  SLUICE_DCHECK(leg.secure() == (admitted.job != kNoJob));
  if (admitted.job != kNoJob) {
    const UnprotectVerdict verdict = unprotect_jobs_[admitted.job].verdict;
    if (verdict != UnprotectVerdict::kOk) {
      leg.Conclude(ToPacketVerdict(verdict));
      datagram.packet.Return();
      return;
    }
  }
  const Leg::Acceptance acceptance =
      leg.Accept(now, datagram.component, admitted.kind, datagram.source, datagram.packet.bytes());
  if (acceptance.accepted) {
    Session& session = *sessions_.Find(admitted.from->session);
    PushEvents(now, session, leg, acceptance, out);
    if (session.OnAccepted(now, admitted.kind == PacketKind::kRtp)) {
      // The idle timeout may be shorter than what was left of the offer's. Later packets only put
      // the end off, which the timer finds out when it fires.
      timers_.BringForward(admitted.from->session.index, session.NextDeadline().at);
    }
  }
  if (acceptance.reject.has_value()) {
    leg.Conclude(*acceptance.reject);
  } else if (Forward(now, admitted, acceptance.rtp, out)) {
    leg.Conclude(PacketVerdict::kForwarded);
  } else {
    leg.Conclude(PacketVerdict::kNoDestination);
  }
  datagram.packet.Return();
}

void PacketPipeline::PushEvents(Timestamp now, const Session& session, const Leg& leg,
                                const Leg::Acceptance& acceptance, Outbox& out) {
  if (!acceptance.media_started && !acceptance.stream_added &&
      !acceptance.address_change.has_value()) {
    return;
  }
  SessionEvent event;
  event.time = now;
  event.session_id = InlineId(session.id());
  event.leg_id = InlineId(leg.id());
  if (acceptance.media_started) {
    event.kind = SessionEventKind::kMediaStarted;
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

bool PacketPipeline::Forward(Timestamp now, const Admitted& admitted, const RtpSummary& rtp,
                             Outbox& out) {
  PacketLoan& packet = admitted.datagram->packet;
  // The loan itself goes to the last that gets the packet, which is known only at the end.
  LegEntry* last = nullptr;
  OutgoingDatagram last_datagram;
  for (const LegHandle handle : admitted.from->destinations) {
    LegEntry* const to = legs_.Find(handle);
    SLUICE_DCHECK(to != nullptr);
    const std::optional<Leg::Destination> destination = to->leg.DestinationFor(admitted.kind);
    if (!destination.has_value()) {
      continue;
    }
    if (last != nullptr) {
      last_datagram.packet = arena_.LendCopy(packet);
      AddOutgoing(now, {last, std::move(last_datagram), admitted.kind, rtp, kNoJob}, out);
    }
    last = to;
    last_datagram.socket = destination->socket;
    last_datagram.destination = destination->address;
    last_datagram.leg = handle;
  }
  if (last == nullptr) {
    return false;
  }
  last_datagram.packet = std::move(packet);
  AddOutgoing(now, {last, std::move(last_datagram), admitted.kind, rtp, kNoJob}, out);
  return true;
}

void PacketPipeline::AddOutgoing(Timestamp now, Outgoing outgoing, Outbox& out) {
  if (!outgoing.datagram.packet) {
    outgoing.to->leg.Conclude(PacketVerdict::kNoCopySlot);
    return;
  }
  if (outgoing_.size() == max_outgoing_) {
    Flush(now, out);
  }
  outgoing_.push_back(std::move(outgoing));
}

void PacketPipeline::Flush(Timestamp now, Outbox& out) {
  protect_jobs_.clear();
  for (Outgoing& outgoing : outgoing_) {
    if (SrtpSender* sender = outgoing.to->leg.sender(); sender != nullptr) {
      outgoing.job = static_cast<uint32_t>(protect_jobs_.size());
      protect_jobs_.push_back(
          {sender, &outgoing.datagram.packet, outgoing.kind, ProtectVerdict::kMalformed});
    }
  }
  Protect(absl::MakeSpan(protect_jobs_), engine_);
  for (Outgoing& outgoing : outgoing_) {
    Leg& leg = outgoing.to->leg;
    SLUICE_DCHECK(leg.secure() == (outgoing.job != kNoJob));
    if (outgoing.job != kNoJob) {
      const ProtectVerdict verdict = protect_jobs_[outgoing.job].verdict;
      if (verdict != ProtectVerdict::kOk) {
        leg.Conclude(ToPacketVerdict(verdict));
        continue;
      }
    }
    if (!out.PushPacket(std::move(outgoing.datagram))) {
      leg.Conclude(PacketVerdict::kOutboxFull);
    } else if (outgoing.kind == PacketKind::kRtp) {
      leg.CountSent(now, outgoing.rtp);
    }
  }
  TellSendKeyLimits(now, out);
  outgoing_.clear();
}

void PacketPipeline::TellReceiveKeyLimits(Timestamp now, Outbox& out) {
  for (const Admitted& admitted : admitted_) {
    if (admitted.job == kNoJob) {
      continue;
    }
    const UnprotectVerdict verdict = unprotect_jobs_[admitted.job].verdict;
    if (const auto limit = admitted.from->leg.TakeKeyLimit(verdict); limit.has_value()) {
      PushKeyLimit(now, *admitted.from, StreamDirection::kReceived, *limit, out);
    }
  }
}

void PacketPipeline::TellSendKeyLimits(Timestamp now, Outbox& out) {
  for (const Outgoing& outgoing : outgoing_) {
    if (outgoing.job == kNoJob) {
      continue;
    }
    const ProtectVerdict verdict = protect_jobs_[outgoing.job].verdict;
    if (const auto limit = outgoing.to->leg.TakeKeyLimit(verdict); limit.has_value()) {
      PushKeyLimit(now, *outgoing.to, StreamDirection::kSent, *limit, out);
    }
  }
}

void PacketPipeline::PushKeyLimit(Timestamp now, const LegEntry& entry, StreamDirection direction,
                                  KeyLimit limit, Outbox& out) {
  SessionEvent event;
  event.kind = SessionEventKind::kKeyLimitReached;
  event.time = now;
  event.session_id = InlineId(sessions_.Find(entry.session)->id());
  event.leg_id = InlineId(entry.leg.id());
  event.direction = direction;
  event.limit = limit;
  out.PushEvent(event);
}

}  // namespace sluice
