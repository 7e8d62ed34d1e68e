#include "interceptor/red/red_decoder.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

constexpr uint8_t kOpus = 111;
constexpr uint8_t kEvent = 101;
constexpr uint8_t kRed = 63;

RtpPacketBuilder Audio(uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSsrc(0xA0)
      .WithSequence(sequence)
      .WithTimestamp(960u * sequence)
      .WithPayloadType(kOpus)
      .WithPayload({static_cast<uint8_t>(sequence), 0xAA});
}

// A packet that repeats the `count` before it.
RtpPacketBuilder Red(uint16_t sequence, uint16_t count) {
  std::vector<Bytes> data;
  std::vector<RedBlock> blocks;
  for (uint16_t i = count; i > 0; --i) data.push_back({static_cast<uint8_t>(sequence - i), 0xAA});
  for (uint16_t i = count; i > 0; --i) {
    blocks.push_back({PayloadType(kOpus), 960u * i, data[count - i]});
  }
  Bytes payload(RedOverhead(blocks));
  WriteRedOverhead(blocks, PayloadType(kOpus), absl::MakeSpan(payload));
  payload.insert(payload.end(), {static_cast<uint8_t>(sequence), 0xAA});
  return Audio(sequence).WithPayloadType(kRed).WithPayload(payload);
}

class RedDecoderTest : public testing::Test {
 protected:
  RedDecoderTest() {
    StreamInfo info;
    info.ssrc = Ssrc(0xA0);
    EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(kOpus)}));
    EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(kEvent)}));
    EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(kRed),
                                .role = PayloadRole::kRedundancy,
                                .associated = PayloadType(kOpus)}));
    decoder_.Begin(info);
  }

  // The packet opened; nothing when it is dropped.
  std::optional<Bytes> Open(const Bytes& bytes) {
    PacketLoan loan = arena_.Lend();
    EXPECT_TRUE(loan.Resize(bytes.size()));
    CopyBytes(loan.bytes(), bytes);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    if (decoder_.Open(row, counters_, out_) == RedDecoder::Verdict::kDrop) {
      return std::nullopt;
    }
    EXPECT_EQ(row.view.bytes().data(), loan.bytes().data());
    return Bytes(loan.bytes().begin(), loan.bytes().end());
  }
  std::optional<Bytes> Open(const RtpPacketBuilder& builder) { return Open(builder.Build()); }
  // What was restored since.
  std::vector<Bytes> Restored() {
    std::vector<Bytes> all;
    for (const OutboxRtp& made : out_.deliveries()) {
      EXPECT_EQ(made.source, PacketSource::kRecovered);
      all.emplace_back(made.packet.bytes().begin(), made.packet.bytes().end());
    }
    out_.EndBatch();
    return all;
  }
  static Bytes Packet(const std::vector<RedBlock>& blocks, uint16_t sequence,
                      uint8_t primary_type = kOpus) {
    Bytes payload(RedOverhead(blocks));
    WriteRedOverhead(blocks, PayloadType(primary_type), absl::MakeSpan(payload));
    payload.push_back(1);
    return Audio(sequence).WithPayloadType(kRed).WithPayload(payload).Build();
  }

  PacketArena arena_{32};
  AttributesArena attributes_{0};
  InterceptorOutbox out_{{.rtp_packets = 16}, arena_, attributes_};
  RedDecoder decoder_;
  RedDecoderCounters counters_;
};

TEST_F(RedDecoderTest, APacketBecomesItsPrimaryEncoding) {
  EXPECT_EQ(Open(Red(1, 0)), Audio(1).Build());
  EXPECT_EQ(Open(Red(2, 1)), Audio(2).Build());
  EXPECT_EQ(Open(Red(3, 2)), Audio(3).Build());
  EXPECT_EQ(counters_.opened, 3u);
  EXPECT_THAT(Restored(), IsEmpty());
}

