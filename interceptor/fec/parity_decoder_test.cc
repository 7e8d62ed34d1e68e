#include "interceptor/fec/parity_decoder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/fec/flexfec_header.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Numbers = std::vector<uint16_t>;
using enum ParityDecoder::MediaVerdict;

constexpr Ssrc kMedia(0xB0);
constexpr uint32_t kRepair = 0xBF;
constexpr StreamSlot kSlot(1);

Bytes Media(uint16_t sequence, size_t size = 50) {
  return RtpPacketBuilder()
      .WithSsrc(kMedia.value())
      .WithSequence(sequence)
      .WithTimestamp(3000u * sequence)
      .WithMarker(sequence % 3 == 0)
      .WithPayloadSize(size + sequence % 7)
      .Build();
}

// Any repair packet.
Bytes Repair(const FlexFecHeader& header, const Bytes& payload, uint8_t payload_type = 110) {
  Bytes bytes(FlexFecHeaderSize(header.mask.Last()));
  WriteFlexFecHeader(header, absl::MakeSpan(bytes));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return RtpPacketBuilder()
      .WithSsrc(kRepair)
      .WithPayloadType(payload_type)
      .WithPayload(bytes)
      .Build();
}

// What a sender makes of these packets.
Bytes ParityOf(const std::vector<Bytes>& packets) {
  Bytes storage(kMaxDatagramSize);
  ParitySum sum(absl::MakeSpan(storage));
  FlexFecHeader header;
  header.protected_ssrc = kMedia;
  header.base = RtpPacketView::Parse(packets[0])->sequence_number();
  for (const Bytes& packet : packets) {
    const RtpPacketView view = *RtpPacketView::Parse(packet);
    EXPECT_TRUE(sum.Add(view, {}));
    header.mask.Set(static_cast<uint16_t>(view.sequence_number().value() - header.base.value()));
  }
  header.recovery = sum.fields();
  return Repair(header, Bytes(sum.payload().begin(), sum.payload().end()));
}
Bytes ParityOf(const Numbers& numbers) {
  std::vector<Bytes> packets;
  for (const uint16_t number : numbers) packets.push_back(Media(number));
  return ParityOf(packets);
}

class ParityDecoderTest : public testing::Test {
 protected:
  ParityDecoderTest() { decoder_.AddStream(kSlot, Info()); }

  static StreamInfo Info() {
    StreamInfo info;
    info.ssrc = kMedia;
    info.repair_ssrc = Ssrc(kRepair);
    EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
    EXPECT_TRUE(info.AddFormat(
        {.payload_type = PayloadType(110), .role = PayloadRole::kForwardErrorCorrection}));
    return info;
  }
  ParityDecoder::MediaVerdict Come(const Bytes& packet) {
    return decoder_.OnMedia(kSlot, *RtpPacketView::Parse(packet), out_);
  }
  void Come(const Numbers& numbers) {
    for (const uint16_t number : numbers) EXPECT_EQ(Come(Media(number)), kPass);
  }
  void Parity(const Bytes& packet) {
    decoder_.OnParity(kSlot, *RtpPacketView::Parse(packet), out_);
  }
  // Numbers of what was recovered since, which is what was sent.
  Numbers Recovered() {
    Numbers numbers;
    for (const OutboxRtp& made : out_.deliveries()) {
      EXPECT_EQ(made.source, PacketSource::kRecovered);
      const Bytes bytes(made.packet.bytes().begin(), made.packet.bytes().end());
      const uint16_t number = RtpPacketView::Parse(bytes)->sequence_number().value();
      EXPECT_EQ(bytes, Media(number)) << number;
      numbers.push_back(number);
    }
    out_.EndBatch();
    return numbers;
  }
  const ParityDecoderCounters& counters() const { return decoder_.counters(); }

  PacketArena packets_{64};
  AttributesArena attributes_{0};
  InterceptorOutbox out_{{.rtp_packets = 32}, packets_, attributes_};
  ParityDecoder decoder_{2, {.media_packets = 128, .parity_packets = 4}};
};

TEST_F(ParityDecoderTest, OneLossIsRecoveredWhenParityComes) {
  Come(Numbers{0, 1, 3});
  Parity(ParityOf(Numbers{0, 1, 2, 3}));
  EXPECT_THAT(Recovered(), ElementsAre(2));
  EXPECT_EQ(counters().recovered, 1u);
  EXPECT_EQ(decoder_.waiting(), 0u);
}

TEST_F(ParityDecoderTest, OneLossIsRecoveredWhenTheLastOtherComes) {
  Come(Numbers{0});
  Parity(ParityOf(Numbers{0, 1, 2, 3}));
  Come(Numbers{3});
  EXPECT_THAT(Recovered(), IsEmpty());
  EXPECT_EQ(decoder_.waiting(), 1u);
  Come(Numbers{1});
  EXPECT_THAT(Recovered(), ElementsAre(2));
}

