#include "interceptor/red/red_payload.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Bytes = std::vector<uint8_t>;

Bytes Write(const std::vector<RedBlock>& blocks, uint8_t primary_type, const Bytes& primary) {
  Bytes bytes(RedOverhead(blocks));
  WriteRedOverhead(blocks, PayloadType(primary_type), absl::MakeSpan(bytes));
  bytes.insert(bytes.end(), primary.begin(), primary.end());
  return bytes;
}

TEST(RedPayloadTest, HasTheFieldsOfRfc2198Section3) {
  const Bytes old = {1, 2, 3};
  const Bytes bytes = Write({{PayloadType(5), 960, old}}, 111, {9, 8});
  // 960 << 10 | 3 = 0x0F0003.
  EXPECT_THAT(bytes, ElementsAre(0x85, 0x0F, 0x00, 0x03, 111, 1, 2, 3, 9, 8));
  RedPayload red;
  ASSERT_TRUE(ReadRed(bytes, red));
  ASSERT_EQ(red.count, 1u);
  EXPECT_EQ(red.blocks[0].payload_type, PayloadType(5));
  EXPECT_EQ(red.blocks[0].timestamp_offset, 960u);
  EXPECT_THAT(red.blocks[0].data, ElementsAreArray(old));
  EXPECT_EQ(red.primary_type, PayloadType(111));
  EXPECT_THAT(red.primary, ElementsAre(9, 8));
}

TEST(RedPayloadTest, OffsetsHave14BitsAndLengths10) {
  const Bytes old(kMaxRedBlockSize, 7);
  const Bytes bytes = Write({{PayloadType(127), kMaxRedTimestampOffset, old}}, 127, {});
  EXPECT_THAT(absl::MakeSpan(bytes).first(5), ElementsAre(0xFF, 0xFF, 0xFF, 0xFF, 0x7F));
  RedPayload red;
  ASSERT_TRUE(ReadRed(bytes, red));
  EXPECT_EQ(red.blocks[0].timestamp_offset, 16383u);
  EXPECT_EQ(red.blocks[0].data.size(), 1023u);
  EXPECT_TRUE(red.primary.empty());
}

TEST(RedPayloadDeathTest, WhatDoesNotFitTheFieldsIsNeverWritten) {
  const Bytes old(kMaxRedBlockSize + 1);
  EXPECT_DEATH(Write({{PayloadType(1), 1, old}}, 1, {}), "");
  EXPECT_DEATH(Write({{PayloadType(1), kMaxRedTimestampOffset + 1, {}}}, 1, {}), "");
}

TEST(RedPayloadTest, APayloadWithoutRedundancyIsItsPrimary) {
  RedPayload red;
  const Bytes bytes = {5, 1, 2};
  ASSERT_TRUE(ReadRed(bytes, red));
  EXPECT_EQ(red.count, 0u);
  EXPECT_EQ(red.primary_type, PayloadType(5));
  EXPECT_THAT(red.primary, ElementsAre(1, 2));
}

TEST(RedPayloadTest, EveryCutInFrontOfThePrimaryIsMalformed) {
  const Bytes a = {1, 2, 3};
  const Bytes b = {4, 5};
  const Bytes bytes = Write({{PayloadType(5), 1920, a}, {PayloadType(5), 960, b}}, 5, {});
  RedPayload red;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadRed(absl::MakeSpan(bytes).first(size), red)) << size;
  }
  EXPECT_TRUE(ReadRed(bytes, red));
}

TEST(RedPayloadTest, MoreBlocksThanAnybodySendsAreMalformed) {
  RedPayload red;
  EXPECT_TRUE(ReadRed(Write(std::vector<RedBlock>(kMaxRedBlocks), 5, {1}), red));
  EXPECT_FALSE(ReadRed(Write(std::vector<RedBlock>(kMaxRedBlocks + 1), 5, {1}), red));
  EXPECT_FALSE(ReadRed(Bytes(1000, 0xFF), red));
}

TEST(RedPayloadTest, WhatIsReadIsWhatWasWritten) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<Bytes> data(random.Below(kMaxRedBlocks + 1));
    std::vector<RedBlock> blocks;
    for (Bytes& bytes : data) {
      bytes.resize(random.Below(random.Below(2) == 0 ? 10 : kMaxRedBlockSize + 1));
      random.Fill(absl::MakeSpan(bytes));
      blocks.push_back({PayloadType(static_cast<uint8_t>(random.Below(128))),
                        static_cast<uint32_t>(random.Below(kMaxRedTimestampOffset + 1)), bytes});
    }
    Bytes primary(random.Below(50));
    random.Fill(absl::MakeSpan(primary));
    const auto type = static_cast<uint8_t>(random.Below(128));
    const Bytes bytes = Write(blocks, type, primary);
    RedPayload red;
    ASSERT_TRUE(ReadRed(bytes, red));
    ASSERT_EQ(red.count, blocks.size());
    for (size_t k = 0; k < blocks.size(); ++k) {
      ASSERT_EQ(red.blocks[k].payload_type, blocks[k].payload_type);
      ASSERT_EQ(red.blocks[k].timestamp_offset, blocks[k].timestamp_offset);
      ASSERT_THAT(red.blocks[k].data, ElementsAreArray(blocks[k].data));
    }
    ASSERT_EQ(red.primary_type, PayloadType(type));
    ASSERT_THAT(red.primary, ElementsAreArray(primary));
  }
}

}  // namespace
}  // namespace sluice
