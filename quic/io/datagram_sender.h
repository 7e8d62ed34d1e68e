#ifndef QUIC_IO_DATAGRAM_SENDER_H_
#define QUIC_IO_DATAGRAM_SENDER_H_

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/io/datagram_socket.h"

namespace sluice {

struct SendCounters {
  // Datagrams handed to the kernel, ...
  uint64_t sent = 0;
  // ... and those of them that the kernel cut out of larger messages.
  uint64_t segmented = 0;
  // Lost because the socket's or the device's queue had no room, ...
  uint64_t queue_full = 0;
  // ... or because the kernel refused them: too long, no route, filtered.
  uint64_t refused = 0;
  // Messages that the kernel did not cut; their datagrams were sent one by one.
  uint64_t segmentation_refused = 0;
};

// Sends datagrams in their order, many with a system call; a run of equally long ones to one
// destination as one message that the kernel, or the device, cuts (UDP_SEGMENT), until the kernel
// says that it cannot. What cannot be sent at once is lost, which QUIC makes good. All memory is
// inside the object. One thread.
class DatagramSender {
 public:
  // sendmmsg(2), or what a test puts in its place.
  using SystemCall = int (*)(int fd, mmsghdr* headers, unsigned int count, int flags);
  explicit DatagramSender(bool segmentation, SystemCall send = &sendmmsg);
  DatagramSender(const DatagramSender&) = delete;
  DatagramSender& operator=(const DatagramSender&) = delete;

  void Send(const DatagramSocket& socket, absl::Span<const DatagramOutbox::Datagram> datagrams);

  // Whether runs are still sent as one message.
  bool segmentation() const { return segmentation_; }
  const SendCounters& counters() const { return counters_; }

 private:
  // Per system call.
  static constexpr size_t kMaxMessages = 64;
  // What Linux cuts a message into at most (UDP_MAX_SEGMENTS of older kernels).
  static constexpr size_t kMaxSegments = 64;
  // A message must fit the 16 bits of a length of IP, headers included.
  static constexpr size_t kMaxMessageBytes = 65'000;
  // Room for an in6_pktinfo, a traffic class and a segment's size, each with its header.
  static constexpr size_t kControlBytes = 128;

  struct alignas(cmsghdr) Control {
    std::array<uint8_t, kControlBytes> bytes;
  };

  // How many datagrams at the beginning may be one message.
  size_t RunLength(absl::Span<const DatagramOutbox::Datagram> datagrams) const;
  // Fills message `index` with a run; its buffers begin at `buffer`.
  void Prepare(absl::Span<const DatagramOutbox::Datagram> run, size_t index, size_t buffer);
  void SendPrepared(const DatagramSocket& socket, size_t count,
                    absl::Span<const DatagramOutbox::Datagram> datagrams);
  void SendSingly(const DatagramSocket& socket, absl::Span<const DatagramOutbox::Datagram> run);

  bool segmentation_;
  const SystemCall send_;
  // One more than kMaxMessages, for what is sent again singly.
  std::array<mmsghdr, kMaxMessages + 1> headers_;
  std::array<sockaddr_storage, kMaxMessages + 1> destinations_;
  std::array<Control, kMaxMessages + 1> controls_;
  std::array<iovec, kMaxMessages + kMaxSegments + 1> buffers_;
  SendCounters counters_;
};

}  // namespace sluice

#endif  // QUIC_IO_DATAGRAM_SENDER_H_
