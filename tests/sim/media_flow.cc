#include "tests/sim/media_flow.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "interceptor/ccfb/congestion_feedback.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/stream_info.h"
#include "interceptor/twcc/transport_wide_feedback.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

constexpr uint32_t kMedia = 0x1000;
constexpr uint32_t kProbe = 0x2000;
constexpr uint8_t kExtensionId = 5;
constexpr DataRate kStart = DataRate::KilobitsPerSec(300);
// 30 frames a second, give or take, in packets of at most this size.
constexpr TimeDelta kFrame = TimeDelta::Micros(33'333);
constexpr TimeDelta kFrameJitter = TimeDelta::Millis(3);
constexpr int64_t kMaxPayload = 1100;
constexpr uint32_t kTicksPerFrame = 3000;

}  // namespace

MediaFlow::MediaFlow(const MediaFlowOptions& options, RandomSource& random)
    : options_(options), random_(random), target_(kStart) {
  auto estimator = BandwidthEstimator::Create({.start = kStart});
  SLUICE_CHECK(estimator.ok()) << estimator.status();
  auto pacer = Pacer::Create(
      {.start_target = kStart, .probe_stream = {{Ssrc(kProbe), PayloadType(127)}}}, random);
  SLUICE_CHECK(pacer.ok()) << pacer.status();
  estimator_ = estimator->get();
  pacer_ = pacer->get();
  std::vector<std::unique_ptr<Interceptor>> sending;
  sending.push_back(*std::move(estimator));
  sending.push_back(*std::move(pacer));
  sending.push_back(MakeFeedback(options.feedback));
  sender_ = std::make_unique<ChainHarness>(std::move(sending));
  receiver_ = std::make_unique<ChainHarness>(MakeFeedback(options.feedback));
  AddStreams(*sender_, PacketDirection::kOutgoing);
  AddStreams(*receiver_, PacketDirection::kIncoming);
}

std::unique_ptr<Interceptor> MediaFlow::MakeFeedback(FlowFeedback feedback) {
  if (feedback == FlowFeedback::kRfc8888) {
    auto made = CongestionFeedback::Create({});
    SLUICE_CHECK(made.ok()) << made.status();
    return *std::move(made);
  }
  auto made = TransportWideFeedback::Create({});
  SLUICE_CHECK(made.ok()) << made.status();
  return *std::move(made);
}

void MediaFlow::AddStreams(ChainHarness& harness, PacketDirection direction) {
  for (const uint32_t ssrc : {kMedia, kProbe}) {
    StreamInfo info;
    info.ssrc = Ssrc(ssrc);
    info.video = true;
    info.feedback.transport_wide = true;
    info.feedback.congestion_control = true;
    info.extensions.transport_sequence = kExtensionId;
    SLUICE_CHECK(harness.chain().AddStream(Timestamp::Zero(), direction, info) ==
                 AddStreamVerdict::kOk);
  }
}

void MediaFlow::Collect(ChainOutput output, std::vector<Bytes>& sent) {
  for (const TargetRateChanged& changed : output.EventsOf<TargetRateChanged>()) {
    target_ = changed.target;
  }
  std::move(output.passed.begin(), output.passed.end(), std::back_inserter(sent));
  std::move(output.sent.begin(), output.sent.end(), std::back_inserter(sent));
}

void MediaFlow::TakeFrame(Timestamp now, std::vector<Bytes>& sent) {
  // Frames differ by a fifth either way.
  const DataRate rate = std::min(target_, options_.source_limit);
  const auto percent = static_cast<int64_t>(80 + random_.Below(41));
  int64_t left = std::max<int64_t>((rate * kFrame).bytes() * percent / 100, 100);
  std::vector<Bytes> packets;
  while (left > 0) {
    const int64_t size = std::min(left, kMaxPayload);
    left -= size;
    packets.push_back(RtpPacketBuilder()
                          .WithSsrc(kMedia)
                          .WithSequence(sequence_++)
                          .WithTimestamp(timestamp_)
                          .WithMarker(left == 0)
                          .WithPayloadSize(static_cast<size_t>(size))
                          .Build());
  }
  timestamp_ += kTicksPerFrame;
  Collect(sender_->OutgoingRtp(now, packets), sent);
}

std::vector<MediaFlow::Bytes> MediaFlow::Send(Timestamp now) {
  std::vector<Bytes> sent;
  if (next_frame_ == Timestamp::MinusInfinity()) {
    next_frame_ = now;
  }
  while (!feedback_.empty() && feedback_.front().arrives <= now) {
    const Bytes datagram = std::move(feedback_.front().datagram);
    feedback_.pop_front();
    ChainOutput output = sender_->IncomingRtcp(now, {datagram});
    // What is left of it is for the application.
    output.passed.clear();
    Collect(std::move(output), sent);
  }
  if (next_frame_ <= now) {
    // No two sources keep step.
    const auto jitter = static_cast<int64_t>(random_.Below(2 * kFrameJitter.us() + 1));
    next_frame_ += kFrame - kFrameJitter + TimeDelta::Micros(jitter);
    TakeFrame(now, sent);
  }
  // Ends: a timeout that is due does what it is due for.
  while (sender_->chain().NextTimeout() <= now) {
    Collect(sender_->Timeout(now), sent);
  }
  if (receiver_->chain().NextTimeout() <= now) {
    QueueFeedback(now, receiver_->Timeout(now));
  }
  return sent;
}

void MediaFlow::Receive(Timestamp now, const std::vector<Bytes>& packets) {
  for (const Bytes& packet : packets) {
    received_ += DataSize::Bytes(static_cast<int64_t>(packet.size()));
  }
  QueueFeedback(now, receiver_->IncomingRtp(now, packets));
}

void MediaFlow::QueueFeedback(Timestamp now, const ChainOutput& output) {
  for (const Bytes& datagram : output.rtcp) {
    feedback_.push_back({now + options_.back_delay, datagram});
  }
}

}  // namespace sluice
