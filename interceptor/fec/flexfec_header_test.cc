#include "interceptor/fec/flexfec_header.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

FlexFecHeader Header(const std::vector<size_t>& packets) {
  FlexFecHeader header;
  header.recovery = {.flags = 0x1260, .length = 0x0102, .timestamp = 0x03040506};
  header.protected_ssrc = Ssrc(0x0708090A);
  header.base = SequenceNumber(0x0B0C);
  for (const size_t i : packets) header.mask.Set(i);
  return header;
}

Bytes Write(const FlexFecHeader& header, size_t size) {
  Bytes bytes(size, 0xFF);
  WriteFlexFecHeader(header, absl::MakeSpan(bytes));
  return bytes;
}

TEST(FlexFecHeaderTest, HasTheFieldsOfDraft03InTheirPlaces) {
  EXPECT_THAT(Write(Header({0, 1, 14}), kFlexFecShortHeaderSize),
              ElementsAre(0x12, 0x60, 1, 2, 3, 4, 5, 6,  // Recovery.
                          1, 0, 0, 0,                    // Streams, reserved.
                          7, 8, 9, 10, 11, 12,           // SSRC, base.
                          0xE0, 0x01));                  // k and 15 packets.
}

TEST(FlexFecHeaderTest, MasksOf15And46And109PacketsEndWithTheirKBit) {
  const Bytes middle = Write(Header({0, 15, 45}), kFlexFecMiddleHeaderSize);
  EXPECT_THAT(absl::MakeSpan(middle).subspan(18), ElementsAre(0x40, 0x00, 0xC0, 0, 0, 0x01));
  const Bytes long_one = Write(Header({1, 46, 108}), kFlexFecLongHeaderSize);
  EXPECT_THAT(absl::MakeSpan(long_one).subspan(18),
              ElementsAre(0x20, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x01));
  EXPECT_EQ(FlexFecHeaderSize(14), kFlexFecShortHeaderSize);
  EXPECT_EQ(FlexFecHeaderSize(15), kFlexFecMiddleHeaderSize);
  EXPECT_EQ(FlexFecHeaderSize(45), kFlexFecMiddleHeaderSize);
  EXPECT_EQ(FlexFecHeaderSize(46), kFlexFecLongHeaderSize);
  EXPECT_EQ(FlexFecHeaderSize(108), kFlexFecLongHeaderSize);
}

TEST(FlexFecHeaderTest, WhatIsReadIsWhatWasWritten) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int i = 0; i < 2'000; ++i) {
    FlexFecHeader header;
    header.recovery = {.flags = static_cast<uint16_t>(random.Below(1 << 14)),
                       .length = static_cast<uint16_t>(random.NextU32()),
                       .timestamp = random.NextU32()};
    header.protected_ssrc = Ssrc(random.NextU32());
    header.base = SequenceNumber(static_cast<uint16_t>(random.NextU32()));
    const size_t limit = 1 + random.Below(PacketMask::kMaxPackets);
    for (size_t n = 0; n < 1 + random.Below(20); ++n) header.mask.Set(random.Below(limit));
    // Not always the smallest.
    const size_t size =
        random.Below(2) == 0 ? FlexFecHeaderSize(header.mask.Last()) : kFlexFecLongHeaderSize;
    Bytes bytes = Write(header, size);
    bytes.insert(bytes.end(), {1, 2, 3});
    const FlexFecPacket packet = ReadFlexFec(bytes);
    ASSERT_EQ(packet.verdict, FlexFecVerdict::kOk);
    ASSERT_EQ(packet.header.recovery, header.recovery);
    ASSERT_EQ(packet.header.protected_ssrc, header.protected_ssrc);
    ASSERT_EQ(packet.header.base, header.base);
    ASSERT_EQ(packet.header.mask, header.mask);
    ASSERT_THAT(packet.repair_payload, ElementsAre(1, 2, 3));
  }
}

TEST(FlexFecHeaderTest, EveryCutOfAHeaderIsMalformed) {
  for (const size_t last : {14, 45, 108}) {
    const Bytes bytes = Write(Header({0, last}), FlexFecHeaderSize(last));
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(ReadFlexFec(absl::MakeSpan(bytes).first(size)).verdict, FlexFecVerdict::kMalformed);
    }
    EXPECT_TRUE(ReadFlexFec(bytes).repair_payload.empty());
  }
}

TEST(FlexFecHeaderTest, AMaskWithoutEndOrWithoutPacketsIsMalformed) {
  Bytes bytes = Write(Header({0, 108}), kFlexFecLongHeaderSize);
  bytes[24] &= 0x7F;
  bytes.resize(100);
  EXPECT_EQ(ReadFlexFec(bytes).verdict, FlexFecVerdict::kMalformed);
  Bytes none = Write(Header({0}), kFlexFecShortHeaderSize);
  none[18] = 0x80;
  EXPECT_EQ(ReadFlexFec(none).verdict, FlexFecVerdict::kMalformed);
}

TEST(FlexFecHeaderTest, RetransmissionsFixedMatricesAndSeveralStreamsAreUnsupported) {
  const Bytes good = Write(Header({0}), kFlexFecShortHeaderSize);
  for (const uint8_t flag : {0x80, 0x40}) {
    Bytes bytes = good;
    bytes[0] |= flag;
    EXPECT_EQ(ReadFlexFec(bytes).verdict, FlexFecVerdict::kUnsupported);
  }
  for (const uint8_t count : {0, 2, 255}) {
    Bytes bytes = good;
    bytes[8] = count;
    EXPECT_EQ(ReadFlexFec(bytes).verdict, FlexFecVerdict::kUnsupported);
  }
}

TEST(FlexFecHeaderTest, ReservedBitsAreIgnored) {
  Bytes bytes = Write(Header({0}), kFlexFecShortHeaderSize);
  bytes[9] = bytes[10] = bytes[11] = 0xFF;
  EXPECT_EQ(ReadFlexFec(bytes).verdict, FlexFecVerdict::kOk);
}

}  // namespace
}  // namespace sluice
