#include "srtp/rtp_packet_view.h"

#include <optional>
#include <utility>
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
using ::testing::Pair;
using Bytes = std::vector<uint8_t>;
using Elements = std::vector<std::pair<int, Bytes>>;

Bytes Copy(absl::Span<const uint8_t> bytes) { return Bytes(bytes.begin(), bytes.end()); }

Elements ExtensionsOf(const RtpPacketView& view) {
  Elements elements;
  view.ForEachExtension(
      [&](uint8_t id, absl::Span<const uint8_t> data) { elements.emplace_back(id, Copy(data)); });
  return elements;
}

// The elements of a packet whose extension is `data` in hex.
Elements ExtensionsOf(uint16_t profile, absl::string_view data) {
  const Bytes packet = RtpPacketBuilder().WithRawExtension(profile, HexBytes(data)).Build();
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  if (!view.has_value()) {
    ADD_FAILURE() << "not parsed: " << ToHex(packet);
    return {};
  }
  return ExtensionsOf(*view);
}

TEST(RtpPacketViewTest, ReadsEveryFieldOfAFullHeader) {
  const Bytes packet = HexBytes(
      "b2 e1 1234 89abcdef cafebabe"  // V=2 P=1 X=1 CC=2, M=1 PT=97
      "00000001 00000002"             // CSRCs
      "bede 0001 10aa0000"            // one element
      "010203 0002");                 // payload and two bytes of padding
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->ssrc(), Ssrc(0xcafebabe));
  EXPECT_EQ(view->sequence_number(), SequenceNumber(0x1234));
  EXPECT_EQ(view->timestamp(), RtpTimestamp(0x89abcdef));
  EXPECT_EQ(view->payload_type(), PayloadType(97));
  EXPECT_TRUE(view->marker());
  EXPECT_TRUE(view->has_padding());
  EXPECT_TRUE(view->has_extension());
  ASSERT_EQ(view->csrc_count(), 2u);
  EXPECT_EQ(view->csrc(0), Ssrc(1));
  EXPECT_EQ(view->csrc(1), Ssrc(2));
  EXPECT_EQ(view->header_size(), 28u);
  EXPECT_EQ(view->header().size(), 28u);
  EXPECT_EQ(view->extension_profile(), 0xBEDE);
  EXPECT_THAT(Copy(view->extension_data()), ElementsAre(0x10, 0xaa, 0, 0));
  EXPECT_THAT(Copy(view->payload()), ElementsAre(1, 2, 3, 0, 2));
  EXPECT_EQ(view->padding_size(), 2u);
  EXPECT_THAT(Copy(view->payload_without_padding()), ElementsAre(1, 2, 3));
  EXPECT_EQ(view->bytes().data(), packet.data());
  EXPECT_EQ(view->bytes().size(), packet.size());
}

TEST(RtpPacketViewTest, ReadsABareHeader) {
  const Bytes packet = HexBytes("8000 ffff 00000000 00000000");
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->ssrc(), Ssrc(0));
  EXPECT_EQ(view->sequence_number(), SequenceNumber(0xffff));
  EXPECT_EQ(view->payload_type(), PayloadType(0));
  EXPECT_FALSE(view->marker());
  EXPECT_FALSE(view->has_padding());
  EXPECT_FALSE(view->has_extension());
  EXPECT_EQ(view->csrc_count(), 0u);
  EXPECT_EQ(view->header_size(), 12u);
  EXPECT_EQ(view->extension_profile(), 0);
  EXPECT_THAT(view->extension_data(), IsEmpty());
  EXPECT_THAT(view->payload(), IsEmpty());
  EXPECT_THAT(view->payload_without_padding(), IsEmpty());
  EXPECT_THAT(ExtensionsOf(*view), IsEmpty());
}

