#include "interceptor/rtcp/packet_writer.h"

#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

TEST(RtcpPacketWriterTest, FillsInLengthAndAlignment) {
  std::vector<uint8_t> buffer(32, 0xEE);
  RtcpPacketWriter writer(absl::MakeSpan(buffer), 5, 204);
  writer.PutSsrc(Ssrc(0x01020304));
  writer.U24(0x0a0b0c);
  writer.U16(0x1112);
  EXPECT_EQ(writer.remaining(), 32u - 13);
  ASSERT_EQ(writer.Finish(), 16u);
  EXPECT_EQ(ToHex(absl::MakeSpan(buffer).first(20)),
            "85cc0003"
            "01020304"
            "0a0b0c11"
            "12000000"
            "eeeeeeee");
}

TEST(RtcpPacketWriterTest, IsNoPacketOnceSomethingDidNotFitAndNeverWritesPastTheEnd) {
  for (size_t size = 0; size < 16; ++size) {
    std::vector<uint8_t> memory(20, 0xEE);
    RtcpPacketWriter writer(absl::MakeSpan(memory).first(size), 0, 204);
    writer.U64(1);
    writer.Bytes(std::vector<uint8_t>{1, 2});
    writer.U8(3);
    EXPECT_EQ(writer.Finish(), 0u) << size;
    EXPECT_EQ(writer.remaining(), 0u) << size;
    for (size_t i = size; i < memory.size(); ++i) {
      EXPECT_EQ(memory[i], 0xEE) << size;
    }
  }
}

TEST(RtcpPacketWriterTest, NothingFollowsWhatDidNotFit) {
  std::vector<uint8_t> buffer(8);
  RtcpPacketWriter writer(absl::MakeSpan(buffer), 0, 204);
  writer.U64(1);
  writer.U8(2);
  EXPECT_EQ(writer.Finish(), 0u);
}

// Sixteen bits of words.
TEST(RtcpPacketWriterTest, APacketLongerThanItsLengthFieldIsNone) {
  std::vector<uint8_t> buffer(4 * 65536 + 4);
  RtcpPacketWriter fits(absl::MakeSpan(buffer), 0, 204);
  fits.Bytes(std::vector<uint8_t>(4 * 65535));
  EXPECT_EQ(fits.Finish(), 4u * 65536);
  EXPECT_EQ(ToHex(absl::MakeSpan(buffer).first(4)), "80ccffff");
  RtcpPacketWriter too_long(absl::MakeSpan(buffer), 0, 204);
  too_long.Bytes(std::vector<uint8_t>(4 * 65536));
  EXPECT_EQ(too_long.Finish(), 0u);
}

}  // namespace
}  // namespace sluice
