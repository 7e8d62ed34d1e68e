#include "tests/e2e/lossy_video_call.h"

#include <array>
#include <iostream>

#include "absl/status/statusor.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/deadline.h"

namespace sluice {
namespace {

// Behind the film, until all of it has come: a loss at the very end is seen by what follows.
constexpr std::chrono::milliseconds kBetweenPacketsBehind{40};
constexpr std::chrono::milliseconds kBetweenLooks{20};

// A leg of one gateway towards the other.
pb::LegConfig LinkConfig() {
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_SRTP);
  config.set_rtcp_mux(true);
  pb::PayloadType& video = *config.add_payload_types();
  video.set_number(kVideoPayloadType);
  video.set_encoding_name("VP8");
  video.set_clock_rate_hz(kVideoClockRate);
  video.add_rtcp_feedback("nack");
  pb::PayloadType& rtx = *config.add_payload_types();
  rtx.set_number(kRtxPayloadType);
  rtx.set_encoding_name("rtx");
  rtx.set_clock_rate_hz(kVideoClockRate);
  rtx.set_associated_number(kVideoPayloadType);
  return config;
}

// What the relay and the other gateway's key are, told to one of them.
void Signal(ControlClient& control, const pb::TransportAddress& relay, const pb::SrtpKey& key) {
  pb::LegConfig answer;
  *answer.mutable_remote()->mutable_rtp() = relay;
  *answer.mutable_remote_key() = key;
  control.UpdateLeg(LegUpdateOf("call", "link", answer, {"remote", "remote_key"}));
}

void StartGateway(const GatewayOptions& options, std::unique_ptr<GatewayProcess>& gateway,
                  std::optional<ControlClient>& control) {
  absl::StatusOr<std::unique_ptr<GatewayProcess>> started = GatewayProcess::Start(options);
  ASSERT_TRUE(started.ok()) << started.status();
  gateway = *std::move(started);
  control.emplace(gateway->channel());
  control->CreateSession("call");
}

void StopGateway(std::unique_ptr<GatewayProcess>& gateway, std::optional<ControlClient>& control) {
  control.reset();
  if (gateway != nullptr) {
    EXPECT_EQ(gateway->Stop(), 0) << "a gateway did not stop well; its log:\n" << gateway->Log();
    gateway.reset();
  }
}

uint16_t SequenceOf(const Bytes& rtp) { return static_cast<uint16_t>(rtp[2] << 8 | rtp[3]); }

}  // namespace

void LossyVideoCall::SetUp() {
  // Some more at the end: a decoder keeps its last pictures back until others follow.
  absl::StatusOr<std::unique_ptr<VideoClip>> clip = VideoClip::Encode(kFrames + 4);
  ASSERT_TRUE(clip.ok()) << clip.status();
  clip_ = *std::move(clip);
  absl::StatusOr<std::unique_ptr<FfmpegVideoSender>> camera = FfmpegVideoSender::Create();
  ASSERT_TRUE(camera.ok()) << camera.status();
  camera_ = *std::move(camera);
  absl::StatusOr<std::unique_ptr<FfmpegVideoReceiver>> viewer = FfmpegVideoReceiver::Create();
  ASSERT_TRUE(viewer.ok()) << viewer.status();
  viewer_ = *std::move(viewer);
  far_link_config_ = LinkConfig();
  ASSERT_NO_FATAL_FAILURE(StartGateway(GatewayOptions(), near_, near_control_));
  ASSERT_NO_FATAL_FAILURE(StartGateway(far_options_, far_, far_control_));
}

void LossyVideoCall::TearDown() {
  if (HasFailure()) {
    ShowWhatHappened();
  }
  StopGateway(near_, near_control_);
  StopFar();
}

void LossyVideoCall::StopFar() { StopGateway(far_, far_control_); }

void LossyVideoCall::ShowWhatHappened() {
  for (const auto* gateway : {&near_, &far_}) {
    std::cerr << "---- log of a gateway:\n" << (*gateway == nullptr ? "" : (*gateway)->Log());
  }
  for (auto* control : {&near_control_, &far_control_}) {
    if (control->has_value()) {
      std::cerr << "---- statistics:\n" << (*control)->GetStats("call").DebugString();
    }
  }
  std::cerr << "---- sender: " << (camera_ == nullptr ? "" : camera_->Log())
            << "\n---- receiver: " << (viewer_ == nullptr ? "" : viewer_->Log());
}

void LossyVideoCall::StartCall(uint64_t seed) {
  const pb::AddLegResponse near_link = near().AddLeg("call", "link", LinkConfig());
  const pb::AddLegResponse far_link = far().AddLeg("call", "link", far_link_config_);
  absl::StatusOr<std::unique_ptr<LossyRelayProcess>> relay =
      LossyRelayProcess::Start({.a = near_link.leg().local_rtp(),
                                .b = far_link.leg().local_rtp(),
                                .loss_percent = kLossPercent,
                                .seed = seed});
  ASSERT_TRUE(relay.ok()) << relay.status();
  relay_ = *std::move(relay);
  Signal(near(), relay_->address(0), far_link.local_key());
  Signal(far(), relay_->address(1), near_link.local_key());
  camera_leg_ = near().AddLeg("call", "camera", camera_->Config()).leg();
  recorder_.Join(far(), "call", "recorder");
  far().AddLeg("call", "viewer", viewer_->Config());
  pb::SetForwardingRequest forwarding;
  forwarding.set_session_id("call");
  pb::ForwardingRule& rule = *forwarding.add_rules();
  rule.set_from_leg_id("link");
  rule.add_to_leg_ids("recorder");
  rule.add_to_leg_ids("viewer");
  pb::SetForwardingResponse response;
  ASSERT_TRUE(far().Call(&ControlClient::Stub::SetForwarding, forwarding, &response).ok());
}

