#ifndef TOOLS_CTL_DEMO_FFMPEG_MEDIA_H_
#define TOOLS_CTL_DEMO_FFMPEG_MEDIA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// How the demo's ffmpeg processes are told to send and receive a tone: Opus over RTP or SRTP. Makes
// texts only; starts nothing.

inline constexpr int kAudioSampleRate = 48000;
// One Opus packet: 20 ms.
inline constexpr int kSamplesPerPacket = 960;
inline constexpr int kAudioPayloadType = 111;

struct ToneSource {
  int tone_hz;
  // 0: until it is told to stop.
  int seconds;
  // Where it sends RTP and RTCP to.
  gateway::v1::TransportAddress rtp;
  gateway::v1::TransportAddress rtcp;
  // Where it sends from.
  std::string local_ip;
  uint16_t local_rtp_port;
  uint16_t local_rtcp_port;
  // File with SourceSecrets in it; empty: plain RTP.
  std::string secrets_path;
};

// The command line of ffmpeg. Arguments are public, so the key is not among them.
std::vector<std::string> SourceArguments(const ToneSource& source);

// Options of the source that carry its key.
std::string SourceSecrets(const gateway::v1::SrtpKey& key);

// How many RTP packets the source says it sent, from its log when it has ended.
std::optional<uint64_t> PacketsSent(absl::string_view source_log);

// The command line of an ffmpeg that receives what the SDP file describes, and writes it decoded to
// stdout: signed 16-bit little endian mono at kAudioSampleRate.
std::vector<std::string> SinkArguments(const std::string& sdp_path, const std::string& local_ip);

// The SDP for that file: where the sink listens, and the key of whoever sends to it.
std::string SinkDescription(const std::string& ip, uint16_t rtp_port,
                            const std::optional<gateway::v1::SrtpKey>& key);

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_FFMPEG_MEDIA_H_
