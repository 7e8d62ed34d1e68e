#include "interceptor/nack/nack_responder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;
using Numbers = std::vector<uint16_t>;

constexpr uint32_t kVideo = 0xB0;
constexpr uint32_t kVideoRtx = 0xB1;
constexpr uint32_t kScreen = 0xD0;
constexpr uint32_t kScreenRtx = 0xD1;
constexpr uint32_t kAudio = 0xA0;
constexpr uint32_t kDeaf = 0xC0;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Stream(uint32_t ssrc, std::optional<Ssrc> rtx, bool nack = true) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.retransmission_ssrc = rtx;
  info.feedback.nack = nack;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(98)}));
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(97),
                              .role = PayloadRole::kRetransmission,
                              .associated = PayloadType(96)}));
  return info;
}

RtpPacketBuilder Builder(uint16_t sequence, uint32_t ssrc = kVideo) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(1000);
}
Bytes Media(uint16_t sequence, uint32_t ssrc = kVideo) { return Builder(sequence, ssrc).Build(); }

Bytes Nack(const Numbers& numbers, uint32_t ssrc = kVideo) {
  std::vector<SequenceNumber> missing;
  for (const uint16_t number : numbers) {
    missing.push_back(SequenceNumber(number));
  }
  Bytes bytes(1200);
  size_t written = 0;
  bytes.resize(WriteNack(Ssrc(9), Ssrc(ssrc), missing, absl::MakeSpan(bytes), written));
  EXPECT_EQ(written, numbers.size());
  return bytes;
}

RtpPacketView View(const Bytes& packet) { return *RtpPacketView::Parse(packet); }

// The original sequence numbers of retransmissions, in order.
Numbers Originals(const ChainOutput& output) {
  Numbers numbers;
  for (const Bytes& packet : output.sent) {
    numbers.push_back(LoadBe16(View(packet).payload().data()));
  }
  return numbers;
}

// A responder in a chain.
struct Sender {
  explicit Sender(const NackResponderOptions& options = {},
                  const ChainHarnessOptions& harness_options = {}) {
    auto made = NackResponder::Create(options, random);
    EXPECT_TRUE(made.ok()) << made.status();
    responder = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made), harness_options);
    for (const StreamInfo& info :
         {Stream(kVideo, Ssrc(kVideoRtx)), Stream(kScreen, Ssrc(kScreenRtx)),
          Stream(kAudio, std::nullopt), Stream(kDeaf, std::nullopt, false)}) {
      Add(info);
    }
  }

  void Add(const StreamInfo& info) {
    EXPECT_EQ(harness->chain().AddStream(Ms(0), PacketDirection::kOutgoing, info),
              AddStreamVerdict::kOk);
  }
  void Remove(uint32_t ssrc) {
    EXPECT_TRUE(harness->chain().RemoveStream(Ms(0), PacketDirection::kOutgoing, Ssrc(ssrc)));
  }
  // Packets first..last.
  void Send(int64_t ms, uint16_t first, uint16_t last, uint32_t ssrc = kVideo) {
    for (uint16_t i = first; i <= last; ++i) {
      EXPECT_THAT(harness->OutgoingRtp(Ms(ms), {Media(i, ssrc)}).passed, SizeIs(1));
    }
  }
  ChainOutput Asked(int64_t ms, const Numbers& numbers, uint32_t ssrc = kVideo) {
    return harness->IncomingRtcp(Ms(ms), {Nack(numbers, ssrc)});
  }
  const NackResponderCounters& counters() const { return responder->counters(); }

  SeededRandom random{1};
  NackResponder* responder;
  std::unique_ptr<ChainHarness> harness;
};

// No limit but those that a test is about.
NackResponderOptions Unlimited() {
  return {.budget = {.percent = 100, .burst = DataSize::Bytes(100'000'000)}};
}

