#include "interceptor/fec/forward_error_correction.h"

#include <algorithm>
#include <cstdint>
#include <map>
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
#include "interceptor/fec/flexfec_header.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kMedia = 0xB0;
constexpr uint32_t kRtx = 0xB1;
constexpr uint32_t kRepair = 0xBF;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = Ssrc(kMedia);
  info.retransmission_ssrc = Ssrc(kRtx);
  info.repair_ssrc = Ssrc(kRepair);
  info.extensions.transport_sequence = 3;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
  EXPECT_TRUE(info.AddFormat(
      {.payload_type = PayloadType(110), .role = PayloadRole::kForwardErrorCorrection}));
  return info;
}

Bytes Media(uint16_t sequence, size_t size = 100) {
  return RtpPacketBuilder()
      .WithSsrc(kMedia)
      .WithSequence(sequence)
      .WithTimestamp(sequence * 10u)
      .WithPayloadSize(size)
      .Build();
}

// A leg; its interceptor belongs to the chain.
struct Leg {
  explicit Leg(const ForwardErrorCorrectionOptions& options, uint64_t seed = 1) : random(seed) {
    auto made = ForwardErrorCorrection::Create(options, random);
    EXPECT_TRUE(made.ok()) << made.status();
    fec = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made));
    for (const auto direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      EXPECT_EQ(harness->chain().AddStream(Ms(0), direction, Video()), AddStreamVerdict::kOk);
    }
  }

  SeededRandom random;
  ForwardErrorCorrection* fec;
  std::unique_ptr<ChainHarness> harness;
};

TEST(ForwardErrorCorrectionTest, OptionsOutOfTheirRangeAreRefused) {
  SeededRandom random(1);
  const auto refused = [&](const ForwardErrorCorrectionOptions& options) {
    return absl::IsInvalidArgument(ForwardErrorCorrection::Create(options, random).status());
  };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.max_streams = 0}));
  EXPECT_TRUE(refused({.max_streams = 1025}));
  EXPECT_TRUE(refused({.encoder = {.layout = {.columns = 110}}}));
  EXPECT_TRUE(refused({.encoder = {.max_delay = TimeDelta::Zero()}}));
  EXPECT_FALSE(refused({.encoder = {.max_packet_size = kMaxProtectedSize}}));
  EXPECT_TRUE(refused({.encoder = {.max_packet_size = kMaxProtectedSize + 1}}));
  EXPECT_TRUE(refused({.encoder = {.max_packet_size = 11}}));
  EXPECT_TRUE(refused({.decoder = {.media_packets = 15}}));
  EXPECT_TRUE(refused({.decoder = {.media_packets = 8193}}));
  EXPECT_TRUE(refused({.decoder = {.parity_packets = 0}}));
  EXPECT_TRUE(refused({.decoder = {.parity_packets = 1025}}));
  EXPECT_TRUE(refused({.decoder = {.max_packet_size = 2048}}));
}

TEST(ForwardErrorCorrectionTest, ALostPacketIsRecoveredFromTheParityOfTheOtherSide) {
  Leg sender({.encoder = {.layout = {.columns = 4}}});
  Leg receiver({});
  const ChainOutput sent =
      sender.harness->OutgoingRtp(Ms(0), {Media(1), Media(2), Media(3), Media(4)});
  EXPECT_THAT(sent.passed, SizeIs(4));
  ASSERT_THAT(sent.sent, SizeIs(1));
  const ChainOutput came = receiver.harness->IncomingRtp(
      Ms(20), {sent.passed[0], sent.passed[1], sent.passed[3], sent.sent[0]});
  // Parity ends here.
  EXPECT_THAT(came.passed, ElementsAre(Media(1), Media(2), Media(4)));
  EXPECT_THAT(came.delivered, ElementsAre(Media(3)));
  // The packet itself, late.
  EXPECT_THAT(receiver.harness->IncomingRtp(Ms(30), {Media(3)}).passed, IsEmpty());
  EXPECT_EQ(receiver.harness->slots_held(), 0u);
}

