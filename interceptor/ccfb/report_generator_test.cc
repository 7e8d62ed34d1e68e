#include "interceptor/ccfb/report_generator.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;

constexpr Ssrc kSender(1);
constexpr uint32_t kTimestamp = 0x12345678;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

struct Generator {
  explicit Generator(size_t max_streams = 4, size_t log = 64)
      : generator(kSender, max_streams, log) {}

  void Record(size_t place, uint16_t sequence, int64_t ms) {
    generator.Record(place, SequenceNumber(sequence), Ms(ms));
  }
  std::vector<Bytes> WriteAll(int64_t now_ms, size_t room = 1116) {
    std::vector<Bytes> packets;
    Bytes buffer(room);
    while (const size_t size =
               generator.WriteNext(Ms(now_ms), kTimestamp, absl::MakeSpan(buffer))) {
      packets.emplace_back(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(size));
    }
    return packets;
  }

  CongestionReportGenerator generator;
};

// "ssrc:sequence@offset" and "ssrc:sequence lost".
Log LogOf(const std::vector<Bytes>& packets) {
  Log log;
  for (const Bytes& packet : packets) {
    const std::optional<CcfbView> view = CcfbView::Parse(packet);
    EXPECT_TRUE(view.has_value());
    EXPECT_EQ(view->sender(), kSender);
    EXPECT_EQ(view->timestamp(), kTimestamp);
    EXPECT_TRUE(view->ForEachStream([&](const CcfbStream& stream) {
      for (size_t i = 0; i < stream.metric_count(); ++i) {
        const CcfbMetric metric = stream.metric(i);
        const auto sequence = static_cast<uint16_t>(stream.begin().value() + i);
        log.push_back(metric.received
                          ? absl::StrCat(stream.ssrc(), ":", sequence, "@", metric.arrival_offset)
                          : absl::StrCat(stream.ssrc(), ":", sequence, " lost"));
      }
    }));
  }
  return log;
}