TEST(NackResponderTest, OptionsHaveRanges) {
  const auto refused = [](const NackResponderOptions& options) {
    SeededRandom random(1);
    return NackResponder::Create(options, random).status().code() ==
           absl::StatusCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.max_streams = 0}));
  EXPECT_TRUE(refused({.max_streams = 1025}));
  EXPECT_TRUE(refused({.history_packets = 1000}));
  EXPECT_TRUE(refused({.history_bytes = 1000}));
  EXPECT_TRUE(refused({.max_age = TimeDelta::Zero()}));
  EXPECT_TRUE(refused({.max_requests = 0}));
  EXPECT_TRUE(refused({.max_requests = 65537}));
  EXPECT_TRUE(refused({.budget = {.percent = 101}}));
  EXPECT_TRUE(refused({.initial_round_trip = TimeDelta::Zero()}));
}

TEST(NackResponderTest, RepeatsWhatIsAskedForOnTheRetransmissionStream) {
  Sender sender;
  sender.Send(0, 10, 20);
  const ChainOutput output = sender.Asked(50, {12, 15});
  ASSERT_THAT(output.sent, SizeIs(2));
  EXPECT_THAT(Originals(output), ElementsAre(12, 15));
  const RtpPacketView rtx = View(output.sent[0]);
  EXPECT_EQ(rtx.ssrc(), Ssrc(kVideoRtx));
  EXPECT_EQ(rtx.payload_type(), PayloadType(97));
  EXPECT_EQ(rtx.payload().size(), 1002u);
  EXPECT_EQ(sender.counters().retransmitted, 2u);
  EXPECT_EQ(sender.harness->slots_held(), 0u);
}

TEST(NackResponderTest, NumbersAreDrawnWhenRetransmissionsAreMade) {
  Sender sender;
  sender.Send(0, 10, 20);
  const uint16_t first = View(sender.Asked(50, {15}).sent.at(0)).sequence_number().value();
  EXPECT_LT(first, 0x8000);
  // Neither storing nor asking for what is not there uses a number up.
  sender.Send(60, 21, 30);
  sender.Asked(70, {5000});
  EXPECT_EQ(View(sender.Asked(80, {12}).sent.at(0)).sequence_number().value(), first + 1);
  EXPECT_EQ(View(sender.Asked(90, {28}).sent.at(0)).sequence_number().value(), first + 2);
}

TEST(NackResponderTest, APacketRepeatedTwiceHasTwoNumbers) {
  Sender sender;
  sender.Send(0, 10, 20);
  const ChainOutput once = sender.Asked(100, {15});
  const ChainOutput twice = sender.Asked(300, {15});
  ASSERT_THAT(once.sent, SizeIs(1));
  ASSERT_THAT(twice.sent, SizeIs(1));
  EXPECT_EQ(View(twice.sent[0]).sequence_number().value(),
            View(once.sent[0]).sequence_number().value() + 1);
}

TEST(NackResponderTest, StreamsDoNotShareNumbers) {
  Sender sender;
  sender.Send(0, 10, 20);
  sender.Send(0, 10, 20, kScreen);
  const uint16_t video = View(sender.Asked(50, {10}).sent.at(0)).sequence_number().value();
  const ChainOutput screen = sender.Asked(51, {10, 11, 12}, kScreen);
  EXPECT_EQ(View(screen.sent.at(0)).ssrc(), Ssrc(kScreenRtx));
  EXPECT_EQ(View(sender.Asked(52, {11}).sent.at(0)).sequence_number().value(), video + 1);
}

TEST(NackResponderTest, NumbersGoOnWhenAStreamComesBack) {
  Sender sender;
  sender.Send(0, 10, 20, kScreen);
  const uint16_t first = View(sender.Asked(50, {10}, kScreen).sent.at(0)).sequence_number().value();
  // It comes back in the place of another one.
  sender.Remove(kScreen);
  sender.Remove(kVideo);
  sender.Add(Stream(kScreen, Ssrc(kScreenRtx)));
  sender.Send(60, 40, 50, kScreen);
  EXPECT_EQ(View(sender.Asked(100, {45}, kScreen).sent.at(0)).sequence_number().value(), first + 1);
}

