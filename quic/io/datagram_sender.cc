#include "quic/io/datagram_sender.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/socket_name.h"

namespace sluice {
namespace {

// Appends a control message of `content` behind the `used` bytes of `control`.
template <typename T>
void Append(int level, int type, const T& content, absl::Span<uint8_t> control, size_t& used) {
  SLUICE_CHECK(used + CMSG_SPACE(sizeof(T)) <= control.size());
  cmsghdr* message = reinterpret_cast<cmsghdr*>(&control[used]);
  message->cmsg_level = level;
  message->cmsg_type = type;
  message->cmsg_len = CMSG_LEN(sizeof(T));
  CopyBytes(absl::MakeSpan(CMSG_DATA(message), sizeof(T)),
            absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(&content), sizeof(T)));
  used += CMSG_SPACE(sizeof(T));
}

template <typename T>
void CopyIp(const UdpAddress& address, T& to) {
  CopyBytes(absl::MakeSpan(reinterpret_cast<uint8_t*>(&to), sizeof(T)), address.ip());
}

// From which address, and with which marks, a datagram leaves.
size_t WriteControl(const UdpAddress& local, Ecn ecn, absl::Span<uint8_t> control) {
  size_t used = 0;
  const int traffic_class = static_cast<int>(ecn);
  if (local.is_v6()) {
    in6_pktinfo info{};
    info.ipi6_ifindex = local.scope();
    CopyIp(local, info.ipi6_addr);
    Append(IPPROTO_IPV6, IPV6_PKTINFO, info, control, used);
    if (ecn != Ecn::kNotEct) Append(IPPROTO_IPV6, IPV6_TCLASS, traffic_class, control, used);
  } else {
    in_pktinfo info{};
    CopyIp(local, info.ipi_spec_dst);
    Append(IPPROTO_IP, IP_PKTINFO, info, control, used);
    if (ecn != Ecn::kNotEct) Append(IPPROTO_IP, IP_TOS, traffic_class, control, used);
  }
  return used;
}

bool IsQueueFull(int error) { return error == EAGAIN || error == ENOBUFS || error == ENOMEM; }

// The kernel, or a device on the way, does not cut messages at all. Anything else may be this
// message's own fault.
bool IsNoSegmentation(int error) {
  return error == EIO || error == EINVAL || error == EOPNOTSUPP || error == ENOPROTOOPT;
}

}  // namespace

DatagramSender::DatagramSender(bool segmentation, SystemCall send)
    : segmentation_(segmentation), send_(send) {}

void DatagramSender::Send(const DatagramSocket& socket,
                          absl::Span<const DatagramOutbox::Datagram> datagrams) {
  while (!datagrams.empty()) {
    size_t messages = 0;
    size_t taken = 0;
    while (messages < kMaxMessages && taken < kMaxMessages && taken < datagrams.size()) {
      const size_t run = RunLength(datagrams.subspan(taken));
      Prepare(datagrams.subspan(taken, run), messages++, taken);
      taken += run;
    }
    SendPrepared(socket, messages, datagrams.first(taken));
    datagrams.remove_prefix(taken);
  }
}

size_t DatagramSender::RunLength(absl::Span<const DatagramOutbox::Datagram> datagrams) const {
  if (!segmentation_) return 1;
  const DatagramOutbox::Datagram& first = datagrams.front();
  const size_t size = first.bytes.size();
  if (size == 0) return 1;
  const size_t most = std::min({datagrams.size(), kMaxSegments, kMaxMessageBytes / size});
  size_t length = 1;
  while (length < most && datagrams[length].path == first.path &&
         datagrams[length].ecn == first.ecn && datagrams[length].bytes.size() <= size &&
         !datagrams[length].bytes.empty()) {
    // A shorter one is the last.
    if (datagrams[length++].bytes.size() < size) break;
  }
  return length;
}

void DatagramSender::Prepare(absl::Span<const DatagramOutbox::Datagram> run, size_t index,
                             size_t buffer) {
  for (size_t i = 0; i < run.size(); ++i) {
    // The kernel only reads it.
    buffers_[buffer + i] = {const_cast<uint8_t*>(run[i].bytes.data()), run[i].bytes.size()};
  }
  const DatagramOutbox::Datagram& first = run.front();
  const absl::Span<uint8_t> control = absl::MakeSpan(controls_[index].bytes);
  size_t used = WriteControl(first.path.local, first.ecn, control);
  if (run.size() > 1) {
    const uint16_t segment = static_cast<uint16_t>(first.bytes.size());
    Append(IPPROTO_UDP, UDP_SEGMENT, segment, control, used);
  }
  msghdr& header = headers_[index].msg_hdr;
  header = {};
  header.msg_name = &destinations_[index];
  header.msg_namelen = ToSocketName(first.path.remote, destinations_[index]);
  header.msg_iov = &buffers_[buffer];
  header.msg_iovlen = run.size();
  header.msg_control = control.data();
  header.msg_controllen = used;
}

void DatagramSender::SendPrepared(const DatagramSocket& socket, size_t count,
                                  absl::Span<const DatagramOutbox::Datagram> datagrams) {
  size_t done = 0;
  while (done < count) {
    const int sent =
        send_(socket.fd(), &headers_[done], static_cast<unsigned>(count - done), MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent > 0) {
      for (int i = 0; i < sent; ++i, ++done) {
        const size_t segments = headers_[done].msg_hdr.msg_iovlen;
        counters_.sent += segments;
        if (segments > 1) counters_.segmented += segments;
        datagrams.remove_prefix(segments);
      }
      continue;
    }
    if (sent == 0 || IsQueueFull(errno)) {
      // The rest would find the queue as full.
      counters_.queue_full += datagrams.size();
      return;
    }
    // sendmmsg stops in front of a message that fails and tells why when called again.
    const size_t segments = headers_[done++].msg_hdr.msg_iovlen;
    if (segments == 1) {
      ++counters_.refused;
    } else {
      ++counters_.segmentation_refused;
      if (IsNoSegmentation(errno)) segmentation_ = false;
      SendSingly(socket, datagrams.first(segments));
    }
    datagrams.remove_prefix(segments);
  }
}

void DatagramSender::SendSingly(const DatagramSocket& socket,
                                absl::Span<const DatagramOutbox::Datagram> run) {
  for (size_t i = 0; i < run.size(); ++i) {
    Prepare(run.subspan(i, 1), kMaxMessages, buffers_.size() - 1);
    int sent;
    do {
      sent = send_(socket.fd(), &headers_[kMaxMessages], 1, MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    if (sent == 1) {
      ++counters_.sent;
    } else if (sent == 0 || IsQueueFull(errno)) {
      ++counters_.queue_full;
    } else {
      ++counters_.refused;
    }
  }
}

}  // namespace sluice
