#include "interceptor/keyframe/key_frame_throttle.h"

#include <algorithm>
#include <variant>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptor/keyframe/key_frame_detector.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/fir.h"
#include "interceptor/rtcp/pli.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// RFC 4585 section 6.3.1, RFC 5104 section 4.3.1.1 with one target.
constexpr size_t kPliSize = 12;
constexpr size_t kFirSize = 20;
// A FIR with the number of the last one is its repetition for this long. Later it is one of a peer
// that forgot to count, and is heard all the same.
constexpr TimeDelta kFirRepetition = TimeDelta::Seconds(1);
// Whatever the peer's reports say, requests are repeated.
constexpr TimeDelta kMaxRoundTrip = TimeDelta::Seconds(2);

bool CanTellKeyFrames(const StreamInfo& info) {
  return std::any_of(info.formats.begin(), info.formats.begin() + info.format_count,
                     [](const PayloadFormat& f) {
                       return f.role == PayloadRole::kMedia && CanTellKeyFrames(f.codec);
                     });
}

bool IsKeyFrame(const StreamInfo& info, const RtpPacketView& packet) {
  const PayloadFormat* format = info.FindFormat(packet.payload_type());
  return format != nullptr && format->role == PayloadRole::kMedia &&
         BeginsKeyFrame(format->codec, packet.payload_without_padding());
}

}  // namespace

absl::StatusOr<std::unique_ptr<KeyFrameThrottle>> KeyFrameThrottle::Create(
    const KeyFrameThrottleOptions& options) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (!KeyFrameRequest::IsValid(options.request)) {
    return absl::InvalidArgumentError(
        absl::StrCat("requests every ", options.request.min_interval, ", repeated after ",
                     options.request.repeat_interval, ", ", options.request.max_attempts,
                     " times: want times above 0 and 1..", KeyFrameRequest::kMaxAttempts));
  }
  return absl::WrapUnique(new KeyFrameThrottle(options));
}

KeyFrameThrottle::KeyFrameThrottle(const KeyFrameThrottleOptions& options) : options_(options) {
  for (std::vector<Stream>& streams : streams_) {
    streams.resize(options.max_streams);
  }
}

void KeyFrameThrottle::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                                     const StreamInfo& info) {
  std::vector<Stream>& list = streams(direction);
  if (slot.value() >= list.size()) {
    return;
  }
  Stream& stream = list[slot.value()];
  // The numbers of a stream that comes back go on (RFC 5104 section 4.3.1.1).
  for (const Stream& other : list) {
    if (!other.active && other.info.ssrc == info.ssrc) {
      stream.fir_sequence = other.fir_sequence;
    }
  }
  stream.active = true;
  stream.info = info;
  stream.options = options_.request;
  if (direction == PacketDirection::kOutgoing) {
    stream.options.max_attempts = 1;
  }
  stream.any_media_answers = direction == PacketDirection::kIncoming && !CanTellKeyFrames(info);
  stream.request = {};
  stream.fir_received = Timestamp::MinusInfinity();
}

void KeyFrameThrottle::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (slot.value() >= streams(direction).size()) {
    return;
  }
  Stream& stream = streams(direction)[slot.value()];
  stream.active = false;
  stream.request = {};
  Refresh();
}

KeyFrameThrottle::Stream* KeyFrameThrottle::Find(PacketDirection direction, Ssrc ssrc) {
  for (Stream& stream : streams(direction)) {
    if (stream.active && stream.info.ssrc == ssrc && stream.info.video) {
      return &stream;
    }
  }
  return nullptr;
}

void KeyFrameThrottle::OnEvent(Timestamp now, const InterceptorEvent& event,
                               InterceptorOutbox& out) {
  if (const auto* measured = std::get_if<RoundTripMeasured>(&event)) {
    round_trip_ = std::min(measured->round_trip, kMaxRoundTrip);
    return;
  }
  const auto* needed = std::get_if<KeyFrameNeeded>(&event);
  if (needed == nullptr) {
    return;
  }
  ++counters_.needs;
  Stream* stream = Find(PacketDirection::kIncoming, needed->ssrc);
  if (stream == nullptr) {
    ++counters_.unknown_stream;
    return;
  }
  if (!stream->info.feedback.picture_loss_indication && !stream->info.feedback.full_intra_request) {
    ++counters_.unsupported;
    return;
  }
  const KeyFrameAction action = stream->request.Need(now, round_trip_, stream->options);
  if (action == KeyFrameAction::kNone) {
    ++counters_.coalesced;
  }
  AskPeer(action, *stream, out);
  Refresh();
}

void KeyFrameThrottle::AskPeer(KeyFrameAction action, Stream& stream, InterceptorOutbox& out) {
  if (action == KeyFrameAction::kNone) {
    return;
  }
  // FIR is not for lost pictures where PLI can be had (RFC 5104 section 4.3.1.2).
  const bool pli = stream.info.feedback.picture_loss_indication;
  if (action == KeyFrameAction::kRequest) {
    ++stream.fir_sequence;
  } else {
    ++counters_.repeated;
  }
  const absl::Span<uint8_t> room = out.ReserveRtcp(pli ? kPliSize : kFirSize);
  if (room.empty()) {
    ++counters_.dropped;
    return;
  }
  if (pli) {
    out.CommitRtcp(WritePictureLoss({.sender = options_.sender, .media = stream.info.ssrc}, room));
    ++counters_.pli_sent;
    return;
  }
  const FullIntraTarget target = {.ssrc = stream.info.ssrc, .sequence = stream.fir_sequence};
  out.CommitRtcp(WriteFullIntraRequest(options_.sender, absl::MakeConstSpan(&target, 1), room));
  ++counters_.fir_sent;
}

