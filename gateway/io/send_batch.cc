#include "gateway/io/send_batch.h"

#include <errno.h>

#include <algorithm>

#include "base/check.h"
#include "gateway/io/socket_address.h"

namespace sluice {
namespace {

// The beginning of `datagrams` that leaves through one socket.
absl::Span<OutgoingDatagram> FirstRun(absl::Span<OutgoingDatagram> datagrams, size_t longest) {
  const SocketHandle socket = datagrams.front().socket;
  size_t size = 1;
  while (size < datagrams.size() && size < longest && datagrams[size].socket == socket) ++size;
  return datagrams.first(size);
}

}  // namespace

SendBatch::SendBatch(SystemCall send) : send_(send) {
  for (size_t i = 0; i < kMaxRun; ++i) {
    headers_[i] = mmsghdr{};
    headers_[i].msg_hdr.msg_name = &destinations_[i];
    headers_[i].msg_hdr.msg_iov = &buffers_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

void SendBatch::Send(absl::Span<OutgoingDatagram> datagrams,
                     absl::FunctionRef<const UdpSocket*(SocketHandle)> find_socket,
                     absl::FunctionRef<void(const OutgoingDatagram&, SendOutcome)> report) {
  while (!datagrams.empty()) {
    const absl::Span<OutgoingDatagram> run = FirstRun(datagrams, kMaxRun);
    datagrams.remove_prefix(run.size());
    const UdpSocket* socket = find_socket(run.front().socket);
    if (socket == nullptr) {
      for (const OutgoingDatagram& datagram : run) report(datagram, SendOutcome::kNoSocket);
      continue;
    }
    SendRun(*socket, run, report);
  }
}

void SendBatch::SendRun(const UdpSocket& socket, absl::Span<OutgoingDatagram> run, Report report) {
  for (size_t i = 0; i < run.size(); ++i) {
    const absl::Span<uint8_t> bytes = run[i].packet.bytes();
    buffers_[i] = {bytes.data(), bytes.size()};
    headers_[i].msg_hdr.msg_namelen = ToSockaddr(run[i].destination, destinations_[i]);
  }
  size_t done = 0;
  while (done < run.size()) {
    const int sent =
        send_(socket.fd(), &headers_[done], static_cast<unsigned>(run.size() - done), MSG_DONTWAIT);
    // sendmmsg stops in front of a datagram that fails and tells why when called again.
    if (sent > 0) {
      for (int i = 0; i < sent; ++i) report(run[done++], SendOutcome::kSent);
    } else if (sent == 0 || errno == EINTR) {
      continue;
    } else if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
      // The rest would find the queue as full.
      while (done < run.size()) report(run[done++], SendOutcome::kQueueFull);
    } else {
      report(run[done++], SendOutcome::kRefused);
    }
  }
}

}  // namespace sluice