// The bytes that this class reads are exactly those that the builder wrote.
TEST(RtpPacketViewTest, ReadsBackWhatTheBuilderWrote) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SeededRandom random(seed);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round, ", SLUICE_TEST_SEED=", seed));
    RtpPacketBuilder builder;
    const auto sequence = static_cast<uint16_t>(random.NextU32());
    const uint32_t timestamp = random.NextU32();
    const uint32_t ssrc = random.NextU32();
    const auto payload_type = static_cast<uint8_t>(random.Below(128));
    const bool marker = random.Below(2) == 1;
    std::vector<uint32_t> csrcs(random.Below(16));
    for (uint32_t& csrc : csrcs) csrc = random.NextU32();
    const bool two_byte = random.Below(2) == 1;
    Elements elements;
    for (uint64_t left = random.Below(5); left > 0; --left) {
      Bytes data(two_byte ? random.Below(256) : 1 + random.Below(16));
      random.Fill(absl::MakeSpan(data));
      const auto id = static_cast<uint8_t>(1 + random.Below(two_byte ? 255 : 14));
      if (two_byte) {
        builder.AddTwoByteExtension(id, data, static_cast<uint8_t>(random.Below(16)));
      } else {
        builder.AddOneByteExtension(id, data);
      }
      elements.emplace_back(id, data);
    }
    Bytes payload(random.Below(1200));
    random.Fill(absl::MakeSpan(payload));
    const auto padding = static_cast<uint8_t>(random.Below(2) * random.Below(256));
    const Bytes packet = builder.WithSequence(sequence)
                             .WithTimestamp(timestamp)
                             .WithSsrc(ssrc)
                             .WithPayloadType(payload_type)
                             .WithMarker(marker)
                             .WithCsrcs(csrcs)
                             .WithPayload(payload)
                             .WithPadding(padding)
                             .Build();

    const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
    ASSERT_TRUE(view.has_value());
    EXPECT_EQ(view->sequence_number(), SequenceNumber(sequence));
    EXPECT_EQ(view->timestamp(), RtpTimestamp(timestamp));
    EXPECT_EQ(view->ssrc(), Ssrc(ssrc));
    EXPECT_EQ(view->payload_type(), PayloadType(payload_type));
    EXPECT_EQ(view->marker(), marker);
    ASSERT_EQ(view->csrc_count(), csrcs.size());
    for (size_t i = 0; i < csrcs.size(); ++i) EXPECT_EQ(view->csrc(i), Ssrc(csrcs[i]));
    EXPECT_EQ(ExtensionsOf(*view), elements);
    EXPECT_EQ(view->has_padding(), padding > 0);
    EXPECT_EQ(view->padding_size(), padding);
    EXPECT_EQ(Copy(view->payload_without_padding()), payload);
    EXPECT_EQ(view->header_size() + payload.size() + padding, packet.size());
  }
}

// media.md 3A, item 9: "version 1" RTP.
TEST(RtpPacketViewTest, DropsEveryOtherVersionBeforeAnyOtherField) {
  for (const uint8_t version : {0, 1, 3}) {
    Bytes packet = RtpPacketBuilder().WithPayloadSize(20).Build();
    packet[0] = static_cast<uint8_t>(version << 6 | (packet[0] & 0x3F));
    EXPECT_FALSE(RtpPacketView::Parse(packet).has_value()) << "version " << int{version};
    EXPECT_FALSE(RtpPacketView::ParseHeader(packet).has_value()) << "version " << int{version};
  }
}

TEST(RtpPacketViewTest, DropsWhatIsShorterThanAHeader) {
  const Bytes packet = RtpPacketBuilder().Build();
  ASSERT_EQ(packet.size(), 12u);
  for (size_t size = 0; size < packet.size(); ++size) {
    EXPECT_FALSE(RtpPacketView::ParseHeader(absl::MakeConstSpan(packet).first(size)).has_value())
        << size << " bytes";
  }
  EXPECT_FALSE(RtpPacketView::Parse({}).has_value());
}

