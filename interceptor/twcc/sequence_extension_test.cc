#include "interceptor/twcc/sequence_extension.h"

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using enum WriteSequenceVerdict;
using Bytes = std::vector<uint8_t>;

constexpr TransportSequence kSequence(0xABCD);
const Bytes kData = {1, 2, 3};

RtpPacketView View(const PacketLoan& packet) {
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet.bytes());
  EXPECT_TRUE(view.has_value());
  return *view;
}

std::map<int, Bytes> Elements(const PacketLoan& packet) {
  std::map<int, Bytes> elements;
  View(packet).ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
    EXPECT_TRUE(elements.emplace(id, Bytes(data.begin(), data.end())).second) << "id twice";
  });
  return elements;
}

WriteSequenceVerdict Write(PacketLoan& packet, uint8_t id) {
  return WriteTransportSequence(packet, View(packet), id, kSequence);
}

// What is not the extension.
void ExpectRestUnchanged(const PacketLoan& packet, const RtpPacketBuilder& builder) {
  const Bytes bytes = builder.Build();
  const RtpPacketView before = *RtpPacketView::Parse(bytes);
  const RtpPacketView after = View(packet);
  EXPECT_EQ(after.ssrc(), before.ssrc());
  EXPECT_EQ(after.sequence_number(), before.sequence_number());
  EXPECT_EQ(after.timestamp(), before.timestamp());
  EXPECT_EQ(after.payload_type(), before.payload_type());
  EXPECT_EQ(after.marker(), before.marker());
  EXPECT_EQ(after.padding_size(), before.padding_size());
  ASSERT_EQ(after.csrc_count(), before.csrc_count());
  for (size_t i = 0; i < after.csrc_count(); ++i) {
    EXPECT_EQ(after.csrc(i), before.csrc(i));
  }
  EXPECT_EQ(after.payload(), before.payload());
}

RtpPacketBuilder Media() {
  return RtpPacketBuilder()
      .WithSsrc(0x11223344)
      .WithSequence(77)
      .WithTimestamp(0x55667788)
      .WithMarker()
      .WithCsrcs({5, 6})
      .WithPayloadSize(100)
      .WithPadding(4);
}

TEST(SequenceExtensionTest, APacketWithoutExtensionGetsOne) {
  PacketArena arena(1);
  const RtpPacketBuilder builder = Media();
  PacketLoan packet = builder.BuildInto(arena);
  ASSERT_EQ(Write(packet, 5), kInserted);
  EXPECT_EQ(View(packet).extension_profile(), kOneByteExtensionProfile);
  EXPECT_THAT(Elements(packet), ElementsAre(Pair(5, Bytes{0xAB, 0xCD})));
  EXPECT_EQ(packet.size(), builder.Build().size() + 8);
  ExpectRestUnchanged(packet, builder);
}

TEST(SequenceExtensionTest, AnIdAboveFourteenNeedsTheTwoByteForm) {
  PacketArena arena(1);
  const RtpPacketBuilder builder = Media();
  PacketLoan packet = builder.BuildInto(arena);
  ASSERT_EQ(Write(packet, 15), kInserted);
  EXPECT_EQ(View(packet).extension_profile(), kTwoByteExtensionProfile);
  EXPECT_THAT(Elements(packet), ElementsAre(Pair(15, Bytes{0xAB, 0xCD})));
  ExpectRestUnchanged(packet, builder);
}

TEST(SequenceExtensionTest, OtherElementsStay) {
  PacketArena arena(1);
  RtpPacketBuilder one_byte = Media();
  one_byte.AddOneByteExtension(3, kData).AddOneByteExtension(7, {{9}});
  PacketLoan packet = one_byte.BuildInto(arena);
  ASSERT_EQ(Write(packet, 5), kInserted);
  EXPECT_THAT(Elements(packet),
              ElementsAre(Pair(3, kData), Pair(5, Bytes{0xAB, 0xCD}), Pair(7, Bytes{9})));
  EXPECT_EQ(packet.size(), one_byte.Build().size() + 4);
  ExpectRestUnchanged(packet, one_byte);
  packet.Return();

  RtpPacketBuilder two_byte = Media();
  two_byte.AddTwoByteExtension(3, kData).AddTwoByteExtension(200, {}, 6);
  packet = two_byte.BuildInto(arena);
  ASSERT_EQ(Write(packet, 199), kInserted);
  EXPECT_EQ(View(packet).extension_profile(), kTwoByteExtensionProfile | 6);
  EXPECT_THAT(Elements(packet),
              ElementsAre(Pair(3, kData), Pair(199, Bytes{0xAB, 0xCD}), Pair(200, Bytes{})));
  ExpectRestUnchanged(packet, two_byte);
}

TEST(SequenceExtensionTest, AnElementThatIsThereIsOverwrittenInPlace) {
  PacketArena arena(1);
  RtpPacketBuilder builder = Media();
  builder.AddOneByteExtension(3, kData).AddOneByteExtension(5, {{0, 0}});
  PacketLoan packet = builder.BuildInto(arena);
  const uint8_t* const begin = packet.bytes().data();
  ASSERT_EQ(Write(packet, 5), kOverwritten);
  EXPECT_EQ(packet.bytes().data(), begin);
  EXPECT_EQ(packet.size(), builder.Build().size());
  EXPECT_THAT(Elements(packet), ElementsAre(Pair(3, kData), Pair(5, Bytes{0xAB, 0xCD})));
  ExpectRestUnchanged(packet, builder);
}