TEST_F(RedDecoderTest, HeaderAndPaddingStay) {
  const auto dressed = [](RtpPacketBuilder builder) {
    return builder.WithMarker()
        .WithCsrcs({1, 2, 3})
        .AddOneByteExtension(1, Bytes{5})
        .WithPadding(20)
        .Build();
  };
  EXPECT_EQ(Open(dressed(Red(2, 1))), dressed(Audio(2)));
}

TEST_F(RedDecoderTest, MissingPacketsAreRestored) {
  Open(Red(1, 0));
  EXPECT_EQ(Open(Red(4, 2)), Audio(4).Build());
  EXPECT_THAT(Restored(), ElementsAre(Audio(2).Build(), Audio(3).Build()));
  EXPECT_EQ(counters_.restored, 2u);
}

TEST_F(RedDecoderTest, NumbersAndTimesWrap) {
  const auto at = [](RtpPacketBuilder builder, uint32_t timestamp) {
    return builder.WithTimestamp(timestamp).Build();
  };
  Open(at(Red(65534, 0), 0xFFFFFC40));
  EXPECT_EQ(Open(at(Red(0, 2), 960)), at(Audio(0), 960));
  EXPECT_THAT(Restored(), ElementsAre(at(Audio(65535), 0)));
}

// RFC 2198 section 4.
TEST_F(RedDecoderTest, ARestoredPacketHasTheCsrcsAndNeitherMarkerNorExtensionNorPadding) {
  Open(Red(1, 0));
  Open(Red(3, 1)
           .WithMarker()
           .WithCsrcs({7, 8})
           .AddOneByteExtension(1, Bytes{5})
           .WithPadding(3)
           .Build());
  EXPECT_THAT(Restored(), ElementsAre(Audio(2).WithCsrcs({7, 8}).Build()));
}

TEST_F(RedDecoderTest, APacketThatComesWhenItWasRestoredIsDropped) {
  Open(Red(1, 0));
  Open(Red(3, 1));
  EXPECT_EQ(Restored().size(), 1u);
  EXPECT_EQ(Open(Red(2, 1)), std::nullopt);
  EXPECT_EQ(counters_.duplicates, 1u);
}

TEST_F(RedDecoderTest, DuplicatesOfAnyFormatAreDropped) {
  EXPECT_NE(Open(Red(1, 0)), std::nullopt);
  EXPECT_EQ(Open(Red(1, 0)), std::nullopt);
  EXPECT_EQ(Open(Audio(1)), std::nullopt);
  const Bytes event = Audio(2).WithPayloadType(kEvent).Build();
  EXPECT_EQ(Open(event), event);
  EXPECT_EQ(Open(event), std::nullopt);
  EXPECT_EQ(counters_.duplicates, 3u);
}

TEST_F(RedDecoderTest, PlainPacketsOfTheStreamCount) {
  Open(Audio(1));
  EXPECT_EQ(Open(Audio(2)), Audio(2).Build());
  Open(Red(4, 2));
  EXPECT_THAT(Restored(), ElementsAre(Audio(3).Build()));
}

TEST_F(RedDecoderTest, NothingIsRestoredBeforeTheFirstPacket) {
  Open(Red(0, 2));
  EXPECT_THAT(Restored(), IsEmpty());
}

TEST_F(RedDecoderTest, MalformedPacketsAreDroppedAndAreNotThere) {
  Open(Red(1, 0));
  for (const Bytes& payload : {Bytes{0x80}, Bytes{0xFF, 0, 4, 5, kOpus, 1}, Bytes(50, 0xFF)}) {
    EXPECT_EQ(Open(Audio(2).WithPayloadType(kRed).WithPayload(payload)), std::nullopt);
  }
  EXPECT_EQ(counters_.malformed, 3u);
  Open(Red(3, 1));
  EXPECT_THAT(Restored(), ElementsAre(Audio(2).Build()));
}

