#include "srtp/rtcp_packet_view.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

struct Walk {
  // "type/count/size" of each packet.
  std::vector<std::string> packets;
  bool complete = false;
};

Walk WalkOf(const RtcpPacketView& view) {
  Walk walk;
  walk.complete =
      view.ForEachPacket([&](uint8_t type, uint8_t count, absl::Span<const uint8_t> packet) {
        walk.packets.push_back(absl::StrCat(type, "/", count, "/", packet.size()));
      });
  return walk;
}

Walk WalkOf(const Bytes& datagram) {
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(datagram);
  if (!view.has_value()) {
    ADD_FAILURE() << "not parsed: " << ToHex(datagram);
    return {};
  }
  EXPECT_EQ(view->IsValidCompound(), WalkOf(*view).complete);
  return WalkOf(*view);
}

RtcpPacketBuilder Compound() {
  return RtcpPacketBuilder()
      .AddSenderReport(0xcafebabe, 1, 2, 3, 4, std::vector<RtcpReportBlock>(1))
      .AddSourceDescription(0xcafebabe, "a@b")
      .AddGoodbye(std::vector<uint32_t>{0xcafebabe, 7}, "done");
}

TEST(RtcpPacketViewTest, ReadsTheFirstHeader) {
  const Bytes datagram = Compound().Build();
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(datagram);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->ssrc(), Ssrc(0xcafebabe));
  EXPECT_EQ(view->packet_type(), kRtcpSenderReport);
  EXPECT_EQ(view->first_packet_size(), 52u);
  EXPECT_EQ(view->bytes().size(), datagram.size());
}

TEST(RtcpPacketViewTest, WalksACompoundInOrder) {
  const Walk walk = WalkOf(Compound().Build());
  EXPECT_THAT(walk.packets, ElementsAre("200/1/52", "202/1/16", "203/2/20"));
  EXPECT_TRUE(walk.complete);
}

// libwebrtc sends feedback alone, and several at once, each padded (RFC 5506).
TEST(RtcpPacketViewTest, TakesReducedSizePacketsAndPaddingInTheMiddle) {
  const Walk walk = WalkOf(RtcpPacketBuilder()
                               .AddRaw(15, kRtcpTransportFeedback, Bytes(20))
                               .WithPadding(4)
                               .AddRaw(1, kRtcpPayloadFeedback, Bytes(8))
                               .Build());
  EXPECT_THAT(walk.packets, ElementsAre("205/15/28", "206/1/12"));
  EXPECT_TRUE(walk.complete);
}

// RFC 3550 appendix A.2: unknown types of later packets are to be ignored.
TEST(RtcpPacketViewTest, LaterPacketsMayHaveAnyType) {
  const Walk walk =
      WalkOf(RtcpPacketBuilder().AddReceiverReport(1).AddRaw(0, 77, {}).AddRaw(3, 255, {}).Build());
  EXPECT_THAT(walk.packets, ElementsAre("201/0/8", "77/0/4", "255/3/4"));
  EXPECT_TRUE(walk.complete);
}

// media.md 3C, item 27: PT 64..95 under rtcp-mux, and XR (207) taken as RTP.
TEST(RtcpPacketViewTest, IsRtcpExactlyIfTheSecondByteIs192To223) {
  for (int second = 0; second <= 255; ++second) {
    Bytes datagram = HexBytes("80 00 0001 00000007");
    datagram[1] = static_cast<uint8_t>(second);
    const bool rtcp = second >= 192 && second <= 223;
    EXPECT_EQ(LooksLikeRtcp(datagram), rtcp) << second;
    EXPECT_EQ(RtcpPacketView::Parse(datagram).has_value(), rtcp) << second;
  }
  EXPECT_TRUE(LooksLikeRtcp(HexBytes("00cf"))) << "XR, whatever the first byte says";
  EXPECT_FALSE(LooksLikeRtcp({}));
  EXPECT_FALSE(LooksLikeRtcp(HexBytes("80")));
}

TEST(RtcpPacketViewTest, DropsEveryOtherVersion) {
  for (const uint8_t version : {0, 1, 3}) {
    Bytes datagram = Compound().Build();
    datagram[0] = static_cast<uint8_t>(version << 6 | (datagram[0] & 0x3F));
    EXPECT_FALSE(RtcpPacketView::Parse(datagram).has_value()) << int{version};
  }
}

