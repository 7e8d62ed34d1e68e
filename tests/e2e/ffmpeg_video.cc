#include "tests/e2e/ffmpeg_video.h"

#include <poll.h>
#include <unistd.h>

#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace sluice {
namespace {

constexpr char kHost[] = "127.0.0.1";

std::vector<std::string> Ffmpeg(std::initializer_list<std::string> more) {
  std::vector<std::string> argv = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "warning"};
  argv.insert(argv.end(), more);
  return argv;
}

pb::LegConfig ConfigOf(const ReservedPorts& ports) {
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_RTP);
  config.mutable_remote()->mutable_rtp()->set_ip(kHost);
  config.mutable_remote()->mutable_rtp()->set_port(ports.first());
  config.mutable_remote()->mutable_rtcp()->set_ip(kHost);
  config.mutable_remote()->mutable_rtcp()->set_port(ports.first() + 1u);
  pb::PayloadType& video = *config.add_payload_types();
  video.set_number(kVideoPayloadType);
  video.set_encoding_name("VP8");
  video.set_clock_rate_hz(kVideoClockRate);
  return config;
}

// The hash behind the last comma of a line of ffmpeg's "framemd5"; empty for its comments.
std::string HashOf(absl::string_view line) {
  if (absl::StartsWith(line, "#")) {
    return "";
  }
  const size_t comma = line.rfind(',');
  return std::string(absl::StripAsciiWhitespace(
      comma == absl::string_view::npos ? absl::string_view() : line.substr(comma + 1)));
}

// Whether a socket has the UDP port of any local address, as the kernel lists them.
bool IsOpen(uint16_t port) {
  const std::string suffix = absl::StrFormat(":%04X", port);
  const std::string table = ReadFileOrEmpty("/proc/net/udp");
  for (const absl::string_view line : absl::StrSplit(table, '\n')) {
    const std::vector<absl::string_view> columns = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (columns.size() > 1 && absl::EndsWith(columns[1], suffix)) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<std::unique_ptr<VideoClip>> VideoClip::Encode(int frames) {
  std::unique_ptr<VideoClip> clip(new VideoClip());
  clip->path_ = clip->folder_.File("clip.ivf");
  // One thread and a fixed rate: the same bytes on every machine.
  const absl::StatusOr<ProgramResult> encoded =
      RunProgram(Ffmpeg({"-f",        "lavfi",
                         "-i",        absl::StrCat("testsrc2=size=320x240:rate=", kVideoFrameRate),
                         "-frames:v", absl::StrCat(frames),
                         "-c:v",      "libvpx",
                         "-b:v",      "800k",
                         "-minrate",  "800k",
                         "-maxrate",  "800k",
                         "-g",        "50",
                         "-deadline", "realtime",
                         "-cpu-used", "8",
                         "-threads",  "1",
                         clip->path_}));
  if (!encoded.ok()) {
    return encoded.status();
  }
  const absl::StatusOr<ProgramResult> decoded =
      RunProgram(Ffmpeg({"-i", clip->path_, "-f", "framemd5", "pipe:1"}));
  if (!decoded.ok()) {
    return decoded.status();
  }
  for (const absl::string_view line : absl::StrSplit(decoded->out, '\n')) {
    if (std::string hash = HashOf(line); !hash.empty()) {
      clip->frame_hashes_.push_back(std::move(hash));
    }
  }
  if (clip->frame_hashes_.size() != static_cast<size_t>(frames)) {
    return absl::InternalError(absl::StrCat("ffmpeg made ", clip->frame_hashes_.size(), " of ",
                                            frames, " frames: ", encoded->err, decoded->err));
  }
  return clip;
}

absl::StatusOr<std::unique_ptr<FfmpegVideoSender>> FfmpegVideoSender::Create() {
  absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(2);
  if (!ports.ok()) {
    return ports.status();
  }
  return std::unique_ptr<FfmpegVideoSender>(new FfmpegVideoSender(*std::move(ports)));
}

pb::LegConfig FfmpegVideoSender::Config() const { return ConfigOf(ports_); }

absl::Status FfmpegVideoSender::Start(const pb::Leg& leg, const VideoClip& clip, uint32_t ssrc,
                                      uint16_t first_sequence) {
  // -re: as fast as a camera, not as fast as it can. ffmpeg takes the SSRC as a signed number.
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(
      Ffmpeg({"-re", "-i", clip.path(), "-c", "copy", "-f", "rtp", "-payload_type",
              absl::StrCat(kVideoPayloadType), "-ssrc", absl::StrCat(static_cast<int32_t>(ssrc)),
              "-seq", absl::StrCat(first_sequence),
              absl::StrCat("rtp://", kHost, ":", leg.local_rtp().port(),
                           "?rtcpport=", leg.local_rtcp().port(), "&localrtpport=", ports_.first(),
                           "&localrtcpport=", ports_.first() + 1, "&pkt_size=1200")}));
  if (child.ok()) {
    child_ = *std::move(child);
  }
  return child.status();
}

absl::StatusOr<std::unique_ptr<FfmpegVideoReceiver>> FfmpegVideoReceiver::Create() {
  absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(2);
  if (!ports.ok()) {
    return ports.status();
  }
  return std::unique_ptr<FfmpegVideoReceiver>(new FfmpegVideoReceiver(*std::move(ports)));
}

pb::LegConfig FfmpegVideoReceiver::Config() const { return ConfigOf(ports_); }

absl::Status FfmpegVideoReceiver::Start() {
  const std::string description =
      absl::StrCat("v=0\no=- 0 0 IN IP4 ", kHost, "\ns=sluice\nc=IN IP4 ", kHost,
                   "\nt=0 0\nm=video ", ports_.first(), " RTP/AVP ", kVideoPayloadType,
                   "\na=rtpmap:", kVideoPayloadType, " VP8/", kVideoClockRate, "\n");
  // Pictures as they come, none doubled or left out for the sake of an even rate.
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(
      Ffmpeg({"-protocol_whitelist", "file,udp,rtp", "-max_delay", "3000000", "-threads", "1", "-i",
              folder_.Write("call.sdp", description), "-fps_mode", "passthrough", "-f", "framemd5",
              "-flush_packets", "1", "pipe:1"}),
      ChildProcess::Stdout::kPipe);
  if (!child.ok()) {
    return child.status();
  }
  child_ = *std::move(child);
  // The kernel tells nobody when a port is bound, so it is asked while the program lives.
  const Deadline deadline = Deadline::Generous();
  pollfd ended = {.fd = child_->pidfd(), .events = POLLIN, .revents = 0};
  while (!IsOpen(ports_.first())) {
    constexpr int kAskAgainMs = 10;
    if (poll(&ended, 1, kAskAgainMs) != 0 || deadline.passed()) {
      return absl::DeadlineExceededError(absl::StrCat("ffmpeg does not listen: ", Log()));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> FfmpegVideoReceiver::ReceiveFrames(size_t count, Deadline deadline) {
  std::vector<std::string> hashes;
  std::string line;
  pollfd readable = {.fd = child_->stdout_fd(), .events = POLLIN, .revents = 0};
  char c = 0;
  while (hashes.size() < count && poll(&readable, 1, deadline.PollTimeout()) == 1 &&
         read(child_->stdout_fd(), &c, 1) == 1) {
    if (c != '\n') {
      line.push_back(c);
      continue;
    }
    if (std::string hash = HashOf(line); !hash.empty()) {
      hashes.push_back(std::move(hash));
    }
    line.clear();
  }
  return hashes;
}

}  // namespace sluice
