#include "interceptor/nack/nack_generator.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "interceptor/testing/scripted_interceptor.h"
#include "srtp/rtcp_packet_view.h"
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
constexpr uint32_t kAudio = 0xA0;
constexpr uint32_t kDeaf = 0xC0;
constexpr uint8_t kVideoType = 96;
constexpr uint8_t kRtxType = 97;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Video(uint32_t ssrc = kVideo) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.retransmission_ssrc = Ssrc(ssrc + 1);
  info.feedback.nack = true;
  info.video = true;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(kVideoType)}));
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(kRtxType),
                              .role = PayloadRole::kRetransmission,
                              .associated = PayloadType(kVideoType)}));
  return info;
}

StreamInfo Plain(uint32_t ssrc, bool nack) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.feedback.nack = nack;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(0)}));
  return info;
}

RtpPacketBuilder MediaBuilder(uint16_t sequence, uint32_t ssrc = kVideo) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayload({1, 2, 3});
}
Bytes Media(uint16_t sequence, uint32_t ssrc = kVideo) {
  return MediaBuilder(sequence, ssrc).Build();
}

// A retransmission of `original`, the `number`th of its stream.
Bytes Rtx(uint16_t original, uint16_t number = 1, uint8_t payload_type = kRtxType) {
  return RtpPacketBuilder()
      .WithSsrc(kVideoRtx)
      .WithPayloadType(payload_type)
      .WithSequence(number)
      .WithPayload({static_cast<uint8_t>(original >> 8), static_cast<uint8_t>(original), 1, 2, 3})
      .Build();
}

// What is asked for, in order.
Numbers Asked(const ChainOutput& output, uint32_t ssrc = kVideo) {
  Numbers numbers;
  for (const Bytes& datagram : output.rtcp) {
    const RtcpReadCounts counts =
        ReadCompound(*RtcpPacketView::Parse(datagram), RtcpReader{[&](const NackView& nack) {
          EXPECT_EQ(nack.sender(), Ssrc(7));
          if (nack.media() == Ssrc(ssrc)) {
            nack.ForEachMissing([&](SequenceNumber number) { numbers.push_back(number.value()); });
          }
        }});
    EXPECT_EQ(counts.skipped + counts.malformed, 0u);
  }
  return numbers;
}

// A generator in a chain, and what arrives above it.
struct Receiver {
  explicit Receiver(NackGeneratorOptions options = {},
                    const ChainHarnessOptions& harness_options = {}) {
    options.sender = Ssrc(7);
    options.hold_off = TimeDelta::Millis(10);
    auto made = NackGenerator::Create(options);
    EXPECT_TRUE(made.ok()) << made.status();
    generator = made->get();
    auto scripted = std::make_unique<ScriptedInterceptor>(InterceptorKind::kJitterBuffer, log,
                                                          InterceptorHooks{.incoming_rtp = true});
    scripted->on_incoming_rtp = [this](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
      for (const InterceptedRtp& packet : packets) {
        roles.push_back(packet.role);
        origins.push_back(packet.attributes.Get(&PacketAttributes::retransmission));
      }
    };
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(*std::move(made));
    list.push_back(std::move(scripted));
    harness = std::make_unique<ChainHarness>(std::move(list), harness_options);
    for (const StreamInfo& info : {Video(), Plain(kAudio, true), Plain(kDeaf, false)}) {
      Add(info);
    }
  }

  void Add(const StreamInfo& info) {
    EXPECT_EQ(harness->chain().AddStream(Ms(0), PacketDirection::kIncoming, info),
              AddStreamVerdict::kOk);
  }
  void Remove(uint32_t ssrc) {
    EXPECT_TRUE(harness->chain().RemoveStream(Ms(0), PacketDirection::kIncoming, Ssrc(ssrc)));
  }
  ChainOutput Receive(int64_t ms, const std::vector<Bytes>& packets) {
    return harness->IncomingRtp(Ms(ms), packets);
  }
  ChainOutput ReceiveMedia(int64_t ms, const Numbers& numbers) {
    std::vector<Bytes> packets;
    for (const uint16_t number : numbers) {
      packets.push_back(Media(number));
    }
    return Receive(ms, packets);
  }
  Numbers AskedAt(int64_t ms) { return Asked(harness->Timeout(Ms(ms))); }
  const NackGeneratorCounters& counters() const { return generator->counters(); }

