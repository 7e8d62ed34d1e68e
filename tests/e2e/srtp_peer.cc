#include "tests/e2e/srtp_peer.h"

namespace sluice {

SrtpPeer::SrtpPeer(const SrtpPeerOptions& options)
    : MediaPeer(options.transport),
      key_(MakeTestKey(options.suite, options.key_number)),
      sender_(key_) {}

pb::LegConfig SrtpPeer::Config() const {
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_SRTP);
  config.set_rtcp_mux(transport().rtcp_mux());
  *config.mutable_remote() = transport().Remote();
  *config.mutable_remote_key() = key_;
  return config;
}

void SrtpPeer::Connect(const pb::AddLegResponse& answer) {
  MediaPeer::Connect(answer);
  receivers_.clear();
  opened_.clear();
  AddGatewayKey(answer.local_key());
}

void SrtpPeer::ChangeKey(const pb::SrtpKey& key) {
  key_ = key;
  sender_.ChangeKey(key);
}

void SrtpPeer::AddGatewayKey(const pb::SrtpKey& key) {
  if (receivers_.empty()) {
    receivers_.emplace_back(key);
  } else {
    receivers_.emplace_back(key, receivers_.back());
  }
  opened_.push_back(0);
}

std::optional<Bytes> SrtpPeer::UnwrapRtp(absl::Span<const uint8_t> datagram) {
  for (size_t i = 0; i < receivers_.size(); ++i) {
    if (std::optional<Bytes> packet = receivers_[i].OpenRtp(datagram)) {
      ++opened_[i];
      return packet;
    }
  }
  return std::nullopt;
}

std::optional<Bytes> SrtpPeer::UnwrapRtcp(absl::Span<const uint8_t> datagram) {
  for (size_t i = 0; i < receivers_.size(); ++i) {
    if (std::optional<Bytes> packet = receivers_[i].OpenRtcp(datagram)) {
      ++opened_[i];
      return packet;
    }
  }
  return std::nullopt;
}

}  // namespace sluice
