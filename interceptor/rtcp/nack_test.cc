#include "interceptor/rtcp/nack.h"

#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Bytes = std::vector<uint8_t>;
using Numbers = std::vector<uint16_t>;

std::vector<SequenceNumber> Sequences(const Numbers& numbers) {
  std::vector<SequenceNumber> result;
  for (const uint16_t number : numbers) result.push_back(SequenceNumber(number));
  return result;
}

Bytes Write(const Numbers& missing, size_t room = 1200) {
  Bytes buffer(room);
  size_t written = 0;
  buffer.resize(WriteNack(Ssrc(1), Ssrc(2), Sequences(missing), absl::MakeSpan(buffer), written));
  EXPECT_EQ(written, missing.size());
  return buffer;
}

Numbers MissingOf(absl::Span<const uint8_t> packet) {
  Numbers numbers;
  const std::optional<NackView> nack = NackView::Parse(packet);
  EXPECT_TRUE(nack.has_value()) << ToHex(packet);
  if (nack.has_value()) {
    nack->ForEachMissing([&](SequenceNumber n) { numbers.push_back(n.value()); });
  }
  return numbers;
}

TEST(NackTest, IsWrittenAsRfc4585Section621Draws) {
  // 10 with 11 and 26; 27 is one too far.
  EXPECT_EQ(ToHex(Write({10, 11, 26, 27})),
            "81cd0004"
            "00000001"
            "00000002"
            "000a8001"
            "001b0000");
}

TEST(NackTest, ReadsSsrcsAndEveryNumberOfAnItem) {
  const Bytes packet = HexBytes("81cd0003 00000003 00000004 fffeffff");
  const std::optional<NackView> nack = NackView::Parse(packet);
  ASSERT_TRUE(nack.has_value());
  EXPECT_EQ(nack->sender(), Ssrc(3));
  EXPECT_EQ(nack->media(), Ssrc(4));
  EXPECT_EQ(nack->item_count(), 1u);
  EXPECT_THAT(MissingOf(packet),
              ElementsAre(65534, 65535, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
}

TEST(NackTest, NumbersWrapAndRepetitionsAreNamedOnce) {
  EXPECT_THAT(MissingOf(Write({65535, 0, 1})), ElementsAre(65535, 0, 1));
  EXPECT_EQ(Write({65535, 0, 1}).size(), 16u);
  EXPECT_THAT(MissingOf(Write({5, 5, 6, 6})), ElementsAre(5, 6));
  // Against the order every number still comes.
  EXPECT_THAT(MissingOf(Write({6, 5, 4})), ElementsAre(6, 5, 4));
}

TEST(NackTest, SaysWhatDidNotFit) {
  // Items of one number each.
  const std::vector<SequenceNumber> missing = Sequences({0, 100, 200, 300});
  for (size_t room = 0; room <= 32; ++room) {
    Bytes memory(40, 0xEE);
    size_t written = 99;
    const size_t size =
        WriteNack(Ssrc(1), Ssrc(2), missing, absl::MakeSpan(memory).first(room), written);
    const size_t items = room < 16 ? 0 : std::min<size_t>((room - 12) / 4, 4);
    EXPECT_EQ(written, items) << room;
    EXPECT_EQ(size, items == 0 ? 0 : 12 + 4 * items) << room;
    for (size_t i = room; i < memory.size(); ++i) EXPECT_EQ(memory[i], 0xEE);
  }
  size_t written = 99;
  Bytes buffer(100);
  EXPECT_EQ(WriteNack(Ssrc(1), Ssrc(2), {}, absl::MakeSpan(buffer), written), 0u);
  EXPECT_EQ(written, 0u);
}

TEST(NackTest, IsNothingWithoutItems) {
  EXPECT_FALSE(NackView::Parse(HexBytes("81cd0002 00000001 00000002")).has_value());
  EXPECT_FALSE(NackView::Parse(HexBytes("a1cd0003 00000001 00000002 00000004")).has_value());
  EXPECT_FALSE(NackView::Parse(HexBytes("a1cd0003 00000001 00000002 000a0002")).has_value())
      << "half an item, half padding";
}

// 65535 packets are asked for by one datagram of 1200 bytes at most 17 at a time.
TEST(NackTest, NamesAtMostSeventeenPacketsForFourBytes) {
  Bytes packet = HexBytes("81cd0002 00000001 00000002");
  while (packet.size() < 1200) packet.insert(packet.end(), {0, 0, 0xFF, 0xFF});
  packet[2] = 1;
  packet[3] = 0x2B;
  ASSERT_EQ(packet.size(), 4u * (0x12B + 1));
  EXPECT_EQ(MissingOf(packet).size(), kMaxNackItemPackets * (packet.size() - 12) / 4);
}

TEST(NackTest, ReadsWhatWasWrittenOfRandomLosses) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 2000; ++round) {
    Numbers missing;
    auto next = static_cast<uint16_t>(random.NextU32());
    for (uint64_t i = random.Below(60) + 1; i > 0; --i) {
      missing.push_back(next);
      next = static_cast<uint16_t>(next + 1 + random.Below(random.Below(2) == 0 ? 3 : 40));
    }
    ASSERT_THAT(MissingOf(Write(missing)), ElementsAreArray(missing));
  }
}

TEST(NackTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(Write({1, 2, 3, 100, 200}), [](absl::Span<const uint8_t> packet) {
    const std::optional<NackView> nack = NackView::Parse(packet);
    if (!nack.has_value()) return;
    size_t named = 0;
    nack->ForEachMissing([&](SequenceNumber) { ++named; });
    ASSERT_LE(named, kMaxNackItemPackets * packet.size() / 4);
  });
}

}  // namespace
}  // namespace sluice