  NackGenerator* generator;
  ScriptedInterceptor::Log log;
  std::vector<SsrcRole> roles;
  std::vector<std::optional<RetransmissionOrigin>> origins;
  std::unique_ptr<ChainHarness> harness;
};

TEST(NackGeneratorTest, OptionsHaveRanges) {
  const auto refused = [](const NackGeneratorOptions& options) {
    return NackGenerator::Create(options).status().code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.max_streams = 0}));
  EXPECT_TRUE(refused({.max_streams = 1025}));
  EXPECT_TRUE(refused({.window = 1000}));
  EXPECT_TRUE(refused({.window = 32768}));
  EXPECT_TRUE(refused({.max_missing = 0, .max_gap = 0}));
  EXPECT_TRUE(refused({.max_missing = 5000}));
  EXPECT_TRUE(refused({.max_missing = 100, .max_gap = 101}));
  EXPECT_TRUE(refused({.window = 64, .max_gap = 64}));
  EXPECT_TRUE(refused({.max_attempts = 0}));
  EXPECT_TRUE(refused({.max_attempts = 256}));
  EXPECT_TRUE(refused({.hold_off = TimeDelta::Millis(-1)}));
  EXPECT_TRUE(refused({.hold_off = TimeDelta::Seconds(2)}));
  EXPECT_TRUE(refused({.initial_round_trip = TimeDelta::Zero()}));
}

// ---- Asking. ----

TEST(NackGeneratorTest, AsksForWhatIsMissingAfterTheHoldOff) {
  Receiver receiver;
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  receiver.ReceiveMedia(0, {10, 11, 14});
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Ms(10));
  EXPECT_THAT(receiver.AskedAt(9), IsEmpty());
  EXPECT_THAT(receiver.AskedAt(10), ElementsAre(12, 13));
  EXPECT_EQ(receiver.counters().missing, 2u);
  EXPECT_EQ(receiver.counters().nacks_sent, 1u);
  EXPECT_EQ(receiver.counters().requests_sent, 2u);
}

TEST(NackGeneratorTest, ReorderingIsNoLoss) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  receiver.ReceiveMedia(9, {11, 13});
  EXPECT_THAT(receiver.AskedAt(10), IsEmpty());
  EXPECT_EQ(receiver.counters().reordered, 1u);
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(NackGeneratorTest, AsksAgainNoSoonerThanARoundTripLater) {
  Receiver receiver;
  receiver.harness->Event(Ms(0), RoundTripMeasured{TimeDelta::Millis(80)});
  receiver.ReceiveMedia(0, {10, 12});
  EXPECT_THAT(receiver.AskedAt(10), ElementsAre(11));
  for (int64_t ms = 11; ms < 100; ++ms) {
    receiver.ReceiveMedia(ms, {static_cast<uint16_t>(ms + 2)});
    ASSERT_THAT(receiver.AskedAt(ms), IsEmpty()) << ms;
  }
  // An eighth more than the round trip.
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Ms(100));
  EXPECT_THAT(receiver.AskedAt(100), ElementsAre(11));
}

TEST(NackGeneratorTest, GivesUpAfterTheLastAttemptAndAsksForAKeyFrame) {
  Receiver receiver({.max_attempts = 3});
  receiver.ReceiveMedia(0, {10, 12});
  int asked = 0;
  std::vector<KeyFrameNeeded> needed;
  for (int64_t ms = 0; ms < 3000; ++ms) {
    const ChainOutput output = receiver.harness->Timeout(Ms(ms));
    asked += static_cast<int>(Asked(output).size());
    for (const KeyFrameNeeded& event : output.EventsOf<KeyFrameNeeded>()) {
      needed.push_back(event);
    }
  }
  EXPECT_EQ(asked, 3);
  ASSERT_THAT(needed, SizeIs(1));
  EXPECT_EQ(needed[0].ssrc, Ssrc(kVideo));
  EXPECT_EQ(receiver.counters().given_up, 1u);
  EXPECT_EQ(receiver.generator->missing(), 0u);
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(NackGeneratorTest, ADuplicateOfTheHighestAtTheWrapMarksNothingLost) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {0xFFFE, 0xFFFF, 0xFFFF, 0, 0, 0xFFFF, 1});
  EXPECT_THAT(receiver.AskedAt(1000), IsEmpty());
  EXPECT_EQ(receiver.counters().missing, 0u);
  EXPECT_EQ(receiver.counters().duplicates, 3u);
}

