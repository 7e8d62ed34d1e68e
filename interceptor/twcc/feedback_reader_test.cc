#include "interceptor/twcc/feedback_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;

struct Reader {
  explicit Reader(int64_t packets_sent, size_t capacity = 128) : log(capacity) {
    for (int64_t i = 0; i < packets_sent; ++i) {
      log.Add(Timestamp::Millis(i), DataSize::Bytes(100), 0);
    }
  }

  // What feedback written for these arrivals says: "sequence@arrival".
  Log Read(int64_t begin, const std::vector<TransportArrival>& arrivals) {
    Bytes packet(1200);
    size_t written = 0;
    packet.resize(WriteTransportFeedback({Ssrc(1), Ssrc(2), 0}, begin, arrivals,
                                         absl::MakeSpan(packet), written));
    EXPECT_EQ(written, arrivals.size());
    builder.BeginBatch();
    reader.Read(*TransportFeedbackView::Parse(packet), log, builder);
    Log result;
    if (const auto report = builder.EndDatagram(Timestamp::Seconds(1))) {
      for (const PacketReport& entry : report->packets) {
        result.push_back(absl::StrCat(entry.sequence, "@", entry.arrived));
      }
    }
    return result;
  }

  SendLog log;
  ReportBuilder builder{log, 512};
  FeedbackReader reader;
};

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

TEST(FeedbackReaderTest, NumbersAndTimesAreThoseOfTheWriter) {
  Reader reader(10);
  EXPECT_THAT(reader.Read(3, {{3, Ms(1000)}, {5, Ms(990)}, {6, Ms(1500)}}),
              ElementsAre("3@1 s", "4@+inf", "5@990 ms", "6@1500 ms"));
}

TEST(FeedbackReaderTest, NumbersWrapWithThePacketsSent) {
  Reader reader(65'540);
  // On the wire 65534, 65535, 0, 1.
  EXPECT_THAT(reader.Read(65'534, {{65'534, Ms(1)}, {65'537, Ms(2)}}),
              ElementsAre("65534@1 ms", "65535@+inf", "65536@+inf", "65537@2 ms"));
}

// Pion left their deltas out, and all later packets seemed to come earlier.
TEST(FeedbackReaderTest, DeltasOfForgottenPacketsCountForThoseBehindThem) {
  Reader reader(200);
  EXPECT_THAT(reader.Read(70, {{70, Ms(1000)}, {71, Ms(2000)}, {72, Ms(3000)}}),
              ElementsAre("72@3 s"));
  EXPECT_EQ(reader.builder.outcomes(OutcomeVerdict::kForgotten), 2u);
}

TEST(FeedbackReaderTest, FeedbackForPacketsNeverSentSaysNothing) {
  Reader reader(10);
  EXPECT_THAT(reader.Read(10, {{10, Ms(1)}, {11, Ms(2)}}), IsEmpty());
  EXPECT_THAT(reader.Read(40'000, {{40'000, Ms(3)}}), IsEmpty());
  EXPECT_EQ(reader.builder.outcomes(OutcomeVerdict::kNeverSent), 3u);
  EXPECT_THAT(reader.Read(9, {{9, Ms(4)}, {10, Ms(5)}}), ElementsAre("9@4 ms"));
}

TEST(FeedbackReaderTest, BeforeAnythingIsSentNothingIsReported) {
  Reader reader(0);
  EXPECT_THAT(reader.Read(0, {{0, Ms(1)}, {7, Ms(2)}}), IsEmpty());
}

TEST(FeedbackReaderTest, TimeGoesOnWhereTheReferenceWraps) {
  Reader reader(10);
  const Timestamp wrap = Timestamp::Zero() + kTransportReferenceUnit * (1 << 24);
  EXPECT_THAT(reader.Read(0, {{0, wrap - TimeDelta::Millis(64)}}),
              ElementsAre(absl::StrCat("0@", wrap - TimeDelta::Millis(64))));
  EXPECT_THAT(reader.Read(1, {{1, wrap + TimeDelta::Millis(1)}}),
              ElementsAre(absl::StrCat("1@", wrap + TimeDelta::Millis(1))));
}

TEST(FeedbackReaderTest, MoreStatusesThanPacketsSentAreNoPackets) {
  Reader reader(10);
  // 30 000 missing between two, of which the first exists.
  EXPECT_THAT(reader.Read(9, {{9, Ms(1)}, {30'009, Ms(2)}}), ElementsAre("9@1 ms"));
}

}  // namespace
}  // namespace sluice
