#include "tools/load/loss_gate.h"

#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

constexpr uint32_t kMillion = 1'000'000;

}  // namespace

RelayedKind ClassifyRelayed(absl::Span<const uint8_t> datagram) {
  if (datagram.empty() || datagram[0] < 128 || datagram[0] > 191) return RelayedKind::kOther;
  return LooksLikeRtcp(datagram) ? RelayedKind::kRtcp : RelayedKind::kRtp;
}

bool LossGate::Loses(RelayedKind kind) {
  const bool may_be_lost =
      kind == RelayedKind::kRtp || (kind == RelayedKind::kRtcp && options_.lose_rtcp);
  return may_be_lost && random_.Below(kMillion) < options_.lost_per_million;
}

}  // namespace sluice