TEST(SequenceExtensionTest, AnElementBehindTheEndOfProcessingIsNotCounted) {
  PacketArena arena(1);
  // Id 15 ends the processing (RFC 8285 section 4.2).
  RtpPacketBuilder builder = Media();
  builder.WithRawExtension(kOneByteExtensionProfile, {0xF0, 1, 0x51, 7, 7, 0, 0, 0});
  PacketLoan packet = builder.BuildInto(arena);
  ASSERT_EQ(Write(packet, 5), kInserted);
  EXPECT_THAT(Elements(packet), ElementsAre(Pair(5, Bytes{0xAB, 0xCD})));
}

TEST(SequenceExtensionTest, WhatCannotBeWrittenStaysAsItWas) {
  RtpPacketBuilder unknown_profile = Media();
  unknown_profile.WithRawExtension(0x1234, {1, 2, 3, 4});
  RtpPacketBuilder wrong_size = Media();
  wrong_size.AddOneByteExtension(15 - 1, kData);
  RtpPacketBuilder one_byte_form = Media();
  one_byte_form.AddOneByteExtension(3, kData);
  const struct {
    RtpPacketBuilder builder;
    uint8_t id;
  } cases[] = {{unknown_profile, 5}, {wrong_size, 14}, {one_byte_form, 15}};
  for (const auto& [builder, id] : cases) {
    PacketArena arena(1);
    PacketLoan packet = builder.BuildInto(arena);
    EXPECT_EQ(Write(packet, id), kUnwritable);
    EXPECT_EQ(packet.bytes(), absl::MakeConstSpan(builder.Build()));
  }
}

TEST(SequenceExtensionTest, WithoutRoomInFrontThePacketStaysAsItWas) {
  PacketArena arena(1);
  const RtpPacketBuilder builder = Media();
  PacketLoan packet = builder.BuildInto(arena);
  // Leaves less than an extension needs.
  const Bytes bytes = builder.Build();
  ASSERT_TRUE(packet.Prepend(packet.headroom() - 7));
  CopyBytes(packet.bytes(), bytes);
  ASSERT_TRUE(packet.Resize(bytes.size()));
  EXPECT_EQ(Write(packet, 5), kNoRoom);
  EXPECT_EQ(packet.bytes(), absl::MakeConstSpan(bytes));
}

TEST(SequenceExtensionTest, ReadsWhatItWrote) {
  PacketArena arena(1);
  PacketLoan packet = Media().BuildInto(arena);
  EXPECT_EQ(ReadTransportSequence(View(packet), 5), std::nullopt);
  ASSERT_EQ(Write(packet, 5), kInserted);
  EXPECT_EQ(ReadTransportSequence(View(packet), 5), kSequence);
  EXPECT_EQ(ReadTransportSequence(View(packet), 6), std::nullopt);
}

TEST(SequenceExtensionTest, AnElementOfAnotherSizeIsNoSequenceNumber) {
  PacketArena arena(1);
  RtpPacketBuilder builder = Media();
  builder.AddOneByteExtension(5, kData).AddOneByteExtension(6, {{1}});
  const PacketLoan packet = builder.BuildInto(arena);
  EXPECT_EQ(ReadTransportSequence(View(packet), 5), std::nullopt);
  EXPECT_EQ(ReadTransportSequence(View(packet), 6), std::nullopt);
}

// Whatever the extension's bytes are: a written number can be read, and the rest of the packet
// stays.
TEST(SequenceExtensionTest, AnyExtensionIsEitherNumberedOrLeftAlone) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(5);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  PacketArena arena(1);
  constexpr uint16_t kProfiles[] = {kOneByteExtensionProfile, kTwoByteExtensionProfile, 0x1005,
                                    0x4321};
  int written = 0;
  for (int i = 0; i < 5000; ++i) {
    Bytes data(random.Below(40));
    for (uint8_t& byte : data) {
      // Small values make short elements and padding.
      byte = static_cast<uint8_t>(random.Below(2) == 0 ? random.Below(256) : random.Below(4));
    }
    RtpPacketBuilder builder = Media();
    builder.WithRawExtension(kProfiles[random.Below(4)], data);
    PacketLoan packet = builder.BuildInto(arena);
    const auto id = static_cast<uint8_t>(1 + random.Below(16));
    const WriteSequenceVerdict verdict = Write(packet, id);
    if (verdict == kUnwritable) {
      ASSERT_EQ(packet.bytes(), absl::MakeConstSpan(builder.Build()));
    } else {
      ++written;
      ASSERT_EQ(ReadTransportSequence(View(packet), id), kSequence);
      ExpectRestUnchanged(packet, builder);
    }
  }
  EXPECT_GT(written, 2000);
}

}  // namespace
}  // namespace sluice
