#include "base/bounded_reader.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;

constexpr uint8_t kBytes[] = {0x81, 0x92, 0xA3, 0xB4, 0xC5, 0xD6, 0xE7, 0xF8, 0x09};

constexpr absl::Span<const uint8_t> First(size_t n) { return absl::MakeConstSpan(kBytes).first(n); }

TEST(FixedReaderTest, ReadsBigEndianAtEveryOffset) {
  constexpr std::optional<FixedReader<9>> header = FixedReader<9>::From(kBytes);
  static_assert(header.has_value());
  static_assert(header->Load8<0>() == 0x81);
  static_assert(header->Load8<8>() == 0x09);
  static_assert(header->Load16<1>() == 0x92A3);
  static_assert(header->Load24<6>() == 0xE7F809);
  static_assert(header->Load32<0>() == 0x8192A3B4);
  static_assert(header->Load64<0>() == 0x8192A3B4C5D6E7F8);
  static_assert(header->Load64<1>() == 0x92A3B4C5D6E7F809);
}

TEST(FixedReaderTest, NeedsAllBytesAndIgnoresMore) {
  EXPECT_FALSE(FixedReader<4>::From({}).has_value());
  EXPECT_FALSE(FixedReader<4>::From(First(3)).has_value());
  EXPECT_TRUE(FixedReader<4>::From(First(4)).has_value());
  EXPECT_TRUE(FixedReader<4>::From(First(5)).has_value());
}

template <typename Reader, size_t kOffset>
concept CanLoad8 = requires(Reader r) {
  r.template Load8<kOffset>();
};
template <typename Reader, size_t kOffset>
concept CanLoad32 = requires(Reader r) {
  r.template Load32<kOffset>();
};
template <typename Reader, size_t kOffset>
concept CanLoad64 = requires(Reader r) {
  r.template Load64<kOffset>();
};

TEST(FixedReaderTest, OffsetsBeyondTheHeaderDoNotCompile) {
  static_assert(CanLoad8<FixedReader<4>, 3>);
  static_assert(!CanLoad8<FixedReader<4>, 4>);
  static_assert(CanLoad32<FixedReader<4>, 0>);
  static_assert(!CanLoad32<FixedReader<4>, 1>);
  static_assert(!CanLoad64<FixedReader<4>, 0>);
  static_assert(!CanLoad8<FixedReader<4>, std::numeric_limits<size_t>::max()>);
}

TEST(ByteReaderTest, WalksThroughTheBytes) {
  ByteReader reader(kBytes);
  uint8_t u8 = 0;
  uint16_t u16 = 0;
  uint32_t u32 = 0;
  ASSERT_TRUE(reader.ReadU8(u8));
  EXPECT_EQ(u8, 0x81);
  ASSERT_TRUE(reader.ReadU16(u16));
  EXPECT_EQ(u16, 0x92A3);
  ASSERT_TRUE(reader.ReadU24(u32));
  EXPECT_EQ(u32, 0xB4C5D6u);
  EXPECT_EQ(reader.remaining(), 3u);
  ASSERT_TRUE(reader.Skip(1));
  EXPECT_THAT(reader.rest(), ElementsAre(0xF8, 0x09));
  absl::Span<const uint8_t> bytes;
  ASSERT_TRUE(reader.ReadBytes(2, bytes));
  EXPECT_THAT(bytes, ElementsAre(0xF8, 0x09));
  EXPECT_EQ(bytes.data(), kBytes + 7) << "a view, not a copy";
  EXPECT_TRUE(reader.empty());
}

TEST(ByteReaderTest, WideReads) {
  ByteReader narrow(kBytes);
  uint32_t u32 = 0;
  ASSERT_TRUE(narrow.ReadU32(u32));
  EXPECT_EQ(u32, 0x8192A3B4u);
  ByteReader wide(kBytes);
  uint64_t u64 = 0;
  ASSERT_TRUE(wide.ReadU64(u64));
  EXPECT_EQ(u64, 0x8192A3B4C5D6E7F8u);
  EXPECT_EQ(wide.remaining(), 1u);
}

TEST(ByteReaderTest, EveryReadSucceedsWithExactlyItsBytes) {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  absl::Span<const uint8_t> bytes;
  EXPECT_TRUE(ByteReader(First(1)).ReadU8(u8));
  EXPECT_TRUE(ByteReader(First(2)).ReadU16(u16));
  EXPECT_TRUE(ByteReader(First(3)).ReadU24(u32));
  EXPECT_TRUE(ByteReader(First(4)).ReadU32(u32));
  EXPECT_TRUE(ByteReader(First(8)).ReadU64(u64));
  EXPECT_TRUE(ByteReader(First(5)).ReadBytes(5, bytes));
  EXPECT_TRUE(ByteReader(First(5)).Skip(5));
}

TEST(ByteReaderTest, AFailedReadChangesNothing) {
  uint8_t u8 = 0x11;
  uint16_t u16 = 0x1111;
  uint32_t u32 = 0x11111111;
  uint64_t u64 = 0x1111111111111111;
  absl::Span<const uint8_t> bytes = First(9);
  for (size_t size = 0; size < 8; ++size) {
    ByteReader reader(First(size));
    if (size < 1) {
      EXPECT_FALSE(reader.ReadU8(u8));
    }
    if (size < 2) {
      EXPECT_FALSE(reader.ReadU16(u16));
    }
    if (size < 3) {
      EXPECT_FALSE(reader.ReadU24(u32));
    }
    if (size < 4) {
      EXPECT_FALSE(reader.ReadU32(u32));
    }
    EXPECT_FALSE(reader.ReadU64(u64));
    EXPECT_FALSE(reader.ReadBytes(size + 1, bytes));
    EXPECT_FALSE(reader.ReadBytes(std::numeric_limits<size_t>::max(), bytes));
    EXPECT_FALSE(reader.Skip(size + 1));
    EXPECT_FALSE(reader.Skip(std::numeric_limits<size_t>::max()));
    EXPECT_EQ(reader.remaining(), size);
    EXPECT_EQ(reader.rest().data(), kBytes);
  }
  EXPECT_EQ(u8, 0x11);
  EXPECT_EQ(u16, 0x1111);
  EXPECT_EQ(u32, 0x11111111u);
  EXPECT_EQ(u64, 0x1111111111111111u);
  EXPECT_EQ(bytes.size(), 9u);
}

TEST(ByteReaderTest, NothingCanBeReadFromNothing) {
  ByteReader reader({});
  absl::Span<const uint8_t> bytes = First(1);
  EXPECT_TRUE(reader.empty());
  EXPECT_TRUE(reader.ReadBytes(0, bytes));
  EXPECT_TRUE(bytes.empty());
  EXPECT_TRUE(reader.Skip(0));
}

}  // namespace
}  // namespace sluice
