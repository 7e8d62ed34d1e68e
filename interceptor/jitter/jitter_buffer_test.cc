#include "interceptor/jitter/jitter_buffer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kAudio = 0xA0;
constexpr uint32_t kRtx = 0xA1;
constexpr uint32_t kOther = 0xB0;
// 20 ms at 48 kHz.
constexpr uint32_t kFrame = 960;

StreamInfo Stream(uint32_t ssrc) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  if (ssrc == kAudio) {
    info.retransmission_ssrc = Ssrc(kRtx);
  }
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96), .clock_rate = 48000}));
  return info;
}

// The n-th packet of a stream.
RtpPacketBuilder Packet(int64_t n, uint32_t ssrc = kAudio) {
  return RtpPacketBuilder()
      .WithSsrc(ssrc)
      .WithSequence(static_cast<uint16_t>(n))
      .WithTimestamp(static_cast<uint32_t>(n) * kFrame)
      .WithPayloadSize(50);
}

// A buffer with a fixed delay of 40 ms unless a test says otherwise.
constexpr PlayoutDelayOptions kFixed = {.minimum = TimeDelta::Millis(40),
                                        .initial = TimeDelta::Millis(40),
                                        .maximum = TimeDelta::Millis(40)};

struct Leg {
  explicit Leg(const JitterBufferOptions& options = {.delay = kFixed},
               const ChainHarnessOptions& harness_options = {}) {
    auto made = JitterBuffer::Create(options);
    EXPECT_TRUE(made.ok()) << made.status();
    buffer = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made), harness_options);
    for (const uint32_t ssrc : {kAudio, kOther}) {
      EXPECT_EQ(
          harness->chain().AddStream(Timestamp::Zero(), PacketDirection::kIncoming, Stream(ssrc)),
          AddStreamVerdict::kOk);
    }
  }

  // Packets come `ms` after the start; what is given on then.
  std::vector<int64_t> Receive(int64_t ms, const std::vector<Bytes>& packets) {
    return Numbers(harness->IncomingRtp(Timestamp::Millis(ms), packets));
  }
  std::vector<int64_t> Receive(int64_t ms, int64_t n) { return Receive(ms, {Packet(n).Build()}); }
  // What is given on by `ms`.
  std::vector<int64_t> Wait(int64_t ms) { return Numbers(harness->Timeout(Timestamp::Millis(ms))); }
  std::vector<int64_t> Numbers(const ChainOutput& output) {
    EXPECT_THAT(output.passed, IsEmpty());
    std::vector<int64_t> numbers;
    for (const Bytes& packet : output.delivered) {
      numbers.push_back(RtpPacketView::Parse(packet)->sequence_number().value());
    }
    return numbers;
  }

  JitterBuffer* buffer;
  std::unique_ptr<ChainHarness> harness;
};