TEST(NackResponderTest, WithoutRetransmissionStreamThePacketGoesAgainAsItWasWhereThatIsAllowed) {
  Sender sender({.plain_retransmission = true});
  const Bytes audio = Builder(11, kAudio).WithPadding(7).Build();
  sender.harness->OutgoingRtp(Ms(0), {Media(10, kAudio), audio});
  EXPECT_THAT(sender.Asked(50, {11}, kAudio).sent, ElementsAre(audio));
  // The payload type has none either.
  const Bytes video = Builder(12).WithPayloadType(98).Build();
  sender.harness->OutgoingRtp(Ms(60), {video});
  EXPECT_THAT(sender.Asked(70, {12}).sent, ElementsAre(video));
  EXPECT_EQ(sender.counters().repeated_plain, 2u);
}

TEST(NackResponderTest, NoNumberIsUsedTwiceUnlessThatIsAllowed) {
  Sender sender;
  sender.Send(0, 10, 20, kAudio);
  EXPECT_THAT(sender.Asked(50, {11, 12}, kAudio).sent, IsEmpty());
  EXPECT_EQ(sender.counters().not_repeatable, 2u);
  // Nor does it take the place of others in the history.
  EXPECT_EQ(sender.counters().stored, 0u);
  // One payload type of a stream that has retransmissions for others.
  sender.harness->OutgoingRtp(Ms(60), {Builder(12).WithPayloadType(98).Build(), Media(13)});
  EXPECT_THAT(Originals(sender.Asked(70, {12, 13})), ElementsAre(13));
  EXPECT_EQ(sender.counters().not_repeatable, 3u);
  EXPECT_EQ(sender.counters().repeated_plain, 0u);
}

TEST(NackResponderTest, RepeatsOncePerRoundTrip) {
  Sender sender;
  sender.harness->Event(Ms(0), RoundTripMeasured{TimeDelta::Millis(80)});
  sender.Send(0, 10, 20);
  EXPECT_THAT(sender.Asked(100, {12}).sent, SizeIs(1));
  for (int64_t ms = 100; ms < 170; ms += 10) {
    EXPECT_THAT(sender.Asked(ms, {12}).sent, IsEmpty()) << ms;
  }
  // An eighth less than the round trip.
  EXPECT_THAT(sender.Asked(170, {12}).sent, SizeIs(1));
  EXPECT_EQ(sender.counters().under_way, 7u);
}

TEST(NackResponderTest, APacketNamedTwiceInOneNackIsRepeatedOnce) {
  Sender sender;
  sender.Send(0, 10, 20);
  Bytes nack = Nack({12, 300});
  StoreBe16(&nack[16], 12);
  EXPECT_THAT(Originals(sender.harness->IncomingRtcp(Ms(50), {nack, nack})), ElementsAre(12));
}

TEST(NackResponderTest, AskedForBeforeItCameItIsSentOnceWhenItComes) {
  Sender sender;
  sender.Send(0, 10, 11);
  sender.Send(0, 13, 15);
  EXPECT_THAT(sender.Asked(50, {12}).sent, IsEmpty());
  EXPECT_EQ(sender.counters().not_found, 1u);
  // Repaired upstream; the next request crosses it.
  sender.Send(60, 12, 12);
  EXPECT_THAT(sender.Asked(70, {12}).sent, IsEmpty());
  EXPECT_EQ(sender.counters().under_way, 1u);
  // It was lost as well.
  EXPECT_THAT(sender.Asked(170, {12}).sent, SizeIs(1));
}

TEST(NackResponderTest, FeedbackForPacketsNeverSentIsCounted) {
  Sender sender;
  EXPECT_THAT(sender.Asked(0, {1, 2, 3}).sent, IsEmpty());
  sender.Send(0, 10, 20);
  EXPECT_THAT(sender.Asked(1, {9, 21, 40000}).sent, IsEmpty());
  EXPECT_EQ(sender.counters().not_found, 6u);
}