TEST(NackGeneratorTest, PaddingOnlyPacketsCountAsReceived) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10});
  const ChainOutput output =
      receiver.Receive(1, {MediaBuilder(11).WithPayload({}).WithPadding(255).Build(), Media(12)});
  EXPECT_THAT(output.passed, SizeIs(2));
  EXPECT_THAT(receiver.AskedAt(100), IsEmpty());
}

TEST(NackGeneratorTest, ALongGapIsNoLossToRepair) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10});
  EXPECT_THAT(receiver.ReceiveMedia(1, {400}).events, IsEmpty());
  const ChainOutput output = receiver.ReceiveMedia(2, {402});
  EXPECT_THAT(output.EventsOf<KeyFrameNeeded>(), SizeIs(1));
  EXPECT_EQ(receiver.counters().far, 1u);
  EXPECT_EQ(receiver.counters().restarts, 1u);
  // Behind it repair goes on.
  EXPECT_THAT(receiver.AskedAt(100), ElementsAre(401));
}

TEST(NackGeneratorTest, AJumpOf65000PacketsAsksForNone) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {0, 65000, 500, 40000, 7000});
  EXPECT_THAT(receiver.AskedAt(1000), IsEmpty());
  EXPECT_EQ(receiver.counters().missing, 0u);
}

TEST(NackGeneratorTest, ARestartBackwardsIsFollowedAtOnce) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {30000, 30002});
  // Pending requests belong to the numbers before.
  receiver.ReceiveMedia(1, {100, 101, 103});
  EXPECT_EQ(receiver.counters().restarts, 1u);
  EXPECT_THAT(receiver.AskedAt(100), ElementsAre(102));
}

TEST(NackGeneratorTest, APacketFromElsewhereIsPassedOnAndChangesNothing) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 11});
  EXPECT_THAT(receiver.ReceiveMedia(1, {40000}).passed, SizeIs(1));
  receiver.ReceiveMedia(2, {12, 14});
  EXPECT_THAT(receiver.AskedAt(100), ElementsAre(13));
}

TEST(NackGeneratorTest, TooManyMissingPushOutTheOldest) {
  Receiver receiver({.max_missing = 4, .max_gap = 4});
  receiver.ReceiveMedia(0, {0, 5});
  const ChainOutput output = receiver.ReceiveMedia(1, {8});
  EXPECT_THAT(output.EventsOf<KeyFrameNeeded>(), SizeIs(1));
  EXPECT_EQ(receiver.counters().pushed_out, 2u);
  EXPECT_THAT(receiver.AskedAt(100), ElementsAre(3, 4, 6, 7));
}

TEST(NackGeneratorTest, WhatLeftTheWindowIsGivenUp) {
  Receiver receiver({.window = 64, .max_gap = 60});
  receiver.ReceiveMedia(0, {0, 2});
  Numbers more;
  for (uint16_t i = 3; i < 70; ++i) {
    more.push_back(i);
  }
  receiver.ReceiveMedia(1, more);
  EXPECT_THAT(receiver.AskedAt(100), IsEmpty());
  EXPECT_EQ(receiver.counters().given_up, 1u);
}

TEST(NackGeneratorTest, AudioNeedsNoKeyFrame) {
  Receiver receiver;
  receiver.Receive(0, {Media(10, kAudio)});
  const ChainOutput output = receiver.Receive(1, {Media(400, kAudio), Media(401, kAudio)});
  EXPECT_EQ(receiver.counters().restarts, 1u);
  EXPECT_THAT(output.events, IsEmpty());
}

TEST(NackGeneratorTest, StreamsThatDidNotAgreeAreNotAskedFor) {
  Receiver receiver;
  receiver.Receive(0, {Media(10, kDeaf), Media(12, kDeaf), Media(10, 0xEE), Media(12, 0xEE)});
  EXPECT_THAT(receiver.harness->Timeout(Ms(100)).rtcp, IsEmpty());
}

