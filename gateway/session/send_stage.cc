#include "gateway/session/send_stage.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "base/check.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_chain.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session.h"
#include "interceptor/chain.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/stream_info.h"

namespace sluice {

SendStage::SendStage(size_t capacity, const PacketPathRooms& rooms)
    : capacity_(capacity),
      rooms_(rooms),
      attributes_(capacity + InterceptorOutboxLimits().rtp_packets),
      made_(InterceptorOutboxLimits(), rooms.arena, attributes_) {
  forwarded_.reserve(capacity_);
  ready_.reserve(capacity_);
  protect_jobs_.reserve(capacity_);
  wishes_.reserve(kMaxKeyFrameWishes);
  rtp_rows_.reserve(capacity_);
  rtcp_rows_.reserve(capacity_);
  row_origins_.reserve(capacity_);
}

void SendStage::Forward(Timestamp now, LegEntry& to, OutgoingDatagram datagram, PacketKind kind,
                        const RtpSummary& rtp, Outbox& out) {
  if (!datagram.packet) {
    to.leg.Conclude(PacketVerdict::kNoCopySlot);
    return;
  }
  if (forwarded_.size() == capacity_) {
    PassForwarded(now, out);
  }
  forwarded_.push_back({&to, std::move(datagram), kind, rtp, kNoJob});
}

void SendStage::TakeMade(Timestamp now, LegHandle handle, LegEntry& leg, InterceptorOutbox& made,
                         Outbox& out) {
  if (const auto to = leg.leg.DestinationFor(PacketKind::kRtp); to.has_value()) {
    for (OutboxRtp& rtp : made.sends()) {
      const std::optional<InterceptedRtp> row = InterceptedRtp::Of(rtp.packet);
      if (row.has_value()) {
        OutgoingDatagram datagram = {to->socket, to->address, std::move(rtp.packet), handle};
        AddReady(now,
                 {&leg, std::move(datagram), PacketKind::kRtp, RtpSummary::Of(row->view), kNoJob},
                 out);
      }
    }
  }
  if (const auto to = leg.leg.DestinationFor(PacketKind::kRtcp); to.has_value()) {
    for (PacketLoan& rtcp : made.rtcp()) {
      if (rtcp) {
        OutgoingDatagram datagram = {to->socket, to->address, std::move(rtcp), handle};
        AddReady(now, {&leg, std::move(datagram), PacketKind::kRtcp, {}, kNoJob}, out);
      }
    }
  }
  HandleEvents(now, handle, leg, made, out);
  made.EndBatch();
  rooms_.timers.BringForward(leg.session.index, leg.leg.chain()->NextTimeout());
}

void SendStage::HandleEvents(Timestamp now, LegHandle handle, LegEntry& leg,
                             const InterceptorOutbox& made, Outbox& out) {
  for (const InterceptorEvent& event : made.events()) {
    if (const auto* changed = std::get_if<TargetRateChanged>(&event)) {
      if (leg.leg.chain()->TakeTarget(changed->target)) {
        SessionEvent told = About(now, SessionEventKind::kTargetRateChanged, leg);
        told.target = changed->target;
        out.PushEvent(told);
      }
    } else if (const auto* requested = std::get_if<KeyFrameRequested>(&event)) {
      SessionEvent told = About(now, SessionEventKind::kKeyFrameRequested, leg);
      told.ssrc = requested->ssrc;
      out.PushEvent(told);
      if (wishes_.size() < kMaxKeyFrameWishes) {
        wishes_.push_back({handle, leg.session, requested->ssrc});
      } else {
        leg.leg.chain()->CountKeyFrameNotAsked();
      }
    }
  }
}

SessionEvent SendStage::About(Timestamp now, SessionEventKind kind, const LegEntry& leg) const {
  return LegEvent(now, kind, rooms_.sessions.Find(leg.session)->id(), leg.leg.id());
}

void SendStage::Flush(Timestamp now, Outbox& out) {
  PassForwarded(now, out);
  AskSources(now, out);
  SendReady(now, out);
}

void SendStage::PassForwarded(Timestamp now, Outbox& out) {
  for (size_t i = 0; i < forwarded_.size(); ++i) {
    Outgoing& outgoing = forwarded_[i];
    if (!outgoing.datagram.packet) {
      // Passed its leg's chain together with an earlier one.
      continue;
    }
    if (outgoing.to->leg.chain() == nullptr) {
      AddReady(now, std::move(outgoing), out);
    } else {
      Intercept(now, i, out);
    }
  }
  forwarded_.clear();
}

template <typename Row>
void SendStage::CollectRows(size_t first, std::vector<Row>& rows) {
  rows.clear();
  row_origins_.clear();
  const LegEntry* const to = forwarded_[first].to;
  const PacketKind kind = forwarded_[first].kind;
  for (size_t i = first; i < forwarded_.size(); ++i) {
    Outgoing& outgoing = forwarded_[i];
    if (outgoing.to != to || outgoing.kind != kind || !outgoing.datagram.packet) {
      continue;
    }
    // Has one: the packet was parsed when it came.
    if (const std::optional<Row> row = Row::Of(outgoing.datagram.packet); row.has_value()) {
      rows.push_back(*row);
      row_origins_.push_back(static_cast<uint32_t>(i));
    } else {
      outgoing.datagram.packet.Return();
    }
  }
}

void SendStage::Intercept(Timestamp now, size_t first, Outbox& out) {
  LegEntry& to = *forwarded_[first].to;
  const LegHandle handle = forwarded_[first].datagram.leg;
  LegChain& chain = *to.leg.chain();
  if (forwarded_[first].kind == PacketKind::kRtp) {
    CollectRows(first, rtp_rows_);
    for (const InterceptedRtp& row : rtp_rows_) {
      chain.Prepare(now, PacketDirection::kOutgoing, row.view);
    }
    const absl::Span<InterceptedRtp> left =
        chain.chain().OnOutgoingRtp(now, absl::MakeSpan(rtp_rows_), made_);
    // Rows that are left are in order, so their origins are found by going along; the summary is
    // that of what the chain left.
    size_t at = 0;
    for (const InterceptedRtp& row : left) {
      while (&forwarded_[row_origins_[at]].datagram.packet != row.packet) {
        ++at;
      }
      Outgoing& outgoing = forwarded_[row_origins_[at]];
      outgoing.rtp = RtpSummary::Of(row.view);
      AddReady(now, std::move(outgoing), out);
    }
  } else {
    CollectRows(first, rtcp_rows_);
    chain.chain().OnOutgoingRtcp(now, absl::MakeSpan(rtcp_rows_), made_);
    for (const uint32_t origin : row_origins_) {
      if (forwarded_[origin].datagram.packet) {
        AddReady(now, std::move(forwarded_[origin]), out);
      }
    }
  }
  TakeMade(now, handle, to, made_, out);
}

void SendStage::AskSources(Timestamp now, Outbox& out) {
  // What asking raises comes behind, and is asked too as long as there is room.
  for (size_t i = 0; i < wishes_.size(); ++i) {
    const KeyFrameWish wish = wishes_[i];
    const Session* const session = rooms_.sessions.Find(wish.session);
    if (session == nullptr) {
      continue;
    }
    for (const LegHandle handle : session->legs()) {
      LegEntry& source = *rooms_.legs.Find(handle);
      const bool sends = std::find(source.destinations.begin(), source.destinations.end(),
                                   wish.leg) != source.destinations.end();
      if (!sends || source.leg.chain() == nullptr) {
        continue;
      }
      InterceptorChain& chain = source.leg.chain()->chain();
      if (chain.FindStream(PacketDirection::kIncoming, wish.ssrc).slot != kNoStream) {
        chain.OnEvent(now, KeyFrameNeeded{wish.ssrc}, made_);
        TakeMade(now, handle, source, made_, out);
      }
    }
  }
  wishes_.clear();
}

void SendStage::AddReady(Timestamp now, Outgoing outgoing, Outbox& out) {
  if (ready_.size() == capacity_) {
    SendReady(now, out);
  }
  ready_.push_back(std::move(outgoing));
}

void SendStage::SendReady(Timestamp now, Outbox& out) {
  protect_jobs_.clear();
  for (Outgoing& outgoing : ready_) {
    if (SrtpSender* sender = outgoing.to->leg.sender(); sender != nullptr) {
      outgoing.job = static_cast<uint32_t>(protect_jobs_.size());
      protect_jobs_.push_back(
          {sender, &outgoing.datagram.packet, outgoing.kind, ProtectVerdict::kMalformed});
    }
  }
  Protect(absl::MakeSpan(protect_jobs_), rooms_.engine);
  for (Outgoing& outgoing : ready_) {
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
  TellKeyLimits(now, out);
  ready_.clear();
}

void SendStage::TellKeyLimits(Timestamp now, Outbox& out) {
  for (const Outgoing& outgoing : ready_) {
    if (outgoing.job == kNoJob) {
      continue;
    }
    const ProtectVerdict verdict = protect_jobs_[outgoing.job].verdict;
    if (const auto limit = outgoing.to->leg.TakeKeyLimit(verdict); limit.has_value()) {
      SessionEvent event = About(now, SessionEventKind::kKeyLimitReached, *outgoing.to);
      event.direction = StreamDirection::kSent;
      event.limit = *limit;
      out.PushEvent(event);
    }
  }
}

}  // namespace sluice