TEST_F(RedDecoderTest, EncodingsThatWereNotNegotiatedAreRefused) {
  Open(Red(1, 0));
  EXPECT_EQ(Open(Packet({}, 2, 55)), std::nullopt);
  // Redundancy of redundancy.
  EXPECT_EQ(Open(Packet({}, 2, kRed)), std::nullopt);
  EXPECT_EQ(counters_.unknown_format, 2u);
  const Bytes data = {1};
  EXPECT_NE(Open(Packet({{PayloadType(55), 960, data}}, 3)), std::nullopt);
  EXPECT_NE(Open(Packet({{PayloadType(kRed), 960, data}}, 5)), std::nullopt);
  EXPECT_NE(Open(Packet({{PayloadType(kOpus), 0, data}}, 7)), std::nullopt);
  EXPECT_EQ(counters_.blocks_refused, 3u);
  EXPECT_THAT(Restored(), IsEmpty());
}

TEST_F(RedDecoderTest, AnEmptyBlockTakesItsPlaceAndRestoresNothing) {
  Open(Red(1, 0));
  const Bytes data = {2, 0xAA};
  Open(Packet({{PayloadType(kOpus), 1920, data}, {PayloadType(kOpus), 960, {}}}, 4));
  EXPECT_THAT(Restored(), ElementsAre(Audio(2).Build()));
}

TEST_F(RedDecoderTest, PaddingAloneStaysAPacketOfThePrimaryFormat) {
  EXPECT_EQ(Open(Audio(1).WithPayloadType(kRed).WithPayload({}).WithPadding(9)),
            Audio(1).WithPayload({}).WithPadding(9).Build());
}

TEST_F(RedDecoderTest, WithoutSlotsOrRoomNothingIsRestoredAndTheNextMayRestoreIt) {
  Open(Red(1, 0));
  std::vector<PacketLoan> all(arena_.capacity() - 1);
  for (PacketLoan& loan : all) loan = arena_.Lend();
  Open(Red(3, 1));
  EXPECT_EQ(counters_.no_slot, 1u);
  all.clear();
  for (int i = 0; i < 16; ++i) {
    EXPECT_TRUE(out_.DeliverRtp(Audio(9).BuildInto(arena_), PacketSource::kRecovered));
  }
  Open(Red(4, 2));
  EXPECT_EQ(counters_.no_room, 1u);
  out_.EndBatch();
  Open(Red(5, 3));
  EXPECT_THAT(Restored(), ElementsAre(Audio(2).Build()));
}

TEST_F(RedDecoderTest, NoBytesFromTheWireMakeAPacketThatIsNone) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  uint16_t sequence = 0;
  for (int i = 0; i < 30'000; ++i) {
    Bytes payload(random.Below(40));
    random.Fill(absl::MakeSpan(payload));
    if (payload.size() > 12) {
      payload[0] = 0x80 | kOpus;
      payload[2] &= 0xFC;
      payload[3] = static_cast<uint8_t>(random.Below(12));
      payload[4] = kOpus;
    }
    sequence = static_cast<uint16_t>(sequence + random.Below(4));
    RtpPacketBuilder builder = Audio(sequence).WithPayloadType(kRed).WithPayload(payload);
    if (random.Below(4) == 0) builder.WithPadding(static_cast<uint8_t>(1 + random.Below(200)));
    if (random.Below(4) == 0) builder.WithCsrcs({1, 2});
    const std::optional<Bytes> opened = Open(builder.Build());
    if (opened.has_value()) {
      ASSERT_TRUE(RtpPacketView::Parse(*opened).has_value());
    }
    for (const Bytes& restored : Restored()) {
      ASSERT_TRUE(RtpPacketView::Parse(restored).has_value());
    }
    ASSERT_EQ(arena_.free(), arena_.capacity());
  }
  EXPECT_GT(counters_.opened, 1'000u);
  EXPECT_GT(counters_.restored, 100u);
}

}  // namespace
}  // namespace sluice
