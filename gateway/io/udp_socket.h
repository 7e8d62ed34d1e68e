#ifndef GATEWAY_IO_UDP_SOCKET_H_
#define GATEWAY_IO_UDP_SOCKET_H_

#include <utility>

#include "absl/status/statusor.h"
#include "gateway/net/transport_address.h"

namespace sluice {

// Asked of the kernel for each direction, which may grant less (net.core.rmem_max): what arrives or
// leaves while the worker is busy elsewhere for some milliseconds, video bursts included.
inline constexpr int kSocketBufferBytes = 1 << 20;

// A bound, unconnected UDP socket; closes its descriptor. Non-blocking and close-on-exec. An IPv6
// socket takes no IPv4 traffic, so that both families may use one port number independently.
class UdpSocket {
 public:
  // Binds exactly `address`; port 0 lets the kernel choose. The code tells the reason:
  //   AlreadyExists      another socket holds the port (there is no SO_REUSEADDR to hide it)
  //   PermissionDenied   the port is reserved for privileged users
  //   InvalidArgument    the address does not belong to this machine, or its family is missing
  //   ResourceExhausted  no file descriptor or no kernel memory left
  static absl::StatusOr<UdpSocket> Open(const TransportAddress& address);

  UdpSocket(UdpSocket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), local_address_(other.local_address_) {}
  UdpSocket& operator=(UdpSocket&& other) noexcept;
  ~UdpSocket();

  // Stays owned by the socket.
  int fd() const { return fd_; }
  // With the port that was really bound.
  const TransportAddress& local_address() const { return local_address_; }

 private:
  UdpSocket(int fd, const TransportAddress& address) : fd_(fd), local_address_(address) {}

  int fd_;
  TransportAddress local_address_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_UDP_SOCKET_H_
