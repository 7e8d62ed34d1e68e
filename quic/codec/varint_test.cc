#include "quic/codec/varint.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::Each;

std::vector<uint8_t> Encoded(uint64_t value) {
  std::array<uint8_t, kMaxVarintSize> bytes;
  absl::Span<uint8_t> rest = absl::MakeSpan(bytes);
  EXPECT_TRUE(WriteVarint(rest, *Varint::From(value)));
  const absl::Span<const uint8_t> written(bytes.data(), bytes.size() - rest.size());
  return {written.begin(), written.end()};
}

// The value at the front of `bytes`, if all of them belong to it.
std::optional<uint64_t> Decoded(absl::Span<const uint8_t> bytes) {
  uint64_t value = 0;
  if (!ReadVarint(bytes, value) || !bytes.empty()) return std::nullopt;
  return value;
}

// Section 16 as it is written there: digit by digit, the size from a list of ranges.
std::vector<uint8_t> ModelEncode(uint64_t value, size_t log2) {
  std::vector<uint8_t> bytes(size_t{1} << log2);
  for (size_t i = bytes.size(); i-- > 0;) {
    bytes[i] = static_cast<uint8_t>(value % 256);
    value /= 256;
  }
  bytes[0] = static_cast<uint8_t>(bytes[0] + 64 * log2);
  return bytes;
}
size_t ModelLog2(uint64_t value) {
  if (value <= 63) return 0;
  if (value <= 16383) return 1;
  if (value <= 1073741823) return 2;
  return 3;
}
uint64_t ModelDecode(absl::Span<const uint8_t> bytes) {
  uint64_t value = bytes[0] % 64;
  for (size_t i = 1; i < bytes.size(); ++i) value = value * 256 + bytes[i];
  return value;
}

TEST(VarintTest, ReadsAndWritesTheExamplesOfTheRfc) {
  ForEachVector("tests/vectors/rfc9000_varint.txt", [](VectorBlock& block) {
    const std::vector<uint8_t> bytes = block.Bytes("bytes");
    const uint64_t value = block.Number("value");
    EXPECT_EQ(Decoded(bytes), value);
    EXPECT_EQ(Encoded(value), block.Has("shortest") ? block.Bytes("shortest") : bytes);
  });
}

struct Edge {
  uint64_t value;
  size_t size;
};
constexpr Edge kEdges[] = {
    {0, 1},
    {1, 1},
    {63, 1},
    {64, 2},
    {16383, 2},
    {16384, 4},
    {65536, 4},
    {1073741823, 4},
    {1073741824, 8},
    {uint64_t{1} << 61, 8},
    {4611686018427387903, 8},
};

TEST(VarintTest, HasTheShortestSizeThatHoldsTheValue) {
  for (const Edge& edge : kEdges) {
    EXPECT_EQ(VarintSize(edge.value), edge.size) << edge.value;
    const std::vector<uint8_t> bytes = Encoded(edge.value);
    EXPECT_EQ(bytes.size(), edge.size) << edge.value;
    EXPECT_EQ(Decoded(bytes), edge.value);
  }
}

TEST(VarintTest, HoldsSixtyTwoBitsAndNoMore) {
  EXPECT_EQ(kMaxVarint, 4611686018427387903u);
  EXPECT_TRUE(Varint::From(kMaxVarint).has_value());
  EXPECT_FALSE(Varint::From(kMaxVarint + 1).has_value());
  EXPECT_FALSE(Varint::From(UINT64_MAX).has_value());
  EXPECT_EQ(Varint::Trusted(kMaxVarint), *Varint::From(kMaxVarint));
  EXPECT_LT(Varint::Trusted(7), Varint::Trusted(8));
  EXPECT_EQ(Varint::Trusted(7).value(), 7u);
}

TEST(VarintTest, StoreFillsTheRestOfItsEightBytesWithZerosAndNoByteMore) {
  for (const Edge& edge : kEdges) {
    std::array<uint8_t, kMaxVarintSize + 1> bytes;
    bytes.fill(0xEE);
    const size_t size = Varint::From(edge.value)->StoreTo(bytes.data());
    EXPECT_EQ(size, edge.size);
    for (size_t i = size; i < kMaxVarintSize; ++i) EXPECT_EQ(bytes[i], 0) << edge.value;
    EXPECT_EQ(bytes[kMaxVarintSize], 0xEE) << edge.value;
  }
}

