#include "gateway/leg/address_learner.h"

#include "base/check.h"

namespace sluice {
namespace {

// One port above (RFC 3550 section 11); nullopt when there is none.
std::optional<TransportAddress> NextPort(const TransportAddress& address) {
  if (address.port == UINT16_MAX) {
    return std::nullopt;
  }
  return TransportAddress{address.ip, static_cast<uint16_t>(address.port + 1)};
}

}  // namespace

void AddressLearner::Signal(Timestamp now, const std::optional<RemoteTransport>& remote,
                            const std::optional<AddressLearning>& learning,
                            const std::optional<TimeDelta>& window) {
  if (remote.has_value()) {
    signalled_ = remote;
    if (options_.rtcp_mux) {
      signalled_->rtcp = signalled_->rtp;
      signalled_->source_rtcp = signalled_->source_rtp;
    }
  }
  learning_ = learning.value_or(learning_);
  window_ = window.value_or(window_);
  if (remote.has_value() || learning_ == AddressLearning::kStrict) {
    ForgetLearned();
  }
  locked_ = false;
  candidate_packets_ = 0;
  window_end_ = now + window_;
}

void AddressLearner::ForgetLearned() {
  learned_ = false;
  rtcp_learned_ = false;
  if (signalled_.has_value()) {
    rtp_ = signalled_->rtp;
    rtcp_ = signalled_->rtcp;
    rtp_source_ = signalled_->source_rtp.value_or(signalled_->rtp);
    rtcp_source_ = signalled_->source_rtcp.value_or(signalled_->rtcp);
  } else {
    rtp_ = rtcp_ = rtp_source_ = rtcp_source_ = std::nullopt;
  }
}

bool AddressLearner::Expects(Timestamp now, Component component, PacketKind kind,
                             const TransportAddress& source) const {
  if (!options_.authenticated) {
    return PlainExpects(now, component, kind, source);
  }
  if (learning_ == AddressLearning::kLearn) {
    return true;
  }
  const auto& expected = component == Component::kRtp ? rtp_source_ : rtcp_source_;
  // Without a signalled address the tag alone decides.
  return !signalled_.has_value() || expected == source;
}

bool AddressLearner::PlainExpects(Timestamp now, Component component, PacketKind kind,
                                  const TransportAddress& source) const {
  const auto& expected = component == Component::kRtp ? rtp_source_ : rtcp_source_;
  if (expected == source) {
    return true;
  }
  if (!InWindow(now)) {
    return false;
  }
  if (component == Component::kRtcp) {
    // The port is still open to be learned; the host is not.
    return !rtcp_learned_ && rtp_source_.has_value() && source.ip == rtp_source_->ip;
  }
  if (locked_) {
    return false;
  }
  if (signalled_.has_value()) {
    return source.ip == signalled_->source_rtp.value_or(signalled_->rtp).ip;
  }
  return kind == PacketKind::kRtp;
}

std::optional<AddressChange> AddressLearner::OnAccepted(Timestamp now, Component component,
                                                        PacketKind kind,
                                                        const TransportAddress& source) {
  if (!InWindow(now)) {
    return std::nullopt;
  }
  if (kind == PacketKind::kRtcp) {
    if (component == Component::kRtcp) {
      LearnRtcp(source);
    }
    return std::nullopt;
  }
  if (rtp_source_ == source) {
    locked_ = true;
    candidate_packets_ = 0;
    return std::nullopt;
  }
  if (!options_.authenticated) {
    SLUICE_DCHECK(!locked_);
    locked_ = true;
    return MoveRtp(source);
  }
  if (candidate_packets_ == 0 || candidate_ != source) {
    candidate_ = source;
    candidate_packets_ = 0;
  }
  if (++candidate_packets_ < kPacketsToMove) {
    return std::nullopt;
  }
  candidate_packets_ = 0;
  return MoveRtp(source);
}

void AddressLearner::LearnRtcp(const TransportAddress& source) {
  const bool settled = options_.authenticated || locked_;
  if (!settled || rtcp_source_ == source || !rtp_source_.has_value() ||
      source.ip != rtp_source_->ip) {
    return;
  }
  rtcp_ = source;
  rtcp_source_ = source;
  rtcp_learned_ = true;
}

AddressChange AddressLearner::MoveRtp(const TransportAddress& source) {
  const AddressChange change{rtp_, source};
  rtp_ = source;
  rtp_source_ = source;
  learned_ = true;
  if (options_.rtcp_mux) {
    rtcp_ = source;
    rtcp_source_ = source;
  } else if (!rtcp_learned_ || rtcp_source_->ip != source.ip) {
    // Behind the same address translation as RTP, so the signalled one is no better a guess.
    rtcp_ = NextPort(source);
    rtcp_source_ = rtcp_;
    rtcp_learned_ = false;
  }
  return change;
}

}  // namespace sluice
