#ifndef GATEWAY_IO_TESTING_UDP_PEER_H_
#define GATEWAY_IO_TESTING_UDP_PEER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gateway/io/udp_socket.h"
#include "gateway/net/transport_address.h"

namespace sluice {

struct PeerDatagram {
  TransportAddress source;
  std::vector<uint8_t> bytes;
};

// The other end of a media path: a socket of a test on loopback that waits for what it receives.
class UdpPeer {
 public:
  // On a port of the kernel's choice. Ends the process when that is not possible.
  explicit UdpPeer(IpFamily family);

  const TransportAddress& address() const { return socket_.local_address(); }

  // Ends the process when the kernel does not take it.
  void Send(const TransportAddress& destination, absl::Span<const uint8_t> bytes);
  // Waits for a datagram; nothing after ten seconds, which is a failed test.
  std::optional<PeerDatagram> Receive();
  // What has come already; on loopback that is all that was sent before.
  std::optional<PeerDatagram> ReceiveNow();

 private:
  UdpSocket socket_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_TESTING_UDP_PEER_H_
