#include "quic/io/datagram_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "quic/connection/udp_path.h"
#include "quic/io/socket_name.h"

namespace sluice {
namespace {

struct Option {
  int level;
  int name;
  int value;
};

bool Set(int fd, const Option& option) {
  return setsockopt(fd, option.level, option.name, &option.value, sizeof(option.value)) == 0;
}

constexpr Option kOptionsV4[] = {
    {IPPROTO_IP, IP_PKTINFO, 1},
    {IPPROTO_IP, IP_RECVTOS, 1},
    {IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE},
};
constexpr Option kOptionsV6[] = {
    {IPPROTO_IPV6, IPV6_V6ONLY, 1},
    {IPPROTO_IPV6, IPV6_RECVPKTINFO, 1},
    {IPPROTO_IPV6, IPV6_RECVTCLASS, 1},
    {IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE},
};

// Absl has a taken port among the failed preconditions, which says less.
absl::Status Failure(int error, absl::string_view what) {
  if (error == EADDRINUSE) return absl::AlreadyExistsError(absl::StrCat(what, ": already in use"));
  return absl::ErrnoToStatus(error, what);
}

bool SetAll(int fd, bool v6) {
  if (v6) {
    for (const Option& option : kOptionsV6) {
      if (!Set(fd, option)) return false;
    }
    return true;
  }
  for (const Option& option : kOptionsV4) {
    if (!Set(fd, option)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<DatagramSocket> DatagramSocket::Open(const UdpAddress& address) {
  const bool v6 = address.is_v6();
  const int fd =
      socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
  if (fd < 0) return Failure(errno, "cannot make a UDP socket for QUIC");
  DatagramSocket result(fd);
  if (!SetAll(fd, v6)) return Failure(errno, "cannot set a QUIC socket's options");
  // As much as the system allows; a smaller buffer is no reason to refuse.
  static_cast<void>(Set(fd, {SOL_SOCKET, SO_RCVBUF, kBufferBytes}));
  static_cast<void>(Set(fd, {SOL_SOCKET, SO_SNDBUF, kBufferBytes}));

  sockaddr_storage name{};
  socklen_t size = ToSocketName(address, name);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&name), size) != 0) {
    return Failure(errno, "cannot bind the UDP port for QUIC");
  }
  size = sizeof(name);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return Failure(errno, "cannot read a QUIC socket's name");
  }
  const std::optional<UdpAddress> bound = FromSocketName(name, size);
  if (!bound.has_value()) return absl::InternalError("a QUIC socket has a name of no IP family");
  result.local_address_ = *bound;
  return result;
}

DatagramSocket& DatagramSocket::operator=(DatagramSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(local_address_, other.local_address_);
  return *this;
}

DatagramSocket::~DatagramSocket() {
  // Linux frees the descriptor even when close is interrupted, so there is nothing to try again.
  if (fd_ >= 0) close(fd_);
}

}  // namespace sluice
