#ifndef QUIC_IO_DATAGRAM_SOCKET_H_
#define QUIC_IO_DATAGRAM_SOCKET_H_

#include <utility>

#include "absl/status/statusor.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// A bound UDP socket as QUIC needs it; closes its descriptor. Non-blocking and close-on-exec. Tells
// the local address and the ECN bits of what it receives, sends nothing in fragments and ignores
// what the kernel believes of the path's MTU, which is searched for by probes (RFC 9000 section
// 14.3). An IPv6 socket takes no IPv4 traffic.
class DatagramSocket {
 public:
  // Asked of the kernel for each direction, which may grant less: what arrives while the thread
  // makes a handful of handshakes, of a millisecond each, at some 100 Mbit/s.
  static constexpr int kBufferBytes = 1 << 20;

  // Binds exactly `address`; port 0 lets the kernel choose. AlreadyExists when another socket holds
  // the port, else the code that absl::ErrnoToStatus has for it; with the system's words.
  static absl::StatusOr<DatagramSocket> Open(const UdpAddress& address);

  DatagramSocket(DatagramSocket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), local_address_(other.local_address_) {}
  DatagramSocket& operator=(DatagramSocket&& other) noexcept;
  ~DatagramSocket();

  // Stays owned by the socket.
  int fd() const { return fd_; }
  // With the port that was really bound.
  const UdpAddress& local_address() const { return local_address_; }

 private:
  explicit DatagramSocket(int fd) : fd_(fd) {}

  int fd_;
  UdpAddress local_address_;
};

}  // namespace sluice

#endif  // QUIC_IO_DATAGRAM_SOCKET_H_