TEST(ForwardErrorCorrectionTest, OnlyMediaAsItWasForwardedIsProtected) {
  Leg leg({.encoder = {.layout = {.columns = 1}}});
  EXPECT_THAT(leg.harness->OutgoingRtp(Ms(0), {Media(1)}).sent, SizeIs(1));
  const Bytes rtx = RtpPacketBuilder().WithSsrc(kRtx).WithPayloadSize(10).Build();
  const Bytes other = RtpPacketBuilder().WithSsrc(0xABCD).WithPayloadSize(10).Build();
  const ChainOutput output = leg.harness->OutgoingRtp(Ms(0), {rtx, other});
  EXPECT_THAT(output.passed, ElementsAre(rtx, other));
  EXPECT_THAT(output.sent, IsEmpty());
}

TEST(ForwardErrorCorrectionTest, ParityThatComesToBeKnownLaterRecoversFromThenOn) {
  Leg sender({});
  std::vector<Bytes> media;
  std::vector<Bytes> parity;
  for (uint16_t i = 0; i < 20; ++i) {
    media.push_back(Media(i));
    for (const Bytes& sent : sender.harness->OutgoingRtp(Ms(0), {media.back()}).sent) {
      parity.push_back(sent);
    }
  }
  ASSERT_THAT(parity, SizeIs(2));
  SeededRandom random(2);
  ChainHarness receiver(*ForwardErrorCorrection::Create({}, random));
  StreamInfo info = Video();
  info.repair_ssrc = std::nullopt;
  ASSERT_EQ(receiver.chain().AddStream(Ms(0), PacketDirection::kIncoming, info),
            AddStreamVerdict::kOk);
  EXPECT_EQ(ForwardErrorCorrection::ProtectedSsrc(*RtpPacketView::Parse(parity[0])), Ssrc(kMedia));
  EXPECT_EQ(ForwardErrorCorrection::ProtectedSsrc(*RtpPacketView::Parse(media[0])), std::nullopt);
  ASSERT_TRUE(receiver.chain().JoinStream(Ms(0), PacketDirection::kIncoming, Ssrc(kMedia),
                                          SsrcRole::kForwardErrorCorrection, Ssrc(kRepair)));
  for (uint16_t i = 10; i < 20; ++i) {
    if (i != 13) {
      receiver.IncomingRtp(Ms(0), {media[i]});
    }
  }
  EXPECT_THAT(receiver.IncomingRtp(Ms(0), {parity[1]}).delivered, ElementsAre(media[13]));
}

