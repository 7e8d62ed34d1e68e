#ifndef INTERCEPTOR_BWE_DELAY_TREND_H_
#define INTERCEPTOR_BWE_DELAY_TREND_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/timestamp.h"
#include "interceptor/bwe/arrival_groups.h"

namespace sluice {

// What the spacing of packets says of the path (draft-ietf-rmcat-gcc-02 section 5.4).
enum class PathUsage : uint8_t {
  kNormal,
  // The queue grows.
  kOverusing,
  // The queue drains.
  kUnderusing,
};

// Whether delay grows: a line fitted through the delays of the last groups, and a threshold for its
// slope that adapts to what is usual on the path, so that flows which fill queues by design do not
// starve ours (draft-ietf-rmcat-gcc-02 section 5.4; the line in the place of its Kalman filter is
// that of libwebrtc since 2017). The arithmetic is floating-point and the same in every run. One
// thread.
class DelayTrend {
 public:
  // `arrived` is when the later group was complete.
  PathUsage Update(const GroupDelta& delta, Timestamp arrived);

  PathUsage usage() const { return usage_; }
  // Slope times gain, and what it is compared with, in milliseconds.
  double offset_ms() const { return offset_; }
  double threshold_ms() const { return threshold_; }

  // Begins anew, threshold included.
  void Reset() { *this = DelayTrend(); }

 private:
  static constexpr size_t kWindow = 20;

  struct Point {
    // Since the first group.
    double arrived_ms;
    double delay_ms;
  };

  // Slope through the window's points; nothing when they have one time.
  std::optional<double> Slope() const;
  void Detect(double slope, double sent_ms);
  void AdaptThreshold(Timestamp arrived);

  std::array<Point, kWindow> points_;
  size_t point_count_ = 0;
  size_t next_point_ = 0;
  int deltas_ = 0;
  std::optional<Timestamp> first_arrived_;
  double accumulated_ms_ = 0;
  double smoothed_ms_ = 0;
  double slope_ = 0;
  double last_slope_ = 0;
  double offset_ = 0;
  double threshold_ = 12.5;
  std::optional<Timestamp> threshold_adapted_;
  // How long the offset is above the threshold; nothing when it is not.
  std::optional<double> over_ms_;
  int over_count_ = 0;
  PathUsage usage_ = PathUsage::kNormal;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_DELAY_TREND_H_
