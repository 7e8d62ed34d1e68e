#ifndef TESTS_E2E_LOSSY_VIDEO_CALL_H_
#define TESTS_E2E_LOSSY_VIDEO_CALL_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/ffmpeg_video.h"
#include "tests/e2e/gateway_process.h"
#include "tests/e2e/lossy_relay_process.h"
#include "tests/e2e/peer_socket.h"
#include "tests/e2e/plain_peer.h"

namespace sluice {

// What is left of a call: final figures, and what the relay counted between the legs "link".
struct LossyCallFigures {
  // Packets of the film and those behind it.
  uint64_t sent = 0;
  pb::LegStats near_camera;
  pb::LegStats near_link;
  pb::LegStats far_link;
  // From the near gateway to the far one, and back.
  RelayReport there;
  RelayReport back;
};

// A film on its way: ffmpeg, RTP, the near gateway, SRTP through a relay that loses packets, the
// far gateway, RTP, ffmpeg and a peer of ours that writes down what comes. Both gateways call their
// session "call"; the legs towards each other are "link" and have agreed on NACK and
// retransmissions. RTCP is not lost.
class LossyVideoCall : public ::testing::Test {
 protected:
  static constexpr uint32_t kSsrc = 0x5EED0001;
  // The numbers wrap soon.
  static constexpr uint16_t kFirstSequence = 65'400;
  // Six seconds, about 650 packets.
  static constexpr int kFrames = 150;
  static constexpr double kLossPercent = 5;

  // `far` is for the gateway behind the relay.
  explicit LossyVideoCall(GatewayOptions far = {}) : far_options_(std::move(far)) {}

  void SetUp() override;
  void TearDown() override;

  // To be changed before SetUp, and before StartCall.
  GatewayOptions& far_options() { return far_options_; }
  pb::LegConfig& far_link_config() { return far_link_config_; }

  // Adds all legs, with the relay between them.
  void StartCall(uint64_t seed);
  // Sends the film; returns when every packet of it has come.
  void PlayFilm();
  // Takes the links down, the relay in between, and returns what all of them counted. After that
  // nothing is under way.
  LossyCallFigures EndCall();
  // Ends the far gateway before the test does.
  void StopFar();

  ControlClient& near() { return *near_control_; }
  ControlClient& far() { return *far_control_; }
  const VideoClip& clip() const { return *clip_; }
  FfmpegVideoReceiver& viewer() { return *viewer_; }
  // How often each sequence number came.
  const std::map<uint16_t, int>& arrivals() const { return arrivals_; }
  uint64_t sent() const { return sent_; }

 private:
  void ShowWhatHappened();
  // Takes the next packet that came, for up to `wait`; false when none did.
  bool TakePacket(std::chrono::milliseconds wait);
  // The number of the film's last packet, once the near gateway has all of them.
  uint16_t AwaitWholeFilm(PeerSocket& camera);

  GatewayOptions far_options_;
  std::unique_ptr<VideoClip> clip_;
  std::unique_ptr<GatewayProcess> near_;
  std::unique_ptr<GatewayProcess> far_;
  std::optional<ControlClient> near_control_;
  std::optional<ControlClient> far_control_;
  pb::LegConfig far_link_config_;
  std::unique_ptr<LossyRelayProcess> relay_;
  std::unique_ptr<FfmpegVideoSender> camera_;
  std::unique_ptr<FfmpegVideoReceiver> viewer_;
  PlainPeer recorder_;
  pb::Leg camera_leg_;
  std::map<uint16_t, int> arrivals_;
  uint64_t sent_ = 0;
};

// A leg's stream by SSRC and direction; fails the test when there is none.
pb::StreamStats StreamOf(const pb::LegStats& leg, uint32_t ssrc, pb::Direction direction);
// The packets of a payload type in one direction, over all streams.
uint64_t PacketsOf(const pb::LegStats& leg, uint32_t payload_type, pb::Direction direction);

inline constexpr uint32_t kRtxPayloadType = 97;

}  // namespace sluice

#endif  // TESTS_E2E_LOSSY_VIDEO_CALL_H_
