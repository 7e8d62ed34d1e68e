#ifndef QUIC_IO_DATAGRAM_RECEIVER_H_
#define QUIC_IO_DATAGRAM_RECEIVER_H_

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_socket.h"

namespace sluice {

struct ReceiveCounters {
  uint64_t received = 0;
  // Longer than kMaxSize, or without a source; dropped.
  uint64_t unusable = 0;
};

// Takes datagrams off a socket, many with a system call, with both ends of their way and their ECN
// bits. All memory is there from the beginning. One thread.
class DatagramReceiver {
 public:
  // Per system call: some 50 us of decrypting between two looks at timers.
  static constexpr size_t kBatch = 32;
  // More than Ethernet carries; jumbo frames are lost on us, which a search for the MTU finds out.
  static constexpr size_t kMaxSize = 2048;

  struct Received {
    UdpPath path;
    Ecn ecn = Ecn::kNotEct;
    // A view into the receiver, until the next Receive.
    absl::Span<const uint8_t> bytes;
  };

  DatagramReceiver();
  DatagramReceiver(const DatagramReceiver&) = delete;
  DatagramReceiver& operator=(const DatagramReceiver&) = delete;

  // What waits in `socket`, at most kBatch; empty when nothing does. The answer is good until the
  // next call.
  absl::Span<const Received> Receive(const DatagramSocket& socket);

  const ReceiveCounters& counters() const { return counters_; }

 private:
  // Room for an in6_pktinfo and a traffic class, each with its header.
  static constexpr size_t kControlBytes = 128;
  struct alignas(cmsghdr) Control {
    std::array<uint8_t, kControlBytes> bytes;
  };

  std::vector<uint8_t> bytes_;
  std::array<mmsghdr, kBatch> headers_;
  std::array<iovec, kBatch> buffers_;
  std::array<sockaddr_storage, kBatch> sources_;
  std::array<Control, kBatch> controls_;
  std::array<Received, kBatch> received_;
  ReceiveCounters counters_;
};

}  // namespace sluice

#endif  // QUIC_IO_DATAGRAM_RECEIVER_H_
