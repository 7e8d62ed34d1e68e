#include "srtp/stream_context.h"

#include <algorithm>

namespace sluice {
namespace {

std::optional<uint64_t> HighestOf(const ReplayWindow& window) {
  return window.empty() ? std::nullopt : std::optional<uint64_t>(window.highest());
}

std::optional<WindowState> StateOf(const ReplayWindow& window) {
  if (window.empty()) {
    return std::nullopt;
  }
  return WindowState{window.highest(), {window.words().begin(), window.words().end()}};
}

void RestoreWindow(const WindowState& state, ReplayWindow& window) {
  if (!window.Restore(state.highest, state.words)) {
    window.AssumeAccepted(state.highest);
  }
}

}  // namespace

void SenderStream::Reset() {
  taken_.Clear();
  next_rtcp_index_ = 0;
  sent_under = 0;
}

ProtectVerdict SenderStream::TakeRtcpIndex(SrtcpIndex& index) {
  if (next_rtcp_index_ == kMaxSrtcpIndex.value()) {
    return ProtectVerdict::kKeyExhausted;
  }
  index = SrtcpIndex(next_rtcp_index_++);
  return ProtectVerdict::kOk;
}

RememberedStream SenderStream::Remember() const {
  return {HighestOf(taken_),
          next_rtcp_index_ == 0 ? std::nullopt : std::optional<uint64_t>(next_rtcp_index_ - 1)};
}

void SenderStream::Recall(const RememberedStream& remembered) {
  if (remembered.rtp.has_value()) {
    taken_.AssumeAccepted(*remembered.rtp);
  }
  if (remembered.rtcp.has_value()) {
    next_rtcp_index_ = static_cast<uint32_t>(*remembered.rtcp + 1);
  }
}

void SenderStream::Save(SenderStreamState& state) const {
  state.rtp = StateOf(taken_);
  state.next_rtcp_index = next_rtcp_index_;
}

void SenderStream::Restore(const SenderStreamState& state, const RestoreMargin& margin) {
  if (state.rtp.has_value()) {
    if (margin.rtp == 0) {
      RestoreWindow(*state.rtp, taken_);
    } else {
      taken_.AssumeAccepted(std::min(state.rtp->highest + margin.rtp, kMaxPacketIndex.value()));
    }
  }
  next_rtcp_index_ = std::min(state.next_rtcp_index + margin.rtcp, kMaxSrtcpIndex.value());
}

void ReceiverStream::Reset() {
  rtp_.Clear();
  rtcp_.Clear();
  rollover_known_ = false;
}

IndexEstimate ReceiverStream::EstimateRollovers(SequenceNumber sequence, int rollovers) const {
  IndexEstimate estimate = EstimateNext(rtp_, sequence);
  // Neither addition can overflow: an index has 48 bits.
  const int64_t roc = int64_t{RocOf(estimate.index).value()} + rollovers;
  estimate.valid = estimate.valid && roc >= 0 && roc <= int64_t{UINT32_MAX};
  if (estimate.valid) {
    estimate.index = MakeIndex(Roc(static_cast<uint32_t>(roc)), sequence);
  }
  return estimate;
}

RememberedStream ReceiverStream::Remember() const { return {HighestOf(rtp_), HighestOf(rtcp_)}; }

void ReceiverStream::Recall(const RememberedStream& remembered) {
  if (remembered.rtp.has_value()) {
    rtp_.AssumeAccepted(*remembered.rtp);
  }
  if (remembered.rtcp.has_value()) {
    rtcp_.AssumeAccepted(*remembered.rtcp);
  }
}

void ReceiverStream::Save(ReceiverStreamState& state) const {
  state.rtp = StateOf(rtp_);
  state.rtcp = StateOf(rtcp_);
}

void ReceiverStream::Restore(const ReceiverStreamState& state) {
  if (state.rtp.has_value()) {
    RestoreWindow(*state.rtp, rtp_);
  }
  if (state.rtcp.has_value()) {
    RestoreWindow(*state.rtcp, rtcp_);
  }
}

}  // namespace sluice
