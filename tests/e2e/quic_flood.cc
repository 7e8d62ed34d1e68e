#include "tests/e2e/quic_flood.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/connection/quic_connection.h"
#include "quic/io/monotonic_clock.h"

namespace sluice {

QuicFlood::QuicFlood(const UdpAddress& target, uint64_t seed)
    : target_(target), random_(seed), peer_(random_) {
  auto tls = TlsClientContext::Create({.protocols = {RpcClientProtocol()}, .trust_anyone = true});
  SLUICE_CHECK(tls.ok()) << tls.status();
  tls_ = *std::move(tls);
}

DatagramSocket QuicFlood::OpenAt(const std::array<uint8_t, 4>& ip) {
  absl::StatusOr<DatagramSocket> socket = DatagramSocket::Open(UdpAddress::V4(ip, 0));
  SLUICE_CHECK(socket.ok()) << socket.status();
  return *std::move(socket);
}

void QuicFlood::SendFirstFlight(const DatagramSocket& socket) {
  const Timestamp now = MonotonicNow();
  peer_.Restart();
  const OutgoingConnection outgoing{.server_name = "localhost"};
  peer_.Connect(now, {socket.local_address(), target_}, outgoing, *tls_);
  peer_.connection->Flush(now, peer_.out);
  sent_ += peer_.out.datagrams().size();
  sender_.Send(socket, peer_.out.datagrams());
  peer_.out.Clear();
}

void QuicFlood::SendFromOnePort(const std::array<uint8_t, 4>& ip, size_t clients) {
  const DatagramSocket socket = OpenAt(ip);
  for (size_t i = 0; i < clients; ++i) {
    SendFirstFlight(socket);
  }
}

void QuicFlood::SendFromManyPorts(const std::array<uint8_t, 4>& ip, size_t clients) {
  for (size_t i = 0; i < clients; ++i) {
    SendFirstFlight(OpenAt(ip));
  }
}

}  // namespace sluice
