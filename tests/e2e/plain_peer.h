#ifndef TESTS_E2E_PLAIN_PEER_H_
#define TESTS_E2E_PLAIN_PEER_H_

#include <optional>

#include "absl/types/span.h"
#include "tests/e2e/media_peer.h"

namespace sluice {

// A peer that speaks RTP without any protection.
class PlainPeer : public MediaPeer {
 public:
  explicit PlainPeer(const PeerOptions& options = {}) : MediaPeer(options) {}

  pb::LegConfig Config() const override;
  Bytes WrapRtp(absl::Span<const uint8_t> packet) override;
  Bytes WrapRtcp(absl::Span<const uint8_t> packet) override;

 protected:
  std::optional<Bytes> UnwrapRtp(absl::Span<const uint8_t> datagram) override;
  std::optional<Bytes> UnwrapRtcp(absl::Span<const uint8_t> datagram) override;
};

}  // namespace sluice

#endif  // TESTS_E2E_PLAIN_PEER_H_
