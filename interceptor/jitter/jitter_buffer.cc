#include "interceptor/jitter/jitter_buffer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// 128 MiB of slots.
constexpr size_t kMaxHeld = 65536;
// Timestamps that step further than that begin anew: no pause is worth being timed.
constexpr int64_t kMaxStepSeconds = 10;

}  // namespace

absl::StatusOr<std::unique_ptr<JitterBuffer>> JitterBuffer::Create(
    const JitterBufferOptions& options) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (!ReorderRing::IsValidCapacity(options.capacity)) {
    return absl::InvalidArgumentError(
        absl::StrCat("capacity is ", options.capacity, ", want a power of two in ",
                     ReorderRing::kMinCapacity, "..", ReorderRing::kMaxCapacity));
  }
  if (options.max_held < 1 || options.max_held > kMaxHeld) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_held is ", options.max_held, ", want 1..", kMaxHeld));
  }
  if (!PlayoutDelay::IsValid(options.delay)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "delays of ", options.delay.minimum, ", ", options.delay.initial, " and ",
        options.delay.maximum, ": want minimum, initial and maximum in this order, from 0 to ",
        PlayoutDelay::kLongest));
  }
  return absl::WrapUnique(new JitterBuffer(options));
}

JitterBuffer::JitterBuffer(const JitterBufferOptions& options) : options_(options) {
  streams_.reserve(options.max_streams);
  for (size_t i = 0; i < options.max_streams; ++i) {
    streams_.emplace_back(options);
  }
}

void JitterBuffer::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                                 const StreamInfo& info) {
  if (direction != PacketDirection::kIncoming || slot.value() >= streams_.size()) {
    return;
  }
  Stream& stream = streams_[slot.value()];
  Drop(stream);
  stream.active = true;
  stream.clocks = ClockRates(info);
  stream.timestamps = {};
  stream.clock_rate = 0;
  stream.delay.Restart();
}

void JitterBuffer::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (direction != PacketDirection::kIncoming || slot.value() >= streams_.size()) {
    return;
  }
  Stream& stream = streams_[slot.value()];
  Drop(stream);
  stream.active = false;
}

void JitterBuffer::Drop(Stream& stream) {
  held_ -= stream.ring.size();
  stream.ring.Clear();
}

// ---- In. ----

void JitterBuffer::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                 InterceptorOutbox& out) {
  releases_ = 0;
  for (InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= streams_.size() || packet.role != SsrcRole::kMedia) {
      continue;  // kNoStream is behind all.
    }
    Stream& stream = streams_[packet.stream.value()];
    if (!stream.active) {
      continue;
    }
    const std::optional<Timestamp> arrival = packet.attributes.Get(&PacketAttributes::arrival);
    Insert(arrival.value_or(now), stream, packet, out);
    ReleaseDue(now, stream, out);
    next_due_ = std::min(next_due_, NextTurn(stream));
  }
}

void JitterBuffer::Insert(Timestamp arrival, Stream& stream, InterceptedRtp& packet,
                          InterceptorOutbox& out) {
  const RtpPacketView view = packet.view;
  const uint16_t sequence = view.sequence_number().value();
  ReorderRing::Place place = stream.ring.Find(sequence);
  const bool wanted = Prepare(sequence, place, stream, out);
  const bool padding_only = view.payload_without_padding().empty();
  HeldPacket held = {.packet = packet.Take(), .source = packet.source, .arrival = arrival};
  if (padding_only) {
    // A probe with a number of its own: nothing to give, but nothing missing either. Its timestamp
    // says nothing.
    counters_.padding_only += wanted ? 1 : 0;
    held.packet.Return();
  } else if (wanted || place.verdict == RingVerdict::kLate) {
    // Late ones tell most: so that the next one like it is not.
    stream.media_us =
        MediaTime(view.timestamp(), stream.clocks.RateOf(view.payload_type()), stream);
    stream.delay.OnPacket(arrival, stream.media_us);
  }
  if (!wanted) {
    return;
  }
  held.media_us = stream.media_us;
  stream.ring.Store(place.sequence, std::move(held));
  ++held_;
  while (held_ > options_.max_held) {
    ++counters_.pushed_out;
    ReleaseFront(stream, out);
  }
}

