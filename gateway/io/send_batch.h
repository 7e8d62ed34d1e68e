#ifndef GATEWAY_IO_SEND_BATCH_H_
#define GATEWAY_IO_SEND_BATCH_H_

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "gateway/io/udp_socket.h"
#include "gateway/session/outbox.h"

namespace sluice {

// What became of one datagram.
enum class SendOutcome : uint8_t {
  // Handed to the kernel.
  kSent,
  // No room in the socket's or the device's queue.
  kQueueFull,
  // The kernel refused this one: too long, no route, filtered.
  kRefused,
  // Its socket is gone.
  kNoSocket,
};

// Sends datagrams in their order: runs of one socket by one system call each. Nothing is kept for
// later; media that is late is worth nothing. All memory is inside the object. One thread.
class SendBatch {
 public:
  // sendmmsg(2), or what a test puts in its place: real queues are full only when it does not suit.
  using SystemCall = int (*)(int fd, mmsghdr* headers, unsigned int count, int flags);
  explicit SendBatch(SystemCall send = &sendmmsg);

  // `find_socket` gives the socket or nullptr; asked once per run. `report` is called once for each
  // datagram, in order.
  void Send(absl::Span<OutgoingDatagram> datagrams,
            absl::FunctionRef<const UdpSocket*(SocketHandle)> find_socket,
            absl::FunctionRef<void(const OutgoingDatagram&, SendOutcome)> report);

 private:
  // Longest run of one system call.
  static constexpr size_t kMaxRun = 64;

  using Report = absl::FunctionRef<void(const OutgoingDatagram&, SendOutcome)>;
  void SendRun(const UdpSocket& socket, absl::Span<OutgoingDatagram> run, Report report);

  const SystemCall send_;
  std::array<mmsghdr, kMaxRun> headers_;
  std::array<iovec, kMaxRun> buffers_;
  std::array<sockaddr_storage, kMaxRun> destinations_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_SEND_BATCH_H_
