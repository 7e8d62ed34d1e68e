#include "interceptor/chain.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// Packets that interceptors made pass the hooks in portions of this many: enough to make a call's
// cost small beside theirs.
constexpr size_t kMadeBatch = 64;

// Moves the rows that were not taken to the front.
template <typename Row>
absl::Span<Row> WithoutTaken(absl::Span<Row> packets) {
  const auto end =
      std::remove_if(packets.begin(), packets.end(), [](const Row& row) { return row.taken(); });
  return packets.first(static_cast<size_t>(end - packets.begin()));
}

// Packets of one stream come in runs, so the last answer is usually the next one.
void FindStreams(const StreamSlots& streams, absl::Span<InterceptedRtp> packets) {
  Ssrc last_ssrc(0);
  StreamSlots::Place place = streams.Find(last_ssrc);
  for (InterceptedRtp& row : packets) {
    const Ssrc ssrc = row.view.ssrc();
    if (ssrc != last_ssrc) {
      place = streams.Find(ssrc);
      last_ssrc = ssrc;
    }
    row.stream = place.slot;
    row.role = place.role;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<InterceptorChain>> InterceptorChain::Create(
    std::vector<std::unique_ptr<Interceptor>> interceptors, const ChainOptions& options) {
  if (options.max_streams < 1 || options.max_streams > StreamSlots::kMaxStreams) {
    return absl::InvalidArgumentError(absl::StrCat("max_streams is ", options.max_streams,
                                                   ", want 1..", StreamSlots::kMaxStreams));
  }
  if (options.rtcp.cname.empty() || options.rtcp.cname.size() > kMaxCnameSize) {
    return absl::InvalidArgumentError(absl::StrCat("rtcp.cname has ", options.rtcp.cname.size(),
                                                   " bytes, want 1..", kMaxCnameSize));
  }
  bool present[kInterceptorKindCount] = {};
  for (const std::unique_ptr<Interceptor>& interceptor : interceptors) {
    if (interceptor == nullptr) {
      return absl::InvalidArgumentError("an interceptor is missing");
    }
    bool& seen = present[static_cast<size_t>(interceptor->kind())];
    if (seen) {
      return absl::InvalidArgumentError(
          absl::StrCat("two interceptors are ", InterceptorKindName(interceptor->kind())));
    }
    seen = true;
  }
  return absl::WrapUnique(new InterceptorChain(std::move(interceptors), options));
}

InterceptorChain::InterceptorChain(std::vector<std::unique_ptr<Interceptor>> interceptors,
                                   const ChainOptions& options)
    : interceptors_(std::move(interceptors)),
      incoming_streams_(options.max_streams),
      outgoing_streams_(options.max_streams),
      rtcp_assembler_(options.rtcp) {
  std::sort(interceptors_.begin(), interceptors_.end(),
            [](const auto& a, const auto& b) { return a->kind() < b->kind(); });
  const auto add = [](bool wanted, const Stage& stage, std::vector<Stage>& stages) {
    if (wanted) {
      stages.push_back(stage);
    }
  };
  for (const std::unique_ptr<Interceptor>& interceptor : interceptors_) {
    const InterceptorHooks hooks = interceptor->hooks();
    const Stage stage = {interceptor.get(), static_cast<uint8_t>(interceptor->kind()),
                         hooks.takes_packets};
    add(hooks.incoming_rtp, stage, incoming_rtp_);
    add(hooks.incoming_rtcp, stage, incoming_rtcp_);
    add(hooks.outgoing_rtp, stage, outgoing_rtp_);
    add(hooks.outgoing_rtcp, stage, outgoing_rtcp_);
    add(hooks.events, stage, events_);
    add(hooks.timeout, stage, timeouts_);
  }
  std::reverse(outgoing_rtp_.begin(), outgoing_rtp_.end());
  std::reverse(outgoing_rtcp_.begin(), outgoing_rtcp_.end());
  made_rtp_.reserve(kMadeBatch);
  made_rtcp_.reserve(kMadeBatch);
}

AddStreamVerdict InterceptorChain::AddStream(Timestamp now, PacketDirection direction,
                                             const StreamInfo& info) {
  StreamSlot slot = kNoStream;
  const AddStreamVerdict verdict = streams(direction).Add(info, slot);
  if (verdict == AddStreamVerdict::kOk) {
    for (const std::unique_ptr<Interceptor>& interceptor : interceptors_) {
      interceptor->OnStreamAdded(now, direction, slot, info);
    }
  }
  return verdict;
}

bool InterceptorChain::JoinStream(Timestamp now, PacketDirection direction, Ssrc media_ssrc,
                                  SsrcRole role, Ssrc ssrc) {
  if (!streams(direction).Join(media_ssrc, role, ssrc)) {
    return false;
  }
  const StreamSlot slot = streams(direction).Find(ssrc).slot;
  for (const std::unique_ptr<Interceptor>& interceptor : interceptors_) {
    interceptor->OnStreamJoined(now, direction, slot, role, ssrc);
  }
  return true;
}

bool InterceptorChain::RemoveStream(Timestamp now, PacketDirection direction, Ssrc media_ssrc) {
  const std::optional<StreamSlot> slot = streams(direction).Remove(media_ssrc);
  if (!slot.has_value()) {
    return false;
  }
  for (const std::unique_ptr<Interceptor>& interceptor : interceptors_) {
    interceptor->OnStreamRemoved(now, direction, *slot);
  }
  return true;
}

template <auto kHook, typename Row>
absl::Span<Row> InterceptorChain::Run(Stages stages, Timestamp now, absl::Span<Row> packets,
                                      InterceptorOutbox& out) {
  for (const Stage& stage : stages) {
    if (packets.empty()) {
      break;
    }
    out.position_ = stage.position;
    (stage.interceptor->*kHook)(now, packets, out);
    if (stage.takes_packets) {
      packets = WithoutTaken(packets);
    }
  }
  out.position_ = InterceptorOutbox::kLegPosition;
  return packets;
}

absl::Span<InterceptedRtp> InterceptorChain::OnIncomingRtp(Timestamp now,
                                                           absl::Span<InterceptedRtp> packets,
                                                           InterceptorOutbox& out) {
  if (incoming_rtp_.empty()) {
    return packets;
  }
  FindStreams(incoming_streams_, packets);
  packets = Run<&Interceptor::OnIncomingRtp>(incoming_rtp_, now, packets, out);
  Settle(now, out);
  return packets;
}

absl::Span<InterceptedRtp> InterceptorChain::OnOutgoingRtp(Timestamp now,
                                                           absl::Span<InterceptedRtp> packets,
                                                           InterceptorOutbox& out) {
  if (outgoing_rtp_.empty()) {
    return packets;
  }
  FindStreams(outgoing_streams_, packets);
  packets = Run<&Interceptor::OnOutgoingRtp>(outgoing_rtp_, now, packets, out);
  Settle(now, out);
  return packets;
}

absl::Span<InterceptedRtcp> InterceptorChain::OnIncomingRtcp(Timestamp now,
                                                             absl::Span<InterceptedRtcp> packets,
                                                             InterceptorOutbox& out) {
  packets = Run<&Interceptor::OnIncomingRtcp>(incoming_rtcp_, now, packets, out);
  Settle(now, out);
  return packets;
}

absl::Span<InterceptedRtcp> InterceptorChain::OnOutgoingRtcp(Timestamp now,
                                                             absl::Span<InterceptedRtcp> packets,
                                                             InterceptorOutbox& out) {
  packets = Run<&Interceptor::OnOutgoingRtcp>(outgoing_rtcp_, now, packets, out);
  Settle(now, out);
  return packets;
}

void InterceptorChain::OnEvent(Timestamp now, const InterceptorEvent& event,
                               InterceptorOutbox& out) {
  for (const Stage& stage : events_) {
    out.position_ = stage.position;
    stage.interceptor->OnEvent(now, event, out);
  }
  out.position_ = InterceptorOutbox::kLegPosition;
  Settle(now, out);
}

void InterceptorChain::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  for (const Stage& stage : timeouts_) {
    out.position_ = stage.position;
    stage.interceptor->OnTimeout(now, out);
  }
  out.position_ = InterceptorOutbox::kLegPosition;
  Settle(now, out);
}

Timestamp InterceptorChain::NextTimeout() const {
  Timestamp next = Timestamp::PlusInfinity();
  for (const Stage& stage : timeouts_) {
    next = std::min(next, stage.interceptor->NextTimeout());
  }
  return next;
}

void InterceptorChain::Settle(Timestamp now, InterceptorOutbox& out) {
  // Ends: each entry passes once, and the outbox takes a fixed number of them.
  while (out.HasNews()) {
    TellEvents(now, out);
    PassSends(now, out);
    PassDeliveries(now, out);
  }
  if (out.staged_.empty()) {
    return;
  }
  PassRtcp(now, out);
  while (out.HasNews()) {
    TellEvents(now, out);
    PassSends(now, out);
    PassDeliveries(now, out);
  }
  // What the hooks for outgoing RTCP wrote passes none of them, or this would not end.
  rtcp_assembler_.Assemble(out);
  out.rtcp_passed_ = out.rtcp_.size();
}

void InterceptorChain::TellEvents(Timestamp now, InterceptorOutbox& out) {
  while (out.events_told_ < out.events_.size()) {
    const InterceptorEvent event = out.events_[out.events_told_];
    const uint8_t origin = out.event_positions_[out.events_told_];
    ++out.events_told_;
    for (const Stage& stage : events_) {
      if (stage.position != origin) {
        out.position_ = stage.position;
        stage.interceptor->OnEvent(now, event, out);
      }
    }
  }
  out.position_ = InterceptorOutbox::kLegPosition;
}

InterceptorChain::Stages InterceptorChain::StagesAbove(Stages incoming, uint8_t position) {
  const auto first = std::find_if(incoming.begin(), incoming.end(),
                                  [=](const Stage& s) { return s.position > position; });
  return incoming.subspan(static_cast<size_t>(first - incoming.begin()));
}

InterceptorChain::Stages InterceptorChain::StagesBelow(Stages outgoing, uint8_t position) {
  const auto first = std::find_if(outgoing.begin(), outgoing.end(),
                                  [=](const Stage& s) { return s.position < position; });
  return outgoing.subspan(static_cast<size_t>(first - outgoing.begin()));
}

void InterceptorChain::TakeNext(std::vector<OutboxRtp>& list, size_t& passed,
                                const StreamSlots& streams, InterceptorOutbox& out) {
  made_rtp_.clear();
  const uint8_t position = list[passed].position;
  while (passed < list.size() && list[passed].position == position &&
         made_rtp_.size() < kMadeBatch) {
    OutboxRtp& entry = list[passed++];
    std::optional<InterceptedRtp> row = InterceptedRtp::Of(entry.packet, entry.source);
    if (!row.has_value()) {
      // Computed from what a peer sent, it may be anything.
      ++out.rtp_malformed_;
      entry.packet.Return();
      continue;
    }
    row->attributes = entry.attributes;
    made_rtp_.push_back(*row);
  }
  FindStreams(streams, absl::MakeSpan(made_rtp_));
}

void InterceptorChain::PassSends(Timestamp now, InterceptorOutbox& out) {
  while (out.sends_passed_ < out.sends_.size()) {
    const uint8_t position = out.sends_[out.sends_passed_].position;
    TakeNext(out.sends_, out.sends_passed_, outgoing_streams_, out);
    Run<&Interceptor::OnOutgoingRtp>(StagesBelow(outgoing_rtp_, position), now,
                                     absl::MakeSpan(made_rtp_), out);
  }
}

void InterceptorChain::PassDeliveries(Timestamp now, InterceptorOutbox& out) {
  while (out.deliveries_passed_ < out.deliveries_.size()) {
    const uint8_t position = out.deliveries_[out.deliveries_passed_].position;
    TakeNext(out.deliveries_, out.deliveries_passed_, incoming_streams_, out);
    Run<&Interceptor::OnIncomingRtp>(StagesAbove(incoming_rtp_, position), now,
                                     absl::MakeSpan(made_rtp_), out);
  }
}

void InterceptorChain::PassRtcp(Timestamp now, InterceptorOutbox& out) {
  rtcp_assembler_.Assemble(out);
  while (out.rtcp_passed_ < out.rtcp_.size()) {
    made_rtcp_.clear();
    while (out.rtcp_passed_ < out.rtcp_.size() && made_rtcp_.size() < kMadeBatch) {
      std::optional<InterceptedRtcp> row = InterceptedRtcp::Of(out.rtcp_[out.rtcp_passed_++]);
      if (row.has_value()) {
        made_rtcp_.push_back(*row);
      }
    }
    Run<&Interceptor::OnOutgoingRtcp>(outgoing_rtcp_, now, absl::MakeSpan(made_rtcp_), out);
  }
}

}  // namespace sluice
