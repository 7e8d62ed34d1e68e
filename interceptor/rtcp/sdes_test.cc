#include "interceptor/rtcp/sdes.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

Bytes Write(absl::Span<const SdesCname> sources) {
  Bytes buffer(2048);
  buffer.resize(WriteSdes(sources, absl::MakeSpan(buffer)));
  return buffer;
}

struct Walk {
  // "ssrc/type/text".
  std::vector<std::string> items;
  bool complete = false;
};

Walk WalkOf(absl::Span<const uint8_t> packet) {
  const std::optional<SdesView> sdes = SdesView::Parse(packet);
  Walk walk;
  if (!sdes.has_value()) {
    ADD_FAILURE() << "not parsed: " << ToHex(packet);
    return walk;
  }
  walk.complete = sdes->ForEachItem([&](Ssrc ssrc, SdesItem item, absl::Span<const uint8_t> text) {
    walk.items.push_back(absl::StrCat(ssrc, "/", static_cast<int>(item), "/",
                                      std::string(text.begin(), text.end())));
  });
  return walk;
}

TEST(SdesTest, IsWrittenAsRfc3550Section65Draws) {
  // The null that ends a chunk takes a word of its own when the text fills the last one.
  EXPECT_EQ(ToHex(Write({{Ssrc(1), "ab"}, {Ssrc(2), "c"}})),
            "82ca0005"
            "00000001"
            "01026162"
            "00000000"
            "00000002"
            "01016300");
}

TEST(SdesTest, ReadsWhatWasWrittenWithNamesOfAnyLength) {
  for (size_t size = 1; size <= kMaxSdesItemSize; ++size) {
    const std::string name(size, 'x');
    const Bytes packet = Write({{Ssrc(7), name}, {Ssrc(8), "y"}});
    EXPECT_EQ(packet.size(), 4 + SdesCnameChunkSize(size) + SdesCnameChunkSize(1)) << size;
    const Walk walk = WalkOf(packet);
    EXPECT_TRUE(walk.complete);
    EXPECT_THAT(walk.items, ElementsAre(absl::StrCat("7/1/", name), "8/1/y"));
  }
}

TEST(SdesTest, ReadsItemsOfEveryKindAndEmptyOnes) {
  const Walk walk = WalkOf(HexBytes("81ca0005 00000005 01016106 03746f6f 09000c01 72000000"));
  EXPECT_TRUE(walk.complete);
  EXPECT_THAT(walk.items, ElementsAre("5/1/a", "5/6/too", "5/9/", "5/12/r"));
}

TEST(SdesTest, ChunksWithoutItemsAndPacketsWithoutChunksAreLegal) {
  EXPECT_TRUE(WalkOf(HexBytes("80ca0000")).complete);
  const Walk walk = WalkOf(HexBytes("82ca0004 00000001 00000000 00000002 00000000"));
  EXPECT_TRUE(walk.complete);
  EXPECT_TRUE(walk.items.empty());
}

// The end of a chunk needs one null; the zeros behind it may be somebody's padding.
TEST(SdesTest, ASingleNullEndsTheLastChunk) {
  const Walk walk = WalkOf(HexBytes("a1ca0003 00000001 01016100 00000004"));
  EXPECT_TRUE(walk.complete);
  EXPECT_THAT(walk.items, ElementsAre("1/1/a"));
  const Walk odd = WalkOf(HexBytes("a1ca0004 00000001 01026162 00000003 00000007"));
  EXPECT_TRUE(odd.complete);
  EXPECT_THAT(odd.items, ElementsAre("1/1/ab"));
}

TEST(SdesTest, WhatCameBeforeAnItemThatIsTooLongCounts) {
  const Walk walk =
      WalkOf(HexBytes("82ca0006 00000001 01016100 00000002 01016202 ff636465 66676869"));
  EXPECT_FALSE(walk.complete);
  EXPECT_THAT(walk.items, ElementsAre("1/1/a", "2/1/b"));
  // Also without the null that ends a chunk, and with fewer chunks than counted.
  EXPECT_FALSE(WalkOf(HexBytes("81ca0002 00000001 01026162")).complete);
  const Walk fewer = WalkOf(HexBytes("9fca0002 00000001 01016100"));
  EXPECT_FALSE(fewer.complete);
  EXPECT_THAT(fewer.items, ElementsAre("1/1/a"));
}

TEST(SdesTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(Write({{Ssrc(1), "abcdef"}, {Ssrc(2), "gh"}}),
                      [](absl::Span<const uint8_t> packet) {
                        const std::optional<SdesView> sdes = SdesView::Parse(packet);
                        if (!sdes.has_value()) return;
                        size_t bytes = 0;
                        sdes->ForEachItem([&](Ssrc, SdesItem, absl::Span<const uint8_t> text) {
                          ASSERT_LE(text.data() + text.size(), packet.data() + packet.size());
                          bytes += 2 + text.size();
                        });
                        ASSERT_LE(bytes, packet.size());
                      });
}

TEST(SdesTest, DoesNotFitIsZero) {
  Bytes buffer(16);
  EXPECT_EQ(WriteSdes({{Ssrc(1), "abcdef"}}, absl::MakeSpan(buffer)), 0u);
  EXPECT_EQ(WriteSdes({{Ssrc(1), "abcde"}}, absl::MakeSpan(buffer)), 16u);
  EXPECT_EQ(WriteSdes({{Ssrc(1), "abcde"}}, absl::MakeSpan(buffer).first(15)), 0u);
  EXPECT_EQ(WriteSdes({{Ssrc(1), ""}}, absl::MakeSpan(buffer)), 0u);
  buffer.resize(4096);
  EXPECT_EQ(WriteSdes({{Ssrc(1), std::string(256, 'x')}}, absl::MakeSpan(buffer)), 0u);
  const std::vector<SdesCname> many(kMaxSdesChunks + 1, {Ssrc(1), "a"});
  EXPECT_EQ(WriteSdes(many, absl::MakeSpan(buffer)), 0u);
  EXPECT_GT(WriteSdes(absl::MakeSpan(many).first(kMaxSdesChunks), absl::MakeSpan(buffer)), 0u);
}

}  // namespace
}  // namespace sluice