TEST(NackGeneratorTest, StreamsAreAskedForApart) {
  Receiver receiver;
  receiver.Receive(0, {Media(10), Media(50, kAudio), Media(12), Media(53, kAudio)});
  const ChainOutput output = receiver.harness->Timeout(Ms(10));
  EXPECT_THAT(output.rtcp, SizeIs(1));
  EXPECT_THAT(Asked(output, kVideo), ElementsAre(11));
  EXPECT_THAT(Asked(output, kAudio), ElementsAre(51, 52));
}

TEST(NackGeneratorTest, NothingIsAskedForAfterAStreamIsRemoved) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  receiver.Remove(kVideo);
  EXPECT_THAT(receiver.harness->Timeout(Ms(100)).rtcp, IsEmpty());
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  // Nor for what the next stream in its place never had.
  receiver.Add(Video());
  receiver.ReceiveMedia(200, {30000, 30001});
  EXPECT_THAT(receiver.AskedAt(300), IsEmpty());
  EXPECT_EQ(receiver.counters().restarts, 0u);
}

TEST(NackGeneratorTest, WithoutRoomInTheOutboxItAsksSoonAgain) {
  Receiver receiver({}, {.outbox = {.rtcp_packets = 1}});
  receiver.Receive(0, {Media(10), Media(50, kAudio), Media(12), Media(52, kAudio)});
  EXPECT_THAT(receiver.harness->Timeout(Ms(10)).rtcp, SizeIs(1));
  EXPECT_EQ(receiver.counters().nacks_delayed, 1u);
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Ms(15));
  EXPECT_THAT(Asked(receiver.harness->Timeout(Ms(15)), kAudio), ElementsAre(51));
}

TEST(NackGeneratorTest, ALossOfEveryOtherPacketIsAskedForInPacketsThatFit) {
  Receiver receiver({.window = 4096, .max_missing = 2000});
  Numbers numbers;
  for (uint16_t i = 0; i < 4000; i = static_cast<uint16_t>(i + 2)) {
    numbers.push_back(i);
  }
  for (size_t at = 0; at < numbers.size(); at += 500) {
    receiver.ReceiveMedia(0, Numbers(numbers.begin() + static_cast<ptrdiff_t>(at),
                                     numbers.begin() + static_cast<ptrdiff_t>(at + 500)));
  }
  const ChainOutput output = receiver.harness->Timeout(Ms(10));
  EXPECT_THAT(Asked(output), SizeIs(1999));
  for (const Bytes& datagram : output.rtcp) {
    EXPECT_LE(datagram.size(), 1200u);
  }
}

// ---- Retransmissions. ----

TEST(NackGeneratorTest, ARetransmissionBecomesThePacketThatItRepeats) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  receiver.origins.clear();
  const ChainOutput output = receiver.Receive(50, {Rtx(11, 900)});
  EXPECT_THAT(output.passed, ElementsAre(Media(11)));
  EXPECT_EQ(receiver.roles.back(), SsrcRole::kMedia);
  ASSERT_THAT(receiver.origins, SizeIs(1));
  ASSERT_TRUE(receiver.origins[0].has_value());
  EXPECT_EQ(receiver.origins[0]->ssrc, Ssrc(kVideoRtx));
  EXPECT_EQ(receiver.origins[0]->payload_type, PayloadType(kRtxType));
  EXPECT_EQ(receiver.origins[0]->sequence, SequenceNumber(900));
}

TEST(NackGeneratorTest, ARetransmissionMarksTheGapRepaired) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  EXPECT_THAT(receiver.AskedAt(10), ElementsAre(11));
  receiver.Receive(50, {Rtx(11)});
  EXPECT_EQ(receiver.counters().repaired, 1u);
  for (int64_t ms = 50; ms < 3000; ++ms) {
    ASSERT_THAT(receiver.AskedAt(ms), IsEmpty()) << ms;
  }
}

