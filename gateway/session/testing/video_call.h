#ifndef GATEWAY_SESSION_TESTING_VIDEO_CALL_H_
#define GATEWAY_SESSION_TESTING_VIDEO_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/session/session_event.h"
#include "gateway/session/testing/session_harness.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Payload types of a video call: VP8 and its retransmissions.
inline constexpr uint8_t kVideoPayloadType = 96;
inline constexpr uint8_t kRetransmissionPayloadType = 97;
inline constexpr StreamFeedback kRepairFeedback = {.nack = true, .picture_loss_indication = true};

std::vector<PayloadDescription> VideoPayloadTypes(StreamFeedback feedback);
// An SRTP peer with rtcp-mux.
TestPeerOptions VideoPeer(uint8_t host, StreamFeedback feedback);

// What is of interest in the RTCP that a peer got.
struct RtcpSeen {
  std::vector<uint16_t> missing;
  std::vector<Ssrc> nack_media;
  std::vector<Ssrc> picture_losses;
  int sender_reports = 0;
  int receiver_reports = 0;
  int report_blocks = 0;
  std::vector<std::string> cnames;
  int transport_feedback = 0;
  int datagrams = 0;
};

struct PeerSeen {
  std::vector<Bytes> rtp;
  RtcpSeen rtcp;
};

// Two peers and a bridge between their legs; what each peer gets is opened and read by somebody who
// knows only its keys. A packet that does not open fails the test.
class VideoCall {
 public:
  VideoCall(const TestPeerOptions& a_options, const TestPeerOptions& b_options);

  // Reads everything that was sent since the last time into a_seen and b_seen.
  void TakeSent();
  // Moves time and takes what was sent.
  void Advance(TimeDelta step);
  // The next packets of a, one a batch.
  void FromA(int packets = 1);
  // A plain RTP packet as if a had sent it; RTCP of b.
  void RtpFromA(const Bytes& plain);
  void RtcpFromB(const Bytes& plain);
  LegSnapshot A() { return harness.Leg("call", "a"); }
  LegSnapshot B() { return harness.Leg("call", "b"); }

  SessionHarness harness;
  TestPeer a;
  TestPeer b;
  LegHandle a_leg;
  LegHandle b_leg;
  PeerSeen a_seen;
  PeerSeen b_seen;
};

uint16_t SequenceOf(const Bytes& rtp);
// Compounds of a receiver report and one feedback packet.
Bytes NackFrom(uint32_t sender, uint32_t media, const std::vector<SequenceNumber>& missing);
Bytes PictureLossFrom(uint32_t sender, uint32_t media);
std::vector<SessionEvent> OfKind(std::vector<SessionEvent> events, SessionEventKind kind);

}  // namespace sluice

#endif  // GATEWAY_SESSION_TESTING_VIDEO_CALL_H_
