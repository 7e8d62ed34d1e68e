#include "gateway/io/packet_log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sluice {
namespace {

// Has the file's beginning and end, and a packet.
constexpr int64_t kMinSize = 4096;
static_assert(kPacketLogHeaderRoom + kPacketLogStatisticsSize + kPacketSlotSize +
                  kMaxDatagramHeaderSize + kPcapngPacketOverhead <=
              kMinSize);

// Adds the words of the system: "cannot make the packet log /var/x: File exists".
absl::Status Failure(int error, absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(error, absl::StrCat(what, " the packet log ", path));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PacketLogWriter>> PacketLogWriter::Create(
    const PacketLogWriterOptions& options) {
  if (options.path.empty()) {
    return absl::InvalidArgumentError("a packet log needs a path");
  }
  if (options.max_size < DataSize::Bytes(kMinSize) || !options.max_size.IsFinite()) {
    return absl::InvalidArgumentError(absl::StrCat("max_size of the packet log ", options.path,
                                                   " is ", options.max_size, ", want ", kMinSize,
                                                   " bytes or more"));
  }
  absl::StatusOr<std::unique_ptr<PacketLogRing>> ring = PacketLogRing::Create(options.ring);
  if (!ring.ok()) {
    return ring.status();
  }
  const absl::StatusOr<PacketLogEncoder> encoder =
      PacketLogEncoder::Create({.rtp = options.rtp,
                                .rtcp = options.rtcp,
                                .snap_length = options.ring.snap_length,
                                .unix_offset = options.unix_offset});
  if (!encoder.ok()) {
    return encoder.status();
  }
  // Exclusive: neither a file that is there is written over nor a link followed to another.
  const int fd = open(options.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Failure(errno, "cannot make", options.path);
  }
  auto writer = absl::WrapUnique(new PacketLogWriter(options, *encoder, *std::move(ring), fd));
  if (absl::Status status = writer->WriteHeader(); !status.ok()) {
    unlink(options.path.c_str());
    return status;
  }
  return writer;
}

PacketLogWriter::PacketLogWriter(const PacketLogWriterOptions& options,
                                 const PacketLogEncoder& encoder,
                                 std::unique_ptr<PacketLogRing> ring, int fd)
    : options_(options), encoder_(encoder), ring_(std::move(ring)), fd_(fd), buffer_(kBufferSize) {}

PacketLogWriter::~PacketLogWriter() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

DataSize PacketLogWriter::size() const { return DataSize::Bytes(static_cast<int64_t>(total())); }

absl::Status PacketLogWriter::WriteHeader() {
  buffered_ = encoder_.WriteHeader(absl::MakeSpan(buffer_).first(kPacketLogHeaderRoom));
  Flush();
  return status_;
}

absl::Status PacketLogWriter::Drain() {
  // A worker that pushes as fast as this takes does not keep it here.
  for (size_t i = 0; i < ring_->capacity(); ++i) {
    const std::optional<PacketLogRecord> record = ring_->Front();
    if (!record.has_value()) {
      break;
    }
    Append(*record);
    ring_->Pop();
  }
  Flush();
  return status_;
}

void PacketLogWriter::Append(const PacketLogRecord& record) {
  const auto direction = static_cast<size_t>(record.direction);
  if (fd_ < 0 || !status_.ok()) {
    ++counters_.failed[direction];
    return;
  }
  if (full_) {
    ++counters_.left_out[direction];
    return;
  }
  if (FreeBuffer().size() < encoder_.max_packet_size()) {
    Flush();
    if (!status_.ok()) {
      ++counters_.failed[direction];
      return;
    }
  }
  const size_t size = encoder_.WritePacket(record, FreeBuffer());
  // The end has its place in any case.
  if (total() + size + kPacketLogStatisticsSize > static_cast<size_t>(options_.max_size.bytes())) {
    full_ = true;
    ++counters_.left_out[direction];
    return;
  }
  buffered_ += size;
  ++buffered_packets_[direction];
}

void PacketLogWriter::Flush() {
  absl::Span<const uint8_t> rest = absl::MakeConstSpan(buffer_).first(buffered_);
  while (!rest.empty()) {
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      Fail(written < 0 ? errno : EIO);
      break;
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
  std::array<uint64_t, 2>& counts = status_.ok() ? counters_.written : counters_.failed;
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i] += std::exchange(buffered_packets_[i], 0);
  }
  flushed_ += status_.ok() ? buffered_ : 0;
  buffered_ = 0;
}

void PacketLogWriter::Fail(int error) {
  status_ = Failure(error, "cannot write", options_.path);
  // Half a block at the end would be all that a reader tells of the file.
  if (ftruncate(fd_, static_cast<off_t>(flushed_)) != 0) {
    status_ = absl::Status(status_.code(), absl::StrCat(status_.message(), "; its end is cut"));
  }
}

absl::Status PacketLogWriter::Finish(Timestamp now) {
  if (fd_ < 0) {
    return status_;
  }
  Drain().IgnoreError();
  if (status_.ok()) {
    buffered_ = encoder_.WriteStatistics(now, *ring_, counters_.written[0], counters_.written[1],
                                         FreeBuffer());
    Flush();
  }
  if (close(std::exchange(fd_, -1)) != 0 && status_.ok()) {
    status_ = Failure(errno, "cannot write", options_.path);
  }
  return status_;
}

}  // namespace sluice