// media.md 3C, item 24: no length is believed before it was compared to the bytes that are there.
TEST(RtcpPacketViewTest, DropsFirstPacketsThatReachPastTheDatagram) {
  const Bytes report = RtcpPacketBuilder().AddReceiverReport(1).Build();
  ASSERT_EQ(report.size(), 8u);
  // Copied so that AddressSanitizer sees a read past the end.
  for (size_t size = 0; size < report.size(); ++size) {
    const Bytes cut(report.begin(), report.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(RtcpPacketView::Parse(cut).has_value()) << size << " bytes";
  }
  EXPECT_TRUE(RtcpPacketView::Parse(report).has_value());
  EXPECT_FALSE(RtcpPacketView::Parse(HexBytes("80c9 0002 00000001")).has_value());
  EXPECT_FALSE(RtcpPacketView::Parse(HexBytes("80c9 ffff 00000001")).has_value());
}

// RFC 3711 section 3.4: the first eight bytes of SRTCP are header and SSRC.
TEST(RtcpPacketViewTest, DropsFirstPacketsWithoutASender) {
  EXPECT_FALSE(RtcpPacketView::Parse(HexBytes("80cb 0000 80c9 0001 00000001")).has_value());
}

TEST(RtcpPacketViewTest, ParsesSrtcpByItsReadableBytesAlone) {
  Bytes datagram = RtcpPacketBuilder().AddReceiverReport(5, {RtcpReportBlock()}).Build();
  // Ciphertext where the next packet would be, E flag and index, tag.
  const Bytes rest = HexBytes("ffffffff 80000001 00112233445566778899");
  datagram.insert(datagram.end(), rest.begin(), rest.end());
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(datagram);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->ssrc(), Ssrc(5));
  EXPECT_FALSE(view->IsValidCompound());
}

TEST(RtcpPacketViewTest, StopsInFrontOfTheFirstBadPacket) {
  const Bytes good = RtcpPacketBuilder().AddReceiverReport(1).Build();
  struct Row {
    const char* what;
    const char* second;
  };
  for (const Row& row : {
           Row{"one byte", "80"},
           Row{"less than a header", "80ca 00"},
           Row{"version 0", "00ca 0001 00000001"},
           Row{"version 3", "c0ca 0001 00000001"},
           Row{"one word short", "80ca 0002 00000001"},
           Row{"one byte short", "80ca 0001 000000"},
           // In 16 bits this length is none, and a walk would never end or take nothing for a
           // packet.
           Row{"length that overflows 16 bits", "80ca ffff 00000001"},
           Row{"length that overflows 16 bits in bytes", "80ca 3fff 00000001"},
           Row{"padding without a count", "a0ca 0000"},
           Row{"padding count 0", "a0ca 0001 00000000"},
           Row{"padding over the header", "a0ca 0001 00000005"},
       }) {
    Bytes datagram = good;
    const Bytes second = HexBytes(row.second);
    datagram.insert(datagram.end(), second.begin(), second.end());
    const Walk walk = WalkOf(datagram);
    EXPECT_THAT(walk.packets, ElementsAre("201/0/8")) << row.what;
    EXPECT_FALSE(walk.complete) << row.what;
  }
}

TEST(RtcpPacketViewTest, PaddingMayFillTheBody) {
  const Walk walk =
      WalkOf(RtcpPacketBuilder().AddReceiverReport(1).AddRaw(0, 202, {}).WithPadding(252).Build());
  EXPECT_THAT(walk.packets, ElementsAre("201/0/8", "202/0/256"));
  EXPECT_TRUE(walk.complete);
}

TEST(RtcpPacketViewTest, TakesTheLongestPacketThereIs) {
  Bytes datagram = RtcpPacketBuilder().AddRaw(0, kRtcpApplication, Bytes(4 * 65535)).Build();
  EXPECT_THAT(WalkOf(datagram).packets, ElementsAre("204/0/262144"));
  datagram.pop_back();
  EXPECT_FALSE(RtcpPacketView::Parse(datagram).has_value());
}

TEST(RtcpPacketViewTest, TheFirstPacketsPaddingIsCheckedInTheWalk) {
  const Walk walk = WalkOf(HexBytes("a0c9 0001 00000000"));
  EXPECT_THAT(walk.packets, IsEmpty());
  EXPECT_FALSE(walk.complete);
}

// What the walk hands out are the datagram's bytes in order, without gap or overlap, whatever they
// are.
TEST(RtcpPacketViewTest, PacketsOfRandomBytesTileTheDatagram) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SeededRandom random(seed);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round, ", SLUICE_TEST_SEED=", seed));
    Bytes datagram(random.Below(64));
    random.Fill(absl::MakeSpan(datagram));
    // Lengths and versions that are often right.
    for (size_t at = 0; at + 4 <= datagram.size(); at += 4 * (1 + random.Below(4))) {
      datagram[at] = static_cast<uint8_t>(0x80 | (datagram[at] & 0x3F));
      datagram[at + 1] = static_cast<uint8_t>(192 + random.Below(32));
      datagram[at + 2] = 0;
      datagram[at + 3] = static_cast<uint8_t>(random.Below(4));
    }
    const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(datagram);
    if (!view.has_value()) continue;
    size_t at = 0;
    const bool complete =
        view->ForEachPacket([&](uint8_t type, uint8_t count, absl::Span<const uint8_t> packet) {
          EXPECT_EQ(packet.data(), datagram.data() + at);
          EXPECT_EQ(type, packet[1]);
          EXPECT_EQ(count, packet[0] & 31);
          EXPECT_GE(packet.size(), 4u);
          at += packet.size();
        });
    EXPECT_LE(at, datagram.size());
    EXPECT_EQ(complete, at == datagram.size());
    EXPECT_EQ(complete, view->IsValidCompound());
  }
}

}  // namespace
}  // namespace sluice
