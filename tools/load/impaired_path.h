#ifndef TOOLS_LOAD_IMPAIRED_PATH_H_
#define TOOLS_LOAD_IMPAIRED_PATH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// What is wrong with one direction of a path. Chances are of a million: 0..1000000.
struct Impairments {
  uint32_t lost_per_million = 0;
  // One byte of a datagram is another one.
  uint32_t corrupted_per_million = 0;
  // Neither losses nor corruptions come more than so many in a row; 0 is no bound.
  uint32_t max_burst = 0;
  // A second one arrives right behind the first.
  uint32_t duplicated_per_million = 0;
  // A datagram arrives `reordered_by` late, and those behind it do not wait for it.
  uint32_t reordered_per_million = 0;
  TimeDelta reordered_by = TimeDelta::Millis(5);
  // On the way, and up to how much longer by chance; what was sent first arrives first all the
  // same.
  TimeDelta delay = TimeDelta::Zero();
  TimeDelta jitter = TimeDelta::Zero();
  // Of the slowest link, and what may wait in front of it; what comes on top is lost.
  DataRate rate = DataRate::PlusInfinity();
  DataSize queue = DataSize::Bytes(64 * 1500);
  // Everything is lost for the last `hole` of each `hole_every`, from the beginning.
  TimeDelta hole_every = TimeDelta::PlusInfinity();
  TimeDelta hole = TimeDelta::Zero();
  // The datagrams with these numbers are lost, from the first one of a flow, which is 1. None: 0.
  uint64_t dropped_from = 0;
  uint64_t dropped_to = 0;
};

enum class PathVerdict : uint8_t {
  kPassed,
  // By its number.
  kDropped,
  kInHole,
  kLost,
  kQueueFull,
};
inline constexpr size_t kPathVerdictCount = 5;

// What becomes of a datagram.
struct PathDecision {
  PathVerdict verdict = PathVerdict::kPassed;
  // When it arrives; and once more. Only if it passed.
  Timestamp at = Timestamp::Zero();
  std::optional<Timestamp> again;
  // The byte at `corrupted_at` is different in the bits of `corrupted_bits`; none if those are 0.
  size_t corrupted_at = 0;
  uint8_t corrupted_bits = 0;
};

struct PathCounters {
  // By PathVerdict.
  std::array<uint64_t, kPathVerdictCount> verdicts{};
  // Of those that passed.
  uint64_t corrupted = 0;
  uint64_t duplicated = 0;
  uint64_t reordered = 0;
  DataSize bytes = DataSize::Zero();

  uint64_t count(PathVerdict verdict) const { return verdicts[static_cast<size_t>(verdict)]; }
};

// Says of each datagram of one direction whether and when it arrives. Holds none, and knows no
// clock. Each kind of misfortune has random numbers of its own, so that the same seed loses the
// same datagrams of a row whatever else is done to them. One thread.
class ImpairedPath {
 public:
  // `begin` is when holes are counted from.
  ImpairedPath(const Impairments& impairments, Timestamp begin, uint64_t seed);

  // For the next datagram, of `size` bytes and the `number`th of its flow, 1 being the first. `now`
  // never goes back.
  PathDecision Decide(Timestamp now, size_t size, uint64_t number);

  const PathCounters& counters() const { return counters_; }

 private:
  // By chance, but not too often in a row.
  class Misfortune {
   public:
    Misfortune(uint32_t per_million, uint32_t max_burst, uint64_t seed)
        : per_million_(per_million), max_burst_(max_burst), random_(seed) {}
    bool Strikes();
    SeededRandom& random() { return random_; }

   private:
    const uint32_t per_million_;
    const uint32_t max_burst_;
    SeededRandom random_;
    uint32_t in_a_row_ = 0;
  };

  PathVerdict Judge(Timestamp now, size_t size, uint64_t number);
  bool InHole(Timestamp now) const;
  // When the slowest link has sent it; nothing when its queue is full.
  std::optional<Timestamp> PassLink(Timestamp now, size_t size) const;

  const Impairments impairments_;
  const Timestamp begin_;
  Misfortune loss_;
  Misfortune corruption_;
  Misfortune duplication_;
  Misfortune reordering_;
  SeededRandom jitter_;
  // When the slowest link has sent all that it has.
  Timestamp link_free_ = Timestamp::MinusInfinity();
  // When the last one arrives that is in order.
  Timestamp last_arrival_ = Timestamp::MinusInfinity();
  PathCounters counters_;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_IMPAIRED_PATH_H_
