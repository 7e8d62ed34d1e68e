#include "interceptor/red/redundancy.h"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kAudio = 0xA0;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Info(bool redundancy = true) {
  StreamInfo info;
  info.ssrc = Ssrc(kAudio);
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(111), .clock_rate = 48000}));
  if (redundancy) {
    EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(63),
                                .role = PayloadRole::kRedundancy,
                                .clock_rate = 48000,
                                .associated = PayloadType(111)}));
  }
  return info;
}

RtpPacketBuilder Audio(uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSsrc(kAudio)
      .WithSequence(sequence)
      .WithTimestamp(960u * sequence)
      .WithPayloadType(111)
      .WithPayloadSize(80);
}

// A leg; its interceptor belongs to the chain.
struct Leg {
  explicit Leg(const RedundancyOptions& options, const StreamInfo& info = Info()) {
    auto made = Redundancy::Create(options);
    EXPECT_TRUE(made.ok()) << made.status();
    red = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made));
    for (const auto direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      EXPECT_EQ(harness->chain().AddStream(Ms(0), direction, info), AddStreamVerdict::kOk);
    }
  }

  Redundancy* red;
  std::unique_ptr<ChainHarness> harness;
};

TEST(RedundancyTest, OptionsOutOfTheirRangeAreRefused) {
  const auto refused = [](const RedundancyOptions& options) {
    return absl::IsInvalidArgument(Redundancy::Create(options).status());
  };
  EXPECT_FALSE(refused({}));
  EXPECT_FALSE(refused({.encoder = {.blocks = 2}}));
  EXPECT_TRUE(refused({.max_streams = 0}));
  EXPECT_TRUE(refused({.max_streams = 1025}));
  EXPECT_TRUE(refused({.encoder = {.blocks = 0}}));
  EXPECT_TRUE(refused({.encoder = {.blocks = 3}}));
  EXPECT_TRUE(refused({.encoder = {.max_packet_size = 11}}));
  EXPECT_TRUE(refused({.encoder = {.max_packet_size = kMaxDatagramSize + 1}}));
}

TEST(RedundancyTest, ALostPacketIsRestoredFromTheNext) {
  Leg sender({});
  Leg receiver({});
  const ChainOutput sent =
      sender.harness->OutgoingRtp(Ms(0), {Audio(1).Build(), Audio(2).Build(), Audio(3).Build()});
  ASSERT_THAT(sent.passed, SizeIs(3));
  const ChainOutput came =
      receiver.harness->IncomingRtp(Ms(20), {sent.passed[0], sent.passed[2], sent.passed[1]});
  EXPECT_THAT(came.passed, ElementsAre(Audio(1).Build(), Audio(3).Build()));
  EXPECT_THAT(came.delivered, ElementsAre(Audio(2).Build()));
  EXPECT_EQ(receiver.harness->slots_held(), 0u);
}

TEST(RedundancyTest, AStreamWithoutItIsLeftAlone) {
  Leg leg({}, Info(false));
  const Bytes packet = Audio(1).Build();
  EXPECT_THAT(leg.harness->OutgoingRtp(Ms(0), {packet}).passed, ElementsAre(packet));
  EXPECT_THAT(leg.harness->IncomingRtp(Ms(0), {packet, packet}).passed, SizeIs(2));
  const Bytes other = Audio(1).WithSsrc(5).Build();
  EXPECT_THAT(leg.harness->IncomingRtp(Ms(0), {other, other}).passed, SizeIs(2));
}

TEST(RedundancyTest, AStreamThatEndedIsLeftAlone) {
  Leg leg({});
  for (const auto direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    ASSERT_TRUE(leg.harness->chain().RemoveStream(Ms(0), direction, Ssrc(kAudio)));
    ASSERT_EQ(leg.harness->chain().AddStream(Ms(0), direction, Info(false)), AddStreamVerdict::kOk);
  }
  const Bytes packet = Audio(1).Build();
  EXPECT_THAT(leg.harness->OutgoingRtp(Ms(0), {packet}).passed, ElementsAre(packet));
}

