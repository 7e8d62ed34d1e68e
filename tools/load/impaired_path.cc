#include "tools/load/impaired_path.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr uint64_t kMillion = 1'000'000;
// Bits that make a byte another one: anything but 0.
constexpr uint64_t kChanges = 255;
// Of each kind of misfortune; the seeds of two paths are further apart than that.
enum Stream : uint64_t { kLossStream, kCorruptionStream, kDuplication, kReordering, kJitterStream };
constexpr uint64_t kStreams = 8;

uint64_t SeedOf(uint64_t seed, Stream stream) { return seed * kStreams + stream; }

}  // namespace

bool ImpairedPath::Misfortune::Strikes() {
  const bool struck = random_.Below(kMillion) < per_million_;
  if (!struck || (max_burst_ != 0 && in_a_row_ >= max_burst_)) {
    in_a_row_ = 0;
    return false;
  }
  ++in_a_row_;
  return true;
}

ImpairedPath::ImpairedPath(const Impairments& impairments, Timestamp begin, uint64_t seed)
    : impairments_(impairments),
      begin_(begin),
      loss_(impairments.lost_per_million, impairments.max_burst, SeedOf(seed, kLossStream)),
      corruption_(impairments.corrupted_per_million, impairments.max_burst,
                  SeedOf(seed, kCorruptionStream)),
      duplication_(impairments.duplicated_per_million, 0, SeedOf(seed, kDuplication)),
      reordering_(impairments.reordered_per_million, 0, SeedOf(seed, kReordering)),
      jitter_(SeedOf(seed, kJitterStream)) {}

PathDecision ImpairedPath::Decide(Timestamp now, size_t size, uint64_t number) {
  PathDecision decision;
  decision.verdict = Judge(now, size, number);
  ++counters_.verdicts[static_cast<size_t>(decision.verdict)];
  if (decision.verdict != PathVerdict::kPassed) return decision;

  link_free_ = *PassLink(now, size);
  Timestamp at = link_free_ + impairments_.delay;
  if (!impairments_.jitter.IsZero()) {
    at += TimeDelta::Micros(
        static_cast<int64_t>(jitter_.Below(static_cast<uint64_t>(impairments_.jitter.us()) + 1)));
  }
  if (reordering_.Strikes()) {
    ++counters_.reordered;
    decision.at = at + impairments_.reordered_by;
  } else {
    last_arrival_ = std::max(last_arrival_, at);
    decision.at = last_arrival_;
  }
  if (duplication_.Strikes()) {
    ++counters_.duplicated;
    decision.again = decision.at;
  }
  if (size > 0 && corruption_.Strikes()) {
    ++counters_.corrupted;
    decision.corrupted_at = corruption_.random().Below(size);
    decision.corrupted_bits = static_cast<uint8_t>(1 + corruption_.random().Below(kChanges));
  }
  counters_.bytes += DataSize::Bytes(static_cast<int64_t>(size));
  return decision;
}

PathVerdict ImpairedPath::Judge(Timestamp now, size_t size, uint64_t number) {
  // Asked for each one, so that what else happens to a datagram does not move the losses.
  const bool lost = loss_.Strikes();
  if (impairments_.dropped_from != 0 && number >= impairments_.dropped_from &&
      number <= impairments_.dropped_to) {
    return PathVerdict::kDropped;
  }
  if (InHole(now)) return PathVerdict::kInHole;
  if (lost) return PathVerdict::kLost;
  return PassLink(now, size).has_value() ? PathVerdict::kPassed : PathVerdict::kQueueFull;
}

bool ImpairedPath::InHole(Timestamp now) const {
  if (!impairments_.hole_every.IsFinite() || impairments_.hole_every.IsZero()) return false;
  const TimeDelta since = now - begin_;
  const TimeDelta phase = since - impairments_.hole_every * (since / impairments_.hole_every);
  return phase >= impairments_.hole_every - impairments_.hole;
}

std::optional<Timestamp> ImpairedPath::PassLink(Timestamp now, size_t size) const {
  if (!impairments_.rate.IsFinite()) return now;
  const Timestamp start = std::max(now, link_free_);
  const DataSize bytes = DataSize::Bytes(static_cast<int64_t>(size));
  // What is being sent counts as waiting; an idle link takes anything.
  if (start > now && impairments_.rate * (start - now) + bytes > impairments_.queue) {
    return std::nullopt;
  }
  return start + bytes / impairments_.rate;
}

}  // namespace sluice
