#include "tools/ctl/demo/far_end.h"

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/ctl/demo/ffmpeg_media.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::RemoteTransport;
using ::sluice::gateway::v1::SrtpKey;
using ::sluice::gateway::v1::TransportAddress;

// What ffmpeg returns when a signal has asked it to end, which it does in good order.
constexpr int kAskedToEnd = 255;
// Enough for the reason of an end, which ffmpeg writes last.
constexpr size_t kTailLines = 6;

TransportAddress Address(const std::string& ip, uint16_t port) {
  TransportAddress address;
  address.set_ip(ip);
  address.set_port(port);
  return address;
}

}  // namespace

FarEnd::FarEnd(const Options& options, const ScratchFolder& folder, PortPair source_ports,
               PortPair sink_ports)
    : options_(options),
      folder_(folder),
      source_ports_(std::move(source_ports)),
      sink_ports_(std::move(sink_ports)),
      heard_(kAudioSampleRate, options.hears_hz) {}

absl::StatusOr<std::unique_ptr<FarEnd>> FarEnd::Create(const Options& options,
                                                       const ScratchFolder& folder) {
  absl::StatusOr<PortPair> source = PortPair::Reserve(options.ip);
  if (!source.ok()) return source.status();
  absl::StatusOr<PortPair> sink = PortPair::Reserve(options.ip);
  if (!sink.ok()) return sink.status();
  return std::unique_ptr<FarEnd>(new FarEnd(options, folder, *std::move(source), *std::move(sink)));
}

RemoteTransport FarEnd::Remote() const {
  RemoteTransport remote;
  *remote.mutable_rtp() = Address(options_.ip, sink_ports_.rtp());
  *remote.mutable_rtcp() = Address(options_.ip, sink_ports_.rtcp());
  *remote.mutable_source_rtp() = Address(options_.ip, source_ports_.rtp());
  *remote.mutable_source_rtcp() = Address(options_.ip, source_ports_.rtcp());
  return remote;
}

absl::Status FarEnd::StartSink(const std::optional<SrtpKey>& key) {
  if (key.has_value()) key_texts_.push_back(absl::Base64Escape(key->master_key_and_salt()));
  const absl::StatusOr<std::string> sdp = folder_.WriteSecret(
      absl::StrCat(name(), "-sink.sdp"), SinkDescription(options_.ip, sink_ports_.rtp(), key));
  if (!sdp.ok()) return sdp.status();
  sink_ports_.Release();
  auto sink = ChildProcess::Start({.arguments = SinkArguments(*sdp, options_.ip),
                                   .log_path = folder_.File(absl::StrCat(name(), "-sink.log")),
                                   .read_stdout = true});
  if (!sink.ok()) return sink.status();
  sink_ = *std::move(sink);
  return absl::OkStatus();
}

absl::StatusOr<bool> FarEnd::SinkListens() {
  if (absl::Status status = CheckProcesses(); !status.ok()) return status;
  return HasUdpPort(sink_->pid(), sink_ports_.rtp()) &&
         HasUdpPort(sink_->pid(), sink_ports_.rtcp());
}

absl::Status FarEnd::StartSource(const TransportAddress& rtp, const TransportAddress& rtcp,
                                 const std::optional<SrtpKey>& key, int seconds) {
  ToneSource source{.tone_hz = options_.sends_hz,
                    .seconds = seconds,
                    .rtp = rtp,
                    .rtcp = rtcp,
                    .local_ip = options_.ip,
                    .local_rtp_port = source_ports_.rtp(),
                    .local_rtcp_port = source_ports_.rtcp(),
                    .secrets_path = ""};
  if (key.has_value()) {
    key_texts_.push_back(absl::Base64Escape(key->master_key_and_salt()));
    const absl::StatusOr<std::string> path =
        folder_.WriteSecret(absl::StrCat(name(), "-source.ffpreset"), SourceSecrets(*key));
    if (!path.ok()) return path.status();
    source.secrets_path = *path;
  }
  source_ports_.Release();
  auto process =
      ChildProcess::Start({.arguments = SourceArguments(source),
                           .log_path = folder_.File(absl::StrCat(name(), "-source.log"))});
  if (!process.ok()) return process.status();
  source_ = *std::move(process);
  return absl::OkStatus();
}

void FarEnd::StopSource() {
  if (source_ != nullptr) source_->Signal(SIGTERM);
}

bool FarEnd::SourceEnded() { return source_ == nullptr || source_->HasEnded(); }

std::optional<uint64_t> FarEnd::SentPackets() const {
  if (source_ == nullptr) return std::nullopt;
  return PacketsSent(source_->Log());
}

int FarEnd::sink_fd() const { return sink_ == nullptr || sink_closed_ ? -1 : sink_->stdout_fd(); }

void FarEnd::ReadSink() {
  uint8_t buffer[64 * 1024];
  while (sink_fd() >= 0) {
    const ssize_t size = read(sink_fd(), buffer, sizeof(buffer));
    // Nothing more for now.
    if (size < 0) return;
    sink_closed_ = size == 0;
    heard_.Add(absl::MakeConstSpan(buffer, static_cast<size_t>(size)));
  }
}

void FarEnd::StopSink() {
  if (sink_ == nullptr || std::exchange(stopping_sink_, true)) return;
  // ffmpeg ends a wait for packets at the second signal only; two different ones cannot merge.
  sink_->Signal(SIGINT);
  sink_->Signal(SIGTERM);
}

bool FarEnd::SinkEnded() { return sink_ == nullptr || sink_->HasEnded(); }

absl::Status FarEnd::CheckProcesses() {
  const auto ended = [&](const char* what, const ChildProcess& process) {
    return absl::FailedPreconditionError(absl::StrCat("ffmpeg, ", name(), "'s ", what,
                                                      ", ended with ", process.exit_code(), ":\n",
                                                      Tail(process)));
  };
  if (source_ != nullptr && source_->HasEnded() && source_->exit_code() != 0 &&
      source_->exit_code() != kAskedToEnd) {
    return ended("sender", *source_);
  }
  if (sink_ != nullptr && sink_->HasEnded() && !stopping_sink_) return ended("receiver", *sink_);
  return absl::OkStatus();
}

std::string FarEnd::Tail(const ChildProcess& process) const {
  std::string log = process.Log();
  for (const std::string& key : key_texts_) absl::StrReplaceAll({{key, "(key)"}}, &log);
  std::vector<std::string> lines = absl::StrSplit(log, '\n', absl::SkipWhitespace());
  if (lines.size() > kTailLines) lines.erase(lines.begin(), lines.end() - kTailLines);
  return absl::StrCat("  ", absl::StrJoin(lines, "\n  "));
}

std::string FarEnd::LastWords() const {
  std::string words;
  if (source_ != nullptr) absl::StrAppend(&words, name(), "'s sender:\n", Tail(*source_), "\n");
  if (sink_ != nullptr) absl::StrAppend(&words, name(), "'s receiver:\n", Tail(*sink_), "\n");
  return words;
}

}  // namespace sluice
