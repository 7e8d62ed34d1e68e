#include "gateway/leg/stream_statistics.h"

#include <algorithm>
#include <cstdlib>

namespace sluice {
namespace {

// RFC 3550 appendix A.1.
constexpr uint32_t kSequenceModulus = 1 << 16;
constexpr uint16_t kMaxDropout = 3000;
constexpr uint16_t kMaxMisorder = 100;

// Seconds by which the transit time of two packets may differ and still be jitter. Beyond is a
// sender with another time base; cut there, one such packet cannot hide the jitter for long, and no
// product below can overflow.
constexpr int64_t kMaxTransitDifference = 60;

}  // namespace

void StreamStatistics::OnPacket(Timestamp now, const RtpSummary& packet, uint32_t clock_rate) {
  if (packets_ == 0) {
    BeginSequence(packet.sequence.value());
  }
  ++packets_;
  payload_bytes_ += packet.payload_bytes;
  payload_type_ = packet.payload_type.value();
  UpdateSequence(packet.sequence.value());
  UpdateJitter(now, packet, clock_rate);
}

void StreamStatistics::BeginSequence(uint16_t sequence) {
  if (received_ > 0) {
    lost_before_ += LostInSequence();
  }
  base_ = sequence;
  highest_ = sequence;
  bad_ = kNoBadSequence;
  cycles_ = 0;
  received_ = 0;
  has_reference_ = false;
}

void StreamStatistics::UpdateSequence(uint16_t sequence) {
  const auto delta = static_cast<uint16_t>(sequence - highest_);
  if (delta < kMaxDropout) {
    if (sequence < highest_) {
      cycles_ += kSequenceModulus;
    }
    highest_ = sequence;
  } else if (delta <= kSequenceModulus - kMaxMisorder) {
    if (sequence != bad_) {
      bad_ = (sequence + 1) & (kSequenceModulus - 1);
      return;
    }
    // Two in a row: the sender began again.
    BeginSequence(sequence);
  } else {
    // Late, or a duplicate. The first packets may have overtaken each other too, which the appendix
    // would count as a negative loss for the rest of the call.
    const auto behind = static_cast<uint16_t>(highest_ - sequence);
    base_ = std::min(base_, static_cast<int64_t>(extended_highest()) - behind);
  }
  ++received_;
}

void StreamStatistics::UpdateJitter(Timestamp now, const RtpSummary& packet, uint32_t clock_rate) {
  if (clock_rate_ != clock_rate) {
    // Another payload type on the same SSRC, such as telephone-event: the time stays, its unit not.
    jitter_ = clock_rate_ == 0 ? 0 : jitter_ * clock_rate / clock_rate_;
    clock_rate_ = clock_rate;
    has_reference_ = false;
  }
  if (has_reference_) {
    // The difference of the two transit times is taken as the difference of two differences: each
    // wraps in its own width, and none grows with the age of the call.
    const int64_t arrival = ((now - last_packet_) * clock_rate).us() / 1'000'000;
    const auto sent = static_cast<int32_t>(packet.timestamp.value() - last_timestamp_);
    const int64_t difference =
        std::min(std::abs(arrival - sent), kMaxTransitDifference * clock_rate);
    jitter_ += difference - ((jitter_ + 8) >> 4);
  }
  has_reference_ = true;
  last_packet_ = now;
  last_timestamp_ = packet.timestamp.value();
}

int64_t StreamStatistics::LostInSequence() const {
  return static_cast<int64_t>(extended_highest()) - base_ + 1 - static_cast<int64_t>(received_);
}

StreamSnapshot StreamStatistics::Snapshot(Ssrc ssrc, StreamDirection direction) const {
  StreamSnapshot snapshot;
  snapshot.ssrc = ssrc;
  snapshot.direction = direction;
  snapshot.packets = packets_;
  snapshot.payload_bytes = payload_bytes_;
  snapshot.extended_highest_sequence = extended_highest();
  snapshot.payload_type = PayloadType(payload_type_);
  if (direction == StreamDirection::kReceived && packets_ > 0) {
    snapshot.packets_lost = lost_before_ + LostInSequence();
    snapshot.jitter = TimeDelta::Micros((jitter_ >> 4) * 1'000'000 / clock_rate_);
  }
  return snapshot;
}

}  // namespace sluice
