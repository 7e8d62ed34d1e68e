#include "tools/ctl/duration_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

TEST(DurationTextTest, ReadsWhatItWrites) {
  for (const char* text : {"30s", "5m", "1h30m", "500ms", "168h", "1.5s"}) {
    const auto duration = ParseDuration(text);
    ASSERT_TRUE(duration.ok()) << duration.status();
    EXPECT_EQ(FormatDuration(ToProto(*duration)), text);
    EXPECT_EQ(FromProto(ToProto(*duration)), *duration);
  }
}

TEST(DurationTextTest, RefusesWhatHasNoUnitOrNoEnd) {
  for (const char* text : {"", "30", "s", "thirty", "30 s", "-5s", "0", "0s", "inf", "5d"}) {
    const auto duration = ParseDuration(text);
    ASSERT_FALSE(duration.ok()) << text;
    EXPECT_THAT(std::string(duration.status().message()), HasSubstr("'")) << text;
  }
}

TEST(DurationTextTest, WritesTimesInUtcAndNothingForUnset) {
  google::protobuf::Timestamp time;
  EXPECT_EQ(FormatTime(time), "-");
  time.set_seconds(1'700'000'000);
  EXPECT_EQ(FormatTime(time), "2023-11-14T22:13:20Z");
}

}  // namespace
}  // namespace sluice
