#include "quic/io/datagram_receiver.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/socket_name.h"

namespace sluice {
namespace {

// What a control message carries, which need not be aligned; nothing when it is too short.
template <typename T>
std::optional<T> Content(const cmsghdr& message) {
  if (message.cmsg_len < CMSG_LEN(sizeof(T))) return std::nullopt;
  T value;
  CopyBytes(absl::MakeSpan(reinterpret_cast<uint8_t*>(&value), sizeof(T)),
            absl::MakeConstSpan(CMSG_DATA(&message), sizeof(T)));
  return value;
}

template <size_t kSize, typename T>
std::array<uint8_t, kSize> IpOf(const T& address) {
  static_assert(sizeof(T) == kSize);
  std::array<uint8_t, kSize> ip;
  CopyBytes(absl::MakeSpan(ip),
            absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(&address), kSize));
  return ip;
}

bool IsLinkLocal(const in6_addr& address) { return IN6_IS_ADDR_LINKLOCAL(&address); }

Ecn EcnOf(int traffic_class) { return static_cast<Ecn>(traffic_class & 3); }

// Takes from one control message what it says of a datagram.
void Note(const cmsghdr& message, uint16_t port, DatagramReceiver::Received& datagram) {
  if (message.cmsg_level == IPPROTO_IP && message.cmsg_type == IP_PKTINFO) {
    const auto info = Content<in_pktinfo>(message);
    if (info.has_value()) datagram.path.local = UdpAddress::V4(IpOf<4>(info->ipi_addr), port);
  } else if (message.cmsg_level == IPPROTO_IP && message.cmsg_type == IP_TOS) {
    // One byte here, four when it is sent.
    const auto tos = Content<uint8_t>(message);
    if (tos.has_value()) datagram.ecn = EcnOf(*tos);
  } else if (message.cmsg_level == IPPROTO_IPV6 && message.cmsg_type == IPV6_PKTINFO) {
    const auto info = Content<in6_pktinfo>(message);
    if (!info.has_value()) return;
    const uint32_t scope = IsLinkLocal(info->ipi6_addr) ? info->ipi6_ifindex : 0;
    datagram.path.local = UdpAddress::V6(IpOf<16>(info->ipi6_addr), port, scope);
  } else if (message.cmsg_level == IPPROTO_IPV6 && message.cmsg_type == IPV6_TCLASS) {
    const auto traffic_class = Content<int>(message);
    if (traffic_class.has_value()) datagram.ecn = EcnOf(*traffic_class);
  }
}

}  // namespace

DatagramReceiver::DatagramReceiver() : bytes_(kBatch * kMaxSize) {
  for (size_t i = 0; i < kBatch; ++i) {
    buffers_[i] = {&bytes_[i * kMaxSize], kMaxSize};
    headers_[i] = mmsghdr{};
    headers_[i].msg_hdr.msg_name = &sources_[i];
    headers_[i].msg_hdr.msg_iov = &buffers_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
    headers_[i].msg_hdr.msg_control = controls_[i].bytes.data();
  }
}

absl::Span<const DatagramReceiver::Received> DatagramReceiver::Receive(
    const DatagramSocket& socket) {
  for (size_t i = 0; i < kBatch; ++i) {
    headers_[i].msg_hdr.msg_namelen = sizeof(sources_[i]);
    headers_[i].msg_hdr.msg_controllen = kControlBytes;
  }
  int count;
  do {
    count = recvmmsg(socket.fd(), headers_.data(), kBatch, MSG_DONTWAIT, nullptr);
  } while (count < 0 && errno == EINTR);
  size_t usable = 0;
  // A pending error of the socket counts as none: reading it has cleared it.
  for (int i = 0; i < count; ++i) {
    msghdr& header = headers_[i].msg_hdr;
    const auto source = FromSocketName(sources_[i], header.msg_namelen);
    if (!source.has_value() || (header.msg_flags & MSG_TRUNC) != 0) {
      ++counters_.unusable;
      continue;
    }
    Received& datagram = received_[usable++];
    datagram = {.path = {.local = socket.local_address(), .remote = *source},
                .ecn = Ecn::kNotEct,
                .bytes = absl::MakeConstSpan(bytes_).subspan(static_cast<size_t>(i) * kMaxSize,
                                                             headers_[i].msg_len)};
    for (cmsghdr* message = CMSG_FIRSTHDR(&header); message != nullptr;
         message = CMSG_NXTHDR(&header, message)) {
      Note(*message, socket.local_address().port(), datagram);
    }
  }
  counters_.received += usable;
  return absl::MakeConstSpan(received_).first(usable);
}

}  // namespace sluice
