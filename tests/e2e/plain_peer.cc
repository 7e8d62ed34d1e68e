#include "tests/e2e/plain_peer.h"

namespace sluice {

pb::LegConfig PlainPeer::Config() const {
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_RTP);
  config.set_rtcp_mux(transport().rtcp_mux());
  *config.mutable_remote() = transport().Remote();
  return config;
}

Bytes PlainPeer::WrapRtp(absl::Span<const uint8_t> packet) {
  return Bytes(packet.begin(), packet.end());
}

Bytes PlainPeer::WrapRtcp(absl::Span<const uint8_t> packet) {
  return Bytes(packet.begin(), packet.end());
}

std::optional<Bytes> PlainPeer::UnwrapRtp(absl::Span<const uint8_t> datagram) {
  return Bytes(datagram.begin(), datagram.end());
}

std::optional<Bytes> PlainPeer::UnwrapRtcp(absl::Span<const uint8_t> datagram) {
  return Bytes(datagram.begin(), datagram.end());
}

}  // namespace sluice
