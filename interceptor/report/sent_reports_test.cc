#include "interceptor/report/sent_reports.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

TEST(SentReportsTest, MeasuresWithoutTheTimeThatThePeerKeptTheReport) {
  SentReports reports;
  reports.Add(0x1234, Ms(1000));
  // Kept for a quarter of a second.
  EXPECT_EQ(reports.RoundTrip(Ms(1350), 0x1234, 0x4000), TimeDelta::Millis(100));
  EXPECT_EQ(reports.RoundTrip(Ms(1350), 0x1234, 0), TimeDelta::Millis(350));
}

TEST(SentReportsTest, AReportThatNeverLeftMeasuresNothing) {
  SentReports reports;
  EXPECT_EQ(reports.RoundTrip(Ms(1), 5, 0), std::nullopt);
  reports.Add(0x1234, Ms(1000));
  EXPECT_EQ(reports.RoundTrip(Ms(1350), 0x1235, 0), std::nullopt);
}

TEST(SentReportsTest, ZeroIsNoReport) {
  SentReports reports;
  EXPECT_EQ(reports.RoundTrip(Ms(10), 0, 0), std::nullopt);
  reports.Add(0, Ms(5));
  EXPECT_EQ(reports.RoundTrip(Ms(10), 0, 0), std::nullopt);
}

TEST(SentReportsTest, OlderReportsMayBeNamedUntilEightFollowed) {
  SentReports reports;
  for (uint32_t i = 1; i <= 9; ++i) {
    reports.Add(i, Ms(100 * i));
  }
  EXPECT_EQ(reports.RoundTrip(Ms(1000), 1, 0), std::nullopt);
  for (uint32_t i = 2; i <= 9; ++i) {
    EXPECT_EQ(reports.RoundTrip(Ms(1000), i, 0), TimeDelta::Millis(1000 - 100 * i)) << i;
  }
}

TEST(SentReportsTest, ALittleLessThanNothingIsRoundingAndMoreIsNonsense) {
  SentReports reports;
  reports.Add(7, Ms(1000));
  EXPECT_EQ(reports.RoundTrip(Ms(2000), 7, 65536), SentReports::kShortest);
  EXPECT_EQ(reports.RoundTrip(Ms(1995), 7, 65536), SentReports::kShortest);
  EXPECT_EQ(reports.RoundTrip(Ms(1994), 7, 65536), std::nullopt);
  EXPECT_EQ(reports.RoundTrip(Ms(1994), 7, 0xFFFFFFFF), std::nullopt);
}

}  // namespace
}  // namespace sluice