TEST(JitterBufferTest, OptionsOutOfRangeAreRefused) {
  for (const JitterBufferOptions& options :
       {JitterBufferOptions{.max_streams = 0}, JitterBufferOptions{.max_streams = 1025},
        JitterBufferOptions{.capacity = 100}, JitterBufferOptions{.max_held = 0},
        JitterBufferOptions{.max_held = 65537},
        JitterBufferOptions{.delay = {.minimum = TimeDelta::Seconds(1)}}}) {
    EXPECT_EQ(JitterBuffer::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(JitterBufferTest, GivesPacketsAtThePaceOfTheirTimestamps) {
  Leg leg;
  // In a burst, as after a hiccup of the path.
  EXPECT_THAT(leg.Receive(100, {Packet(1).Build(), Packet(2).Build(), Packet(3).Build()}),
              ElementsAre(1));
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Timestamp::Millis(120));
  EXPECT_THAT(leg.Wait(119), IsEmpty());
  EXPECT_THAT(leg.Wait(120), ElementsAre(2));
  EXPECT_THAT(leg.Wait(140), ElementsAre(3));
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_EQ(leg.buffer->held(), 0u);
  EXPECT_EQ(leg.harness->slots_held(), 0u);
}

TEST(JitterBufferTest, PutsPacketsInOrder) {
  Leg leg;
  EXPECT_THAT(leg.Receive(0, 1), IsEmpty());
  EXPECT_THAT(leg.Receive(40, 3), ElementsAre(1));
  EXPECT_THAT(leg.Receive(50, 2), IsEmpty());
  EXPECT_THAT(leg.Wait(60), ElementsAre(2));
  EXPECT_THAT(leg.Wait(80), ElementsAre(3));
  EXPECT_EQ(leg.buffer->counters().missing, 0u);
}

TEST(JitterBufferTest, AMissingPacketIsWaitedForUntilTheNextOnesTurn) {
  Leg leg;
  leg.Receive(0, 1);
  leg.Receive(40, 3);
  EXPECT_THAT(leg.Wait(79), IsEmpty());
  EXPECT_THAT(leg.Wait(80), ElementsAre(3));
  EXPECT_EQ(leg.buffer->counters().missing, 1u);
}

TEST(JitterBufferTest, LatePacketsAreDroppedAndCounted) {
  Leg leg;
  leg.Receive(0, 1);
  leg.Receive(40, 3);
  leg.Wait(80);
  EXPECT_THAT(leg.Receive(81, 2), IsEmpty());
  EXPECT_THAT(leg.Receive(82, 3), IsEmpty());
  EXPECT_EQ(leg.buffer->counters().late, 2u);
  EXPECT_EQ(leg.buffer->held(), 0u);
  EXPECT_EQ(leg.harness->slots_held(), 0u);
}

TEST(JitterBufferTest, DuplicatesAreDroppedAndCounted) {
  Leg leg;
  leg.Receive(0, 1);
  leg.Receive(1, 1);
  EXPECT_EQ(leg.buffer->counters().duplicates, 1u);
  EXPECT_THAT(leg.Wait(40), ElementsAre(1));
  EXPECT_EQ(leg.harness->slots_held(), 0u);
}

TEST(JitterBufferTest, NumbersAndTimestampsWrap) {
  Leg leg;
  const auto packet = [](uint16_t sequence, uint32_t timestamp) {
    return std::vector<Bytes>{RtpPacketBuilder()
                                  .WithSsrc(kAudio)
                                  .WithSequence(sequence)
                                  .WithTimestamp(timestamp)
                                  .WithPayloadSize(10)
                                  .Build()};
  };
  leg.Receive(0, packet(0xFFFE, 0u - 2 * kFrame));
  leg.Receive(20, packet(0xFFFF, 0u - kFrame));
  EXPECT_THAT(leg.Receive(40, packet(0, 0)), ElementsAre(0xFFFE));
  EXPECT_THAT(leg.Receive(60, packet(1, kFrame)), ElementsAre(0xFFFF));
  EXPECT_THAT(leg.Wait(80), ElementsAre(0));
  EXPECT_THAT(leg.Wait(100), ElementsAre(1));
  EXPECT_EQ(leg.buffer->counters().missing, 0u);
  EXPECT_EQ(leg.buffer->counters().restarts, 0u);
}

TEST(JitterBufferTest, StreamsDoNotShareABuffer) {
  Leg leg;
  leg.Receive(0, {Packet(1).Build(), Packet(1, kOther).Build()});
  leg.Receive(5, {Packet(40000, kOther).Build(), Packet(40001, kOther).Build()});
  EXPECT_EQ(leg.buffer->counters().restarts, 1u);
  EXPECT_THAT(leg.Receive(20, 2), IsEmpty());
  const ChainOutput output = leg.harness->Timeout(Timestamp::Millis(40));
  ASSERT_FALSE(output.delivered.empty());
  EXPECT_EQ(output.delivered[0], Packet(1).Build());
}

TEST(JitterBufferTest, PaddingOnlyFillsItsPlaceAndGoesNoFurther) {
  Leg leg;
  leg.Receive(0, 1);
  leg.Receive(10, {RtpPacketBuilder()
                       .WithSsrc(kAudio)
                       .WithSequence(2)
                       .WithTimestamp(0xDEADBEEF)
                       .WithPadding(200)
                       .Build()});
  leg.Receive(20, {RtpPacketBuilder()
                       .WithSsrc(kAudio)
                       .WithSequence(3)
                       .WithTimestamp(2 * kFrame)
                       .WithPayloadSize(50)
                       .Build()});
  EXPECT_EQ(leg.buffer->counters().padding_only, 1u);
  // The loan is back while the place is kept.
  EXPECT_EQ(leg.buffer->held(), 3u);
  EXPECT_EQ(leg.harness->slots_held(), 2u);
  EXPECT_THAT(leg.Wait(40), ElementsAre(1));
  EXPECT_THAT(leg.Wait(60), ElementsAre(3));
  EXPECT_EQ(leg.buffer->counters().missing, 0u);
}

TEST(JitterBufferTest, GivesExactlyThePacketsBytes) {
  Leg leg;
  // Each slot holds a longer packet first, so that its end is full of something else.
  leg.Receive(0, {Packet(1).WithPayloadSize(1000).Build()});
  leg.Wait(40);
  const Bytes with_padding = Packet(2).WithPayloadSize(7).WithPadding(9).Build();
  leg.Receive(41, {with_padding});
  EXPECT_THAT(leg.harness->Timeout(Timestamp::Millis(81)).delivered, ElementsAre(with_padding));
}

TEST(JitterBufferTest, OtherPacketsPass) {
  Leg leg;
  const std::vector<Bytes> packets = {Packet(1, kRtx).Build(), Packet(1, 0xDEAD).Build()};
  EXPECT_EQ(leg.harness->IncomingRtp(Timestamp::Zero(), packets).passed, packets);
}

TEST(JitterBufferTest, WhatARemovedStreamHeldReturns) {
  Leg leg;
  leg.Receive(0, 1);
  EXPECT_EQ(leg.harness->slots_held(), 1u);
  leg.harness->chain().RemoveStream(Timestamp::Millis(1), PacketDirection::kIncoming, Ssrc(kAudio));
  EXPECT_EQ(leg.harness->slots_held(), 0u);
  EXPECT_EQ(leg.buffer->held(), 0u);
  EXPECT_THAT(leg.Wait(100), IsEmpty());
}

TEST(JitterBufferTest, AJumpOfTheNumbersGivesWhatIsThereAndBeginsAnew) {
  Leg leg;
  leg.Receive(0, 1);
  EXPECT_THAT(leg.Receive(10, 30000), IsEmpty());
  EXPECT_EQ(leg.buffer->counters().far, 1u);
  EXPECT_THAT(leg.Receive(20, 30001), ElementsAre(1));
  EXPECT_EQ(leg.buffer->counters().restarts, 1u);
  EXPECT_THAT(leg.Wait(60), ElementsAre(30001));
}

TEST(JitterBufferTest, ATimestampFromNowhereDoesNotHoldAPacketForLong) {
  Leg leg;
  leg.Receive(0, 1);
  // The two have no common time: the first goes at once, the second after the delay.
  EXPECT_THAT(leg.Receive(20, {Packet(2).WithTimestamp(0x70000000).Build()}), ElementsAre(1));
  EXPECT_THAT(leg.Wait(59), IsEmpty());
  EXPECT_THAT(leg.Wait(60), ElementsAre(2));
  leg.Receive(80, {Packet(3).WithTimestamp(9).Build()});
  EXPECT_THAT(leg.Wait(120), ElementsAre(3));
}

TEST(JitterBufferTest, APacketWaitsNoLongerForThoseThatComeInFrontOfIt) {
  Leg leg;
  leg.Receive(0, 100);
  // Its turn would be at 70.
  leg.Receive(30, {Packet(99).WithTimestamp(105 * kFrame).Build()});
  EXPECT_THAT(leg.Wait(39), IsEmpty());
  EXPECT_THAT(leg.Wait(40), ElementsAre(99, 100));
}

TEST(JitterBufferTest, TooManyPacketsPushOutTheFirst) {
  JitterBufferOptions options = {.capacity = 16, .delay = kFixed};
  Leg leg(options);
  leg.Receive(0, 1);
  EXPECT_THAT(leg.Receive(1, 17), ElementsAre(1));
  EXPECT_EQ(leg.buffer->counters().pushed_out, 1u);
  // Behind a loss that is longer than the ring.
  EXPECT_THAT(leg.Receive(2, 500), ElementsAre(17));
  EXPECT_EQ(leg.buffer->counters().missing, 15u + 482);
  EXPECT_EQ(leg.buffer->held(), 1u);
}

TEST(JitterBufferTest, AllStreamsTogetherHoldNoMoreThanTheLimit) {
  JitterBufferOptions options = {.max_held = 4, .delay = kFixed};
  Leg leg(options);
  leg.Receive(0, {Packet(1).Build(), Packet(1, kOther).Build(), Packet(2).Build(),
                  Packet(2, kOther).Build()});
  EXPECT_EQ(leg.buffer->held(), 4u);
  EXPECT_THAT(leg.Receive(1, 3), ElementsAre(1));
  EXPECT_EQ(leg.buffer->held(), 4u);
  EXPECT_EQ(leg.buffer->counters().pushed_out, 1u);
}

TEST(JitterBufferTest, APauseOfOursIsNoBurst) {
  Leg leg;
  std::vector<Bytes> packets;
  for (int64_t n = 1; n <= 150; ++n) {
    packets.push_back(RtpPacketBuilder()
                          .WithSsrc(kAudio)
                          .WithSequence(static_cast<uint16_t>(n))
                          .WithTimestamp(7)
                          .WithPayloadSize(10)
                          .Build());
  }
  leg.Receive(0, packets);
  EXPECT_THAT(leg.Wait(1000), SizeIs(64));
  EXPECT_LE(leg.harness->chain().NextTimeout(), Timestamp::Millis(1000));
  EXPECT_THAT(leg.Wait(1000), SizeIs(64));
  EXPECT_THAT(leg.Wait(1000), SizeIs(22));
  EXPECT_EQ(leg.buffer->counters().delivery_dropped, 0u);
}

TEST(JitterBufferTest, WhatTheOutboxHasNoRoomForIsCounted) {
  ChainHarnessOptions harness_options;
  harness_options.outbox.rtp_packets = 1;
  Leg leg({.delay = kFixed}, harness_options);
  leg.Receive(0, {Packet(1).WithTimestamp(7).Build(), Packet(2).WithTimestamp(7).Build()});
  EXPECT_THAT(leg.Wait(100), ElementsAre(1));
  EXPECT_EQ(leg.buffer->counters().delivery_dropped, 1u);
  EXPECT_EQ(leg.harness->slots_held(), 0u);
}

TEST(JitterBufferTest, TheDelayGrowsUntilThePacketsAreInTime) {
  Leg leg({.delay = {.initial = TimeDelta::Zero()}});
  int64_t late_before = 0;
  for (int64_t n = 0; n < 1000; ++n) {
    // Every fourth takes 90 ms longer.
    leg.harness->Timeout(Timestamp::Millis(20 * n));
    if (n % 4 != 3) {
      leg.Receive(20 * n, n);
    }
    if (n >= 8 && (n - 4) % 4 == 3) {
      leg.Receive(20 * n + 10, n - 4);
    }
    if (n == 500) {
      late_before = static_cast<int64_t>(leg.buffer->counters().late);
    }
  }
  EXPECT_GE(leg.buffer->target(StreamSlot(0)), TimeDelta::Millis(90));
  EXPECT_EQ(static_cast<int64_t>(leg.buffer->counters().late), late_before);
}

// Loss, reordering, duplicates and bursts: what comes out is in order, came in, and only once; and
// nothing is held for longer than the longest delay.
TEST(JitterBufferTest, WhateverComesGoesOutInOrderAndOnce) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3550);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  Leg leg({.capacity = 64, .delay = {.maximum = TimeDelta::Millis(200)}});
  std::set<int64_t> came;
  int64_t last = 0, ms = 0, given = 0;
  for (int64_t n = 1; n < 20000; ++n) {
    std::vector<int64_t> out;
    if (random.Below(20) != 0) {
      const int64_t number = std::max<int64_t>(1, n - static_cast<int64_t>(random.Below(12)));
      came.insert(number);
      out = leg.Receive(ms, number);
    }
    ms += static_cast<int64_t>(random.Below(41));
    const std::vector<int64_t> more = leg.Wait(ms);
    out.insert(out.end(), more.begin(), more.end());
    for (const int64_t sequence : out) {
      ASSERT_GT(sequence, last);
      ASSERT_TRUE(came.contains(sequence));
      last = sequence;
      ++given;
    }
    ASSERT_EQ(leg.harness->slots_held(), leg.buffer->held());
    ASSERT_GT(leg.harness->chain().NextTimeout(), Timestamp::Millis(ms));
    ASSERT_LE(leg.buffer->held(), 64u);
  }
  leg.Wait(ms + 200);
  EXPECT_EQ(leg.buffer->held(), 0u);
  EXPECT_GT(given, 5000);
}

