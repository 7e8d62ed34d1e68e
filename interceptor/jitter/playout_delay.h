#ifndef INTERCEPTOR_JITTER_PLAYOUT_DELAY_H_
#define INTERCEPTOR_JITTER_PLAYOUT_DELAY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

struct PlayoutDelayOptions {
  // 0 <= minimum <= initial <= maximum <= PlayoutDelay::kLongest, maximum above 0.
  TimeDelta minimum = TimeDelta::Zero();
  // Until packets told.
  TimeDelta initial = TimeDelta::Millis(40);
  TimeDelta maximum = TimeDelta::Millis(500);
};

// How long packets of one stream are to wait so that nearly all have come when their turn is: as
// long as the packets that need longest but 3 %, beyond those that come fastest. Follows the path
// in both directions, and a drifting clock. Knows no packets. A value of fixed size.
class PlayoutDelay {
 public:
  // Longer, and nobody talks over it.
  static constexpr TimeDelta kLongest = TimeDelta::Seconds(10);
  static bool IsValid(const PlayoutDelayOptions& options);

  // The options are valid.
  explicit PlayoutDelay(const PlayoutDelayOptions& options);

  // A packet came that stands at `media_us` in the stream, by the sender's clock, any origin.
  void OnPacket(Timestamp arrival, int64_t media_us);

  // When the packet's turn is; at most the longest delay after its arrival, whatever its timestamp
  // says.
  Timestamp Turn(Timestamp arrival, int64_t media_us) const;

  // Beyond the fastest packets.
  TimeDelta target() const { return target_; }
  // Forgets everything.
  void Restart();

 private:
  static constexpr size_t kBuckets = 64;

  size_t BucketOf(TimeDelta delay) const;
  void CountDelay(TimeDelta delay);

  PlayoutDelayOptions options_;
  TimeDelta bucket_width_;
  TimeDelta target_;
  bool started_ = false;
  // Arrival minus media time of the last packet, and of the fastest in this window and the one
  // before, in microseconds.
  int64_t transit_us_ = 0;
  int64_t fastest_us_ = 0;
  int64_t fastest_before_us_ = 0;
  Timestamp window_begin_ = Timestamp::MinusInfinity();
  // How many packets of all had which delay, as shares that sum up to kWhole and fade.
  std::array<uint32_t, kBuckets> shares_;
  uint32_t packets_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_JITTER_PLAYOUT_DELAY_H_
