#ifndef TESTS_E2E_PEER_SOCKET_H_
#define TESTS_E2E_PEER_SOCKET_H_

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tests/e2e/deadline.h"

namespace sluice {

namespace pb = ::sluice::gateway::v1;

using Bytes = std::vector<uint8_t>;

// A UDP socket of a peer or an attacker.
class PeerSocket {
 public:
  // On a port that the kernel chooses; `ip` is an address of this machine ("127.0.0.2" is one,
  // too).
  static absl::StatusOr<PeerSocket> Open(const std::string& ip);
  // On a port of the caller's choice.
  static absl::StatusOr<PeerSocket> OpenAt(const pb::TransportAddress& address);

  PeerSocket(PeerSocket&& other) noexcept;
  PeerSocket& operator=(PeerSocket&& other) noexcept;
  ~PeerSocket();

  const pb::TransportAddress& address() const { return address_; }

  // Fails the test when the kernel does not take it.
  void Send(const pb::TransportAddress& destination, absl::Span<const uint8_t> datagram) const;

  // The next datagram; nothing at the deadline.
  std::optional<Bytes> Receive(Deadline deadline);
  // All that has come. On loopback a datagram is there as soon as its sender's call returns.
  std::vector<Bytes> TakeWaiting();

 private:
  PeerSocket(int fd, pb::TransportAddress address) : fd_(fd), address_(std::move(address)) {}

  int fd_;
  pb::TransportAddress address_;
};

}  // namespace sluice

#endif  // TESTS_E2E_PEER_SOCKET_H_
