#include "tools/ctl/demo/ffmpeg_media.h"

#include <cstddef>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

// Verbose, because at its end ffmpeg says then how many packets it sent.
std::vector<std::string> CommonArguments() {
  return {"ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-loglevel", "verbose"};
}

void Append(std::vector<std::string>& arguments, std::vector<std::string> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> SourceArguments(const ToneSource& source) {
  std::vector<std::string> arguments = CommonArguments();
  // -re: in real time, as a caller would.
  Append(arguments, {"-re", "-f", "lavfi", "-i",
                     absl::StrCat("sine=frequency=", source.tone_hz, ":sample_rate=",
                                  kAudioSampleRate, ":samples_per_frame=", kSamplesPerPacket)});
  if (source.seconds > 0) Append(arguments, {"-t", absl::StrCat(source.seconds)});
  Append(arguments,
         {"-c:a", "libopus", "-b:a", "32k", "-payload_type", absl::StrCat(kAudioPayloadType)});
  if (!source.secrets_path.empty()) Append(arguments, {"-fpre", source.secrets_path});
  const absl::string_view scheme = source.secrets_path.empty() ? "rtp" : "srtp";
  Append(arguments,
         {"-f", "rtp",
          absl::StrCat(scheme, "://", FormatTransportAddress(source.rtp),
                       "?rtcpport=", source.rtcp.port(), "&localrtpport=", source.local_rtp_port,
                       "&localrtcpport=", source.local_rtcp_port, "&localaddr=", source.local_ip)});
  return arguments;
}

std::string SourceSecrets(const gateway::v1::SrtpKey& key) {
  return absl::StrCat("srtp_out_suite=", FormatCryptoSuite(key.suite()),
                      "\nsrtp_out_params=", absl::Base64Escape(key.master_key_and_salt()), "\n");
}

std::optional<uint64_t> PacketsSent(absl::string_view source_log) {
  // "  Output stream #0:0 (audio): 500 frames encoded (480000 samples); 501 packets muxed (...); "
  for (const absl::string_view line : absl::StrSplit(source_log, '\n')) {
    const size_t end = line.find(" packets muxed");
    if (!absl::StrContains(line, "Output stream") || end == absl::string_view::npos) continue;
    const absl::string_view before = line.substr(0, end);
    const size_t blank = before.rfind(' ');
    uint64_t packets = 0;
    if (blank != absl::string_view::npos && absl::SimpleAtoi(before.substr(blank), &packets)) {
      return packets;
    }
  }
  return std::nullopt;
}

std::vector<std::string> SinkArguments(const std::string& sdp_path, const std::string& local_ip) {
  std::vector<std::string> arguments = CommonArguments();
  // The SDP says all there is to know: do not wait to find out more. And do not give up by
  // yourself.
  Append(arguments,
         {"-protocol_whitelist", "file,rtp,udp,srtp", "-localaddr", local_ip, "-listen_timeout",
          "86400", "-analyzeduration", "0", "-probesize", "32", "-i", sdp_path, "-f", "s16le",
          "-ac", "1", "-ar", absl::StrCat(kAudioSampleRate), "pipe:1"});
  return arguments;
}

std::string SinkDescription(const std::string& ip, uint16_t rtp_port,
                            const std::optional<gateway::v1::SrtpKey>& key) {
  const absl::string_view family = absl::StrContains(ip, ':') ? "IP6" : "IP4";
  std::string sdp = absl::StrCat(
      "v=0\no=- 0 0 IN ", family, " ", ip, "\ns=Sluice demo\nc=IN ", family, " ", ip,
      "\nt=0 0\nm=audio ", rtp_port, " RTP/", key.has_value() ? "SAVP" : "AVP", " ",
      kAudioPayloadType, "\na=rtpmap:", kAudioPayloadType, " opus/", kAudioSampleRate, "/2\n");
  if (key.has_value()) {
    absl::StrAppend(&sdp, "a=crypto:1 ", FormatCryptoSuite(key->suite()),
                    " inline:", absl::Base64Escape(key->master_key_and_salt()), "\n");
  }
  return sdp;
}

}  // namespace sluice
