#ifndef GATEWAY_IO_PACKET_LOGS_H_
#define GATEWAY_IO_PACKET_LOGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/data_size.h"
#include "gateway/io/packet_log_writer.h"
#include "gateway/net/transport_address.h"
#include "interceptor/packet_log/packet_log_ring.h"

namespace sluice {

struct PacketLogsOptions {
  // Where the files go; must exist and be writable.
  std::string folder;
  // Legs that are logged at the same time.
  size_t max_logs = 16;
  // Of one file.
  DataSize max_file_size = DataSize::Bytes(256 * 1024 * 1024);
};

// Where a leg receives and sends.
struct LoggedLeg {
  absl::string_view session_id;
  absl::string_view leg_id;
  TransportAddress local_rtp;
  TransportAddress local_rtcp;
  // 0.0.0.0 or :: and port 0 while unknown.
  TransportAddress remote_rtp;
  TransportAddress remote_rtcp;
};

// The packet logs of the legs of this gateway, and the thread that writes them: workers fill rings
// and never wait for a disk. Any thread.
class PacketLogs {
 public:
  // InvalidArgument naming the folder when files cannot be made there.
  static absl::StatusOr<std::unique_ptr<PacketLogs>> Create(const PacketLogsOptions& options);
  // Writes and closes what is left. All rings are closed or were never given to a leg.
  ~PacketLogs();
  PacketLogs(const PacketLogs&) = delete;
  PacketLogs& operator=(const PacketLogs&) = delete;

  // Begins the log of a leg in <folder>/<session id>.<leg id>.pcapng, with a number before the
  // ending where that file is there already. The ring lives until some time after it is closed.
  // ResourceExhausted ("packet_logs"); what PacketLogWriter::Create answers.
  absl::StatusOr<PacketLogRing*> Open(const LoggedLeg& leg);
  // The ring was given to no leg, or the leg is gone: closes it.
  void Abandon(PacketLogRing* ring);

  size_t open() const;
  // Legs that were to be logged and were not, for the limit.
  uint64_t refused() const;
  // Bytes that one log takes.
  static size_t MemorySize();

 private:
  explicit PacketLogs(const PacketLogsOptions& options);

  absl::StatusOr<std::unique_ptr<PacketLogWriter>> MakeWriter(const LoggedLeg& leg) const;
  void Run();
  // Writes what there is, and closes the files of legs that are gone.
  void DrainAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PacketLogsOptions options_;
  mutable absl::Mutex mutex_;
  std::vector<std::unique_ptr<PacketLogWriter>> writers_ ABSL_GUARDED_BY(mutex_);
  uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_PACKET_LOGS_H_