// What is delivered at `ms` came, by its payload, not more than `longest` before.
void ExpectInTime(int64_t ms, int64_t longest, const ChainOutput& output) {
  for (const Bytes& packet : output.delivered) {
    const absl::Span<const uint8_t> payload = RtpPacketView::Parse(packet)->payload();
    ASSERT_EQ(payload.size(), 4u);
    EXPECT_LE(ms - int64_t{LoadBe32(payload.data())}, longest);
  }
}

// Numbers, timestamps and streams from nowhere: what waits is bounded, by number and by time.
TEST(JitterBufferTest, WhateverAPeerSendsNothingWaitsForLong) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(711);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr int64_t kDelay = 200;
  // Between two calls.
  constexpr uint64_t kStep = 12;
  constexpr int64_t kLongest = kDelay + static_cast<int64_t>(kStep);
  Leg leg({.capacity = 64, .max_held = 80, .delay = {.maximum = TimeDelta::Millis(kDelay)}});
  InterceptorChain& chain = leg.harness->chain();
  int64_t ms = 0;
  uint16_t sequence = 0;
  for (int i = 0; i < 30000; ++i, ms += static_cast<int64_t>(random.Below(kStep))) {
    const Timestamp now = Timestamp::Millis(ms);
    for (int calls = 0; chain.NextTimeout() <= now; ++calls) {
      ASSERT_LT(calls, 10);
      ExpectInTime(ms, kLongest, leg.harness->Timeout(now));
    }
    const uint32_t ssrc = random.Below(2) == 0 ? kAudio : kOther;
    // Near the last one, mostly in front; or anywhere.
    sequence = static_cast<uint16_t>(random.Below(50) == 0 ? random.NextU32()
                                                           : sequence + random.Below(40) - 19);
    Bytes payload(random.Below(4) == 0 ? 0 : 4);
    if (!payload.empty()) {
      StoreBe32(payload.data(), static_cast<uint32_t>(ms));
    }
    const auto media = static_cast<uint32_t>(ms) * 48;
    ExpectInTime(ms, kLongest,
                 leg.harness->IncomingRtp(
                     now, {Packet(sequence, ssrc)
                               .WithTimestamp(random.Below(4) == 0 ? random.NextU32() : media)
                               .WithPayload(payload)
                               .Build()}));
    if (random.Below(500) == 0) {
      ASSERT_TRUE(chain.RemoveStream(now, PacketDirection::kIncoming, Ssrc(ssrc)));
      ASSERT_EQ(chain.AddStream(now, PacketDirection::kIncoming, Stream(ssrc)),
                AddStreamVerdict::kOk);
    }
    ASSERT_LE(leg.buffer->held(), 80u);
    ASSERT_LE(leg.harness->slots_held(), leg.buffer->held());
    ASSERT_FALSE(HasFailure());
  }
  const JitterBufferCounters& counters = leg.buffer->counters();
  EXPECT_GT(counters.delivered, 1000u);
  EXPECT_GT(counters.late, 0u);
  EXPECT_GT(counters.far, 0u);
  EXPECT_GT(counters.padding_only, 0u);
  EXPECT_EQ(counters.delivery_dropped, 0u);
}

TEST(JitterBufferTest, NothingIsAllocatedAfterTheStart) {
  const std::unique_ptr<JitterBuffer> buffer = *JitterBuffer::Create({});
  PacketArena packets(600);
  AttributesArena attributes(8);
  InterceptorOutbox out({}, packets, attributes);
  const StreamInfo info = Stream(kAudio);
  const Bytes bytes = Packet(0).Build();
  const uint64_t before = ThreadAllocations();
  buffer->OnStreamAdded(Timestamp::Zero(), PacketDirection::kIncoming, StreamSlot(0), info);
  for (uint32_t n = 0; n < 2000; ++n) {
    PacketLoan loan = packets.Lend();
    ASSERT_TRUE(loan.Resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), loan.bytes().begin());
    loan.bytes()[2] = static_cast<uint8_t>(n >> 8);
    loan.bytes()[3] = static_cast<uint8_t>(n);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    row.stream = StreamSlot(0);
    buffer->OnIncomingRtp(Timestamp::Millis(n), absl::MakeSpan(&row, 1), out);
    buffer->OnTimeout(Timestamp::Millis(n), out);
    out.EndBatch();
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_GT(buffer->counters().delivered, 1900u);
}

}  // namespace
}  // namespace sluice
