#ifndef TESTS_E2E_FFMPEG_PROCESS_H_
#define TESTS_E2E_FFMPEG_PROCESS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/reserved_ports.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

namespace pb = ::sluice::gateway::v1;

// Debian's ffmpeg as a peer: it shares no code with the gateway and brings an SRTP of its own,
// which knows the AES_CM_128 suites. RTCP has a port of its own.

// The pitch of what FfmpegSender sends, in Hz.
inline constexpr double kFfmpegTone = 440;

// Whether ffmpeg has the suite.
bool FfmpegKnows(pb::CryptoSuite suite);

// Sends a tone as PCMU in real time until the object goes.
class FfmpegSender {
 public:
  // Two ports on loopback that it will send from.
  static absl::StatusOr<std::unique_ptr<FfmpegSender>> Create();

  // What the gateway is to know of it; `key` when it is to speak SRTP.
  pb::LegConfig Config(const std::optional<pb::SrtpKey>& key) const;
  absl::Status Start(const pb::Leg& leg, const std::optional<pb::SrtpKey>& key);
  // What ffmpeg complained about.
  std::string Log() const { return child_ == nullptr ? "" : child_->StderrText(); }

 private:
  explicit FfmpegSender(ReservedPorts ports) : ports_(std::move(ports)) {}

  ReservedPorts ports_;
  std::unique_ptr<ChildProcess> child_;
};

// Receives PCMU and decodes it.
class FfmpegReceiver {
 public:
  static absl::StatusOr<std::unique_ptr<FfmpegReceiver>> Create();

  // `kind` says whether the gateway protects what it sends here.
  pb::LegConfig Config(pb::LegKind kind, pb::CryptoSuite suite) const;
  // `key` is the gateway's, when the leg has one.
  absl::Status Start(const std::optional<pb::SrtpKey>& key);
  // The next decoded samples; fewer at the deadline.
  std::vector<int16_t> Receive(size_t samples, Deadline deadline);
  std::string Log() const { return child_ == nullptr ? "" : child_->StderrText(); }

 private:
  explicit FfmpegReceiver(ReservedPorts ports) : ports_(std::move(ports)) {}

  ReservedPorts ports_;
  ScratchFolder folder_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace sluice

#endif  // TESTS_E2E_FFMPEG_PROCESS_H_
