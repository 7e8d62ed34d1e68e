#include "interceptor/twcc/feedback_generator.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/twcc/reference_time.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;

constexpr Ssrc kSender(1);
constexpr Ssrc kMedia(2);

void Record(FeedbackGenerator& generator, uint16_t sequence, Timestamp arrived) {
  generator.Record(kMedia, TransportSequence(sequence), arrived);
}

// All feedback there is to give, in packets of at most `room` bytes.
std::vector<Bytes> WriteAll(FeedbackGenerator& generator, size_t room = 1116) {
  std::vector<Bytes> packets;
  Bytes buffer(room);
  while (const size_t size = generator.WriteNext(absl::MakeSpan(buffer))) {
    packets.emplace_back(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(size));
  }
  return packets;
}

// "sequence@time" with times rounded down to 250 us, and "missing first count".
Log LogOf(const std::vector<Bytes>& packets) {
  Log log;
  ReferenceTime reference;
  for (const Bytes& packet : packets) {
    const std::optional<TransportFeedbackView> feedback = TransportFeedbackView::Parse(packet);
    EXPECT_TRUE(feedback.has_value());
    EXPECT_EQ(feedback->sender(), kSender);
    EXPECT_EQ(feedback->media(), kMedia);
    Timestamp time = reference.Unwrap(feedback->reference_time());
    feedback->ForEach(
        [&](uint16_t sequence, TimeDelta delta) {
          time += delta;
          log.push_back(absl::StrCat(sequence, "@", time));
        },
        [&](uint16_t first, uint16_t count) {
          log.push_back(absl::StrCat("missing ", first, " ", count));
        });
  }
  return log;
}

