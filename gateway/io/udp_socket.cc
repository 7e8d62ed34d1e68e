#include "gateway/io/udp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gateway/io/socket_address.h"

namespace sluice {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case EADDRINUSE:
      return absl::StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
      return absl::StatusCode::kPermissionDenied;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
    case EINVAL:
    case ENODEV:
      return absl::StatusCode::kInvalidArgument;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kInternal;
  }
}

absl::Status Failure(int error, absl::string_view what, const TransportAddress& address) {
  // Adds the words of the system: "cannot bind 192.0.2.1:5004: Address already in use".
  const absl::Status status =
      absl::ErrnoToStatus(error, absl::StrCat(what, " ", address.ToString()));
  return absl::Status(CodeOf(error), status.message());
}

}  // namespace

absl::StatusOr<UdpSocket> UdpSocket::Open(const TransportAddress& address) {
  const bool v6 = address.ip.family() == IpFamily::kIpv6;
  const int fd =
      socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
  if (fd < 0) return Failure(errno, "cannot make a socket for", address);
  UdpSocket result(fd, address);

  constexpr int kOn = 1;
  if (v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &kOn, sizeof(kOn)) != 0) {
    return Failure(errno, "cannot keep IPv4 away from", address);
  }
  // As much as the system allows; a smaller buffer is no reason to refuse.
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSocketBufferBytes, sizeof(kSocketBufferBytes));
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof(kSocketBufferBytes));

  sockaddr_storage name;
  socklen_t size = ToSockaddr(address, name);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&name), size) != 0) {
    return Failure(errno, "cannot bind", address);
  }
  size = sizeof(name);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return Failure(errno, "cannot read the name of", address);
  }
  const std::optional<TransportAddress> bound = FromSockaddr(name, size);
  if (!bound.has_value()) return Failure(EAFNOSUPPORT, "cannot read the name of", address);
  result.local_address_ = *bound;
  return result;
}

UdpSocket& UdpSocket::operator=(UdpSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(local_address_, other.local_address_);
  return *this;
}

UdpSocket::~UdpSocket() {
  // Linux frees the descriptor even when close is interrupted, so there is nothing to try again.
  if (fd_ >= 0) close(fd_);
}

}  // namespace sluice
