#include "interceptor/packet_log/pcapng_block.h"

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

std::string Hex(absl::FunctionRef<size_t(absl::Span<uint8_t>)> write) {
  Bytes out(1000, 0xEE);
  out.resize(write(absl::MakeSpan(out)));
  return ToHex(out);
}

// Both lengths of a block are its size, and any less room is none.
void ExpectNeedsAllItsRoom(absl::FunctionRef<size_t(absl::Span<uint8_t>)> write) {
  Bytes out(1000);
  const size_t size = write(absl::MakeSpan(out));
  ASSERT_GT(size, 0u);
  EXPECT_EQ(size % 4, 0u);
  EXPECT_EQ(LoadBe32(&out[4]), size);
  EXPECT_EQ(LoadBe32(&out[size - 4]), size);
  for (size_t room = 0; room < size; ++room) {
    // Of its own, so that a byte too many is found.
    Bytes small(room);
    EXPECT_EQ(write(absl::MakeSpan(small)), 0u) << room;
  }
  Bytes exact(size);
  EXPECT_EQ(write(absl::MakeSpan(exact)), size);
}

size_t Section(absl::Span<uint8_t> out) { return WriteSectionHeader("abc", out); }
size_t Interface(absl::Span<uint8_t> out) {
  return WriteInterfaceDescription({.snap_length = 1548, .name = "in", .description = "abcd"}, out);
}
size_t Statistics(absl::Span<uint8_t> out) {
  return WriteInterfaceStatistics(
      {.interface = 1, .time_us = 0x0102030405060708, .received = 3, .dropped = 2, .delivered = 1},
      out);
}

TEST(PcapngBlockTest, SectionHeader) {
  EXPECT_EQ(Hex(Section),
            "0a0d0d0a"
            "00000028"
            "1a2b3c4d"
            "00010000"
            "ffffffffffffffff"
            "00040003"
            "61626300"
            "00000000"
            "00000028");
  ExpectNeedsAllItsRoom(Section);
}

TEST(PcapngBlockTest, InterfaceDescriptionSaysMicrosecondsAndRawIp) {
  EXPECT_EQ(Hex(Interface),
            "00000001"
            "00000030"
            "00650000"
            "0000060c"
            "00020002"
            "696e0000"
            "00030004"
            "61626364"
            "00090001"
            "06000000"
            "00000000"
            "00000030");
  ExpectNeedsAllItsRoom(Interface);
}

TEST(PcapngBlockTest, EnhancedPacketSaysItsDirectionAndWhatWasLost) {
  const Bytes head = {1, 2, 3};
  const Bytes body = {4, 5};
  const auto incoming = [&](absl::Span<uint8_t> out) {
    return WriteEnhancedPacket({.interface = 0,
                                .time_us = 0x0102030405060708,
                                .head = head,
                                .body = body,
                                .original_size = 9,
                                .dropped = 0x1122},
                               out);
  };
  EXPECT_EQ(Hex(incoming),
            "00000006"
            "00000040"
            "00000000"
            "01020304"
            "05060708"
            "00000005"
            "00000009"
            "0102030405000000"
            "00020004"
            "00000001"
            "00040008"
            "0000000000001122"
            "00000000"
            "00000040");
  ExpectNeedsAllItsRoom(incoming);
  const auto outgoing = [&](absl::Span<uint8_t> out) {
    return WriteEnhancedPacket(
        {.interface = 1, .direction = PacketDirection::kOutgoing, .body = body, .original_size = 2},
        out);
  };
  EXPECT_EQ(Hex(outgoing),
            "00000006"
            "00000030"
            "00000001"
            "00000000"
            "00000000"
            "00000002"
            "00000002"
            "04050000"
            "00020004"
            "00000002"
            "00000000"
            "00000030");
  ExpectNeedsAllItsRoom(outgoing);
}

TEST(PcapngBlockTest, EnhancedPacketIsNeverLongerThanItsOriginal) {
  const Bytes body(8);
  Bytes out(100);
  ASSERT_GT(WriteEnhancedPacket({.body = body, .original_size = 3}, absl::MakeSpan(out)), 0u);
  EXPECT_EQ(LoadBe32(&out[20]), 8u);
  EXPECT_EQ(LoadBe32(&out[24]), 8u);
}

TEST(PcapngBlockTest, EnhancedPacketAddsNoMoreThanItSays) {
  for (size_t size = 0; size < 9; ++size) {
    const Bytes body(size);
    Bytes out(200);
    const size_t written =
        WriteEnhancedPacket({.body = body, .dropped = UINT64_MAX}, absl::MakeSpan(out));
    EXPECT_GT(written, 0u);
    EXPECT_LE(written, size + kPcapngPacketOverhead);
  }
}

TEST(PcapngBlockTest, InterfaceStatistics) {
  EXPECT_EQ(Hex(Statistics),
            "00000005"
            "00000040"
            "00000001"
            "01020304"
            "05060708"
            "00040008"
            "0000000000000003"
            "00050008"
            "0000000000000002"
            "00080008"
            "0000000000000001"
            "00000000"
            "00000040");
  ExpectNeedsAllItsRoom(Statistics);
  Bytes out(200);
  EXPECT_EQ(Statistics(absl::MakeSpan(out)), kPcapngStatisticsSize);
}

TEST(PcapngBlockTest, TextThatNoOptionHoldsIsCut) {
  Bytes out(100'000);
  const size_t size = WriteSectionHeader(std::string(70'000, 'a'), absl::MakeSpan(out));
  ASSERT_GT(size, 65535u);
  EXPECT_EQ(LoadBe16(&out[26]), 65535);
  EXPECT_EQ(LoadBe32(&out[size - 4]), size);
}

}  // namespace
}  // namespace sluice
