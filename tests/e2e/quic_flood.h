#ifndef TESTS_E2E_QUIC_FLOOD_H_
#define TESTS_E2E_QUIC_FLOOD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/testing/seeded_random.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {

// Clients that say the first words of a handshake, each with a ClientHello of its own, and nothing
// more, whatever they are answered.
class QuicFlood {
 public:
  // Of the server at `target`, an IPv4 address.
  QuicFlood(const UdpAddress& target, uint64_t seed);

  // `clients` of them on one port of `ip`, an address of this machine.
  void SendFromOnePort(const std::array<uint8_t, 4>& ip, size_t clients);
  // ... each on a port of its own.
  void SendFromManyPorts(const std::array<uint8_t, 4>& ip, size_t clients);

  // Datagrams so far; lost ones too, of which a socket's queue has some.
  uint64_t sent() const { return sent_; }

 private:
  DatagramSocket OpenAt(const std::array<uint8_t, 4>& ip);
  void SendFirstFlight(const DatagramSocket& socket);

  const UdpAddress target_;
  SeededRandom random_;
  std::unique_ptr<TlsClientContext> tls_;
  TestPeer peer_;
  DatagramSender sender_{/*segmentation=*/false};
  uint64_t sent_ = 0;
};

}  // namespace sluice

#endif  // TESTS_E2E_QUIC_FLOOD_H_
