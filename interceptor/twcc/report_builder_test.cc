#include "interceptor/twcc/report_builder.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Log = std::vector<std::string>;

constexpr Timestamp kNow = Timestamp::Seconds(5);

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

void Send(SendLog& log, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    log.Add(Ms(i), DataSize::Bytes(100), 0);
  }
}

// "sequence@arrival", empty without a report.
Log End(ReportBuilder& builder) {
  const std::optional<FeedbackReport> report = builder.EndDatagram(kNow);
  Log log;
  if (report.has_value()) {
    EXPECT_EQ(report->received, kNow);
    for (const PacketReport& packet : report->packets) {
      log.push_back(absl::StrCat(packet.sequence, "@", packet.arrived));
    }
  }
  return log;
}

TEST(ReportBuilderTest, AReportIsInTheOrderOfSending) {
  SendLog log(64);
  Send(log, 10);
  ReportBuilder builder(log, 16);
  builder.BeginBatch();
  builder.AddArrival(5, Ms(50));
  builder.AddMissing(2, 2);
  builder.AddArrival(4, Ms(40));
  EXPECT_THAT(End(builder), ElementsAre("2@+inf", "3@+inf", "4@40 ms", "5@50 ms"));
}

TEST(ReportBuilderTest, ADatagramWithoutNewsGivesNoReport) {
  SendLog log(64);
  Send(log, 10);
  ReportBuilder builder(log, 16);
  builder.BeginBatch();
  EXPECT_THAT(End(builder), IsEmpty());
  builder.AddArrival(5, Ms(50));
  EXPECT_THAT(End(builder), ElementsAre("5@50 ms"));
  builder.AddArrival(5, Ms(50));
  builder.AddMissing(5, 1);
  EXPECT_THAT(End(builder), IsEmpty());
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kNews), 1u);
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kKnown), 2u);
}

TEST(ReportBuilderTest, EachDatagramOfABatchHasItsOwnReport) {
  SendLog log(64);
  Send(log, 10);
  ReportBuilder builder(log, 16);
  builder.BeginBatch();
  builder.AddArrival(1, Ms(10));
  const std::optional<FeedbackReport> first = builder.EndDatagram(kNow);
  builder.AddArrival(2, Ms(20));
  const std::optional<FeedbackReport> second = builder.EndDatagram(kNow);
  ASSERT_TRUE(first.has_value() && second.has_value());
  ASSERT_EQ(first->packets.size(), 1u);
  EXPECT_EQ(first->packets[0].sequence, 1);
  ASSERT_EQ(second->packets.size(), 1u);
  EXPECT_EQ(second->packets[0].sequence, 2);
}

TEST(ReportBuilderTest, PacketsNeverSentAndForgottenOnesAreCounted) {
  SendLog log(64);
  Send(log, 100);
  ReportBuilder builder(log, 16);
  builder.BeginBatch();
  builder.AddArrival(1, Ms(10));
  builder.AddArrival(100, Ms(10));
  EXPECT_THAT(End(builder), IsEmpty());
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kForgotten), 1u);
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kNeverSent), 1u);
}

TEST(ReportBuilderTest, AGapAsLongAsCanBeTakesTimeForTheLogOnly) {
  SendLog log(64);
  Send(log, 100);
  ReportBuilder builder(log, 128);
  builder.BeginBatch();
  builder.AddMissing(-30'000, 65'535);
  EXPECT_EQ(End(builder).size(), 64u);
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kForgotten), 0u);
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kNeverSent), 0u);
}

TEST(ReportBuilderTest, AFullBatchPassesOverTheRestWhichMayBeToldAgain) {
  SendLog log(64);
  Send(log, 64);
  ReportBuilder builder(log, 10);
  builder.BeginBatch();
  builder.AddMissing(0, 12);
  EXPECT_EQ(End(builder).size(), 10u);
  EXPECT_EQ(builder.passed_over(), 2u);
  builder.BeginBatch();
  builder.AddMissing(0, 12);
  EXPECT_THAT(End(builder), ElementsAre("10@+inf", "11@+inf"));
}

TEST(ReportBuilderTest, FeedbackThatRepeatsItselfIsNotReadForEver) {
  SendLog log(1024);
  Send(log, 1024);
  ReportBuilder builder(log, 2048);
  builder.BeginBatch();
  for (int i = 0; i < 100; ++i) {
    builder.AddMissing(0, 1024);
  }
  EXPECT_EQ(End(builder).size(), 1024u);
  EXPECT_EQ(builder.outcomes(OutcomeVerdict::kKnown),
            static_cast<uint64_t>(ReportBuilder::kMaxLookups) - 1024);
  EXPECT_EQ(builder.passed_over(), 100u * 1024 - ReportBuilder::kMaxLookups);
}

TEST(ReportBuilderTest, AllocatesNothing) {
  SendLog log(1024);
  Send(log, 1024);
  ReportBuilder builder(log, 512);
  const uint64_t before = ThreadAllocations();
  builder.BeginBatch();
  for (int64_t i = 1023; i >= 0; --i) {
    builder.AddArrival(i, Ms(i));
  }
  const bool reported = builder.EndDatagram(kNow).has_value();
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_TRUE(reported);
}

}  // namespace
}  // namespace sluice