TEST(NackGeneratorTest, ARetransmissionOfAPacketNotYetMissedIsThePacket) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10});
  EXPECT_THAT(receiver.Receive(1, {Rtx(12)}).passed, ElementsAre(Media(12)));
  EXPECT_THAT(receiver.AskedAt(100), ElementsAre(11));
  // Also the first packet of all may come so.
  receiver.Remove(kVideo);
  receiver.Add(Video());
  EXPECT_THAT(receiver.Receive(200, {Rtx(7)}).passed, ElementsAre(Media(7)));
}

TEST(NackGeneratorTest, EachPacketIsPassedOnOnce) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  EXPECT_THAT(receiver.Receive(50, {Rtx(11, 1), Rtx(11, 2), Rtx(12, 3)}).passed, SizeIs(1));
  EXPECT_EQ(receiver.counters().restored_duplicates, 2u);
  EXPECT_EQ(receiver.harness->slots_held(), 0u);
}

TEST(NackGeneratorTest, ARetransmissionFarFromTheStreamIsDropped) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10});
  EXPECT_THAT(receiver.Receive(1, {Rtx(30000, 1), Rtx(30001, 2)}).passed, IsEmpty());
  EXPECT_EQ(receiver.counters().restored_far, 2u);
  receiver.ReceiveMedia(2, {11});
  EXPECT_EQ(receiver.counters().restarts, 0u);
}

TEST(NackGeneratorTest, ProbesOfPaddingOnTheRetransmissionStreamAreTaken) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  const Bytes probe =
      RtpPacketBuilder().WithSsrc(kVideoRtx).WithPayloadType(kRtxType).WithPadding(255).Build();
  EXPECT_THAT(receiver.Receive(1, {probe}).passed, IsEmpty());
  EXPECT_EQ(receiver.counters().padding_only, 1u);
  EXPECT_EQ(receiver.counters().malformed, 0u);
  EXPECT_THAT(receiver.AskedAt(10), ElementsAre(11));
}

TEST(NackGeneratorTest, RetransmissionsThatAreNoneAreTakenAndCounted) {
  Receiver receiver;
  receiver.ReceiveMedia(0, {10, 12});
  const Bytes one_byte =
      RtpPacketBuilder().WithSsrc(kVideoRtx).WithPayloadType(kRtxType).WithPayload({9}).Build();
  // No format, and a format that repeats nothing.
  EXPECT_THAT(receiver.Receive(1, {one_byte, Rtx(11, 1, 100), Rtx(11, 2, kVideoType)}).passed,
              IsEmpty());
  EXPECT_EQ(receiver.counters().malformed, 3u);
  EXPECT_EQ(receiver.harness->slots_held(), 0u);
  EXPECT_THAT(receiver.AskedAt(10), ElementsAre(11));
}

TEST(NackGeneratorTest, WithoutAttributesTheOriginIsUnknownAndThePacketIsThere) {
  Receiver receiver({}, {.attributes = 0});
  receiver.ReceiveMedia(0, {10, 12});
  receiver.origins.clear();
  EXPECT_THAT(receiver.Receive(50, {Rtx(11)}).passed, ElementsAre(Media(11)));
  ASSERT_THAT(receiver.origins, SizeIs(1));
  EXPECT_FALSE(receiver.origins[0].has_value());
}

TEST(NackGeneratorTest, WithoutNackARetransmissionIsMadeThePacketAllTheSame) {
  Receiver receiver;
  StreamInfo info = Video(0xD0);
  info.feedback.nack = false;
  receiver.Add(info);
  Bytes rtx = Rtx(11);
  StoreBe32(&rtx[8], 0xD1);
  EXPECT_THAT(receiver.Receive(0, {rtx}).passed, ElementsAre(Media(11, 0xD0)));
}

TEST(NackGeneratorTest, ThePacketItselfRepeatedIsARepairWhereNoRetransmissionStreamIs) {
  Receiver receiver;
  receiver.Receive(0, {Media(10, kAudio), Media(12, kAudio)});
  EXPECT_THAT(Asked(receiver.harness->Timeout(Ms(10)), kAudio), ElementsAre(11));
  EXPECT_THAT(receiver.Receive(50, {Media(11, kAudio)}).passed, SizeIs(1));
  EXPECT_EQ(receiver.counters().repaired, 1u);
  EXPECT_THAT(receiver.harness->Timeout(Ms(2000)).rtcp, IsEmpty());
}

}  // namespace
}  // namespace sluice
