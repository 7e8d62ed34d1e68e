#include "tests/e2e/ffmpeg_process.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/tone.h"

namespace sluice {
namespace {

constexpr char kHost[] = "127.0.0.1";

// What ffmpeg calls the suite. Under the name that RFC 4568 section 6.2 has for the second one,
// ffmpeg shortens the tag of SRTCP too, against that section's table; under this one it does not.
std::string FfmpegName(pb::CryptoSuite suite) {
  return suite == pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32 ? "SRTP_AES128_CM_HMAC_SHA1_32"
                                                           : "AES_CM_128_HMAC_SHA1_80";
}

pb::RemoteTransport RemoteAt(const ReservedPorts& ports) {
  pb::RemoteTransport remote;
  remote.mutable_rtp()->set_ip(kHost);
  remote.mutable_rtp()->set_port(ports.first());
  remote.mutable_rtcp()->set_ip(kHost);
  remote.mutable_rtcp()->set_port(ports.first() + 1u);
  return remote;
}

std::vector<std::string> Ffmpeg() {
  return {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "warning"};
}

void Append(std::vector<std::string>& argv, std::initializer_list<std::string> more) {
  argv.insert(argv.end(), more);
}

}  // namespace

bool FfmpegKnows(pb::CryptoSuite suite) {
  return suite == pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80 ||
         suite == pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32;
}

absl::StatusOr<std::unique_ptr<FfmpegSender>> FfmpegSender::Create() {
  absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(2);
  if (!ports.ok()) {
    return ports.status();
  }
  return std::unique_ptr<FfmpegSender>(new FfmpegSender(*std::move(ports)));
}

pb::LegConfig FfmpegSender::Config(const std::optional<pb::SrtpKey>& key) const {
  pb::LegConfig config;
  config.set_kind(key.has_value() ? pb::LEG_KIND_SRTP : pb::LEG_KIND_RTP);
  *config.mutable_remote() = RemoteAt(ports_);
  if (key.has_value()) {
    *config.mutable_remote_key() = *key;
  }
  return config;
}

absl::Status FfmpegSender::Start(const pb::Leg& leg, const std::optional<pb::SrtpKey>& key) {
  std::vector<std::string> argv = Ffmpeg();
  // -re: as fast as a microphone, not as fast as it can.
  Append(argv, {"-re", "-f", "lavfi", "-i",
                absl::StrCat("sine=frequency=", kFfmpegTone, ":sample_rate=", kSampleRate), "-c:a",
                "pcm_mulaw", "-f", "rtp"});
  if (key.has_value()) {
    Append(argv, {"-srtp_out_suite", FfmpegName(key->suite()), "-srtp_out_params",
                  absl::Base64Escape(key->master_key_and_salt())});
  }
  // 20 ms a packet: 160 bytes behind a header of twelve.
  argv.push_back(absl::StrCat(key.has_value() ? "srtp" : "rtp", "://", kHost, ":",
                              leg.local_rtp().port(), "?rtcpport=", leg.local_rtcp().port(),
                              "&localrtpport=", ports_.first(),
                              "&localrtcpport=", ports_.first() + 1, "&pkt_size=172"));
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(std::move(argv));
  if (child.ok()) {
    child_ = *std::move(child);
  }
  return child.status();
}

absl::StatusOr<std::unique_ptr<FfmpegReceiver>> FfmpegReceiver::Create() {
  absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(2);
  if (!ports.ok()) {
    return ports.status();
  }
  return std::unique_ptr<FfmpegReceiver>(new FfmpegReceiver(*std::move(ports)));
}

pb::LegConfig FfmpegReceiver::Config(pb::LegKind kind, pb::CryptoSuite suite) const {
  pb::LegConfig config;
  config.set_kind(kind);
  *config.mutable_remote() = RemoteAt(ports_);
  if (kind == pb::LEG_KIND_SRTP) {
    config.set_local_suite(suite);
  }
  return config;
}

absl::Status FfmpegReceiver::Start(const std::optional<pb::SrtpKey>& key) {
  std::string description =
      absl::StrCat("v=0\no=- 0 0 IN IP4 ", kHost, "\ns=sluice\nc=IN IP4 ", kHost,
                   "\nt=0 0\nm=audio ", ports_.first(), key.has_value() ? " RTP/SAVP" : " RTP/AVP",
                   " 0\na=rtpmap:0 PCMU/", kSampleRate, "\n");
  if (key.has_value()) {
    absl::StrAppend(&description, "a=crypto:1 ", FfmpegName(key->suite()),
                    " inline:", absl::Base64Escape(key->master_key_and_salt()), "\n");
  }
  std::vector<std::string> argv = Ffmpeg();
  // Starts to decode with the first packet and keeps nothing back.
  Append(argv, {"-protocol_whitelist",
                "file,udp,rtp,srtp",
                "-fflags",
                "nobuffer",
                "-probesize",
                "32",
                "-analyzeduration",
                "0",
                "-reorder_queue_size",
                "0",
                "-i",
                folder_.Write("call.sdp", description),
                "-f",
                "s16le",
                "-ac",
                "1",
                "-ar",
                absl::StrCat(kSampleRate),
                "-flush_packets",
                "1",
                "pipe:1"});
  absl::StatusOr<std::unique_ptr<ChildProcess>> child =
      ChildProcess::Start(std::move(argv), ChildProcess::Stdout::kPipe);
  if (child.ok()) {
    child_ = *std::move(child);
  }
  return child.status();
}

std::vector<int16_t> FfmpegReceiver::Receive(size_t samples, Deadline deadline) {
  std::vector<uint8_t> bytes(2 * samples);
  size_t filled = 0;
  while (filled < bytes.size()) {
    pollfd readable = {.fd = child_->stdout_fd(), .events = POLLIN, .revents = 0};
    if (poll(&readable, 1, deadline.PollTimeout()) == 0) {
      break;
    }
    const ssize_t got = read(child_->stdout_fd(), bytes.data() + filled, bytes.size() - filled);
    if (got <= 0) {
      break;
    }
    filled += static_cast<size_t>(got);
  }
  std::vector<int16_t> decoded;
  for (size_t i = 0; i + 1 < filled; i += 2) {
    decoded.push_back(static_cast<int16_t>(bytes[i] | bytes[i + 1] << 8));
  }
  return decoded;
}

}  // namespace sluice
