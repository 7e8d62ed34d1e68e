#include "gateway/io/receive_batch.h"

#include <errno.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "gateway/io/socket_address.h"

namespace sluice {
namespace {

// Datagrams read, 0 when none waits. A pending error of the socket counts as none: reading it has
// cleared it.
size_t ReceiveMany(int fd, mmsghdr* headers, size_t count) {
  int received;
  do {
    received = recvmmsg(fd, headers, static_cast<unsigned>(count), MSG_DONTWAIT, nullptr);
  } while (received < 0 && errno == EINTR);
  return received < 0 ? 0 : static_cast<size_t>(received);
}

}  // namespace

ReceiveBatch::ReceiveBatch(size_t max_datagrams, PacketArena& arena)
    : arena_(arena), datagrams_(max_datagrams) {
  SLUICE_CHECK(max_datagrams >= 1);
  for (size_t i = 0; i < kSocketTurn; ++i) {
    headers_[i] = mmsghdr{};
    headers_[i].msg_hdr.msg_name = &sources_[i];
    headers_[i].msg_hdr.msg_namelen = sizeof(sources_[i]);
    headers_[i].msg_hdr.msg_iov = &buffers_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

void ReceiveBatch::Receive(const UdpSocket& socket, LegHandle leg, Component component) {
  const size_t wanted = std::min(kSocketTurn, datagrams_.size() - size_);
  if (wanted == 0) return;
  const size_t usable = Refill(wanted);
  if (usable == 0) {
    Discard(socket, wanted);
    return;
  }
  const size_t received = ReceiveMany(socket.fd(), headers_.data(), usable);
  for (size_t i = 0; i < received; ++i) {
    msghdr& header = headers_[i].msg_hdr;
    const std::optional<TransportAddress> source = FromSockaddr(sources_[i], header.msg_namelen);
    header.msg_namelen = sizeof(sources_[i]);
    if (!source.has_value() || !spare_[i].Resize(headers_[i].msg_len)) {
      // Neither can happen on a UdpSocket; its slot is simply used again.
      SLUICE_BUG(received_datagram_unusable);
      continue;
    }
    ReceivedDatagram& datagram = datagrams_[size_++];
    datagram.leg = leg;
    datagram.component = component;
    datagram.source = *source;
    datagram.packet = std::move(spare_[i]);
    datagram.truncated = (header.msg_flags & MSG_TRUNC) != 0;
  }
}

void ReceiveBatch::Clear() {
  for (ReceivedDatagram& datagram : datagrams()) datagram.packet.Return();
  size_ = 0;
}

size_t ReceiveBatch::spare() const {
  return static_cast<size_t>(std::count_if(spare_.begin(), spare_.end(),
                                           [](const PacketLoan& loan) { return bool{loan}; }));
}

size_t ReceiveBatch::Refill(size_t count) {
  bool arena_empty = false;
  size_t last = kSocketTurn;
  for (size_t i = 0; i < count; ++i) {
    if (spare_[i]) continue;
    if (!arena_empty) spare_[i] = arena_.Lend();
    if (!spare_[i]) {
      // Then the hindmost of what is there comes to the front.
      arena_empty = true;
      while (last > i + 1 && !spare_[last - 1]) --last;
      if (last <= i + 1) return i;
      spare_[i] = std::move(spare_[--last]);
    }
    const absl::Span<uint8_t> room = spare_[i].ReceiveSpan();
    buffers_[i] = {room.data(), room.size()};
  }
  return count;
}

void ReceiveBatch::Discard(const UdpSocket& socket, size_t count) {
  // Without a buffer the kernel takes the datagram off the queue and drops it.
  for (size_t i = 0; i < count; ++i) headers_[i].msg_hdr.msg_iovlen = 0;
  discarded_ += ReceiveMany(socket.fd(), headers_.data(), count);
  for (size_t i = 0; i < count; ++i) {
    headers_[i].msg_hdr.msg_iovlen = 1;
    headers_[i].msg_hdr.msg_namelen = sizeof(sources_[i]);
  }
}

}  // namespace sluice
