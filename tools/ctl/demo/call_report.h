#ifndef TOOLS_CTL_DEMO_CALL_REPORT_H_
#define TOOLS_CTL_DEMO_CALL_REPORT_H_

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

// What each witness says about one direction of the demo call, when all is over: the sender's
// ffmpeg, the gateway, and the receiver's ffmpeg. Only numbers; knows neither processes nor gRPC.
struct DirectionEvidence {
  std::string from;
  std::string to;
  // RTP packets that the sender says it sent; nothing if it did not live to say it.
  std::optional<uint64_t> sent;
  // What the gateway accepted from the sender, sent on to the receiver, and missed by sequence
  // number.
  uint64_t received = 0;
  uint64_t forwarded = 0;
  int64_t missed = 0;
  // The gateway's reason for the last packet of the sender that it did not forward, if any.
  std::string last_reject;
  // Samples that came out of the receiver's decoder.
  uint64_t decoded_samples = 0;
  int tone_hz = 0;
  // Tenths of a second decoded, and those in which the sender's tone was heard.
  uint64_t blocks = 0;
  uint64_t blocks_with_tone = 0;
};

// Packets sent that the gateway did not forward.
uint64_t LostPackets(const DirectionEvidence& evidence);

// What did not arrive, one sentence each; empty when the direction worked: everything sent was
// forwarded, none was lost, and the tone was heard at the far end for at least 80 % of the time.
std::vector<std::string> FindFaults(const DirectionEvidence& evidence);

// One row per direction.
std::string RenderReport(const std::vector<DirectionEvidence>& directions);
// The same for scripts.
google::protobuf::Struct ReportToJson(const std::vector<DirectionEvidence>& directions);

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_CALL_REPORT_H_
