#ifndef TESTS_E2E_FFMPEG_VIDEO_H_
#define TESTS_E2E_FFMPEG_VIDEO_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/reserved_ports.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

namespace pb = ::sluice::gateway::v1;

// Debian's ffmpeg as the two ends of a video call, in plain RTP with RTCP on a port of its own.

inline constexpr uint32_t kVideoPayloadType = 96;
inline constexpr uint32_t kVideoClockRate = 90'000;
inline constexpr int kVideoFrameRate = 25;

// A film as VP8 in a file: encoded before the call, so that sending it takes hardly any of the
// machine.
class VideoClip {
 public:
  // `frames` pictures of 320 times 240 at about 800 kbit/s, the same ones every time.
  static absl::StatusOr<std::unique_ptr<VideoClip>> Encode(int frames);

  const std::string& path() const { return path_; }
  // Of each decoded picture, in order.
  const std::vector<std::string>& frame_hashes() const { return frame_hashes_; }

 private:
  VideoClip() = default;

  ScratchFolder folder_;
  std::string path_;
  std::vector<std::string> frame_hashes_;
};

// Sends a clip once, in real time.
class FfmpegVideoSender {
 public:
  // Two ports on loopback that it will send from.
  static absl::StatusOr<std::unique_ptr<FfmpegVideoSender>> Create();

  // What the gateway is to know of it.
  pb::LegConfig Config() const;
  // The clip's packets have this SSRC and are numbered from `first_sequence` on. `clip` outlives
  // the sender.
  absl::Status Start(const pb::Leg& leg, const VideoClip& clip, uint32_t ssrc,
                     uint16_t first_sequence);
  // Whether all is sent; its ports are free then.
  bool ended() const { return child_->Wait(Deadline::Now()).has_value(); }
  std::string Log() const { return child_ == nullptr ? "" : child_->StderrText(); }

 private:
  explicit FfmpegVideoSender(ReservedPorts ports) : ports_(std::move(ports)) {}

  ReservedPorts ports_;
  std::unique_ptr<ChildProcess> child_;
};

// Receives a clip and decodes it. Puts packets in order that come late by up to three seconds.
class FfmpegVideoReceiver {
 public:
  static absl::StatusOr<std::unique_ptr<FfmpegVideoReceiver>> Create();

  pb::LegConfig Config() const;
  // Returns when its port is open: no packet is lost for want of it.
  absl::Status Start();
  // Hashes of the next pictures, as VideoClip has them; fewer at the deadline. A decoder keeps the
  // last ones back until others follow.
  std::vector<std::string> ReceiveFrames(size_t count, Deadline deadline);
  std::string Log() const { return child_ == nullptr ? "" : child_->StderrText(); }

 private:
  explicit FfmpegVideoReceiver(ReservedPorts ports) : ports_(std::move(ports)) {}

  ReservedPorts ports_;
  ScratchFolder folder_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace sluice

#endif  // TESTS_E2E_FFMPEG_VIDEO_H_
