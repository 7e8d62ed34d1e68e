#ifndef QUIC_CONNECTION_CONNECTION_END_H_
#define QUIC_CONNECTION_CONNECTION_END_H_

#include <ngtcp2/ngtcp2.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// What an error of ngtcp2 means for the connection that it comes from.
struct Ending {
  enum class Manner : uint8_t {
    // The peer is told, and told again.
    kTell,
    // The peer said so; nothing is sent any more, but what comes is still ours (RFC 9000 section
    // 10.2.2).
    kDrain,
    // Nobody is there to be told.
    kForget,
  };

  Manner manner = Manner::kForget;
  CloseReason reason;
  // What the peer is told.
  ngtcp2_ccerr error = {};
};

// `error` is not 0.
Ending EndingOf(int error, ngtcp2_conn& conn);
// When the application has enough.
Ending EndingByApplication(uint64_t code);

// The last packet of a connection, kept for as long as somebody may not have heard of it.
class ClosePacket {
 public:
  // A client's first packet is padded to it; nothing else is as long.
  static constexpr size_t kMaxSize = 1200;

  // Writes it, in all levels that the peer may be able to read, and sends it to `out`. False when
  // there is nobody to send it to: before the first packet, or when the peer's address is not
  // proved and has got all that it may.
  bool Write(ngtcp2_conn& conn, const ngtcp2_ccerr& error, Timestamp now, DatagramOutbox& out);

  // To be called for each datagram that comes later: sends it again for the first, second, fourth,
  // eighth (RFC 9000 section 10.2.1). Whether it did.
  bool Answer(const UdpPath& path, DatagramOutbox& out);

 private:
  bool Send(const UdpPath& path, DatagramOutbox& out) const;

  // Allocated at the end of the connection, once.
  std::vector<uint8_t> bytes_;
  uint64_t received_ = 0;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_CONNECTION_END_H_