TEST(RedundancyTest, LossesAsLongAsTheRedundancyAreRestoredAndNothingComesTwice) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (const size_t blocks : {1, 2}) {
    Leg sender({.encoder = {.blocks = blocks}});
    Leg receiver({});
    const auto first = static_cast<uint16_t>(random.NextU32());
    constexpr int kPackets = 5'000;
    std::vector<Bytes> media;
    std::vector<Bytes> wire;
    for (int i = 0; i < kPackets; ++i) {
      media.push_back(
          Audio(static_cast<uint16_t>(first + i)).WithPayloadSize(random.Below(120)).Build());
      wire.push_back(sender.harness->OutgoingRtp(Ms(0), {media.back()}).passed[0]);
    }
    // By brute force: it came, or one of the next that came in time repeats it.
    std::vector<bool> came(kPackets, true);
    for (int i = 1; i < kPackets; ++i) came[i] = random.Below(100) >= 30;
    std::set<int> expected;
    for (int i = 0; i < kPackets; ++i) {
      bool known = came[i];
      const bool empty = media[i].size() == 12;
      for (int d = 1; d <= static_cast<int>(blocks) && i + d < kPackets; ++d) {
        // A packet of nothing is not wrapped, and what it was is not repeated.
        bool chained = !empty;
        for (int k = 1; k <= d; ++k) chained = chained && media[i + k].size() > 12;
        known = known || (came[i + d] && chained);
      }
      if (known) expected.insert(i);
    }
    std::set<int> delivered;
    for (int i = 0; i < kPackets; ++i) {
      if (!came[i]) continue;
      std::vector<Bytes> batch = {wire[i]};
      if (random.Below(10) == 0) batch.push_back(wire[i]);
      const ChainOutput out = receiver.harness->IncomingRtp(Ms(20), batch);
      for (const auto* list : {&out.passed, &out.delivered}) {
        for (const Bytes& packet : *list) {
          const int n = static_cast<uint16_t>(
              RtpPacketView::Parse(packet)->sequence_number().value() - first);
          ASSERT_EQ(packet, media[n]) << n;
          ASSERT_TRUE(delivered.insert(n).second) << n;
        }
      }
    }
    EXPECT_EQ(delivered, expected);
    EXPECT_GT(receiver.red->decoder_counters().restored, 900u);
  }
}

TEST(RedundancyTest, NothingIsAllocatedForPacketsAndThoseTheyRestore) {
  PacketArena packets(32);
  AttributesArena attributes(0);
  InterceptorOutbox out({}, packets, attributes);
  const std::unique_ptr<Redundancy> red = *Redundancy::Create({.encoder = {.blocks = 2}});
  const StreamSlot slot(1);
  const StreamInfo info = Info();
  uint64_t allocations = 0;
  for (uint32_t i = 0; i < 20'000; ++i) {
    PacketLoan loan = Audio(static_cast<uint16_t>(i)).BuildInto(packets);
    const uint64_t before = ThreadAllocations();
    if (i == 0) {
      red->OnStreamAdded(Ms(0), PacketDirection::kIncoming, slot, info);
      red->OnStreamAdded(Ms(0), PacketDirection::kOutgoing, slot, info);
    }
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    row.stream = slot;
    red->OnOutgoingRtp(Ms(i), absl::MakeSpan(&row, 1), out);
    if (i % 5 != 1) {
      red->OnIncomingRtp(Ms(i), absl::MakeSpan(&row, 1), out);
    }
    out.EndBatch();
    allocations += ThreadAllocations() - before;
  }
  EXPECT_EQ(allocations, 0u);
  EXPECT_EQ(red->encoder_counters().wrapped, 20'000u);
  EXPECT_EQ(red->decoder_counters().restored, 4'000u);
}

}  // namespace
}  // namespace sluice
