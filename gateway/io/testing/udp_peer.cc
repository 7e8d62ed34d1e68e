#include "gateway/io/testing/udp_peer.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/check.h"
#include "gateway/io/socket_address.h"
#include "gateway/io/testing/loopback.h"

namespace sluice {
namespace {

constexpr int kPatienceMs = 10'000;

}  // namespace

UdpPeer::UdpPeer(IpFamily family) : socket_(UdpSocket::Open({Loopback(family), 0}).value()) {}

void UdpPeer::Send(const TransportAddress& destination, absl::Span<const uint8_t> bytes) {
  sockaddr_storage name;
  const socklen_t size = ToSockaddr(destination, name);
  const ssize_t sent = sendto(socket_.fd(), bytes.data(), bytes.size(), 0,
                              reinterpret_cast<const sockaddr*>(&name), size);
  SLUICE_CHECK(sent == static_cast<ssize_t>(bytes.size())) << "sendto failed, errno " << errno;
}

std::optional<PeerDatagram> UdpPeer::Receive() {
  pollfd waiting{.fd = socket_.fd(), .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, kPatienceMs) != 1) return std::nullopt;
  return ReceiveNow();
}

std::optional<PeerDatagram> UdpPeer::ReceiveNow() {
  PeerDatagram datagram;
  datagram.bytes.resize(65'536);
  sockaddr_storage name;
  socklen_t size = sizeof(name);
  const ssize_t received = recvfrom(socket_.fd(), datagram.bytes.data(), datagram.bytes.size(), 0,
                                    reinterpret_cast<sockaddr*>(&name), &size);
  if (received < 0) return std::nullopt;
  datagram.bytes.resize(static_cast<size_t>(received));
  datagram.source = FromSockaddr(name, size).value();
  return datagram;
}

}  // namespace sluice