TEST(NackResponderTest, UnknownAndUnrepairedStreamsAreCounted) {
  Sender sender;
  sender.Send(0, 10, 20, kDeaf);
  EXPECT_EQ(sender.counters().stored, 0u);
  EXPECT_THAT(sender.Asked(50, {12}, kDeaf).sent, IsEmpty());
  EXPECT_THAT(sender.Asked(50, {12}, kVideoRtx).sent, IsEmpty());
  EXPECT_THAT(sender.Asked(50, {12}, 0).sent, IsEmpty());
  EXPECT_EQ(sender.counters().unknown_ssrc, 3u);
}

TEST(NackResponderTest, ANackOfAllNumbersIsAnsweredWithinLimits) {
  NackResponderOptions options = Unlimited();
  options.max_requests = 500;
  Sender sender(options);
  sender.Send(0, 0, 200);
  // 65 535 packets in ten datagrams.
  std::vector<Bytes> datagrams;
  uint16_t next = 200;
  for (size_t left = 3856; left > 0;) {
    const size_t items = std::min<size_t>(left, 400);
    Bytes nack(12 + 4 * items);
    nack[0] = 0x81;
    nack[1] = 205;
    StoreBe16(&nack[2], static_cast<uint16_t>(2 + items));
    StoreBe32(&nack[8], kVideo);
    for (size_t i = 0; i < items; ++i, next = static_cast<uint16_t>(next - 17)) {
      StoreBe16(&nack[12 + 4 * i], static_cast<uint16_t>(next - 16));
      StoreBe16(&nack[14 + 4 * i], 0xFFFF);
    }
    datagrams.push_back(nack);
    left -= items;
  }
  const ChainOutput output = sender.harness->IncomingRtcp(Ms(50), datagrams);
  // 201 that were sent; the outbox has room for 256.
  EXPECT_THAT(output.sent, SizeIs(201));
  EXPECT_EQ(sender.counters().requests, 3856u * 17);
  EXPECT_EQ(sender.counters().ignored, 3856u * 17 - 500);
  // A batch later it listens again.
  EXPECT_THAT(sender.Asked(200, {7}).sent, SizeIs(1));
}

TEST(NackResponderTest, AFullOutboxUsesUpNoNumber) {
  ChainHarnessOptions harness_options;
  harness_options.outbox.rtp_packets = 2;
  Sender sender(Unlimited(), harness_options);
  sender.Send(0, 10, 20);
  const ChainOutput first = sender.Asked(50, {10, 11, 12, 13});
  ASSERT_THAT(first.sent, SizeIs(2));
  EXPECT_EQ(sender.counters().no_room, 2u);
  // What was refused is not under way.
  const ChainOutput second = sender.Asked(60, {12, 13});
  ASSERT_THAT(second.sent, SizeIs(2));
  EXPECT_EQ(View(second.sent[0]).sequence_number().value(),
            View(first.sent[1]).sequence_number().value() + 1);
}

TEST(NackResponderTest, WithoutASlotNothingIsRepeated) {
  ChainHarnessOptions harness_options;
  harness_options.packet_slots = 2;
  Sender sender({}, harness_options);
  sender.Send(0, 10, 20);
  PacketLoan loan = sender.harness->packets().Lend();
  EXPECT_THAT(sender.Asked(50, {12}).sent, IsEmpty());
  EXPECT_EQ(sender.counters().no_room, 1u);
  loan.Return();
  EXPECT_THAT(sender.Asked(51, {12}).sent, SizeIs(1));
}