// media.md 3C, item 24: a header length past the datagram must not become an AAD length.
TEST(RtpPacketViewTest, DropsHeadersThatReachPastTheDatagram) {
  const Bytes longest = RtpPacketBuilder()
                            .WithCsrcs(std::vector<uint32_t>(15, 7))
                            .WithRawExtension(0x1234, Bytes(40))
                            .Build();
  ASSERT_EQ(longest.size(), 12u + 60 + 4 + 40);
  // Copied so that AddressSanitizer sees a read past the end.
  for (size_t size = 0; size < longest.size(); ++size) {
    const Bytes cut(longest.begin(), longest.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(RtpPacketView::ParseHeader(cut).has_value()) << size << " bytes";
    EXPECT_FALSE(RtpPacketView::Parse(cut).has_value()) << size << " bytes";
  }
  EXPECT_TRUE(RtpPacketView::Parse(longest).has_value());

  Bytes fifteen_csrcs = RtpPacketBuilder().WithPayloadSize(59).Build();
  fifteen_csrcs[0] |= 15;
  EXPECT_FALSE(RtpPacketView::ParseHeader(fifteen_csrcs).has_value());
  fifteen_csrcs.push_back(0);
  EXPECT_TRUE(RtpPacketView::ParseHeader(fifteen_csrcs).has_value());

  const Bytes longest_extension = HexBytes("9000 0001 00000000 00000000 bede ffff 00000000");
  EXPECT_FALSE(RtpPacketView::ParseHeader(longest_extension).has_value());
}

TEST(RtpPacketViewTest, TakesTheLongestHeaderThereIs) {
  const Bytes packet = RtpPacketBuilder()
                           .WithCsrcs(std::vector<uint32_t>(15, 7))
                           .WithRawExtension(0x1234, Bytes(4 * 65535))
                           .WithPayload({1})
                           .Build();
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->header_size(), 12u + 60 + 4 + 4 * 65535);
  EXPECT_THAT(Copy(view->payload()), ElementsAre(1));
}

// media.md 3C, item 23: the count is unsigned and 1 <= pad <= payload.
TEST(RtpPacketViewTest, DropsPaddingThatThePayloadCannotHold) {
  struct Row {
    const char* what;
    Bytes payload;
    std::optional<size_t> media;
  };
  Bytes all_255(255);
  all_255.back() = 255;
  Bytes one_more(256);
  one_more.back() = 255;
  Bytes too_few(254);
  too_few.back() = 255;
  for (const Row& row : {
           Row{"no payload to have a count", {}, std::nullopt},
           Row{"count 0", {1, 2, 0}, std::nullopt},
           Row{"count 1", {1, 2, 1}, 2},
           Row{"all of the payload", {1, 2, 3}, 0},
           Row{"one more than the payload", {1, 2, 4}, std::nullopt},
           Row{"255 of 254, negative as a signed byte", too_few, std::nullopt},
           Row{"255 of 255", all_255, 0},
           Row{"255 of 256", one_more, 1},
       }) {
    Bytes packet = RtpPacketBuilder().WithPayload(row.payload).Build();
    packet[0] |= 0x20;
    const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
    ASSERT_EQ(view.has_value(), row.media.has_value()) << row.what;
    if (view.has_value()) {
      EXPECT_EQ(view->payload_without_padding().size(), *row.media) << row.what;
      EXPECT_EQ(view->payload().size(), row.payload.size()) << row.what;
    }
  }
}

// media.md 3C, item 21: a probe is a packet like others, so that it can be counted and
// acknowledged.
TEST(RtpPacketViewTest, APaddingOnlyProbeIsAPacketWithoutMedia) {
  const Bytes packet = RtpPacketBuilder().WithSequence(9).WithPadding(224).Build();
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->sequence_number(), SequenceNumber(9));
  EXPECT_EQ(view->padding_size(), 224u);
  EXPECT_THAT(view->payload_without_padding(), IsEmpty());
}

