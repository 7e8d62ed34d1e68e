#include "interceptor/rtcp/transport_feedback.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;
using Arrivals = std::vector<TransportArrival>;

// "sequence:delta" and "missing first count".
Log LogOf(const TransportFeedbackView& feedback) {
  Log log;
  feedback.ForEach([&](uint16_t sequence,
                       TimeDelta delta) { log.push_back(absl::StrCat(sequence, ":", delta)); },
                   [&](uint16_t first, uint16_t count) {
                     log.push_back(absl::StrCat("missing ", first, " ", count));
                   });
  return log;
}

Log LogOf(absl::Span<const uint8_t> packet) {
  const std::optional<TransportFeedbackView> feedback = TransportFeedbackView::Parse(packet);
  return feedback.has_value() ? LogOf(*feedback) : Log{"not parsed"};
}

// From the status count on; sequence numbers begin at 10.
Log LogOfBody(const std::string& hex) {
  Bytes packet = HexBytes(absl::StrCat("8fcd0000 00000001 00000002 000a", hex));
  packet.resize((packet.size() + 3) / 4 * 4);
  StoreBe16(packet.data() + 2, static_cast<uint16_t>(packet.size() / 4 - 1));
  return LogOf(packet);
}

constexpr Timestamp At(int64_t units) { return Timestamp::Micros(250 * units); }

Bytes Write(int64_t begin, const Arrivals& arrivals, size_t room = 1200) {
  Bytes buffer(room);
  size_t written = 0;
  buffer.resize(WriteTransportFeedback({Ssrc(1), Ssrc(2), 3}, begin, arrivals,
                                       absl::MakeSpan(buffer), written));
  EXPECT_EQ(written, arrivals.size());
  return buffer;
}

// As Chrome sends it: padded, with P, in the middle of a compound.
TEST(TransportFeedbackTest, ReadsAPacketFromTheField) {
  const Bytes packet =
      HexBytes("afcd0007 00000001 dd586eb6 00010009 5e911000 20091c0c 2c380004 00081801");
  const std::optional<TransportFeedbackView> feedback = TransportFeedbackView::Parse(packet);
  ASSERT_TRUE(feedback.has_value());
  EXPECT_EQ(feedback->sender(), Ssrc(1));
  EXPECT_EQ(feedback->media(), Ssrc(0xdd586eb6));
  EXPECT_EQ(feedback->base_sequence(), 1);
  EXPECT_EQ(feedback->status_count(), 9u);
  EXPECT_EQ(feedback->reference_time(), 6197520u);
  EXPECT_EQ(feedback->feedback_count(), 0);
  EXPECT_THAT(LogOf(*feedback), ElementsAre("1:7 ms", "2:3 ms", "3:11 ms", "4:14 ms", "5:0 s",
                                            "6:1 ms", "7:0 s", "8:2 ms", "9:6 ms"));
}

TEST(TransportFeedbackTest, ReadsEveryKindOfChunk) {
  // Section 3.1.3: a run of 3 small deltas.
  EXPECT_THAT(LogOfBody("0003 000000 00 2003 010203"),
              ElementsAre("10:250 us", "11:500 us", "12:750 us"));
  // Of large ones, negative too.
  EXPECT_THAT(LogOfBody("0002 000000 00 4002 0100 ffff"), ElementsAre("10:64 ms", "11:-250 us"));
  // Section 3.1.4: one bit each: 1 0 0 1.
  EXPECT_THAT(LogOfBody("0004 000000 00 a400 0102"),
              ElementsAre("10:250 us", "missing 11 2", "13:500 us"));
  // Two bits each: small, large, missing, small.
  EXPECT_THAT(LogOfBody("0004 000000 00 d840 01 8000 02"),
              ElementsAre("10:250 us", "11:-8192 ms", "missing 12 1", "13:500 us"));
}

TEST(TransportFeedbackTest, GapsAcrossChunksAreOneGap) {
  EXPECT_THAT(LogOfBody("001e 000000 00 8001 0002 8000 01"),
              ElementsAre("missing 10 13", "23:250 us", "missing 24 16"));
}

TEST(TransportFeedbackTest, StatusesBehindTheCountDoNotCount) {
  // A run of 8191 where 2 are counted, and a vector whose rest is the reserved symbol.
  EXPECT_THAT(LogOfBody("0002 000000 00 3fff 0102"), ElementsAre("10:250 us", "11:500 us"));
  EXPECT_THAT(LogOfBody("0001 000000 00 dfff 01"), ElementsAre("10:250 us"));
}

