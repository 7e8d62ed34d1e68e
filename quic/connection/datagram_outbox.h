#ifndef QUIC_CONNECTION_DATAGRAM_OUTBOX_H_
#define QUIC_CONNECTION_DATAGRAM_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// Datagrams on their way out, in the order in which they were written, until their owner has sent
// them and clears it. All memory is there from the beginning. One thread.
class DatagramOutbox {
 public:
  // The largest that Ethernet carries over IPv4 (1500 - 20 - 8), which is also the most that a
  // search for the path's maximum tries.
  static constexpr size_t kMaxDatagramSize = 1472;

  struct Datagram {
    UdpPath path;
    Ecn ecn = Ecn::kNotEct;
    // A view into the outbox, until Clear.
    absl::Span<const uint8_t> bytes;
  };

  // `capacity` datagrams.
  explicit DatagramOutbox(size_t capacity);
  DatagramOutbox(const DatagramOutbox&) = delete;
  DatagramOutbox& operator=(const DatagramOutbox&) = delete;

  // kMaxDatagramSize bytes to write the next datagram into, or none when all are in use, which is
  // counted. Becomes a datagram by Commit, else the next Reserve gives it again.
  absl::Span<uint8_t> Reserve();
  void Commit(size_t size, const UdpPath& path, Ecn ecn);

  absl::Span<const Datagram> datagrams() const { return datagrams_; }
  bool full() const { return datagrams_.size() == capacity_; }
  void Clear() { datagrams_.clear(); }

  // How often Reserve had nothing to give.
  uint64_t times_full() const { return times_full_; }

 private:
  const size_t capacity_;
  std::vector<uint8_t> bytes_;
  // Never more than capacity_, which is reserved.
  std::vector<Datagram> datagrams_;
  uint64_t times_full_ = 0;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_DATAGRAM_OUTBOX_H_
