#include "tests/e2e/peer_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Bytes. What the gateway sends in one go waits here while the test does something else.
constexpr int kReceiveBuffer = 1 << 20;
constexpr size_t kMaxDatagram = 65536;

// The size of the address; 0 when `address` is no IP address.
socklen_t ToSockaddr(const pb::TransportAddress& address, sockaddr_storage& out) {
  out = {};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out);
  if (inet_pton(AF_INET, address.ip().c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(address.port()));
    return sizeof(sockaddr_in);
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out);
  if (inet_pton(AF_INET6, address.ip().c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(address.port()));
    return sizeof(sockaddr_in6);
  }
  return 0;
}

uint16_t PortOf(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in*>(&address)->sin_port
                   : reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
}

}  // namespace

absl::StatusOr<PeerSocket> PeerSocket::Open(const std::string& ip) {
  pb::TransportAddress address;
  address.set_ip(ip);
  return OpenAt(address);
}

absl::StatusOr<PeerSocket> PeerSocket::OpenAt(const pb::TransportAddress& address) {
  sockaddr_storage kernel_address;
  socklen_t size = ToSockaddr(address, kernel_address);
  if (size == 0) {
    return absl::InvalidArgumentError(absl::StrCat(address.ip(), " is no IP address"));
  }
  const int fd = socket(kernel_address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return absl::ErrnoToStatus(errno, "no UDP socket");
  }
  PeerSocket socket(fd, address);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&kernel_address), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&kernel_address), &size) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot bind ", address.ip()));
  }
  socket.address_.set_port(PortOf(kernel_address));
  return socket;
}

PeerSocket::PeerSocket(PeerSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), address_(other.address_) {}

PeerSocket& PeerSocket::operator=(PeerSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(address_, other.address_);
  return *this;
}

PeerSocket::~PeerSocket() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

void PeerSocket::Send(const pb::TransportAddress& destination,
                      absl::Span<const uint8_t> datagram) const {
  sockaddr_storage kernel_address;
  const socklen_t size = ToSockaddr(destination, kernel_address);
  ssize_t sent = -1;
  do {
    sent = sendto(fd_, datagram.data(), datagram.size(), 0,
                  reinterpret_cast<const sockaddr*>(&kernel_address), size);
    // The kernel reports here that an earlier datagram met a closed port; this one was not sent.
  } while (sent < 0 && (errno == EINTR || errno == ECONNREFUSED));
  EXPECT_EQ(sent, static_cast<ssize_t>(datagram.size()))
      << "to " << destination.ShortDebugString() << ": " << std::strerror(errno);
}

std::optional<Bytes> PeerSocket::Receive(Deadline deadline) {
  Bytes datagram(kMaxDatagram);
  while (true) {
    pollfd readable = {.fd = fd_, .events = POLLIN, .revents = 0};
    const int ready = poll(&readable, 1, deadline.PollTimeout());
    if (ready == 0) {
      return std::nullopt;
    }
    const ssize_t size = recv(fd_, datagram.data(), datagram.size(), MSG_DONTWAIT);
    if (size >= 0) {
      datagram.resize(static_cast<size_t>(size));
      return datagram;
    }
  }
}

std::vector<Bytes> PeerSocket::TakeWaiting() {
  std::vector<Bytes> datagrams;
  while (std::optional<Bytes> datagram = Receive(Deadline::Now())) {
    datagrams.push_back(*std::move(datagram));
  }
  return datagrams;
}

}  // namespace sluice
