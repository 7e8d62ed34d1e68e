#include "gateway/control/time_convert.h"

#include <google/protobuf/duration.pb.h>

#include <optional>

#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gateway/control/field_violations.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

google::protobuf::Duration Duration(int64_t seconds, int32_t nanos) {
  google::protobuf::Duration duration;
  duration.set_seconds(seconds);
  duration.set_nanos(nanos);
  return duration;
}

TEST(TimeConvertTest, DurationsInRangeAreTakenBoundsIncluded) {
  const struct {
    google::protobuf::Duration duration;
    TimeDelta delta;
  } kCases[] = {{Duration(1, 0), TimeDelta::Seconds(1)},
                {Duration(60, 0), TimeDelta::Seconds(60)},
                {Duration(1, 500'000'999), TimeDelta::Micros(1'500'000)}};
  for (const auto& test : kCases) {
    FieldViolations violations;
    EXPECT_EQ(
        FromProto(test.duration, "d", TimeDelta::Seconds(1), TimeDelta::Seconds(60), violations),
        test.delta);
    EXPECT_TRUE(violations.empty());
  }
}

TEST(TimeConvertTest, OthersAreRefusedWithTheRange) {
  for (const auto& duration :
       {Duration(0, 999'999'999), Duration(60, 1000), Duration(-1, 0), Duration(0, 0),
        Duration(1, -1), Duration(1, 1'000'000'000), Duration(INT64_MAX, 0), Duration(INT64_MIN, 0),
        Duration(315'576'000'001, 0)}) {
    FieldViolations violations;
    EXPECT_EQ(FromProto(duration, "config.idle_timeout", TimeDelta::Seconds(1),
                        TimeDelta::Seconds(60), violations),
              std::nullopt)
        << duration.ShortDebugString();
    EXPECT_EQ(violations.ToStatus().message(), "config.idle_timeout: must be 1 s to 60 s");
  }
}

TEST(TimeConvertTest, DeltasAndTimesBecomeProtobuf) {
  EXPECT_EQ(ToProto(TimeDelta::Micros(1'500'001)).seconds(), 1);
  EXPECT_EQ(ToProto(TimeDelta::Micros(1'500'001)).nanos(), 500'001'000);
  EXPECT_EQ(ToProto(TimeDelta::Micros(-1'500'000)).seconds(), -1);
  EXPECT_EQ(ToProto(TimeDelta::Micros(-1'500'000)).nanos(), -500'000'000);

  const absl::Time time = absl::FromUnixSeconds(1'700'000'000) + absl::Nanoseconds(7);
  EXPECT_EQ(ToProto(time).seconds(), 1'700'000'000);
  EXPECT_EQ(ToProto(time).nanos(), 7);
  EXPECT_EQ(ToProto(absl::FromUnixMillis(-1)).seconds(), -1);
  EXPECT_EQ(ToProto(absl::FromUnixMillis(-1)).nanos(), 999'000'000);
}

}  // namespace
}  // namespace sluice
