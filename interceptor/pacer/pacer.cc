#include "interceptor/pacer/pacer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

constexpr size_t kMaxQueue = 4096;
// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// Packets that one call sends from the queues: a quarter of what an outbox takes, so that what
// others send has room. The rest goes with the next call, at once.
constexpr int kMaxSends = 64;

DataSize SizeOf(size_t bytes) { return DataSize::Bytes(static_cast<int64_t>(bytes)); }

}  // namespace

absl::StatusOr<std::unique_ptr<Pacer>> Pacer::Create(const PacerOptions& options,
                                                     RandomSource& random) {
  for (const size_t queue : {options.queue, options.retransmission_queue}) {
    if (queue < 1 || queue > kMaxQueue) {
      return absl::InvalidArgumentError(
          absl::StrCat("a queue is ", queue, " packets, want 1..", kMaxQueue));
    }
  }
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (options.start_target <= DataRate::Zero() || !options.start_target.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("start_target is ", options.start_target, ", want more than 0"));
  }
  if (options.pace_percent < 100 || options.pace_percent > 1000) {
    return absl::InvalidArgumentError(
        absl::StrCat("pace_percent is ", options.pace_percent, ", want 100..1000"));
  }
  if (options.max_wait <= TimeDelta::Zero() || !options.max_wait.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_wait is ", options.max_wait, ", want more than 0"));
  }
  return absl::WrapUnique(new Pacer(options, random));
}

Pacer::Pacer(const PacerOptions& options, RandomSource& random)
    : options_(options),
      target_(options.start_target),
      bucket_(options.start_target),
      media_(options.queue),
      retransmissions_(options.retransmission_queue),
      audio_(options.max_streams) {
  if (options.probe_stream.has_value()) {
    probe_stream_.emplace(*options.probe_stream, random);
  }
  SetPace(Timestamp::Zero());
}

void Pacer::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                          const StreamInfo& info) {
  if (direction == PacketDirection::kOutgoing && slot.value() < audio_.size()) {
    audio_[slot.value()] = !info.video;
  }
}

void Pacer::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (direction != PacketDirection::kOutgoing) {
    return;
  }
  if (slot.value() < audio_.size()) {
    audio_[slot.value()] = false;
  }
  RemoveFrom(media_, slot);
  RemoveFrom(retransmissions_, slot);
}

void Pacer::RemoveFrom(Queue& queue, StreamSlot stream) {
  for (size_t i = 0; i < queue.size(); ++i) {
    Waiting& waiting = queue[i];
    if (waiting.packet && waiting.stream == stream) {
      queued_size_ -= SizeOf(waiting.packet.size());
      waiting.packet.Return();
      ++counters_.dropped_removed;
    }
  }
  // Those in the middle go when it is their turn.
  while (!queue.empty() && !queue.front().packet) {
    queue.PopFront();
  }
}

void Pacer::SetPace(Timestamp now) {
  const DataRate pace = DataRate::BitsPerSec((target_ * options_.pace_percent).bps() / 100);
  const DataRate rate = std::max(pace, queued_size_ / options_.max_wait);
  if (rate != bucket_.rate()) {
    bucket_.SetRate(now, rate);
  }
}

bool Pacer::MaySend(Timestamp now) const {
  return probes_.cluster().has_value() ? probes_.next_send() <= now : bucket_.CanSend(now);
}

bool Pacer::GoesAtOnce(Timestamp now, const InterceptedRtp& packet) const {
  const bool audio = packet.stream.value() < audio_.size() && audio_[packet.stream.value()] &&
                     packet.role == SsrcRole::kMedia;
  // What waits goes first.
  return audio || (queued_packets() == 0 && MaySend(now));
}

uint32_t Pacer::Charge(Timestamp now, size_t size) {
  bucket_.OnSent(now, SizeOf(size));
  const uint32_t cluster = probes_.next_send() <= now ? *probes_.cluster() : 0;
  if (cluster != 0) {
    probes_.OnSent(now, SizeOf(size));
  }
  return cluster;
}