TEST(ForwardErrorCorrectionTest, AStreamWithoutRepairIsLeftAlone) {
  SeededRandom random(1);
  ChainHarness harness(
      *ForwardErrorCorrection::Create({.encoder = {.layout = {.columns = 1}}}, random));
  StreamInfo info = Video();
  info.repair_ssrc.reset();
  for (const auto direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    ASSERT_EQ(harness.chain().AddStream(Ms(0), direction, info), AddStreamVerdict::kOk);
  }
  EXPECT_THAT(harness.OutgoingRtp(Ms(0), {Media(1)}).sent, IsEmpty());
  EXPECT_THAT(harness.IncomingRtp(Ms(0), {Media(1), Media(1)}).passed, SizeIs(2));
  EXPECT_EQ(harness.chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(ForwardErrorCorrectionTest, ABlockThatIsNotFilledIsFinishedInTime) {
  Leg leg({});
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  leg.harness->OutgoingRtp(Ms(10), {Media(1), Media(2)});
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Ms(110));
  EXPECT_THAT(leg.harness->Timeout(Ms(109)).sent, IsEmpty());
  EXPECT_THAT(leg.harness->Timeout(Ms(110)).sent, SizeIs(1));
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_THAT(leg.harness->Timeout(Ms(300)).sent, IsEmpty());
}

TEST(ForwardErrorCorrectionTest, AStreamThatEndsWhileBusySendsNothingMore) {
  Leg leg({});
  leg.harness->OutgoingRtp(Ms(10), {Media(1), Media(2)});
  EXPECT_EQ(leg.harness->slots_held(), 1u);
  ASSERT_TRUE(leg.harness->chain().RemoveStream(Ms(11), PacketDirection::kOutgoing, Ssrc(kMedia)));
  EXPECT_EQ(leg.harness->slots_held(), 0u);
  EXPECT_THAT(leg.harness->Timeout(Ms(200)).sent, IsEmpty());
}

TEST(ForwardErrorCorrectionTest, RepairNumbersGoOnWhenAStreamComesBack) {
  Leg leg({.encoder = {.layout = {.columns = 1}}});
  const auto number = [](const Bytes& packet) {
    return RtpPacketView::Parse(packet)->sequence_number().value();
  };
  const uint16_t first = number(leg.harness->OutgoingRtp(Ms(0), {Media(1)}).sent[0]);
  EXPECT_LT(first, 0x8000);
  InterceptorChain& chain = leg.harness->chain();
  ASSERT_TRUE(chain.RemoveStream(Ms(1), PacketDirection::kOutgoing, Ssrc(kMedia)));
  ASSERT_EQ(chain.AddStream(Ms(1), PacketDirection::kOutgoing, Video()), AddStreamVerdict::kOk);
  EXPECT_EQ(number(leg.harness->OutgoingRtp(Ms(2), {Media(2)}).sent[0]), first + 1);
}

// Pion: parity has to be made before anything that alters packets, and its order is up to the user.
TEST(ForwardErrorCorrectionTest, NumbersWrittenBehindParityDoNotSpoilRecovery) {
  const auto packet = [](uint16_t sequence, uint8_t number) {
    return RtpPacketBuilder()
        .WithSsrc(kMedia)
        .WithSequence(sequence)
        .AddOneByteExtension(3, Bytes{number, number})
        .WithPayloadSize(100)
        .Build();
  };
  Leg sender({.encoder = {.layout = {.columns = 3}}});
  Leg receiver({});
  const ChainOutput sent =
      sender.harness->OutgoingRtp(Ms(0), {packet(1, 0), packet(2, 0), packet(3, 0)});
  ASSERT_THAT(sent.sent, SizeIs(1));
  const ChainOutput came =
      receiver.harness->IncomingRtp(Ms(20), {packet(1, 77), packet(3, 78), sent.sent[0]});
  EXPECT_THAT(came.delivered, ElementsAre(packet(2, 0)));
}

// What peeling makes known of a set of packets: by sets, without a byte.
std::set<uint16_t> Known(std::set<uint16_t> known, const std::vector<Bytes>& parities) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Bytes& parity : parities) {
      const FlexFecPacket fec = ReadFlexFec(RtpPacketView::Parse(parity)->payload());
      std::vector<uint16_t> missing;
      fec.header.mask.ForEach([&](size_t i) {
        const auto number = static_cast<uint16_t>(fec.header.base.value() + i);
        if (!known.contains(number)) missing.push_back(number);
      });
      if (missing.size() == 1) {
        known.insert(missing[0]);
        changed = true;
      }
    }
  }
  return known;
}