bool LossyVideoCall::TakePacket(std::chrono::milliseconds wait) {
  const std::optional<Bytes> packet = recorder_.transport().ReceiveRtp(Deadline::After(wait));
  if (packet.has_value()) {
    ++arrivals_[SequenceOf(*packet)];
  }
  return packet.has_value();
}

uint16_t LossyVideoCall::AwaitWholeFilm(PeerSocket& camera) {
  // A socket is served in order: when this is counted, everything before it is.
  const Bytes no_media = {0xFF};
  camera.Send(camera_leg_.local_rtp(), no_media);
  const pb::SessionStats stats = near().AwaitStats("call", "read all", [](const auto& now) {
    return VerdictOf(now, "camera", "not_media") + VerdictOf(now, "camera", "malformed") > 0;
  });
  const pb::StreamStats film = StreamOf(LegOf(stats, "camera"), kSsrc, pb::DIRECTION_RECEIVED);
  sent_ = film.packets();
  const auto last = static_cast<uint16_t>(film.extended_highest_sequence());
  EXPECT_EQ(film.packets_lost(), 0) << "on the way from ffmpeg to the near gateway";
  EXPECT_EQ(sent_, static_cast<uint16_t>(last - kFirstSequence) + 1u);
  return last;
}

void LossyVideoCall::PlayFilm() {
  ASSERT_TRUE(viewer_->Start().ok()) << viewer_->Log();
  ASSERT_TRUE(camera_->Start(camera_leg_, *clip_, kSsrc, kFirstSequence).ok());
  while (!camera_->ended()) {
    TakePacket(kBetweenLooks);
  }
  absl::StatusOr<PeerSocket> camera = PeerSocket::OpenAt(camera_->Config().remote().rtp());
  ASSERT_TRUE(camera.ok()) << camera.status();
  uint16_t sequence = AwaitWholeFilm(*camera);
  const Deadline deadline = Deadline::Generous();
  do {
    // A picture that nobody can decode.
    camera->Send(camera_leg_.local_rtp(), RtpPacketBuilder()
                                              .WithSsrc(kSsrc)
                                              .WithPayloadType(kVideoPayloadType)
                                              .WithSequence(++sequence)
                                              .WithMarker()
                                              .WithPayload({0x10, 0x01})
                                              .Build());
    ++sent_;
    while (TakePacket(kBetweenPacketsBehind)) {
    }
  } while (arrivals_.size() < sent_ && !deadline.passed());
}

LossyCallFigures LossyVideoCall::EndCall() {
  LossyCallFigures figures;
  figures.sent = sent_;
  // Nothing is missing, so nothing more is asked for. When the last question was answered, the near
  // gateway is done; then what it sent is in the relay's socket, and what that forwards in the far
  // gateway's.
  const uint64_t asked =
      CounterOf(LegOf(far().GetStats("call"), "link"), "nack_generator", "requests_sent");
  near().AwaitStats("call", "heard all requests", [&](const auto& now) {
    return CounterOf(LegOf(now, "link"), "nack_responder", "requests") == asked;
  });
  figures.near_camera = near().RemoveLeg("call", "camera");
  figures.near_link = near().RemoveLeg("call", "link");
  const absl::StatusOr<std::array<RelayReport, 2>> relayed = relay_->Stop();
  if (!relayed.ok()) {
    ADD_FAILURE() << relayed.status();
    return figures;
  }
  figures.there = (*relayed)[0];
  figures.back = (*relayed)[1];
  const uint64_t forwarded = figures.there.rtp.forwarded + figures.there.rtcp.forwarded;
  far().AwaitStats("call", "received all that was forwarded", [&](const auto& now) {
    return LegOf(now, "link").packets_received() == forwarded;
  });
  figures.far_link = far().RemoveLeg("call", "link");
  return figures;
}

pb::StreamStats StreamOf(const pb::LegStats& leg, uint32_t ssrc, pb::Direction direction) {
  for (const pb::StreamStats& stream : leg.streams()) {
    if (stream.ssrc() == ssrc && stream.direction() == direction) {
      return stream;
    }
  }
  ADD_FAILURE() << "no such stream in " << leg.DebugString();
  return {};
}

uint64_t PacketsOf(const pb::LegStats& leg, uint32_t payload_type, pb::Direction direction) {
  uint64_t packets = 0;
  for (const pb::StreamStats& stream : leg.streams()) {
    const bool counts = stream.payload_type() == payload_type && stream.direction() == direction;
    packets += counts ? stream.packets() : 0;
  }
  return packets;
}

}  // namespace sluice
