#ifndef GATEWAY_IO_RECEIVE_BATCH_H_
#define GATEWAY_IO_RECEIVE_BATCH_H_

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gateway/io/udp_socket.h"
#include "gateway/session/received_datagram.h"
#include "srtp/packet_arena.h"

namespace sluice {

// Most datagrams taken from one socket before the next socket has its turn, so that a flood on one
// costs the others a bounded delay. A video frame of 40 packets takes two turns.
inline constexpr size_t kSocketTurn = 32;

// Collects datagrams of many sockets, received straight into packet slots, to be processed
// together. All memory but the slots is taken in the constructor; slots lent for a receive call
// that it did not fill are kept for the next. One thread.
class ReceiveBatch {
 public:
  // Holds at most `max_datagrams` and kSocketTurn slots of `arena`, which outlives the batch.
  ReceiveBatch(size_t max_datagrams, PacketArena& arena);

  // Appends what waits in `socket`: at most kSocketTurn datagrams and no more than fit; one system
  // call. When the arena is empty they are read and thrown away, so that they are not reported as
  // waiting again and again.
  void Receive(const UdpSocket& socket, LegHandle leg, Component component);

  bool full() const { return size_ == datagrams_.size(); }
  bool empty() const { return size_ == 0; }
  absl::Span<ReceivedDatagram> datagrams() { return absl::MakeSpan(datagrams_.data(), size_); }
  // Forgets the datagrams; slots that nobody took go back to the arena.
  void Clear();

  // Slots of the arena that are lent but hold nothing yet.
  size_t spare() const;
  // Datagrams thrown away for lack of a slot, ever.
  uint64_t discarded() const { return discarded_; }

 private:
  // Gives the first `count` places a slot each; returns how many of them have one then.
  size_t Refill(size_t count);
  // Throws away up to `count` datagrams.
  void Discard(const UdpSocket& socket, size_t count);

  PacketArena& arena_;
  std::vector<ReceivedDatagram> datagrams_;
  size_t size_ = 0;
  uint64_t discarded_ = 0;

  // What the next recvmmsg writes to, place by place; buffers_[i] is the inside of spare_[i].
  std::array<PacketLoan, kSocketTurn> spare_;
  std::array<mmsghdr, kSocketTurn> headers_;
  std::array<iovec, kSocketTurn> buffers_;
  std::array<sockaddr_storage, kSocketTurn> sources_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_RECEIVE_BATCH_H_