TEST(FeedbackGeneratorTest, ReportsWhatCameAndWhatIsMissing) {
  FeedbackGenerator generator(kSender, 64);
  EXPECT_FALSE(generator.HasNews());
  Record(generator, 10, Timestamp::Millis(100));
  Record(generator, 11, Timestamp::Micros(101'249));
  Record(generator, 14, Timestamp::Millis(700));
  EXPECT_TRUE(generator.HasNews());
  EXPECT_THAT(LogOf(WriteAll(generator)),
              ElementsAre("10@100 ms", "11@101 ms", "missing 12 2", "14@700 ms"));
  EXPECT_FALSE(generator.HasNews());
  EXPECT_THAT(WriteAll(generator), IsEmpty());
}

TEST(FeedbackGeneratorTest, TheNextReportTellsOfTheGapInBetween) {
  FeedbackGenerator generator(kSender, 64);
  Record(generator, 10, Timestamp::Millis(100));
  WriteAll(generator);
  Record(generator, 13, Timestamp::Millis(200));
  EXPECT_THAT(LogOf(WriteAll(generator)), ElementsAre("missing 11 2", "13@200 ms"));
}

TEST(FeedbackGeneratorTest, FeedbackPacketsAreCounted) {
  FeedbackGenerator generator(kSender, 64);
  for (int i = 0; i < 300; ++i) {
    Record(generator, static_cast<uint16_t>(i), Timestamp::Millis(i));
    const std::vector<Bytes> packets = WriteAll(generator);
    ASSERT_EQ(packets.size(), 1u);
    ASSERT_EQ(TransportFeedbackView::Parse(packets[0])->feedback_count(), static_cast<uint8_t>(i));
  }
}

TEST(FeedbackGeneratorTest, ReportsAreSplitAtTheSizeOfADatagram) {
  FeedbackGenerator generator(kSender, 2048);
  // Large deltas and gaps: no packet of feedback could hold them all.
  for (int i = 0; i < 900; ++i) {
    Record(generator, static_cast<uint16_t>(2 * i), Timestamp::Millis(100 * i));
  }
  const std::vector<Bytes> packets = WriteAll(generator, 500);
  EXPECT_GE(packets.size(), 4u);
  for (const Bytes& packet : packets) {
    EXPECT_LE(packet.size(), 500u);
  }
  const Log log = LogOf(packets);
  EXPECT_EQ(
      std::count_if(log.begin(), log.end(), [](const std::string& line) { return line[0] != 'm'; }),
      900);
  EXPECT_EQ(log.back(), "1798@89900 ms");
}

TEST(FeedbackGeneratorTest, APauseLongerThanADeltaBeginsAnotherPacket) {
  FeedbackGenerator generator(kSender, 64);
  Record(generator, 1, Timestamp::Seconds(1));
  Record(generator, 2, Timestamp::Seconds(10));
  const std::vector<Bytes> packets = WriteAll(generator);
  EXPECT_EQ(packets.size(), 2u);
  EXPECT_THAT(LogOf(packets), ElementsAre("1@1 s", "2@10 s"));
}

TEST(FeedbackGeneratorTest, AGapThatTheBufferHasNoRoomForIsLeftOut) {
  FeedbackGenerator generator(kSender, ArrivalLog::kMaxCapacity);
  Record(generator, 0, Timestamp::Millis(1));
  WriteAll(generator);
  Record(generator, 0x7FFF, Timestamp::Millis(2));
  EXPECT_THAT(LogOf(WriteAll(generator, 28)), ElementsAre("32767@2 ms"));
  Record(generator, 0xFFFE, Timestamp::Millis(3));
  EXPECT_THAT(LogOf(WriteAll(generator)), ElementsAre("missing 32768 32766", "65534@3 ms"));
}

TEST(FeedbackGeneratorTest, WithoutRoomNothingIsLost) {
  FeedbackGenerator generator(kSender, 64);
  Record(generator, 1, Timestamp::Millis(1));
  EXPECT_THAT(WriteAll(generator, 20), IsEmpty());
  EXPECT_TRUE(generator.HasNews());
  EXPECT_THAT(LogOf(WriteAll(generator, 28)), ElementsAre("1@1 ms"));
}

TEST(FeedbackGeneratorTest, IsUrgentBeforeTheLogOverruns) {
  FeedbackGenerator generator(kSender, 64);
  for (uint16_t i = 0; i < 31; ++i) {
    Record(generator, i, Timestamp::Millis(i));
  }
  EXPECT_FALSE(generator.IsUrgent());
  Record(generator, 31, Timestamp::Millis(31));
  EXPECT_TRUE(generator.IsUrgent());
  WriteAll(generator);
  EXPECT_FALSE(generator.IsUrgent());
}

// Any order of arrival within the log's reach: every packet is reported, at its first arrival.
TEST(FeedbackGeneratorTest, EveryPacketIsReportedWhateverTheOrder) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(9);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  FeedbackGenerator generator(kSender, 1024);
  std::map<int64_t, Timestamp> sent;
  std::map<int64_t, Timestamp> told;
  ReferenceTime reference;
  int64_t newest = 65'000;
  Timestamp now = Timestamp::Seconds(100);
  constexpr int kSteps = 30'000;
  for (int step = 0; step < kSteps; ++step) {
    now += TimeDelta::Micros(static_cast<int64_t>(random.Below(5000)));
    const int64_t sequence = random.Below(20) == 0 && step > 0
                                 ? newest - static_cast<int64_t>(random.Below(300))
                                 : newest + 1 + static_cast<int64_t>(random.Below(3));
    newest = std::max(newest, sequence);
    Record(generator, static_cast<uint16_t>(sequence), now);
    sent.emplace(sequence, now);
    if (random.Below(30) != 0 && step != kSteps - 1) {
      continue;
    }
    for (const Bytes& packet : WriteAll(generator, 28 + 4 * random.Below(270))) {
      const TransportFeedbackView feedback = *TransportFeedbackView::Parse(packet);
      Timestamp time = reference.Unwrap(feedback.reference_time());
      feedback.ForEach(
          [&](uint16_t number, TimeDelta delta) {
            time += delta;
            const int64_t back = static_cast<uint16_t>(newest - number);
            told.insert_or_assign(newest - back, time);
          },
          [](uint16_t, uint16_t) {});
    }
    ASSERT_EQ(told.size(), sent.size()) << step;
  }
  for (const auto& [sequence, arrived] : sent) {
    ASSERT_TRUE(told.contains(sequence));
    const TimeDelta error = arrived - told.at(sequence);
    ASSERT_GE(error, TimeDelta::Zero());
    ASSERT_LT(error, kTransportDeltaUnit);
  }
}

TEST(FeedbackGeneratorTest, AllocatesNothing) {
  FeedbackGenerator generator(kSender, 2048);
  Bytes buffer(1116);
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 10'000; ++i) {
    Record(generator, static_cast<uint16_t>(i), Timestamp::Millis(i));
    if (i % 600 == 599) {
      while (generator.WriteNext(absl::MakeSpan(buffer)) > 0) {
      }
    }
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

}  // namespace
}  // namespace sluice