// media.md 3C, item 22: P and padding bytes belong together.
TEST(RtpPacketViewTest, WithoutThePaddingBitTheLastByteIsMedia) {
  const Bytes packet = RtpPacketBuilder().WithPayload({9, 9, 3}).Build();
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->padding_size(), 0u);
  EXPECT_THAT(Copy(view->payload_without_padding()), ElementsAre(9, 9, 3));
}

TEST(RtpPacketViewTest, HeaderOnlyParseDoesNotReadCiphertextAsPadding) {
  Bytes packet = RtpPacketBuilder().WithPayload({1, 2, 3}).Build();
  packet[0] |= 0x20;
  for (const uint8_t last : {0, 1, 200}) {
    packet.back() = last;
    const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet);
    ASSERT_TRUE(view.has_value());
    EXPECT_TRUE(view->has_padding());
    EXPECT_EQ(view->padding_size(), 0u);
    EXPECT_EQ(view->payload().size(), 3u);
    EXPECT_EQ(view->payload_without_padding().size(), 3u);
  }
}

// The example of RFC 8285 section 4.2.
TEST(RtpPacketViewTest, WalksTheOneByteForm) {
  EXPECT_THAT(ExtensionsOf(0xBEDE, "10 a1 21 b1 b2 00 00 33 c1 c2 c3 c4"),
              ElementsAre(Pair(1, ElementsAre(0xa1)), Pair(2, ElementsAre(0xb1, 0xb2)),
                          Pair(3, ElementsAre(0xc1, 0xc2, 0xc3, 0xc4))));
}

// The example of RFC 8285 section 4.3.
TEST(RtpPacketViewTest, WalksTheTwoByteForm) {
  EXPECT_THAT(ExtensionsOf(0x1000, "01 00 02 01 b1 00 03 04 c1 c2 c3 c4"),
              ElementsAre(Pair(1, IsEmpty()), Pair(2, ElementsAre(0xb1)),
                          Pair(3, ElementsAre(0xc1, 0xc2, 0xc3, 0xc4))));
}

TEST(RtpPacketViewTest, TakesIds1To14InTheOneByteForm) {
  for (int id = 1; id <= 14; ++id) {
    const std::string data = absl::StrCat(absl::Hex(id), "0 aa");
    EXPECT_THAT(ExtensionsOf(0xBEDE, data), ElementsAre(Pair(id, ElementsAre(0xaa)))) << data;
  }
}

// media.md 3C, item 25, and RFC 8285 sections 4.1.2 and 4.2.
TEST(RtpPacketViewTest, Id15AndId0WithALengthEndTheOneByteWalk) {
  EXPECT_THAT(ExtensionsOf(0xBEDE, "10 a1 f0 b1 20 c1 00 00"),
              ElementsAre(Pair(1, ElementsAre(0xa1))));
  EXPECT_THAT(ExtensionsOf(0xBEDE, "10 a1 01 b1 20 c1 00 00"),
              ElementsAre(Pair(1, ElementsAre(0xa1))));
  EXPECT_THAT(ExtensionsOf(0xBEDE, "f0 b1 20 c1"), IsEmpty());
  EXPECT_THAT(ExtensionsOf(0xBEDE, "0f b1 20 c1"), IsEmpty());
}

TEST(RtpPacketViewTest, PaddingBytesMayStandAnywhere) {
  EXPECT_THAT(ExtensionsOf(0xBEDE, "00 00 10 a1 00 20 b1 00"),
              ElementsAre(Pair(1, ElementsAre(0xa1)), Pair(2, ElementsAre(0xb1))));
  EXPECT_THAT(ExtensionsOf(0x1000, "00 00 01 01 a1 00 02 00"),
              ElementsAre(Pair(1, ElementsAre(0xa1)), Pair(2, IsEmpty())));
  EXPECT_THAT(ExtensionsOf(0xBEDE, "00000000"), IsEmpty());
  EXPECT_THAT(ExtensionsOf(0x1000, "00000000"), IsEmpty());
}