TEST_F(ParityDecoderTest, WhatOneParityRecoversHelpsTheOther) {
  // A block of 2 by 3 that lost 0, 1 and 4.
  Come(Numbers{2, 3, 5});
  Parity(ParityOf(Numbers{0, 1, 2}));
  Parity(ParityOf(Numbers{1, 4}));
  Parity(ParityOf(Numbers{2, 5}));
  EXPECT_THAT(Recovered(), IsEmpty());
  Parity(ParityOf(Numbers{3, 4, 5}));
  EXPECT_THAT(Recovered(), ElementsAre(4, 1, 0));
  EXPECT_EQ(counters().unneeded, 1u);
}

TEST_F(ParityDecoderTest, TheFirstPacketIsRecoveredToo) {
  Parity(ParityOf(Numbers{7}));
  EXPECT_THAT(Recovered(), ElementsAre(7));
}

TEST_F(ParityDecoderTest, ABlockOverTheWrapIsRecovered) {
  Come(Numbers{65534, 65535, 1});
  Parity(ParityOf(Numbers{65534, 65535, 0, 1}));
  EXPECT_THAT(Recovered(), ElementsAre(0));
}

TEST_F(ParityDecoderTest, OneOf109IsRecovered) {
  Numbers all;
  for (uint16_t i = 0; i < 109; ++i) all.push_back(i);
  for (const uint16_t i : all) {
    if (i != 77) Come(Numbers{i});
  }
  Parity(ParityOf(all));
  EXPECT_THAT(Recovered(), ElementsAre(77));
}

TEST_F(ParityDecoderTest, APacketThatComesWhenItWasRecoveredIsThereTwice) {
  Come(Numbers{0});
  Parity(ParityOf(Numbers{0, 1}));
  EXPECT_THAT(Recovered(), ElementsAre(1));
  EXPECT_EQ(Come(Media(1)), kAlreadyRecovered);
  EXPECT_EQ(counters().already_recovered, 1u);
  // Any other duplicate is not our concern.
  EXPECT_EQ(Come(Media(0)), kPass);
}

TEST_F(ParityDecoderTest, ADuplicateIsNotTakenOutTwice) {
  Parity(ParityOf(Numbers{0, 1, 2}));
  Come(Numbers{0, 0, 0, 1});
  EXPECT_THAT(Recovered(), ElementsAre(2));
}

TEST_F(ParityDecoderTest, ParityOfWhatIsThereIsNotNeeded) {
  Come(Numbers{0, 1});
  Parity(ParityOf(Numbers{0, 1}));
  EXPECT_THAT(Recovered(), IsEmpty());
  EXPECT_EQ(counters().unneeded, 1u);
  Parity(ParityOf(Numbers{0, 1, 2, 3}));
  Parity(ParityOf(Numbers{2, 3}));
  Come(Numbers{2});
  EXPECT_THAT(Recovered(), ElementsAre(3));
  EXPECT_EQ(counters().unneeded, 2u);
}

TEST_F(ParityDecoderTest, TheOldestParityGivesUpItsPlace) {
  for (uint16_t i = 0; i < 5; ++i) {
    Parity(ParityOf(Numbers{static_cast<uint16_t>(2 * i), static_cast<uint16_t>(2 * i + 1)}));
  }
  EXPECT_EQ(counters().evicted, 1u);
  EXPECT_EQ(decoder_.waiting(), 4u);
  Come(Numbers{0, 2});
  EXPECT_THAT(Recovered(), ElementsAre(3));
}

TEST_F(ParityDecoderTest, ParityOfLongAgoIsForgottenBeforeNumbersComeAgain) {
  Come(Numbers{0});
  Parity(ParityOf(Numbers{0, 1, 2}));
  for (uint32_t i = 600; i < 65536; i += 600) Come(Numbers{static_cast<uint16_t>(i)});
  EXPECT_EQ(counters().expired, 1u);
  Come(Numbers{0, 1});
  EXPECT_THAT(Recovered(), IsEmpty());
}

TEST_F(ParityDecoderTest, ParityFarFromWhatComesIsRefused) {
  Come(Numbers{1000});
  Parity(ParityOf(Numbers{1513, 1514}));
  Parity(ParityOf(Numbers{487, 488}));
  Parity(ParityOf(Numbers{33000, 33001}));
  EXPECT_EQ(counters().far, 3u);
  EXPECT_EQ(decoder_.waiting(), 0u);
  Parity(ParityOf(Numbers{1512, 1513}));
  EXPECT_EQ(decoder_.waiting(), 1u);
}