void KeyFrameThrottle::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                     InterceptorOutbox&) {
  LookForKeyFrames(now, PacketDirection::kIncoming, packets);
}

void KeyFrameThrottle::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                     InterceptorOutbox&) {
  LookForKeyFrames(now, PacketDirection::kOutgoing, packets);
}

bool KeyFrameThrottle::Answers(Timestamp now, PacketDirection direction,
                               const RtpPacketView& packet, Stream& stream) {
  if (stream.any_media_answers) {
    const bool ended = stream.request.OnMedia(now, round_trip_, stream.options);
    counters_.ended_by_media += ended ? 1 : 0;
    return ended;
  }
  if (!IsKeyFrame(stream.info, packet) || !stream.request.OnKeyFrame()) {
    return false;
  }
  counters_.satisfied += direction == PacketDirection::kIncoming ? 1 : 0;
  return true;
}

void KeyFrameThrottle::LookForKeyFrames(Timestamp now, PacketDirection direction,
                                        absl::Span<const InterceptedRtp> packets) {
  if (!waiting_[static_cast<size_t>(direction)]) {
    return;
  }
  std::vector<Stream>& list = streams(direction);
  bool changed = false;
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= list.size() || packet.role != SsrcRole::kMedia) {
      continue;
    }
    Stream& stream = list[packet.stream.value()];
    if (stream.request.waiting()) {
      changed |= Answers(now, direction, packet.view, stream);
    }
  }
  if (changed) {
    Refresh();
  }
}

void KeyFrameThrottle::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                      InterceptorOutbox& out) {
  bool any = false;
  for (const InterceptedRtcp& datagram : packets) {
    const RtcpReadCounts counts =
        ReadCompound(datagram.view,
                     RtcpReader{[&](const PictureLoss& loss) {
                                  ++counters_.pli_received;
                                  OnRequest(now, Find(PacketDirection::kOutgoing, loss.media), out);
                                },
                                [&](const FullIntraRequestView& request) {
                                  for (size_t i = 0; i < request.target_count(); ++i) {
                                    const FullIntraTarget target = request.target(i);
                                    OnFullIntraTarget(now, target.ssrc, target.sequence, out);
                                  }
                                }});
    counters_.malformed += counts.malformed;
    any |= counts.read > 0;
  }
  if (any) {
    Refresh();
  }
}

void KeyFrameThrottle::OnFullIntraTarget(Timestamp now, Ssrc ssrc, uint8_t sequence,
                                         InterceptorOutbox& out) {
  ++counters_.fir_received;
  Stream* stream = Find(PacketDirection::kOutgoing, ssrc);
  if (stream != nullptr) {
    if (stream->fir_sequence == sequence && now - stream->fir_received < kFirRepetition) {
      ++counters_.fir_repeated;
      return;
    }
    stream->fir_sequence = sequence;
    stream->fir_received = now;
  }
  OnRequest(now, stream, out);
}

void KeyFrameThrottle::OnRequest(Timestamp now, Stream* stream, InterceptorOutbox& out) {
  if (stream == nullptr) {
    ++counters_.unknown_target;
    return;
  }
  const KeyFrameAction action = stream->request.Need(now, round_trip_, stream->options);
  if (action == KeyFrameAction::kNone) {
    ++counters_.raised_coalesced;
  }
  AskSource(action, *stream, out);
}

void KeyFrameThrottle::AskSource(KeyFrameAction action, const Stream& stream,
                                 InterceptorOutbox& out) {
  if (action != KeyFrameAction::kNone && out.Raise(KeyFrameRequested{stream.info.ssrc})) {
    ++counters_.raised;
  }
}

void KeyFrameThrottle::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  if (now < next_due_) {
    return;
  }
  for (Stream& stream : streams(PacketDirection::kIncoming)) {
    if (stream.request.due() <= now) {
      AskPeer(stream.request.OnTimeout(now, round_trip_, stream.options), stream, out);
      counters_.given_up += stream.request.gave_up() ? 1 : 0;
    }
  }
  for (Stream& stream : streams(PacketDirection::kOutgoing)) {
    if (stream.request.due() <= now) {
      AskSource(stream.request.OnTimeout(now, round_trip_, stream.options), stream, out);
    }
  }
  Refresh();
}

void KeyFrameThrottle::Refresh() {
  next_due_ = Timestamp::PlusInfinity();
  waiting_ = {};
  for (size_t direction = 0; direction < streams_.size(); ++direction) {
    for (const Stream& stream : streams_[direction]) {
      next_due_ = std::min(next_due_, stream.request.due());
      waiting_[direction] |= stream.request.waiting();
    }
  }
}

}  // namespace sluice