TEST(VarintTest, AWriteWithoutRoomChangesNothing) {
  for (const Edge& edge : kEdges) {
    std::array<uint8_t, kMaxVarintSize> bytes;
    bytes.fill(0xEE);
    absl::Span<uint8_t> rest = absl::MakeSpan(bytes).first(edge.size - 1);
    EXPECT_FALSE(WriteVarint(rest, *Varint::From(edge.value)));
    EXPECT_EQ(rest.size(), edge.size - 1);
    EXPECT_THAT(bytes, Each(0xEE));
  }
}

TEST(VarintTest, AReadOfACutOneChangesNothing) {
  for (const Edge& edge : kEdges) {
    const std::vector<uint8_t> whole = Encoded(edge.value);
    for (size_t size = 0; size < whole.size(); ++size) {
      absl::Span<const uint8_t> rest = absl::MakeConstSpan(whole).first(size);
      uint64_t value = 12345;
      EXPECT_FALSE(ReadVarint(rest, value)) << edge.value << " cut to " << size;
      EXPECT_EQ(rest.size(), size);
      EXPECT_EQ(value, 12345u);
    }
  }
}

TEST(VarintTest, IsReadAsTheSizeThatIsExpectedOrNotAtAll) {
  for (const Edge& edge : kEdges) {
    std::vector<uint8_t> bytes = Encoded(edge.value);
    // With and without room for one load.
    for (const size_t behind : {size_t{0}, size_t{1}, size_t{7}, size_t{20}}) {
      bytes.resize(edge.size);
      bytes.insert(bytes.end(), behind, 0xFF);
      for (const size_t size : {0, 1, 2, 3, 4, 8}) {
        if (size > bytes.size()) continue;
        uint64_t value = 12345;
        ASSERT_EQ(ReadVarintOfSize(bytes, size, value), size == edge.size) << edge.value;
        ASSERT_EQ(value, size == edge.size ? edge.value : 12345) << size << " bytes";
      }
    }
  }
}

TEST(VarintTest, OneIsReadAfterTheOther) {
  const std::vector<uint8_t> bytes = HexBytes("25 7bbd 9d7f3e7d c2197c5eff14e88c 00");
  absl::Span<const uint8_t> rest = bytes;
  std::vector<uint64_t> values;
  uint64_t value = 0;
  while (ReadVarint(rest, value)) values.push_back(value);
  EXPECT_EQ(values, (std::vector<uint64_t>{37, 15293, 494878333, 151288809941952652, 0}));
  EXPECT_TRUE(rest.empty());
}

TEST(VarintTest, IsKnownAtCompileTime) {
  constexpr std::array<uint8_t, 8> kBytes = [] {
    std::array<uint8_t, 8> bytes{};
    absl::Span<uint8_t> rest(bytes.data(), bytes.size());
    if (!WriteVarint(rest, Varint::Trusted(15293))) bytes[0] = 0xFF;
    return bytes;
  }();
  constexpr uint64_t kValue = [](absl::Span<const uint8_t> rest) {
    uint64_t value = 0;
    return ReadVarint(rest, value) ? value : 0;
  }(absl::Span<const uint8_t>(kBytes.data(), kBytes.size()));
  static_assert(kValue == 15293);
  static_assert(VarintSize(15293) == 2);
  EXPECT_EQ(kBytes[0], 0x7b);
}

TEST(VarintTest, DoesWhatTheModelDoesInEveryForm) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(16);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 100000; ++round) {
    const uint64_t value = random.NextU64() >> (2 + random.Below(62));
    const size_t shortest = ModelLog2(value);
    ASSERT_EQ(Encoded(value), ModelEncode(value, shortest)) << value;
    // Longer forms are legal too.
    for (size_t log2 = shortest; log2 <= 3; ++log2) {
      const std::vector<uint8_t> bytes = ModelEncode(value, log2);
      ASSERT_EQ(Decoded(bytes), value) << ToHex(bytes);
      ASSERT_EQ(ModelDecode(bytes), value) << ToHex(bytes);
    }
  }
}

TEST(VarintTest, AnyBytesAreAValueOrTooShort) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(17);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 100000; ++round) {
    std::vector<uint8_t> bytes(random.Below(10));
    random.Fill(absl::MakeSpan(bytes));
    absl::Span<const uint8_t> rest = bytes;
    uint64_t value = 0;
    const size_t size = bytes.empty() ? 1 : size_t{1} << (bytes[0] >> 6);
    ASSERT_EQ(ReadVarint(rest, value), bytes.size() >= size) << ToHex(bytes);
    if (bytes.size() >= size) {
      ASSERT_EQ(rest.size(), bytes.size() - size) << ToHex(bytes);
      ASSERT_EQ(value, ModelDecode(absl::MakeConstSpan(bytes).first(size))) << ToHex(bytes);
    }
  }
}

}  // namespace
}  // namespace sluice