TEST_F(ParityDecoderTest, WhatIsNoRepairOfThisStreamRecoversNothing) {
  FlexFecHeader header;
  header.protected_ssrc = Ssrc(0xDEAD);
  header.mask.Set(0);
  Parity(Repair(header, Bytes(10)));
  header.protected_ssrc = kMedia;
  Parity(Repair(header, Bytes(10), 96));
  Parity(Repair(header, Bytes(10), 55));
  EXPECT_EQ(counters().foreign, 3u);
  Parity(RtpPacketBuilder().WithPayloadType(110).WithPadding(100).Build());
  EXPECT_EQ(counters().padding_only, 1u);
  Parity(RtpPacketBuilder().WithPayloadType(110).WithPayload(Bytes(19)).Build());
  EXPECT_EQ(counters().malformed, 1u);
  Parity(RtpPacketBuilder().WithPayloadType(110).WithPayload(Bytes(20)).Build());
  EXPECT_EQ(counters().unsupported, 1u);
  Parity(Repair(header, Bytes(1489)));
  EXPECT_EQ(counters().parity_too_long, 1u);
  EXPECT_THAT(Recovered(), IsEmpty());
  EXPECT_EQ(counters().parity, 1u);
}

TEST_F(ParityDecoderTest, ARecoveredPacketThatIsNoneIsCountedAndDropped) {
  FlexFecHeader header;
  header.protected_ssrc = kMedia;
  header.mask.Set(0);
  // Longer than the sum; padding of more than there is; an extension that is not there.
  for (const RecoveryFields& fields :
       {RecoveryFields{.length = 11}, RecoveryFields{.flags = 0x2000, .length = 10},
        RecoveryFields{.flags = 0x1000, .length = 2}, RecoveryFields{.flags = 0x0F00}}) {
    header.recovery = fields;
    Parity(Repair(header, Bytes(10)));
  }
  EXPECT_EQ(counters().recovered_malformed, 4u);
  EXPECT_THAT(Recovered(), IsEmpty());
  EXPECT_EQ(packets_.free(), packets_.capacity());
}

TEST_F(ParityDecoderTest, WithoutSlotsOrRoomNothingIsDelivered) {
  std::vector<PacketLoan> all(packets_.capacity());
  for (PacketLoan& loan : all) loan = packets_.Lend();
  Parity(ParityOf(Numbers{1}));
  EXPECT_EQ(counters().no_slot, 1u);
  all.clear();
  for (uint16_t i = 0; i < 33; ++i) Parity(ParityOf(Numbers{static_cast<uint16_t>(10 + i)}));
  EXPECT_EQ(counters().no_room, 1u);
  EXPECT_EQ(counters().recovered, 32u);
}

TEST_F(ParityDecoderTest, AStreamThatComesBackKnowsNothingOfTheOldOne) {
  Come(Numbers{0});
  Parity(ParityOf(Numbers{0, 1, 2}));
  decoder_.RemoveStream(kSlot);
  EXPECT_FALSE(decoder_.HasStream(kSlot));
  EXPECT_EQ(decoder_.waiting(), 0u);
  decoder_.AddStream(kSlot, Info());
  Parity(ParityOf(Numbers{0, 1}));
  EXPECT_THAT(Recovered(), IsEmpty());
  EXPECT_EQ(decoder_.waiting(), 1u);
}

TEST_F(ParityDecoderTest, NoBytesFromTheWireBreakIt) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(6);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int i = 0; i < 30'000; ++i) {
    Bytes payload(random.Below(60));
    random.Fill(absl::MakeSpan(payload));
    if (payload.size() > 20 && random.Below(4) != 0) {
      payload[0] &= 0x3F;
      payload[8] = 1;
      StoreBe32(&payload[12], kMedia.value());
      StoreBe16(&payload[16], static_cast<uint16_t>(random.Below(200)));
      payload[18] |= random.Below(2) == 0 ? 0x80 : 0;
      StoreBe16(&payload[2], static_cast<uint16_t>(random.Below(40)));
    }
    if (random.Below(2) == 0) {
      Parity(RtpPacketBuilder().WithPayloadType(110).WithPayload(payload).Build());
    } else {
      Come(Media(static_cast<uint16_t>(random.Below(200)), random.Below(60)));
    }
    for (const OutboxRtp& made : out_.deliveries()) {
      ASSERT_TRUE(RtpPacketView::Parse(made.packet.bytes()).has_value());
    }
    out_.EndBatch();
    ASSERT_LE(decoder_.waiting(), 4u);
    ASSERT_EQ(packets_.free(), packets_.capacity());
  }
  EXPECT_GT(counters().recovered, 100u);
}

}  // namespace
}  // namespace sluice