TEST(CongestionReportGeneratorTest, ReportsEachStreamThatSomethingCameOf) {
  Generator generator;
  const size_t audio = *generator.generator.AddStream(Ssrc(10));
  const size_t silent = *generator.generator.AddStream(Ssrc(20));
  const size_t video = *generator.generator.AddStream(Ssrc(30));
  EXPECT_NE(audio, silent);
  EXPECT_FALSE(generator.generator.HasNews());
  generator.Record(audio, 5, 1000);
  generator.Record(video, 65'535, 1500);
  generator.Record(video, 1, 2000);
  EXPECT_TRUE(generator.generator.HasNews());
  EXPECT_THAT(LogOf(generator.WriteAll(2000)),
              ElementsAre("10:5@1024", "30:65535@512", "30:0 lost", "30:1@0"));
  EXPECT_FALSE(generator.generator.HasNews());
  EXPECT_THAT(generator.WriteAll(2100), IsEmpty());
}

TEST(CongestionReportGeneratorTest, ReportsFollowEachOtherWithoutGap) {
  Generator generator;
  const size_t video = *generator.generator.AddStream(Ssrc(30));
  generator.Record(video, 5, 1000);
  EXPECT_THAT(LogOf(generator.WriteAll(1000)), ElementsAre("30:5@0"));
  generator.Record(video, 8, 1000);
  EXPECT_THAT(LogOf(generator.WriteAll(1000)), ElementsAre("30:6 lost", "30:7 lost", "30:8@0"));
  // A late one brings those behind it once more.
  generator.Record(video, 7, 2000);
  EXPECT_THAT(LogOf(generator.WriteAll(2000)), ElementsAre("30:7@0", "30:8@1024"));
}

TEST(CongestionReportGeneratorTest, TimesBeyondTheFieldSaySo) {
  Generator generator;
  const size_t video = *generator.generator.AddStream(Ssrc(30));
  generator.Record(video, 5, 1000);
  generator.Record(video, 6, 1003);
  generator.Record(video, 7, 20'000);
  // 0x1FFD units are 7997 ms.
  EXPECT_THAT(LogOf(generator.WriteAll(1000 + 8000)),
              ElementsAre("30:5@8190", "30:6@8189", "30:7@0"));
}

TEST(CongestionReportGeneratorTest, ReportsAreSplitAtTheSizeOfADatagram) {
  Generator generator(4, 1024);
  const size_t audio = *generator.generator.AddStream(Ssrc(10));
  const size_t video = *generator.generator.AddStream(Ssrc(30));
  for (uint16_t i = 0; i < 700; ++i) {
    generator.Record(video, i, 1000);
  }
  generator.Record(audio, 7, 1000);
  const std::vector<Bytes> packets = generator.WriteAll(1000, 400);
  EXPECT_GE(packets.size(), 4u);
  for (const Bytes& packet : packets) {
    EXPECT_LE(packet.size(), 400u);
  }
  const Log log = LogOf(packets);
  ASSERT_EQ(log.size(), 701u);
  EXPECT_EQ(log.front(), "10:7@0");
  EXPECT_EQ(log.back(), "30:699@0");
}

// Pion never forgot a stream, and dead ones took the room of the others.
TEST(CongestionReportGeneratorTest, ARemovedStreamIsForgottenAndItsPlaceUsedAgain) {
  Generator generator(1);
  const size_t place = *generator.generator.AddStream(Ssrc(10));
  generator.Record(place, 5, 1000);
  EXPECT_EQ(generator.generator.AddStream(Ssrc(20)), std::nullopt);
  EXPECT_EQ(generator.generator.streams_refused(), 1u);
  generator.generator.RemoveStream(place);
  EXPECT_THAT(generator.WriteAll(1000), IsEmpty());
  ASSERT_EQ(generator.generator.AddStream(Ssrc(20)), place);
  generator.Record(place, 900, 1000);
  EXPECT_THAT(LogOf(generator.WriteAll(1000)), ElementsAre("20:900@0"));
}

TEST(CongestionReportGeneratorTest, IsUrgentBeforeALogOverruns) {
  Generator generator;
  const size_t video = *generator.generator.AddStream(Ssrc(30));
  for (uint16_t i = 0; i < 31; ++i) {
    generator.Record(video, i, 1000);
  }
  EXPECT_FALSE(generator.generator.IsUrgent());
  generator.Record(video, 31, 1000);
  EXPECT_TRUE(generator.generator.IsUrgent());
  generator.WriteAll(1000);
  EXPECT_FALSE(generator.generator.IsUrgent());
}

TEST(CongestionReportGeneratorTest, WithoutRoomNothingIsLost) {
  Generator generator;
  const size_t video = *generator.generator.AddStream(Ssrc(30));
  generator.Record(video, 5, 1000);
  EXPECT_THAT(generator.WriteAll(1000, 20), IsEmpty());
  EXPECT_TRUE(generator.generator.HasNews());
  EXPECT_THAT(LogOf(generator.WriteAll(1000, 24)), ElementsAre("30:5@0"));
}

// Any arrivals: every packet that came is reported, each time with its first arrival.
TEST(CongestionReportGeneratorTest, EveryPacketIsReportedWhateverTheOrder) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(23);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  Generator generator(3, 512);
  std::map<std::pair<uint32_t, uint16_t>, int64_t> sent;
  std::map<std::pair<uint32_t, uint16_t>, int64_t> told;
  size_t places[3];
  uint16_t newest[3] = {0, 40'000, 20'000};
  for (uint32_t i = 0; i < 3; ++i) {
    places[i] = *generator.generator.AddStream(Ssrc(i));
  }
  int64_t now = 1000;
  constexpr int kSteps = 20'000;
  for (int step = 0; step < kSteps; ++step) {
    now += static_cast<int64_t>(random.Below(5));
    const auto stream = static_cast<uint32_t>(random.Below(3));
    const bool late = random.Below(20) == 0;
    const auto sequence =
        static_cast<uint16_t>(late ? newest[stream] - random.Below(100)
                                   : newest[stream] += 1 + static_cast<uint16_t>(random.Below(3)));
    generator.Record(places[stream], sequence, now);
    sent.emplace(std::pair(stream, sequence), now);
    if (random.Below(40) != 0 && step != kSteps - 1) {
      continue;
    }
    for (const Bytes& packet : generator.WriteAll(now, 40 + 4 * random.Below(200))) {
      CcfbView::Parse(packet)->ForEachStream([&](const CcfbStream& block) {
        for (size_t i = 0; i < block.metric_count(); ++i) {
          const CcfbMetric metric = block.metric(i);
          if (metric.received && metric.arrival_offset < CcfbMetric::kOutOfRange) {
            const auto number = static_cast<uint16_t>(block.begin().value() + i);
            told.insert_or_assign({block.ssrc().value(), number},
                                  now - metric.arrival_offset * 1000 / 1024);
          }
        }
      });
    }
  }
  ASSERT_EQ(told.size(), sent.size());
  for (const auto& [name, arrived] : sent) {
    ASSERT_NEAR(static_cast<double>(told.at(name)), static_cast<double>(arrived), 1.5);
  }
}

TEST(CongestionReportGeneratorTest, AllocatesNothing) {
  Generator generator(4, 512);
  const size_t place = *generator.generator.AddStream(Ssrc(1));
  Bytes buffer(1116);
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 10'000; ++i) {
    generator.Record(place, static_cast<uint16_t>(i), i);
    if (i % 200 == 199) {
      while (generator.generator.WriteNext(Ms(i), kTimestamp, absl::MakeSpan(buffer)) > 0) {
      }
    }
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

}  // namespace
}  // namespace sluice
