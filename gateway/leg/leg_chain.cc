#include "gateway/leg/leg_chain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/escaping.h"
#include "gateway/leg/chain_counters.h"
#include "interceptor/fec/forward_error_correction.h"
#include "interceptor/interceptor.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp_assembler.h"

namespace sluice {
namespace {

// RFC 7022 section 4.2: 96 random bits as text.
std::string DrawCname(RandomSource& random) {
  std::array<uint8_t, 12> bytes;
  random.Fill(absl::MakeSpan(bytes));
  return absl::WebSafeBase64Escape(std::string(bytes.begin(), bytes.end()));
}

RoundTripSnapshot ToSnapshot(const RoundTripStats& stats) {
  return {stats.last, stats.total, stats.measurements};
}

}  // namespace

LegChain::LegChain(const InterceptorOptions& options, const Media& media,
                   const ChainEnvironment& environment)
    : formats_(media.payload_types, media.extensions),
      groups_(media.groups.begin(), media.groups.end()),
      random_(*environment.random),
      parity_(options.forward_error_correction) {}

void LegChain::ReleasePacketLog() {
  if (parts_.packet_log != nullptr) {
    parts_.packet_log->Release();
  }
}

absl::StatusOr<std::unique_ptr<LegChain>> LegChain::Create(const InterceptorOptions& options,
                                                           const Media& media, bool secure,
                                                           PacketLogRing* packet_log,
                                                           const ChainEnvironment& environment) {
  if (!options.any()) {
    return nullptr;
  }
  auto leg_chain = absl::WrapUnique(new LegChain(options, media, environment));
  const Ssrc sender = leg_chain->DrawSsrc();
  std::vector<std::unique_ptr<Interceptor>> interceptors;
  absl::Status status = MakeInterceptors(
      options,
      {.secure = secure, .sender = sender, .max_streams = kMaxStreams, .packet_log = packet_log},
      environment, interceptors, leg_chain->parts_);
  if (!status.ok()) {
    return status;
  }
  ChainOptions chain_options;
  chain_options.max_streams = kMaxStreams;
  chain_options.rtcp.mode =
      options.reduced_size_rtcp ? RtcpMode::kReducedSize : RtcpMode::kCompound;
  chain_options.rtcp.ssrc = sender;
  chain_options.rtcp.cname = DrawCname(*environment.random);
  auto chain = InterceptorChain::Create(std::move(interceptors), chain_options);
  if (!chain.ok()) {
    return chain.status();
  }
  leg_chain->chain_ = *std::move(chain);
  return leg_chain;
}

Ssrc LegChain::DrawSsrc() { return Ssrc(random_.NextU32()); }

void LegChain::PrepareOther(Timestamp now, PacketDirection direction, const RtpPacketView& packet) {
  std::optional<Ssrc>& last = last_ssrc_[static_cast<size_t>(direction)];
  const auto touch = [&](Ssrc ssrc) {
    const StreamSlots::Place place = chain_->FindStream(direction, ssrc);
    if (place.slot != kNoStream) {
      streams(direction)[place.slot.value()].last_packet = now;
    }
    return place.slot != kNoStream;
  };
  // The one before was heard until now.
  if (last.has_value()) {
    touch(*last);
  }
  last = packet.ssrc();
  if (touch(packet.ssrc())) {
    return;
  }
  const PayloadFormat* const format = formats_.Find(packet.payload_type());
  if (format == nullptr || format->role == PayloadRole::kMedia ||
      format->role == PayloadRole::kRedundancy) {
    AddStream(now, direction, packet);
  } else if (direction == PacketDirection::kIncoming) {
    JoinStream(now, packet, *format);
  }
}

void LegChain::AddStream(Timestamp now, PacketDirection direction, const RtpPacketView& packet) {
  if (!MakeRoom(now, direction)) {
    ++streams_refused_;
    return;
  }
  const bool incoming = direction == PacketDirection::kIncoming;
  StreamInfo info = formats_.Describe(packet.ssrc(), packet.payload_type());
  if (incoming) {
    for (const StreamGroup& group : groups_) {
      if (group.ssrc == packet.ssrc()) {
        info.retransmission_ssrc = group.retransmission_ssrc;
        info.repair_ssrc = group.repair_ssrc;
      }
    }
  } else {
    if (info.feedback.nack && formats_.FindRetransmissionOf(packet.payload_type()) != nullptr) {
      info.retransmission_ssrc = DrawSsrc();
    }
    // Audio has redundancy of its own.
    if (parity_ && info.video) {
      info.repair_ssrc = DrawSsrc();
    }
  }
  if (chain_->AddStream(now, direction, info) != AddStreamVerdict::kOk) {
    // An SSRC of another stream's group, or one that was drawn twice.
    ++streams_refused_;
    return;
  }
  const StreamSlot slot = chain_->FindStream(direction, packet.ssrc()).slot;
  Stream& stream = streams(direction)[slot.value()];
  stream.ssrc = packet.ssrc();
  stream.payload_type = packet.payload_type();
  stream.active = true;
  stream.has_retransmission = info.retransmission_ssrc.has_value();
  stream.last_packet = now;
}

void LegChain::JoinStream(Timestamp now, const RtpPacketView& packet, const PayloadFormat& format) {
  if (format.role == PayloadRole::kForwardErrorCorrection) {
    // Its header says whose packets it protects.
    if (const auto protected_ssrc = ForwardErrorCorrection::ProtectedSsrc(packet);
        protected_ssrc.has_value()) {
      chain_->JoinStream(now, PacketDirection::kIncoming, *protected_ssrc,
                         SsrcRole::kForwardErrorCorrection, packet.ssrc());
    }
    return;
  }
  // RFC 4588 section 5.3 lets a receiver find out by what it asked for; where only one stream can
  // be meant, there is nothing to find out.
  Stream* only = nullptr;
  for (Stream& stream : streams(PacketDirection::kIncoming)) {
    if (!stream.active || stream.has_retransmission || stream.payload_type != format.associated) {
      continue;
    }
    if (only != nullptr) {
      return;
    }
    only = &stream;
  }
  if (only != nullptr && chain_->JoinStream(now, PacketDirection::kIncoming, only->ssrc,
                                            SsrcRole::kRetransmission, packet.ssrc())) {
    only->has_retransmission = true;
  }
}

bool LegChain::MakeRoom(Timestamp now, PacketDirection direction) {
  Streams& all = streams(direction);
  if (std::any_of(all.begin(), all.end(), [](const Stream& s) { return !s.active; })) {
    return true;
  }
  Stream& oldest = *std::min_element(all.begin(), all.end(), [](const Stream& a, const Stream& b) {
    return a.last_packet < b.last_packet;
  });
  if (now - oldest.last_packet < kQuietBeforeReplaced) {
    return false;
  }
  chain_->RemoveStream(now, direction, oldest.ssrc);
  oldest = Stream();
  return true;
}

bool LegChain::TakeTarget(DataRate target) {
  constexpr int64_t kEighth = 8;
  if (told_target_.has_value() &&
      std::abs(target.bps() - told_target_->bps()) < told_target_->bps() / kEighth) {
    return false;
  }
  told_target_ = target;
  return true;
}

std::optional<StreamFeedbackSnapshot> LegChain::StreamFeedback(Ssrc ssrc,
                                                               StreamDirection direction) const {
  if (parts_.statistics == nullptr) {
    return std::nullopt;
  }
  const auto common = [](const RtpTrafficStats& traffic, const RtpFeedbackStats& feedback) {
    StreamFeedbackSnapshot snapshot;
    snapshot.retransmitted_packets = traffic.retransmitted_packets;
    snapshot.retransmitted_bytes = traffic.retransmitted_bytes;
    snapshot.nacks = feedback.nacks;
    snapshot.picture_loss_indications = feedback.picture_losses;
    snapshot.full_intra_requests = feedback.full_intra_requests;
    return snapshot;
  };
  if (direction == StreamDirection::kReceived) {
    const std::optional<InboundRtpStats> stats = parts_.statistics->InboundSnapshot(ssrc);
    if (!stats.has_value()) {
      return std::nullopt;
    }
    StreamFeedbackSnapshot snapshot = common(stats->traffic, stats->feedback_sent);
    if (stats->mean_opinion_score > 0) {
      snapshot.mean_opinion_score = stats->mean_opinion_score;
    }
    return snapshot;
  }
  const std::optional<OutboundRtpStats> stats = parts_.statistics->OutboundSnapshot(ssrc);
  if (!stats.has_value()) {
    return std::nullopt;
  }
  StreamFeedbackSnapshot snapshot = common(stats->traffic, stats->feedback_received);
  if (stats->remote.reports > 0) {
    snapshot.remote = {stats->remote.reports, stats->remote.fraction_lost,
                       stats->remote.cumulative_lost, stats->remote.jitter,
                       ToSnapshot(stats->remote.round_trip)};
  }
  return snapshot;
}

void LegChain::AddTo(LegSnapshot& snapshot) const {
  AppendCounters(parts_, snapshot.interceptor_counters);
  if (streams_refused_ > 0) {
    snapshot.interceptor_counters.push_back({"chain", "streams_refused", streams_refused_});
  }
  if (key_frames_not_asked_ > 0) {
    snapshot.interceptor_counters.push_back(
        {"chain", "key_frames_not_asked", key_frames_not_asked_});
  }
  if (parts_.statistics != nullptr) {
    snapshot.round_trip = ToSnapshot(parts_.statistics->round_trip());
  }
  if (parts_.bandwidth_estimator != nullptr) {
    const EstimatorSnapshot estimate = parts_.bandwidth_estimator->estimator().snapshot();
    snapshot.bandwidth = {estimate.target, estimate.delay_based, estimate.loss_based,
                          estimate.delivered, estimate.application_limited};
  }
}

}  // namespace sluice
