#ifndef TESTS_SIM_LINK_EMULATOR_H_
#define TESTS_SIM_LINK_EMULATOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// Losses in runs, after Gilbert and Elliott: the link is good or bad, and changes state with each
// datagram by chance.
struct BurstLoss {
  // Of a thousand datagrams in the good state: the next one finds the link bad. 0: never bad.
  uint64_t to_bad_permille = 0;
  // Of a thousand datagrams in the bad state: the next one finds the link good.
  uint64_t to_good_permille = 1000;
  // Lost of a thousand in the bad state.
  uint64_t lost_permille = 1000;
};

struct LinkOptions {
  // What the bottleneck carries, and what may wait in front of it: more is dropped at the tail.
  DataRate rate = DataRate::PlusInfinity();
  DataSize queue = DataSize::PlusInfinity();
  // Behind the bottleneck, of a thousand datagrams; with burst loss, those of the good state.
  uint64_t lost_permille = 0;
  BurstLoss burst_loss = {};
  uint64_t duplicated_permille = 0;
  // Every datagram takes `delay` and a time of its own up to `jitter`.
  TimeDelta delay = TimeDelta::Zero();
  TimeDelta jitter = TimeDelta::Zero();
  // Whether jitter lets datagrams overtake each other.
  bool jitter_reorders = true;
  // Of a thousand datagrams, those that take `reordered_by` more and are overtaken.
  uint64_t reordered_permille = 0;
  TimeDelta reordered_by = TimeDelta::Zero();
};

// What chance does to the datagrams of one direction, the same for the same random numbers.
class LinkChance {
 public:
  // `random` outlives this.
  LinkChance(const LinkOptions& options, RandomSource& random)
      : options_(options), random_(random) {}

  bool Loses();
  bool Duplicates() { return Happens(options_.duplicated_permille); }
  // When a datagram arrives that leaves the bottleneck at `departure`.
  Timestamp ArrivalOf(Timestamp departure);

  void set_lost_permille(uint64_t permille) { options_.lost_permille = permille; }

 private:
  bool Happens(uint64_t permille) { return permille > 0 && random_.Below(1000) < permille; }

  LinkOptions options_;
  RandomSource& random_;
  bool bad_ = false;
  Timestamp last_arrival_ = Timestamp::MinusInfinity();
};

// One direction of a network path in virtual time: a queue in front of a bottleneck, and behind it
// loss, duplication, delay and reordering. T is what travels. Times do not run backwards.
template <typename T>
class LinkEmulator {
 public:
  // `random` outlives the link.
  LinkEmulator(const LinkOptions& options, RandomSource& random)
      : chance_(options, random), rate_(options.rate), queue_limit_(options.queue) {}

  void Send(Timestamp now, DataSize size, T item);
  // The next item that has arrived by `now`.
  std::optional<T> Receive(Timestamp now);
  // No item arrives earlier; PlusInfinity when nothing is under way.
  Timestamp NextArrival() const;

  // From `now` on. What is in the middle of the bottleneck goes on at the new rate.
  void SetRate(Timestamp now, DataRate rate);
  void SetLoss(uint64_t lost_permille) { chance_.set_lost_permille(lost_permille); }

  // How long a datagram sent now would wait in front of the bottleneck.
  TimeDelta QueueDelay(Timestamp now);
  size_t in_flight() const { return queue_.size() + in_flight_.size(); }
  // Lost by chance, lost because the queue was full, arrived twice.
  uint64_t lost() const { return lost_; }
  uint64_t overflowed() const { return overflowed_; }
  uint64_t duplicated() const { return duplicated_; }

 private:
  struct Waiting {
    DataSize size;
    T item;
  };

  // Lets through the bottleneck what is through by `now`.
  void Advance(Timestamp now);
  void Depart(Timestamp departure, T item);

  LinkChance chance_;
  DataRate rate_;
  const DataSize queue_limit_;
  // The first one is in the bottleneck until `departure_`.
  std::deque<Waiting> queue_;
  DataSize queued_ = DataSize::Zero();
  Timestamp departure_ = Timestamp::MinusInfinity();
  // By arrival, and in order of departure where that is the same.
  std::multimap<Timestamp, T> in_flight_;
  uint64_t lost_ = 0;
  uint64_t overflowed_ = 0;
  uint64_t duplicated_ = 0;
};

template <typename T>
void LinkEmulator<T>::Send(Timestamp now, DataSize size, T item) {
  Advance(now);
  if (queued_ + size > queue_limit_ && !queue_.empty()) {
    ++overflowed_;
    return;
  }
  if (queue_.empty()) {
    departure_ = now + size / rate_;
  }
  queued_ += size;
  queue_.push_back({size, std::move(item)});
  Advance(now);
}

template <typename T>
void LinkEmulator<T>::Advance(Timestamp now) {
  while (!queue_.empty() && departure_ <= now) {
    const Timestamp departure = departure_;
    queued_ -= queue_.front().size;
    Depart(departure, std::move(queue_.front().item));
    queue_.pop_front();
    if (!queue_.empty()) {
      departure_ = departure + queue_.front().size / rate_;
    }
  }
}

template <typename T>
void LinkEmulator<T>::Depart(Timestamp departure, T item) {
  if (chance_.Loses()) {
    ++lost_;
    return;
  }
  if (chance_.Duplicates()) {
    ++duplicated_;
    in_flight_.emplace(chance_.ArrivalOf(departure), item);
  }
  in_flight_.emplace(chance_.ArrivalOf(departure), std::move(item));
}

template <typename T>
std::optional<T> LinkEmulator<T>::Receive(Timestamp now) {
  Advance(now);
  if (in_flight_.empty() || in_flight_.begin()->first > now) {
    return std::nullopt;
  }
  T item = std::move(in_flight_.begin()->second);
  in_flight_.erase(in_flight_.begin());
  return item;
}

template <typename T>
Timestamp LinkEmulator<T>::NextArrival() const {
  const Timestamp next = in_flight_.empty() ? Timestamp::PlusInfinity() : in_flight_.begin()->first;
  return queue_.empty() ? next : std::min(next, departure_);
}

template <typename T>
void LinkEmulator<T>::SetRate(Timestamp now, DataRate rate) {
  Advance(now);
  if (!queue_.empty()) {
    departure_ = now + (departure_ - now) * rate_ / rate;
  }
  rate_ = rate;
}

template <typename T>
TimeDelta LinkEmulator<T>::QueueDelay(Timestamp now) {
  Advance(now);
  if (queue_.empty()) {
    return TimeDelta::Zero();
  }
  return departure_ - now + (queued_ - queue_.front().size) / rate_;
}

}  // namespace sluice

#endif  // TESTS_SIM_LINK_EMULATOR_H_
