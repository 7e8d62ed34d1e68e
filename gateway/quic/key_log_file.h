#ifndef GATEWAY_QUIC_KEY_LOG_FILE_H_
#define GATEWAY_QUIC_KEY_LOG_FILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

// Where keys of connections are written for those who look into recorded packets: lines in the
// format of SSLKEYLOGFILE. Whoever reads it reads all that is said. One thread writes, and waits
// for the disk.
class KeyLogFile {
 public:
  // Some 100,000 connections; an option that was forgotten does not fill the disk.
  static constexpr size_t kMaxBytes = size_t{64} * 1024 * 1024;

  // Goes on with a file that is there, unless it is a link or others than its owner can read or
  // write it; makes one that only its owner can otherwise. A sentence that names the file and what
  // helps. `max_bytes` counts what was in it before.
  static absl::StatusOr<std::unique_ptr<KeyLogFile>> Open(const std::string& path,
                                                          size_t max_bytes = kMaxBytes);
  ~KeyLogFile();
  KeyLogFile(const KeyLogFile&) = delete;
  KeyLogFile& operator=(const KeyLogFile&) = delete;

  // `line` and a line feed, in one write. What no longer fits or is refused by the disk is lost,
  // and counted.
  void Write(absl::string_view line);

  // Any thread.
  uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  KeyLogFile(int fd, size_t room) : fd_(fd), room_(room) {}

  const int fd_;
  // Bytes until the file is full.
  size_t room_;
  std::atomic<uint64_t> lost_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_QUIC_KEY_LOG_FILE_H_