bool JitterBuffer::Prepare(uint16_t sequence, ReorderRing::Place& place, Stream& stream,
                           InterceptorOutbox& out) {
  switch (place.verdict) {
    case RingVerdict::kFits:
      return true;
    case RingVerdict::kLate:
      ++counters_.late;
      return false;
    case RingVerdict::kDuplicate:
      ++counters_.duplicates;
      return false;
    case RingVerdict::kFar:
      ++counters_.far;
      return false;
    case RingVerdict::kRestart:
      ++counters_.restarts;
      ReleaseAll(stream, out);
      stream.ring.Clear();
      stream.timestamps = {};
      stream.delay.Restart();
      place = stream.ring.Find(sequence);
      return true;
    case RingVerdict::kOverflow:
      while (!stream.ring.empty() && stream.ring.Find(sequence).verdict != RingVerdict::kFits) {
        ++counters_.pushed_out;
        ReleaseFront(stream, out);
      }
      if (stream.ring.empty() && stream.ring.Find(sequence).verdict != RingVerdict::kFits) {
        counters_.missing += static_cast<uint64_t>(stream.ring.SkipTo(place.sequence));
      }
      return true;
  }
  return false;
}

int64_t JitterBuffer::MediaTime(RtpTimestamp timestamp, uint32_t clock_rate, Stream& stream) {
  const std::optional<int64_t> last = stream.timestamps.last();
  if (last.has_value()) {
    const int64_t step = stream.timestamps.Peek(timestamp.value()) - *last;
    const int64_t longest = kMaxStepSeconds * clock_rate;
    // So far apart that the two have nothing to do with each other, or in another unit.
    if (clock_rate != stream.clock_rate || step > longest || step < -longest) {
      stream.timestamps = {};
      stream.delay.Restart();
    }
  }
  stream.clock_rate = clock_rate;
  return (TimeDelta::Seconds(stream.timestamps.Unwrap(timestamp.value())) / clock_rate).us();
}

// ---- Out. ----

Timestamp JitterBuffer::NextTurn(const Stream& stream) {
  if (stream.ring.empty()) {
    return Timestamp::PlusInfinity();
  }
  const HeldPacket& front = stream.ring.front();
  return stream.delay.Turn(front.arrival, front.media_us);
}

void JitterBuffer::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  if (now < next_due_) {
    return;
  }
  releases_ = 0;
  next_due_ = Timestamp::PlusInfinity();
  for (Stream& stream : streams_) {
    if (!stream.ring.empty()) {
      ReleaseDue(now, stream, out);
      next_due_ = std::min(next_due_, NextTurn(stream));
    }
  }
}

void JitterBuffer::ReleaseDue(Timestamp now, Stream& stream, InterceptorOutbox& out) {
  while (releases_ < kMaxReleases && NextTurn(stream) <= now) {
    ReleaseFront(stream, out);
  }
}

void JitterBuffer::ReleaseAll(Stream& stream, InterceptorOutbox& out) {
  while (!stream.ring.empty()) {
    ReleaseFront(stream, out);
  }
}

void JitterBuffer::ReleaseFront(Stream& stream, InterceptorOutbox& out) {
  int64_t skipped = 0;
  HeldPacket held = stream.ring.PopFront(skipped);
  --held_;
  ++releases_;
  counters_.missing += static_cast<uint64_t>(skipped);
  if (!held.packet) {
    return;
  }
  ++(out.DeliverRtp(std::move(held.packet), held.source) ? counters_.delivered
                                                         : counters_.delivery_dropped);
}

}  // namespace sluice
