#include "interceptor/nack/rtx_packet.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/intercepted_packet.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Bytes = std::vector<uint8_t>;

constexpr uint8_t kMid[] = {'0'};
constexpr RtxIdentity kRtx = {Ssrc(0xB1), PayloadType(97), SequenceNumber(1234)};

Bytes BytesOf(const PacketLoan& packet) { return {packet.bytes().begin(), packet.bytes().end()}; }

// The retransmission of a packet.
Bytes Retransmit(const Bytes& original, PacketArena& arena) {
  PacketLoan to = arena.Lend();
  EXPECT_TRUE(WriteRetransmission(*RtpPacketView::Parse(original), kRtx, to));
  return BytesOf(to);
}

PacketLoan Loan(const Bytes& bytes, PacketArena& arena) {
  PacketLoan loan = arena.Lend();
  EXPECT_TRUE(loan.Resize(bytes.size()));
  CopyBytes(loan.bytes(), bytes);
  return loan;
}

// The packet that a retransmission repeats.
std::optional<Bytes> Restore(const Bytes& retransmission, Ssrc ssrc, PayloadType payload_type,
                             PacketArena& arena) {
  PacketLoan loan = Loan(retransmission, arena);
  std::optional<InterceptedRtp> row = InterceptedRtp::Of(loan);
  if (!row.has_value()) {
    return std::nullopt;
  }
  const std::optional<SequenceNumber> sequence = ReadOriginalSequence(row->view);
  if (!sequence.has_value() || !RestoreOriginal({ssrc, payload_type, *sequence}, *row)) {
    return std::nullopt;
  }
  EXPECT_EQ(row->view.sequence_number(), *sequence);
  return BytesOf(loan);
}

TEST(RtxPacketTest, HasTheFieldsOfRfc4588Section4) {
  PacketArena arena(1);
  const Bytes original = RtpPacketBuilder()
                             .WithSsrc(0xB0)
                             .WithPayloadType(96)
                             .WithSequence(0xABCD)
                             .WithTimestamp(0x01020304)
                             .WithMarker()
                             .WithCsrcs({7, 8})
                             .AddOneByteExtension(4, kMid)
                             .WithPayload({1, 2, 3})
                             .Build();
  const Bytes bytes = Retransmit(original, arena);
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(bytes);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->ssrc(), kRtx.ssrc);
  EXPECT_EQ(view->payload_type(), kRtx.payload_type);
  EXPECT_EQ(view->sequence_number(), kRtx.sequence);
  // "MUST be set to the original timestamp"; marker and CSRCs "as is"; the same extension.
  EXPECT_EQ(view->timestamp(), RtpTimestamp(0x01020304));
  EXPECT_TRUE(view->marker());
  ASSERT_EQ(view->csrc_count(), 2u);
  EXPECT_EQ(view->csrc(1), Ssrc(8));
  EXPECT_THAT(view->extension_data(),
              ElementsAreArray(RtpPacketView::Parse(original)->extension_data()));
  EXPECT_THAT(view->payload(), ElementsAre(0xAB, 0xCD, 1, 2, 3));
}

TEST(RtxPacketTest, PaddingIsLeftOutTogetherWithItsBit) {
  PacketArena arena(1);
  const Bytes bytes =
      Retransmit(RtpPacketBuilder().WithPayload({1, 2, 3}).WithPadding(9).Build(), arena);
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(bytes);
  ASSERT_TRUE(view.has_value());
  EXPECT_FALSE(view->has_padding());
  EXPECT_THAT(view->payload(), ElementsAre(0, 0, 1, 2, 3));
}

TEST(RtxPacketTest, APacketOfPaddingOnlyIsRepeatedWithoutIt) {
  PacketArena arena(1);
  const Bytes bytes =
      Retransmit(RtpPacketBuilder().WithSequence(6).WithPadding(200).Build(), arena);
  EXPECT_EQ(bytes.size(), 14u);
  EXPECT_THAT(Restore(bytes, Ssrc(1), PayloadType(96), arena),
              testing::Optional(testing::SizeIs(12)));
}

TEST(RtxPacketTest, PayloadsOver1460BytesAreRepeated) {
  PacketArena arena(1);
  for (const size_t size : {1460, 1461, 1500, static_cast<int>(kMaxDatagramSize) - 12}) {
    const Bytes original = RtpPacketBuilder().WithPayloadSize(size).Build();
    EXPECT_EQ(Retransmit(original, arena).size(), original.size() + 2);
  }
}