TEST(TransportFeedbackTest, SequenceNumbersWrap) {
  Bytes packet = HexBytes("8fcd0005 00000001 00000002 ffff0003 00000000 20030102 03000000");
  packet[3] = 6;
  EXPECT_THAT(LogOf(packet), ElementsAre("65535:250 us", "0:500 us", "1:750 us"));
}

// One packet of 24 bytes may say that 65535 are missing: that is one call, not 65535.
TEST(TransportFeedbackTest, TheLargestGapIsCheap) {
  EXPECT_THAT(LogOfBody("ffff 000000 00 1fff 1fff 1fff 1fff 1fff 1fff 1fff 1fff 1fff"),
              ElementsAre("missing 10 65535"));
}

TEST(TransportFeedbackTest, IsNothingWithoutAStatusForEachPacketAndADeltaForEachArrival) {
  const Log nothing = {"not parsed"};
  EXPECT_EQ(LogOfBody("0000 000000 00"), nothing) << "about no packet";
  EXPECT_EQ(LogOfBody("0001 000000 00"), nothing) << "no chunk";
  EXPECT_EQ(LogOfBody("0008 000000 00 0007"), nothing) << "seven of eight and a run of none";
  EXPECT_EQ(LogOfBody("0005 000000 00 4005 0001 0002"), nothing) << "two deltas of five";
  EXPECT_EQ(LogOfBody("ffff 000000 00 3fff 0102"), nothing);
  EXPECT_EQ(LogOfBody("0004 000000 00 0000 0000 0000 0000"), nothing) << "runs of none";
}

// Section 3.1.1: the symbol 3 is reserved, and nobody knows what delta goes with it.
TEST(TransportFeedbackTest, IsNothingWithAReservedSymbol) {
  const Log nothing = {"not parsed"};
  EXPECT_EQ(LogOfBody("0002 000000 00 6002 01020304"), nothing);
  EXPECT_EQ(LogOfBody("0002 000000 00 dc00 01020304"), nothing);
}

TEST(TransportFeedbackTest, IsWrittenAsItsDraftDraws) {
  // 256 units are one of the reference time. One bit each: 1 1 0 0 1 would do; so few of them are
  // a vector of two bits.
  EXPECT_EQ(ToHex(Write(5, {{5, At(0x010203 * 256 + 4)},
                            {6, At(0x010203 * 256 + 9)},
                            {9, At(0x010203 * 256 + 9)}})),
            "8fcd0006"
            "00000001"
            "00000002"
            "00050005"
            "01020303"
            "d4100405"
            "00000000");
}

TEST(TransportFeedbackTest, WritesRunsAndVectorsWhereTheyAreShortest) {
  Arrivals all, every_second;
  for (int64_t i = 0; i < 100; ++i) {
    all.push_back({i, At(i)});
    if (i % 2 == 0) every_second.push_back({i, At(i)});
  }
  // One run.
  EXPECT_EQ(Write(0, all).size(), (20 + 2 + 100 + 3) / 4 * 4u);
  // 99 statuses are seven vectors of 14 and a run of one.
  EXPECT_EQ(Write(0, every_second).size(), (20 + 2 * 8 + 50 + 3) / 4 * 4u);
  // A gap of 20000 is three runs.
  EXPECT_EQ(Write(0, {{0, At(0)}, {20000, At(1)}}).size(), (20 + 2 * 5 + 2 + 3) / 4 * 4u);
}

TEST(TransportFeedbackTest, ReportsMissingPacketsInFrontOfTheFirst) {
  EXPECT_THAT(LogOf(Write(5, {{7, At(0)}})), ElementsAre("missing 5 2", "7:0 s"));
}

TEST(TransportFeedbackTest, ReferenceTimeIsModulo24BitsAlsoBeforeTheOrigin) {
  const auto reference = [](Timestamp first) {
    const Bytes packet = Write(0, {{0, first}});
    EXPECT_EQ(TransportFeedbackView::Parse(packet)->status_count(), 1u);
    return TransportFeedbackView::Parse(packet)->reference_time();
  };
  EXPECT_EQ(reference(At(255)), 0u);
  EXPECT_EQ(reference(At(256)), 1u);
  EXPECT_EQ(reference(At(256 * (int64_t{1} << 24) - 1)), 0xFFFFFFu);
  EXPECT_EQ(reference(At(256 * (int64_t{1} << 24))), 0u);
  EXPECT_EQ(reference(At(-1)), 0xFFFFFFu);
  EXPECT_EQ(LogOf(Write(0, {{0, At(-1)}})), Log{"0:63750 us"});
}

