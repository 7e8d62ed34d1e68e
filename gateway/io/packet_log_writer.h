#ifndef GATEWAY_IO_PACKET_LOG_WRITER_H_
#define GATEWAY_IO_PACKET_LOG_WRITER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/packet_log/packet_log_encoder.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "interceptor/stream_info.h"

namespace sluice {

struct PacketLogWriterOptions {
  // Must not exist yet. Made with mode 0600: a log has what was said in a call.
  std::string path;
  // What the file may have, 4096 bytes at least; a packet that would make it longer is the first of
  // all that are left out.
  DataSize max_size = DataSize::Bytes(256 * 1024 * 1024);
  // Between worker and writer.
  PacketLogRingOptions ring;
  // What the file tells of addresses and times, as of the encoder.
  PacketLogPath rtp;
  PacketLogPath rtcp;
  TimeDelta unix_offset = TimeDelta::Zero();
};

// Packets since construction, by PacketDirection. What the ring lost is counted by the ring.
struct PacketLogWriterCounters {
  // In the file.
  std::array<uint64_t, 2> written{};
  // Left out because the file has its size.
  std::array<uint64_t, 2> left_out{};
  // Lost because the file could not be written.
  std::array<uint64_t, 2> failed{};
};

// Writes the packet log of one leg to a pcapng file. Owns the ring that the leg's PacketLog fills.
// Not for a worker's thread: it waits for the disk. One thread at a time, the ring's end for the
// worker apart.
//
//   auto writer = PacketLogWriter::Create(options);
//   ... hand (*writer)->ring() to the PacketLog of a leg ...
//   (*writer)->Drain();                           // A few times a second.
//   if ((*writer)->ended()) (*writer)->Finish(now);  // The leg is gone.
//
// The file is readable after every Drain, also when Finish is never called.
class PacketLogWriter {
 public:
  // Bytes written in one call of the system: some forty packets of video.
  static constexpr size_t kBufferSize = 64 * 1024;

  // Makes the file. InvalidArgument: an option out of its range. AlreadyExists, NotFound,
  // PermissionDenied and others of open(2), with the path; nothing is left behind then.
  static absl::StatusOr<std::unique_ptr<PacketLogWriter>> Create(
      const PacketLogWriterOptions& options);
  // The ring was never given to anybody, or is closed.
  ~PacketLogWriter();
  PacketLogWriter(const PacketLogWriter&) = delete;
  PacketLogWriter& operator=(const PacketLogWriter&) = delete;

  PacketLogRing& ring() { return *ring_; }

  // Writes what is in the ring, no more than it holds at a time, and tells the operating system.
  // Once the file cannot be written, packets are only counted, and the error is this call's answer
  // from then on; what is in the file before is whole.
  absl::Status Drain();
  // The worker is done with the ring and all was drained.
  bool ended() { return ring_->closed() && !ring_->Front().has_value(); }
  // Drains, adds the counts of lost packets and closes the file; later calls do nothing. The
  // worker may push until the ring is closed, to no effect.
  absl::Status Finish(Timestamp now);

  // The first error of writing, if there was one.
  const absl::Status& status() const { return status_; }
  const PacketLogWriterCounters& counters() const { return counters_; }
  DataSize size() const;
  const std::string& path() const { return options_.path; }

 private:
  PacketLogWriter(const PacketLogWriterOptions& options, const PacketLogEncoder& encoder,
                  std::unique_ptr<PacketLogRing> ring, int fd);

  absl::Status WriteHeader();
  void Append(const PacketLogRecord& record);
  // Writes the buffer.
  void Flush();
  void Fail(int error);
  // Whole blocks that are or will be in the file.
  size_t total() const { return flushed_ + buffered_; }
  absl::Span<uint8_t> FreeBuffer() { return absl::MakeSpan(buffer_).subspan(buffered_); }

  const PacketLogWriterOptions options_;
  const PacketLogEncoder encoder_;
  const std::unique_ptr<PacketLogRing> ring_;
  int fd_;
  std::vector<uint8_t> buffer_;
  size_t buffered_ = 0;
  size_t flushed_ = 0;
  // Of those in the buffer.
  std::array<uint64_t, 2> buffered_packets_{};
  bool full_ = false;
  absl::Status status_;
  PacketLogWriterCounters counters_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_PACKET_LOG_WRITER_H_
