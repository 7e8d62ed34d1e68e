#ifndef TOOLS_CTL_DEMO_DEMO_CALL_H_
#define TOOLS_CTL_DEMO_DEMO_CALL_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/gateway/v1/stats.pb.h"
#include "tools/ctl/console.h"
#include "tools/ctl/demo/call_report.h"
#include "tools/ctl/demo/demo_participant.h"
#include "tools/ctl/demo/far_end.h"
#include "tools/ctl/demo/quic_story.h"
#include "tools/ctl/demo/scratch_folder.h"
#include "tools/ctl/gateway_client.h"
#include "tools/ctl/signalling_client.h"
#include "tools/ctl/stop_signal.h"
#include "tools/ctl/traffic_rates.h"

namespace sluice {

struct DemoOptions {
  // 0: until Ctrl-C.
  int seconds = 0;
  // Address of this machine that the gateway can reach.
  std::string media_ip = "127.0.0.1";
  // "host:port": alice joins there over QUIC, with a token; empty: the controller adds her leg.
  std::string quic;
  // How she finds out whether the gateway is the right one; the target and the token are not used.
  SignallingOptions signalling{};
};

// A real call through a gateway: alice speaks SRTP, bob RTP, each is a pair of ffmpeg processes,
// and each hears the other's tone. Bob's leg is added by the controller, alice's too or by herself
// over QUIC. The session is deleted when this object goes.
class DemoCall {
 public:
  static absl::StatusOr<std::unique_ptr<DemoCall>> Create(const DemoOptions& options,
                                                          Console& console, GatewayClient& client,
                                                          const StopSignal& stop);
  ~DemoCall();

  // The whole call, until its time is over or `stop` comes. An error when it could not be played;
  // whether its media arrived is another question, answered by the evidence.
  absl::Status Play();

  // After Play.
  const std::vector<DirectionEvidence>& evidence() const { return evidence_; }
  const gateway::v1::SessionStats& final_stats() const { return final_stats_; }
  // Nothing when alice did not join over QUIC.
  std::optional<QuicStory> quic_story() const;
  // What the ffmpeg processes wrote last.
  std::string LastWords() const;

 private:
  DemoCall(const DemoOptions& options, Console& console, GatewayClient& client,
           const StopSignal& stop, ScratchFolder folder);

  absl::Status CreateSession();
  // Adds a leg for this far end; `key` is what it protects with, if it speaks SRTP.
  absl::Status AddLeg(const FarEnd& end, const std::optional<gateway::v1::SrtpKey>& key,
                      gateway::v1::AddLegResponse& response);
  // The same for alice, by herself.
  absl::Status JoinOverQuic(const gateway::v1::SrtpKey& key, gateway::v1::AddLegResponse& response);
  // `key`: what the gateway protects with towards this end. Waits until it listens.
  absl::Status StartSink(FarEnd& end, const std::optional<gateway::v1::SrtpKey>& key);
  absl::Status Talk();
  absl::Status EndSources();
  absl::Status AwaitForwarding();
  absl::Status EndSinks();
  // What alice does when she joined by herself.
  absl::Status Leave();
  absl::Status DeleteSession();
  void CollectEvidence();

  // Reads what the sinks decode, for at most this long, or until Ctrl-C if that has not come yet.
  void Pump(absl::Duration at_most);
  // Pumps until the condition holds; false when it does not within this time.
  template <typename Condition>
  bool PumpUntil(absl::Duration at_most, Condition condition);

  absl::Status GetStats(gateway::v1::SessionStats& stats);
  void ShowProgress(absl::Duration elapsed, const gateway::v1::SessionStats& stats);
  absl::Status CheckProcesses();

  const DemoOptions options_;
  Console& console_;
  GatewayClient& client_;
  const StopSignal& stop_;
  const ScratchFolder folder_;
  const std::string session_id_;
  std::unique_ptr<FarEnd> alice_;
  std::unique_ptr<FarEnd> bob_;
  std::unique_ptr<DemoParticipant> participant_;
  // Of alice's leg, when it went before the session.
  std::optional<gateway::v1::LegStats> alices_stats_;
  bool session_exists_ = false;
  TrafficRates rates_;
  gateway::v1::SessionStats final_stats_;
  std::vector<DirectionEvidence> evidence_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_DEMO_CALL_H_
