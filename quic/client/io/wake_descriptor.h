#ifndef QUIC_CLIENT_IO_WAKE_DESCRIPTOR_H_
#define QUIC_CLIENT_IO_WAKE_DESCRIPTOR_H_

#include <memory>

#include "absl/status/statusor.h"

namespace sluice {

// Wakes a thread that waits for descriptors.
class WakeDescriptor {
 public:
  // Fails only when no descriptor is left.
  static absl::StatusOr<std::unique_ptr<WakeDescriptor>> Create();
  ~WakeDescriptor();
  WakeDescriptor(const WakeDescriptor&) = delete;
  WakeDescriptor& operator=(const WakeDescriptor&) = delete;

  // Makes fd() readable. Any thread.
  void Wake();
  // Readable since Wake, until Clear; stays owned by the object.
  int fd() const { return fd_; }
  void Clear();

 private:
  explicit WakeDescriptor(int fd) : fd_(fd) {}

  const int fd_;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_IO_WAKE_DESCRIPTOR_H_
