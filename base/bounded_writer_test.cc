#include "base/bounded_writer.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(ByteWriterTest, AppendsBigEndian) {
  std::array<uint8_t, 16> buffer{};
  ByteWriter writer(absl::MakeSpan(buffer));
  EXPECT_TRUE(writer.WriteU8(0x81));
  EXPECT_TRUE(writer.WriteU16(0x92A3));
  EXPECT_TRUE(writer.WriteU24(0xB4C5D6));
  EXPECT_TRUE(writer.WriteU32(0xE7F8091A));
  EXPECT_TRUE(writer.WriteBytes({0x2B, 0x3C}));
  EXPECT_EQ(writer.size(), 12u);
  EXPECT_EQ(writer.remaining(), 4u);
  EXPECT_EQ(writer.written().data(), buffer.data());
  EXPECT_THAT(writer.written(),
              ElementsAre(0x81, 0x92, 0xA3, 0xB4, 0xC5, 0xD6, 0xE7, 0xF8, 0x09, 0x1A, 0x2B, 0x3C));
}

TEST(ByteWriterTest, WhatIsWrittenReadsBack) {
  std::array<uint8_t, 18> buffer;
  ByteWriter writer(absl::MakeSpan(buffer));
  ASSERT_TRUE(writer.WriteU64(0xFEDCBA9876543210));
  ASSERT_TRUE(writer.WriteU32(0xFEDCBA98));
  ASSERT_TRUE(writer.WriteU24(0xFEDCBA));
  ASSERT_TRUE(writer.WriteU16(0xFEDC));
  ASSERT_TRUE(writer.WriteU8(0xFE));
  EXPECT_EQ(writer.remaining(), 0u);

  ByteReader reader(writer.written());
  uint64_t u64;
  uint32_t u32;
  uint32_t u24;
  uint16_t u16;
  uint8_t u8;
  ASSERT_TRUE(reader.ReadU64(u64) && reader.ReadU32(u32) && reader.ReadU24(u24) &&
              reader.ReadU16(u16) && reader.ReadU8(u8));
  EXPECT_EQ(u64, 0xFEDCBA9876543210);
  EXPECT_EQ(u32, 0xFEDCBA98);
  EXPECT_EQ(u24, 0xFEDCBAu);
  EXPECT_EQ(u16, 0xFEDC);
  EXPECT_EQ(u8, 0xFE);
  EXPECT_TRUE(reader.empty());
}

TEST(ByteWriterTest, AFailedWriteWritesNothing) {
  for (size_t room = 0; room < 8; ++room) {
    // Larger than all the writes together, or GCC 12 warns of a path that the test rules out.
    std::array<uint8_t, 32> buffer;
    buffer.fill(0xEE);
    ByteWriter writer(absl::MakeSpan(buffer).first(room));
    if (room < 1) {
      EXPECT_FALSE(writer.WriteU8(0));
    }
    if (room < 2) {
      EXPECT_FALSE(writer.WriteU16(0));
    }
    if (room < 3) {
      EXPECT_FALSE(writer.WriteU24(0));
    }
    if (room < 4) {
      EXPECT_FALSE(writer.WriteU32(0));
    }
    EXPECT_FALSE(writer.WriteU64(0));
    EXPECT_FALSE(writer.WriteBytes(std::array<uint8_t, 8>{}));
    EXPECT_EQ(writer.size(), 0u);
    EXPECT_EQ(writer.remaining(), room);
    EXPECT_THAT(buffer, Each(0xEE));
  }
}

TEST(ByteWriterTest, EveryWriteSucceedsInExactlyItsRoom) {
  std::array<uint8_t, 8> buffer;
  const absl::Span<uint8_t> room = absl::MakeSpan(buffer);
  EXPECT_TRUE(ByteWriter(room.first(1)).WriteU8(0));
  EXPECT_TRUE(ByteWriter(room.first(2)).WriteU16(0));
  EXPECT_TRUE(ByteWriter(room.first(3)).WriteU24(0));
  EXPECT_TRUE(ByteWriter(room.first(4)).WriteU32(0));
  EXPECT_TRUE(ByteWriter(room.first(8)).WriteU64(0));
  EXPECT_TRUE(ByteWriter(room.first(2)).WriteBytes({1, 2}));
  EXPECT_TRUE(ByteWriter(room.first(0)).WriteBytes({}));
}

TEST(ByteWriterTest, ANumberOf25BitsIsNotCutTo24) {
  std::array<uint8_t, 3> buffer;
  ByteWriter writer(absl::MakeSpan(buffer));
  EXPECT_FALSE(writer.WriteU24(0x1000000));
  EXPECT_EQ(writer.size(), 0u);
  EXPECT_TRUE(writer.WriteU24(0xFFFFFF));
}

TEST(ByteWriterTest, MayAppendItsOwnBytes) {
  std::array<uint8_t, 4> buffer;
  ByteWriter writer(absl::MakeSpan(buffer));
  ASSERT_TRUE(writer.WriteU16(0x0102));
  ASSERT_TRUE(writer.WriteBytes(writer.written()));
  EXPECT_THAT(buffer, ElementsAre(1, 2, 1, 2));
}

}  // namespace
}  // namespace sluice
