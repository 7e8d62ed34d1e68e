#include "srtp/testing/packet_builder.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(RtpPacketBuilderTest, ABarePacketIsTwelveBytes) {
  EXPECT_EQ(ToHex(RtpPacketBuilder().Build()), "806000000000000000000000");
}

TEST(RtpPacketBuilderTest, WritesEveryField) {
  EXPECT_EQ(
      RtpPacketBuilder()
          .WithSequence(0x1234)
          .WithTimestamp(0x89abcdef)
          .WithSsrc(0xcafebabe)
          .WithPayloadType(97)
          .WithMarker()
          .WithCsrcs({1, 2})
          .AddOneByteExtension(1, Bytes{0xaa})
          .WithPayload({1, 2, 3})
          .WithPadding(2)
          .Build(),
      HexBytes("b2e1 1234 89abcdef cafebabe 00000001 00000002 bede 0001 10aa0000 010203 0002"));
}

TEST(RtpPacketBuilderTest, WritesBothFormsOfExtension) {
  EXPECT_EQ(RtpPacketBuilder()
                .AddOneByteExtension(14, Bytes{1, 2})
                .AddOneByteExtension(1, Bytes(16, 9))
                .Build(),
            HexBytes("9060 0000 00000000 00000000 bede 0005"
                     "e10102 1f 09090909090909090909090909090909"));
  EXPECT_EQ(
      RtpPacketBuilder().AddTwoByteExtension(255, {}).AddTwoByteExtension(1, Bytes{7}, 5).Build(),
      HexBytes("9060 0000 00000000 00000000 1005 0002 ff00 010107 000000"));
  EXPECT_EQ(RtpPacketBuilder().WithRawExtension(0xABCD, {1, 2, 3, 4, 5}).Build(),
            HexBytes("9060 0000 00000000 00000000 abcd 0002 0102030405 000000"));
  EXPECT_EQ(RtpPacketBuilder().WithRawExtension(0xABCD, {}).Build(),
            HexBytes("9060 0000 00000000 00000000 abcd 0000"));
}

TEST(RtpPacketBuilderTest, PayloadsOfASizeCountUp) {
  EXPECT_EQ(RtpPacketBuilder().WithSequence(0x01FE).WithPayloadSize(4).Build(),
            HexBytes("8060 01fe 00000000 00000000 feff0001"));
}

TEST(RtpPacketBuilderTest, BuildsAgainAndTheSame) {
  RtpPacketBuilder builder;
  builder.WithSequence(1).WithPayloadSize(100).AddOneByteExtension(1, Bytes{1});
  const Bytes first = builder.Build();
  EXPECT_EQ(builder.Build(), first);
  EXPECT_NE(builder.WithSequence(2).Build(), first);
  EXPECT_EQ(builder.WithSequence(1).Build(), first);
}

TEST(RtpPacketBuilderTest, BuildsIntoAnArena) {
  PacketArena arena(1);
  RtpPacketBuilder builder;
  builder.WithPayloadSize(1000);
  const PacketLoan packet = builder.BuildInto(arena);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet.bytes(), absl::MakeConstSpan(builder.Build()));
  EXPECT_FALSE(builder.BuildInto(arena));
}

TEST(RtpPacketBuilderDeathTest, RefusesWhatItCannotWrite) {
  EXPECT_DEATH(RtpPacketBuilder().WithPayloadType(128), "");
  EXPECT_DEATH(RtpPacketBuilder().WithCsrcs(std::vector<uint32_t>(16)), "");
  EXPECT_DEATH(RtpPacketBuilder().AddOneByteExtension(15, Bytes{1}), "");
  EXPECT_DEATH(RtpPacketBuilder().AddOneByteExtension(1, {}), "");
  EXPECT_DEATH(RtpPacketBuilder().AddOneByteExtension(1, Bytes{1}).AddTwoByteExtension(2, {}), "");
}

TEST(RtcpPacketBuilderTest, WritesReports) {
  RtcpReportBlock block;
  block.ssrc = 1;
  block.fraction_lost = 2;
  block.cumulative_lost = -3;
  block.extended_highest_sequence = 4;
  block.jitter = 5;
  block.last_sr = 6;
  block.delay_since_last_sr = 7;
  EXPECT_EQ(RtcpPacketBuilder()
                .AddSenderReport(0xcafebabe, 0x0102030405060708, 9, 10, 11, {block})
                .AddReceiverReport(12)
                .Build(),
            HexBytes("81c8 000c cafebabe 0102030405060708 00000009 0000000a 0000000b"
                     "00000001 02fffffd 00000004 00000005 00000006 00000007"
                     "80c9 0001 0000000c"));
}

// RFC 3550 section 6.5: items end with a zero byte, and with four where nothing else pads.
TEST(RtcpPacketBuilderTest, WritesSourceDescriptions) {
  EXPECT_EQ(RtcpPacketBuilder().AddSourceDescription(1, "a").Build(),
            HexBytes("81ca 0002 00000001 01016100"));
  EXPECT_EQ(RtcpPacketBuilder().AddSourceDescription(1, "ab").Build(),
            HexBytes("81ca 0003 00000001 01026162 00000000"));
}

TEST(RtcpPacketBuilderTest, WritesGoodbyes) {
  EXPECT_EQ(RtcpPacketBuilder().AddGoodbye(std::vector<uint32_t>{1, 2}).Build(),
            HexBytes("82cb 0002 00000001 00000002"));
  EXPECT_EQ(RtcpPacketBuilder().AddGoodbye(std::vector<uint32_t>{1}, "end!").Build(),
            HexBytes("81cb 0003 00000001 04656e64 21000000"));
  EXPECT_EQ(RtcpPacketBuilder().AddGoodbye({}).Build(), HexBytes("80cb 0000"));
}

TEST(RtcpPacketBuilderTest, PadsThePacketAddedLast) {
  EXPECT_EQ(RtcpPacketBuilder()
                .AddReceiverReport(1)
                .AddRaw(15, 205, Bytes{1, 2, 3, 4, 5})
                .WithPadding(4)
                .Build(),
            HexBytes("80c9 0001 00000001 afcd 0003 01020304 05000000 00000004"));
}

TEST(RtcpPacketBuilderTest, BuildsIntoAnArena) {
  PacketArena arena(1);
  RtcpPacketBuilder builder;
  builder.AddReceiverReport(1);
  const PacketLoan packet = builder.BuildInto(arena);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet.bytes(), absl::MakeConstSpan(builder.Build()));
  EXPECT_FALSE(builder.BuildInto(arena));
}

}  // namespace
}  // namespace sluice