TEST(ForwardErrorCorrectionTest, RecoversWhatCanBeKnownInAnyOrderOfArrival) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  size_t recovered = 0;
  for (int round = 0; round < 500; ++round) {
    ParityLayout layout;
    layout.columns = 1 + random.Below(10);
    layout.rows = 1 + random.Below(10);
    layout.column_parity = layout.rows >= 2 && random.Below(3) != 0;
    layout.row_parity = !layout.column_parity || random.Below(3) != 0;
    Leg sender({.encoder = {.layout = layout}}, seed);
    Leg receiver({});
    const auto first = static_cast<uint16_t>(random.NextU32());
    std::map<uint16_t, Bytes> media;
    std::vector<Bytes> parities;
    for (size_t i = 0; i < layout.packets(); ++i) {
      const auto sequence = static_cast<uint16_t>(first + i);
      media[sequence] = Media(sequence, random.Below(1400));
      const ChainOutput out = sender.harness->OutgoingRtp(Ms(0), {media[sequence]});
      parities.insert(parities.end(), out.sent.begin(), out.sent.end());
    }
    ASSERT_EQ(parities.size(), layout.parities());
    // Some are lost, and the rest comes in any order.
    const uint64_t loss = random.Below(60);
    const auto lost = [&](const auto&) { return random.Below(100) < loss; };
    parities.erase(std::remove_if(parities.begin(), parities.end(), lost), parities.end());
    std::vector<Bytes> arrivals = parities;
    std::set<uint16_t> known;
    for (const auto& [sequence, packet] : media) {
      if (lost(packet)) continue;
      known.insert(sequence);
      arrivals.push_back(packet);
    }
    for (size_t i = arrivals.size(); i > 1; --i)
      std::swap(arrivals[i - 1], arrivals[random.Below(i)]);

    std::set<uint16_t> came;
    for (const Bytes& arrival : arrivals) {
      const ChainOutput out = receiver.harness->IncomingRtp(Ms(20), {arrival});
      for (const auto* list : {&out.passed, &out.delivered}) {
        for (const Bytes& packet : *list) {
          const uint16_t sequence = RtpPacketView::Parse(packet)->sequence_number().value();
          ASSERT_EQ(packet, media[sequence]);
          ASSERT_TRUE(came.insert(sequence).second) << "twice: " << sequence;
        }
      }
      recovered += out.delivered.size();
    }
    ASSERT_EQ(came, Known(known, parities)) << layout.rows << " rows of " << layout.columns;
    ASSERT_EQ(receiver.harness->slots_held(), 0u);
  }
  EXPECT_GT(recovered, 1000u);
}

TEST(ForwardErrorCorrectionTest, NothingIsAllocatedForPacketsParityAndRecovery) {
  PacketArena packets(128);
  AttributesArena attributes(0);
  InterceptorOutbox out({}, packets, attributes);
  SeededRandom random(1);
  const std::unique_ptr<ForwardErrorCorrection> fec = *ForwardErrorCorrection::Create(
      {.encoder = {.layout = {.columns = 5, .rows = 4, .column_parity = true}}}, random);
  const StreamInfo info = Video();
  const StreamSlot slot(2);
  fec->OnStreamAdded(Ms(0), PacketDirection::kIncoming, slot, info);
  fec->OnStreamAdded(Ms(0), PacketDirection::kOutgoing, slot, info);
  std::vector<PacketLoan> wire;
  wire.reserve(64);
  uint64_t allocations = 0;
  for (uint32_t i = 0; i < 20'000; ++i) {
    PacketLoan loan = RtpPacketBuilder()
                          .WithSsrc(kMedia)
                          .WithSequence(static_cast<uint16_t>(i))
                          .WithPayloadSize(1000)
                          .BuildInto(packets);
    const uint64_t before = ThreadAllocations();
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    row.stream = slot;
    fec->OnOutgoingRtp(Ms(i), absl::MakeSpan(&row, 1), out);
    if (i % 7 != 0) wire.push_back(std::move(loan));
    for (OutboxRtp& made : out.sends()) wire.push_back(std::move(made.packet));
    out.EndBatch();
    for (PacketLoan& arrived : wire) {
      InterceptedRtp came = *InterceptedRtp::Of(arrived);
      came.stream = slot;
      came.role =
          came.view.ssrc() == Ssrc(kMedia) ? SsrcRole::kMedia : SsrcRole::kForwardErrorCorrection;
      fec->OnIncomingRtp(Ms(i), absl::MakeSpan(&came, 1), out);
    }
    wire.clear();
    out.EndBatch();
    if (fec->NextTimeout() <= Ms(i)) fec->OnTimeout(Ms(i), out);
    out.EndBatch();
    allocations += ThreadAllocations() - before;
  }
  EXPECT_EQ(allocations, 0u);
  EXPECT_GT(fec->decoder_counters().recovered, 2'700u);
  EXPECT_EQ(fec->encoder_counters().protected_packets, 20'000u);
}

}  // namespace
}  // namespace sluice