TEST(NackResponderTest, NoMoreIsRepeatedThanItsShare) {
  Sender sender(
      {.budget = {.percent = 20, .minimum = DataRate::Zero(), .burst = DataSize::Bytes(3 * 1012)}});
  sender.Send(0, 0, 99);
  Numbers all;
  for (uint16_t i = 0; i < 100; ++i) {
    all.push_back(i);
  }
  EXPECT_THAT(sender.Asked(50, all).sent, SizeIs(3));
  EXPECT_EQ(sender.counters().over_budget, 97u);
  // Ten packets earn two.
  sender.Send(60, 100, 109);
  EXPECT_THAT(sender.Asked(70, all).sent, SizeIs(2));
}

TEST(NackResponderTest, OldPacketsAreNotRepeated) {
  Sender sender({.max_age = TimeDelta::Millis(500)});
  sender.Send(0, 10, 10);
  sender.Send(400, 11, 11);
  EXPECT_THAT(Originals(sender.Asked(501, {10, 11})), ElementsAre(11));
  EXPECT_EQ(sender.counters().too_old, 1u);
}

TEST(NackResponderTest, WhatStaysDependsOnAgeAlone) {
  Sender sender(Unlimited());
  sender.Send(0, 10, 20);
  // A packet that begins a key frame is a packet.
  sender.harness->OutgoingRtp(Ms(1), {Builder(21).WithMarker().WithPayload({0x65, 1, 2}).Build()});
  EXPECT_THAT(Originals(sender.Asked(50, {10, 20})), ElementsAre(10, 20));
}

TEST(NackResponderTest, PaddingIsNoPayloadHoweverMuchItClaims) {
  Sender sender;
  const Bytes padding_only = Builder(11).WithPayload({}).WithPadding(255).Build();
  const Bytes padded = Builder(12).WithPayload({1}).WithPadding(200).Build();
  sender.harness->OutgoingRtp(Ms(0), {padding_only, padded});
  const ChainOutput output = sender.Asked(50, {11, 12});
  ASSERT_THAT(output.sent, SizeIs(2));
  EXPECT_EQ(View(output.sent[0]).payload().size(), 2u);
  EXPECT_EQ(View(output.sent[1]).payload().size(), 3u);
  EXPECT_FALSE(View(output.sent[1]).has_padding());
}

TEST(NackResponderTest, PayloadsOver1460BytesAreSentAndRepeated) {
  Sender sender;
  const ChainOutput sent =
      sender.harness->OutgoingRtp(Ms(0), {Builder(11).WithPayloadSize(1700).Build()});
  EXPECT_THAT(sent.passed, SizeIs(1));
  const ChainOutput output = sender.Asked(50, {11});
  ASSERT_THAT(output.sent, SizeIs(1));
  EXPECT_EQ(View(output.sent[0]).payload().size(), 1702u);
}

TEST(NackResponderTest, NothingIsRepeatedAfterAStreamIsRemoved) {
  Sender sender;
  sender.Send(0, 10, 20);
  sender.Remove(kVideo);
  EXPECT_THAT(sender.Asked(50, {12}).sent, IsEmpty());
  EXPECT_EQ(sender.counters().unknown_ssrc, 1u);
  // Nor by the stream that takes its place.
  sender.Add(Stream(0xE0, Ssrc(0xE1)));
  EXPECT_THAT(sender.Asked(51, {12}, 0xE0).sent, IsEmpty());
  EXPECT_EQ(sender.counters().not_found, 1u);
}

TEST(NackResponderTest, MalformedNacksAreCountedAndThoseBesideThemAnswered) {
  Sender sender;
  sender.Send(0, 10, 20);
  Bytes compound = Nack({12});
  const Bytes without_items = {0x81, 205, 0, 2, 0, 0, 0, 9, 0, 0, 0, kVideo};
  compound.insert(compound.begin(), without_items.begin(), without_items.end());
  EXPECT_THAT(Originals(sender.harness->IncomingRtcp(Ms(50), {compound})), ElementsAre(12));
  EXPECT_EQ(sender.counters().malformed, 1u);
}

}  // namespace
}  // namespace sluice