void Pacer::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                          InterceptorOutbox& out) {
  started_ = true;
  probes_.OnTime(now);
  for (InterceptedRtp& packet : packets) {
    if (!GoesAtOnce(now, packet)) {
      Keep(now, packet);
      continue;
    }
    ++counters_.passed;
    const uint32_t cluster = Charge(now, packet.packet->size());
    if (cluster != 0) {
      packet.attributes.Set(out.attributes(), &PacketAttributes::probe_cluster, cluster);
    }
  }
  Drain(now, out);
}

void Pacer::Keep(Timestamp now, InterceptedRtp& packet) {
  Queue& queue = packet.source == PacketSource::kRetransmission ? retransmissions_ : media_;
  const DataSize size = SizeOf(packet.packet->size());
  // The packet is ours either way: what a full queue refuses returns to its arena.
  if (!queue.PushBack({packet.Take(), packet.source, packet.stream})) {
    ++counters_.dropped_full;
    return;
  }
  ++counters_.queued;
  queued_size_ += size;
  if (queued_size_ > bucket_.rate() * options_.max_wait) {
    SetPace(now);
  }
}

void Pacer::Drain(Timestamp now, InterceptorOutbox& out) {
  for (int i = 0; i < kMaxSends && MaySend(now); ++i) {
    if (!SendWaiting(now, out) && !SendProbePacket(now, out)) {
      break;
    }
  }
}

bool Pacer::SendWaiting(Timestamp now, InterceptorOutbox& out) {
  for (Queue* queue : {&retransmissions_, &media_}) {
    while (!queue->empty()) {
      Waiting waiting = queue->PopFront();
      if (!waiting.packet) {
        continue;
      }
      const size_t size = waiting.packet.size();
      queued_size_ -= SizeOf(size);
      AttributesRef attributes;
      const uint32_t cluster = Charge(now, size);
      if (cluster != 0) {
        attributes.Set(out.attributes(), &PacketAttributes::probe_cluster, cluster);
      }
      // What the outbox has no room for it counts.
      out.SendRtp(std::move(waiting.packet), waiting.source, attributes);
      if (queued_packets() == 0) {
        SetPace(now);
      }
      return true;
    }
  }
  return false;
}

bool Pacer::SendProbePacket(Timestamp now, InterceptorOutbox& out) {
  if (!probe_stream_.has_value() || !started_ || probes_.next_send() > now) {
    return false;
  }
  // A few packets at least, however little the probe is.
  const DataSize size = std::min(probes_.remaining(), ProbeStream::kMaxPacket);
  PacketLoan packet = probe_stream_->Make(now, size, out.packets());
  if (!packet) {
    ++counters_.probe_packets_without_slot;
    // Slots are scarce, and trying again would not wait for one.
    probes_.GiveUp();
    return false;
  }
  ++counters_.probe_packets;
  AttributesRef attributes;
  const uint32_t cluster = Charge(now, packet.size());
  attributes.Set(out.attributes(), &PacketAttributes::probe_cluster, cluster);
  out.SendRtp(std::move(packet), PacketSource::kProbe, attributes);
  return true;
}

void Pacer::OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out) {
  if (const auto* changed = std::get_if<TargetRateChanged>(&event)) {
    if (changed->target > DataRate::Zero()) {
      target_ = changed->target;
      SetPace(now);
    }
  } else if (const auto* wanted = std::get_if<ProbeWanted>(&event)) {
    probes_.Add(now, *wanted);
  } else {
    return;
  }
  Drain(now, out);
}

void Pacer::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  probes_.OnTime(now);
  Drain(now, out);
}

Timestamp Pacer::NextTimeout() const {
  const bool can_probe = probes_.cluster().has_value() && probe_stream_.has_value() && started_;
  if (queued_packets() == 0 && !can_probe) {
    return Timestamp::PlusInfinity();
  }
  // A probe that has not begun says "at once".
  return probes_.cluster().has_value() ? std::max(probes_.next_send(), Timestamp::Zero())
                                       : bucket_.NextSend();
}

}  // namespace sluice