TEST(TransportFeedbackTest, TakesWhatADeltaCanSayAndLeavesTheRest) {
  size_t written = 0;
  Bytes buffer(1200);
  const auto taken = [&](const Arrivals& arrivals) {
    WriteTransportFeedback({}, arrivals[0].sequence, arrivals, absl::MakeSpan(buffer), written);
    return written;
  };
  EXPECT_EQ(taken({{0, At(0)}, {1, At(32767)}}), 2u);
  EXPECT_EQ(taken({{0, At(0)}, {1, At(32768)}}), 1u);
  EXPECT_EQ(taken({{0, At(40000)}, {1, At(40000 - 32768)}}), 2u);
  EXPECT_EQ(taken({{0, At(40000)}, {1, At(40000 - 32769)}}), 1u);
}

TEST(TransportFeedbackTest, IsAboutLessThanHalfOfTheSequenceNumbers) {
  size_t written = 0;
  Bytes buffer(1200);
  EXPECT_GT(WriteTransportFeedback({}, 0, Arrivals{{0, At(0)}, {kMaxTransportStatuses - 1, At(0)}},
                                   absl::MakeSpan(buffer), written),
            0u);
  EXPECT_EQ(written, 2u);
  EXPECT_GT(WriteTransportFeedback({}, 0, Arrivals{{0, At(0)}, {kMaxTransportStatuses, At(0)}},
                                   absl::MakeSpan(buffer), written),
            0u);
  EXPECT_EQ(written, 1u);
  EXPECT_EQ(WriteTransportFeedback({}, 0, Arrivals{{kMaxTransportStatuses, At(0)}},
                                   absl::MakeSpan(buffer), written),
            0u);
  EXPECT_EQ(written, 0u);
}

TEST(TransportFeedbackTest, HasABoundedNumberOfArrivals) {
  Arrivals arrivals;
  for (int64_t i = 0; i < 3000; ++i) arrivals.push_back({i, At(i)});
  Bytes buffer(4000);
  size_t written = 0;
  EXPECT_GT(WriteTransportFeedback({}, 0, arrivals, absl::MakeSpan(buffer), written), 0u);
  EXPECT_EQ(written, kMaxTransportArrivals);
}

// What a receiver would make of a list of feedback packets.
struct Received {
  std::vector<int64_t> sequences;
  std::vector<int64_t> units;
  int64_t missing = 0;
};

void Collect(absl::Span<const uint8_t> packet, int64_t& next, Received& all) {
  const std::optional<TransportFeedbackView> feedback = TransportFeedbackView::Parse(packet);
  ASSERT_TRUE(feedback.has_value()) << ToHex(packet);
  ASSERT_EQ(feedback->base_sequence(), static_cast<uint16_t>(next));
  int64_t units = int64_t{feedback->reference_time()} * 256;
  feedback->ForEach(
      [&](uint16_t sequence, TimeDelta delta) {
        ASSERT_EQ(sequence, static_cast<uint16_t>(next));
        units += delta / kTransportDeltaUnit;
        all.sequences.push_back(next++);
        all.units.push_back(units);
      },
      [&](uint16_t first, uint16_t count) {
        ASSERT_EQ(first, static_cast<uint16_t>(next));
        next += count;
        all.missing += count;
      });
}

TEST(TransportFeedbackTest, ReadsThreeRunsOfAnyLengths) {
  // Large deltas, small ones and missing packets, twice, so that each follows each.
  constexpr int64_t kLongest = 16;
  for (int64_t lengths = 0; lengths < kLongest * kLongest * kLongest; ++lengths) {
    Arrivals arrivals;
    int64_t sequence = 0;
    int64_t units = 1000;
    const auto arrive = [&](int64_t count, int64_t delta) {
      for (int64_t i = 0; i < count; ++i) {
        units += delta;
        arrivals.push_back({sequence++, At(units)});
      }
    };
    for (int i = 0; i < 2; ++i) {
      arrive(lengths % kLongest, 300);
      arrive(lengths / kLongest % kLongest, 3);
      sequence += lengths / (kLongest * kLongest);
    }
    // Ends the last gap.
    arrive(1, 300);
    const Bytes packet = Write(0, arrivals);
    Received all;
    int64_t next = 0;
    ASSERT_NO_FATAL_FAILURE(Collect(packet, next, all)) << lengths;
    ASSERT_EQ(all.sequences.size(), arrivals.size()) << lengths;
    for (size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_EQ(all.sequences[i], arrivals[i].sequence) << lengths;
      ASSERT_EQ(At(all.units[i]), arrivals[i].arrived) << lengths;
    }
  }
}

