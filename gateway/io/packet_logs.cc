#include "gateway/io/packet_logs.h"

#include <unistd.h>

#include <utility>

#include "absl/log/log.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/errors/error_detail.h"
#include "gateway/io/steady_clock.h"
#include "gateway/io/wall_clock.h"
#include "interceptor/packet_log/packet_log_encoder.h"

namespace sluice {
namespace {

// Between two looks at the rings: each has room for more than a second.
constexpr absl::Duration kDrainInterval = absl::Milliseconds(200);

// Logs of one leg id of one session; who makes more cleans up first.
constexpr int kMaxSameName = 1000;

LoggedAddress ToLogged(const TransportAddress& address) {
  LoggedAddress logged;
  logged.family =
      address.ip.family() == IpFamily::kIpv4 ? LoggedIpFamily::kIpv4 : LoggedIpFamily::kIpv6;
  logged.ip = address.ip.bytes();
  logged.port = address.port;
  return logged;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PacketLogs>> PacketLogs::Create(const PacketLogsOptions& options) {
  if (access(options.folder.c_str(), W_OK | X_OK) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("packet logs cannot be written to \"", options.folder,
                     "\": it has to be a folder that exists and that the gateway may write to"));
  }
  auto logs = absl::WrapUnique(new PacketLogs(options));
  logs->thread_ = std::thread([raw = logs.get()] { raw->Run(); });
  return logs;
}

PacketLogs::PacketLogs(const PacketLogsOptions& options) : options_(options) {}

PacketLogs::~PacketLogs() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
  absl::MutexLock lock(&mutex_);
  for (const std::unique_ptr<PacketLogWriter>& writer : writers_) {
    writer->ring().Close();
  }
  DrainAll();
}

size_t PacketLogs::MemorySize() {
  return PacketLogRing::MemorySize(PacketLogRingOptions()) + sizeof(PacketLogWriter) +
         PacketLogWriter::kBufferSize;
}

absl::StatusOr<std::unique_ptr<PacketLogWriter>> PacketLogs::MakeWriter(
    const LoggedLeg& leg) const {
  PacketLogWriterOptions writer;
  writer.max_size = options_.max_file_size;
  writer.rtp = {ToLogged(leg.local_rtp), ToLogged(leg.remote_rtp)};
  writer.rtcp = {ToLogged(leg.local_rtcp), ToLogged(leg.remote_rtcp)};
  writer.unix_offset = UnixOrigin();
  const std::string base = absl::StrCat(options_.folder, "/", leg.session_id, ".", leg.leg_id);
  absl::StatusOr<std::unique_ptr<PacketLogWriter>> made = absl::UnknownError("");
  for (int i = 1; i <= kMaxSameName; ++i) {
    writer.path = i == 1 ? absl::StrCat(base, ".pcapng") : absl::StrCat(base, ".", i, ".pcapng");
    made = PacketLogWriter::Create(writer);
    if (!absl::IsAlreadyExists(made.status())) {
      break;
    }
  }
  return made;
}

absl::StatusOr<PacketLogRing*> PacketLogs::Open(const LoggedLeg& leg) {
  absl::MutexLock lock(&mutex_);
  // Those of legs that are gone take no place.
  DrainAll();
  if (writers_.size() >= options_.max_logs) {
    ++refused_;
    return LimitReached("packet_logs", options_.max_logs,
                        "no other leg can be logged until one that is ends");
  }
  absl::StatusOr<std::unique_ptr<PacketLogWriter>> writer = MakeWriter(leg);
  if (!writer.ok()) {
    return writer.status();
  }
  PacketLogRing* const ring = &(*writer)->ring();
  writers_.push_back(*std::move(writer));
  return ring;
}

void PacketLogs::Abandon(PacketLogRing* ring) {
  absl::MutexLock lock(&mutex_);
  // It may have been closed, and be gone.
  for (const std::unique_ptr<PacketLogWriter>& writer : writers_) {
    if (&writer->ring() == ring) {
      ring->Close();
    }
  }
}

size_t PacketLogs::open() const {
  absl::MutexLock lock(&mutex_);
  return writers_.size();
}

uint64_t PacketLogs::refused() const {
  absl::MutexLock lock(&mutex_);
  return refused_;
}

void PacketLogs::Run() {
  absl::MutexLock lock(&mutex_);
  while (!mutex_.AwaitWithTimeout(absl::Condition(&stopping_), kDrainInterval)) {
    DrainAll();
  }
}

void PacketLogs::DrainAll() {
  for (std::unique_ptr<PacketLogWriter>& writer : writers_) {
    const bool had_failed = !writer->status().ok();
    absl::Status status = writer->Drain();
    if (writer->ended()) {
      status.Update(writer->Finish(SteadyClock::Now()));
    }
    if (!status.ok() && !had_failed) {
      LOG(WARNING) << "the packet log " << writer->path()
                   << " is not complete: " << status.message();
    }
    if (writer->ended()) {
      writer.reset();
    }
  }
  std::erase(writers_, nullptr);
}

}  // namespace sluice