TEST(RtxPacketTest, LeavesTheTailroomToSrtp) {
  PacketArena arena(1);
  PacketLoan to = arena.Lend();
  const Bytes original = RtpPacketBuilder().WithPayloadSize(kMaxDatagramSize - 12).Build();
  ASSERT_TRUE(WriteRetransmission(*RtpPacketView::Parse(original), kRtx, to));
  EXPECT_GE(to.tailroom(), kPacketTailroom);
}

TEST(RtxPacketTest, APacketLongerThanTheSlotIsRefused) {
  PacketArena arena(1);
  PacketLoan to = arena.Lend();
  const Bytes original = RtpPacketBuilder().WithPayloadSize(3000).Build();
  EXPECT_FALSE(WriteRetransmission(*RtpPacketView::Parse(original), kRtx, to));
}

TEST(RtxPacketTest, NoNumberIsReadFromPaddingOrFromASingleByte) {
  EXPECT_EQ(ReadOriginalSequence(*RtpPacketView::Parse(RtpPacketBuilder().Build())), std::nullopt);
  const Bytes one = RtpPacketBuilder().WithPayload({9}).Build();
  EXPECT_EQ(ReadOriginalSequence(*RtpPacketView::Parse(one)), std::nullopt);
  const Bytes padded = RtpPacketBuilder().WithPayload({9}).WithPadding(50).Build();
  EXPECT_EQ(ReadOriginalSequence(*RtpPacketView::Parse(padded)), std::nullopt);
  const Bytes padding = RtpPacketBuilder().WithPadding(255).Build();
  EXPECT_EQ(ReadOriginalSequence(*RtpPacketView::Parse(padding)), std::nullopt);
  const Bytes two = RtpPacketBuilder().WithPayload({1, 2}).WithPadding(1).Build();
  EXPECT_EQ(ReadOriginalSequence(*RtpPacketView::Parse(two)), SequenceNumber(0x0102));
}

TEST(RtxPacketTest, PaddingOfARetransmissionStaysWithItsBit) {
  PacketArena arena(1);
  const Bytes retransmission =
      RtpPacketBuilder().WithPayload({0, 5, 1, 2, 3}).WithPadding(4).WithSequence(77).Build();
  EXPECT_EQ(Restore(retransmission, Ssrc(0), PayloadType(96), arena),
            RtpPacketBuilder().WithSequence(5).WithPayload({1, 2, 3}).WithPadding(4).Build());
}

TEST(RtxPacketTest, WhatIsRestoredIsWhatWasSent) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  PacketArena arena(2);
  for (int i = 0; i < 2'000; ++i) {
    const auto payload_type = static_cast<uint8_t>(random.Below(128));
    RtpPacketBuilder builder;
    builder.WithSsrc(random.NextU32())
        .WithPayloadType(payload_type)
        .WithSequence(static_cast<uint16_t>(random.NextU32()))
        .WithTimestamp(random.NextU32())
        .WithMarker(random.Below(2) == 0)
        .WithCsrcs(std::vector<uint32_t>(random.Below(16), random.NextU32()))
        .WithPayloadSize(random.Below(1400));
    if (random.Below(2) == 0) {
      builder.AddOneByteExtension(4, kMid);
    }
    const Bytes original = builder.Build();
    const Bytes repeated = Retransmit(original, arena);
    ASSERT_EQ(
        Restore(repeated, RtpPacketView::Parse(original)->ssrc(), PayloadType(payload_type), arena),
        original);
  }
}

TEST(RtxPacketTest, NoBytesFromTheWireMakeAPacketThatIsNone) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(5);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  PacketArena arena(1);
  int restored = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes(12 + random.Below(40));
    random.Fill(absl::MakeSpan(bytes));
    // Often a packet, with little behind the header.
    bytes[0] = static_cast<uint8_t>(0x80 | (random.Below(4) << 4) | random.Below(3));
    if (random.Below(2) == 0) {
      bytes.back() = static_cast<uint8_t>(random.Below(10));
    }
    const std::optional<Bytes> original = Restore(bytes, Ssrc(1), PayloadType(96), arena);
    if (original.has_value()) {
      ++restored;
      ASSERT_TRUE(RtpPacketView::Parse(*original).has_value());
      ASSERT_EQ(original->size(), bytes.size() - 2);
    }
  }
  EXPECT_GT(restored, 1000);
}

}  // namespace
}  // namespace sluice