TEST(RtpPacketViewTest, AnElementThatDoesNotFitEndsTheWalk) {
  EXPECT_THAT(ExtensionsOf(0xBEDE, "10 a1 22 b1"), ElementsAre(Pair(1, ElementsAre(0xa1))));
  EXPECT_THAT(ExtensionsOf(0xBEDE, "11 a1 a2 20"), ElementsAre(Pair(1, ElementsAre(0xa1, 0xa2))));
  EXPECT_THAT(ExtensionsOf(0x1000, "01 01 a1 02"), ElementsAre(Pair(1, ElementsAre(0xa1))));
  EXPECT_THAT(ExtensionsOf(0x1000, "01 01 a1 00 02 03 b1 b2"),
              ElementsAre(Pair(1, ElementsAre(0xa1))));
  EXPECT_THAT(ExtensionsOf(0x1000, "01 ff a1 a2"), IsEmpty());
  // The payload is not the extension's to read: 3 bytes are wanted, 1 is there, 8 follow.
  const Bytes packet = RtpPacketBuilder()
                           .WithRawExtension(0xBEDE, HexBytes("10 a1 22 b1"))
                           .WithPayloadSize(8)
                           .Build();
  EXPECT_THAT(ExtensionsOf(*RtpPacketView::Parse(packet)), ElementsAre(Pair(1, ElementsAre(0xa1))));
}

TEST(RtpPacketViewTest, AnyAppbitsMeanTheTwoByteForm) {
  for (uint16_t appbits = 0; appbits <= 15; ++appbits) {
    EXPECT_THAT(ExtensionsOf(0x1000 | appbits, "0f 01 a1 00"),
                ElementsAre(Pair(15, ElementsAre(0xa1))))
        << "appbits " << appbits;
  }
}

TEST(RtpPacketViewTest, OtherProfilesHaveNoElementsButTheirBytes) {
  for (const uint16_t profile : {0x0000, 0x0FFF, 0x1010, 0xBEDF, 0xC0DE}) {
    const Bytes packet =
        RtpPacketBuilder().WithRawExtension(profile, HexBytes("10 a1 20 b1")).Build();
    const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
    ASSERT_TRUE(view.has_value());
    EXPECT_EQ(view->extension_profile(), profile);
    EXPECT_THAT(Copy(view->extension_data()), ElementsAre(0x10, 0xa1, 0x20, 0xb1));
    EXPECT_THAT(ExtensionsOf(*view), IsEmpty()) << profile;
  }
}

TEST(RtpPacketViewTest, AnEmptyExtensionIsAnExtension) {
  const Bytes packet = HexBytes("9000 0001 00000000 00000000 bede 0000 aa");
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  ASSERT_TRUE(view.has_value());
  EXPECT_TRUE(view->has_extension());
  EXPECT_EQ(view->header_size(), 16u);
  EXPECT_THAT(view->extension_data(), IsEmpty());
  EXPECT_THAT(ExtensionsOf(*view), IsEmpty());
  EXPECT_THAT(Copy(view->payload()), ElementsAre(0xaa));
}

// A hostile byte anywhere makes another packet or none, and never a read outside
// (AddressSanitizer).
TEST(RtpPacketViewTest, SurvivesEveryByteValueAtEveryPlaceOfTheHeader) {
  const Bytes good = RtpPacketBuilder()
                         .WithCsrcs({1, 2})
                         .AddOneByteExtension(1, Bytes{1})
                         .AddOneByteExtension(2, Bytes{1, 2, 3})
                         .WithPayloadSize(3)
                         .WithPadding(2)
                         .Build();
  for (size_t place = 0; place < good.size(); ++place) {
    for (int value = 0; value <= 255; ++value) {
      Bytes packet = good;
      packet[place] = static_cast<uint8_t>(value);
      const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
      if (view.has_value()) {
        EXPECT_EQ(
            view->header_size() + view->payload_without_padding().size() + view->padding_size(),
            packet.size());
        ExtensionsOf(*view);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