// Random losses, reordering of arrivals and buffers: what is split arrives whole, no byte is
// written behind a buffer, and no report is longer than it.
TEST(TransportFeedbackTest, ReadsWhatWasWrittenHoweverItIsSplit) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 1000; ++round) {
    const uint64_t loss = random.Below(100);
    const int64_t begin = static_cast<int64_t>(random.Below(100000));
    const uint64_t spread = random.Below(3) == 0 ? 400 : 30000;
    Arrivals arrivals;
    int64_t sequence = begin;
    int64_t units = 1000000;
    for (uint64_t i = random.Below(300) + 1; i > 0; --i) {
      sequence += random.Below(50) == 0 ? static_cast<int64_t>(random.Below(9000)) : 0;
      if (random.Below(100) >= loss) {
        units += static_cast<int64_t>(random.Below(random.Below(8) == 0 ? spread : 60)) -
                 (random.Below(10) == 0 ? 100 : 0);
        arrivals.push_back(
            {sequence, At(units) + TimeDelta::Micros(static_cast<int64_t>(random.Below(250)))});
      }
      ++sequence;
    }
    if (arrivals.empty()) continue;
    Received all;
    int64_t next = begin;
    size_t done = 0;
    while (done < arrivals.size()) {
      const size_t room = 40 + random.Below(random.Below(2) == 0 ? 60 : 1200);
      Bytes memory(room + 8, 0xEE);
      size_t written = 0;
      const size_t size =
          WriteTransportFeedback({}, next, absl::MakeConstSpan(arrivals).subspan(done),
                                 absl::MakeSpan(memory).first(room), written);
      ASSERT_LE(size, room);
      for (size_t i = room; i < memory.size(); ++i) ASSERT_EQ(memory[i], 0xEE);
      if (written == 0) {
        // A gap too wide for one report.
        ASSERT_GE(arrivals[done].sequence - next, 8000);
        next = arrivals[done].sequence;
        continue;
      }
      Collect(absl::MakeConstSpan(memory).first(size), next, all);
      done += written;
      ASSERT_EQ(next, arrivals[done - 1].sequence + 1);
    }
    ASSERT_EQ(all.sequences.size(), arrivals.size());
    for (size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_EQ(all.sequences[i], arrivals[i].sequence);
      ASSERT_EQ(At(all.units[i]), At(arrivals[i].arrived.us() / 250));
    }
  }
}

TEST(TransportFeedbackTest, TakesNothingWithoutRoom) {
  const Arrivals one = {{0, At(0)}};
  for (size_t room = 0; room < 24; ++room) {
    Bytes memory(32, 0xEE);
    size_t written = 9;
    EXPECT_EQ(WriteTransportFeedback({}, 0, one, absl::MakeSpan(memory).first(room), written), 0u);
    EXPECT_EQ(written, 0u);
    for (const uint8_t byte : absl::MakeSpan(memory).subspan(room)) EXPECT_EQ(byte, 0xEE);
  }
  size_t written = 9;
  Bytes buffer(100);
  EXPECT_EQ(WriteTransportFeedback({}, 0, {}, absl::MakeSpan(buffer), written), 0u);
  EXPECT_EQ(written, 0u);
}

TEST(TransportFeedbackTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  Arrivals arrivals;
  for (const int64_t i : {0, 1, 2, 5, 6, 40, 41, 43, 45, 47, 49, 50}) {
    arrivals.push_back({i, At(i % 3 == 0 ? 300 * i : 10 * i)});
  }
  ForEachSpoiltPacket(Write(0, arrivals), [](absl::Span<const uint8_t> packet) {
    const std::optional<TransportFeedbackView> feedback = TransportFeedbackView::Parse(packet);
    if (!feedback.has_value()) return;
    size_t received = 0, missing = 0;
    feedback->ForEach([&](uint16_t, TimeDelta) { ++received; },
                      [&](uint16_t, uint16_t count) { missing += count; });
    ASSERT_EQ(received + missing, feedback->status_count());
    ASSERT_LE(received, packet.size());
  });
}

}  // namespace
}  // namespace sluice
