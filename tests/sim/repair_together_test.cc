// Parity, NACK and a jitter buffer in one chain, as a leg has them: each repair sees what the
// others did.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/chain.h"
#include "interceptor/fec/forward_error_correction.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/jitter/jitter_buffer.h"
#include "interceptor/nack/nack_generator.h"
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

constexpr Ssrc kMedia(0xB0);

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = kMedia;
  info.retransmission_ssrc = Ssrc(0xB1);
  info.repair_ssrc = Ssrc(0xBF);
  info.feedback.nack = true;
  info.video = true;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(97),
                              .role = PayloadRole::kRetransmission,
                              .associated = PayloadType(96)}));
  EXPECT_TRUE(info.AddFormat(
      {.payload_type = PayloadType(110), .role = PayloadRole::kForwardErrorCorrection}));
  return info;
}

Bytes Media(uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSsrc(kMedia.value())
      .WithSequence(sequence)
      .WithTimestamp(sequence * 90u)
      .WithPayloadSize(200)
      .Build();
}

// Media 1..4 and the parity of all four.
std::vector<Bytes> Protected(RandomSource& random) {
  ChainHarness sender(
      *ForwardErrorCorrection::Create({.encoder = {.layout = {.columns = 4}}}, random));
  EXPECT_EQ(sender.chain().AddStream(Ms(0), PacketDirection::kOutgoing, Video()),
            AddStreamVerdict::kOk);
  ChainOutput output = sender.OutgoingRtp(Ms(0), {Media(1), Media(2), Media(3), Media(4)});
  std::vector<Bytes> packets = std::move(output.passed);
  packets.insert(packets.end(), output.sent.begin(), output.sent.end());
  EXPECT_THAT(packets, SizeIs(5));
  return packets;
}

struct Receiver {
  explicit Receiver(RandomSource& random, bool jitter_buffer = false) {
    auto nack = NackGenerator::Create({});
    generator = nack->get();
    std::vector<std::unique_ptr<Interceptor>> list;
    // In any order: the chain knows where each stands.
    list.push_back(*std::move(nack));
    list.push_back(*ForwardErrorCorrection::Create({}, random));
    if (jitter_buffer) {
      list.push_back(*JitterBuffer::Create({}));
    }
    harness = std::make_unique<ChainHarness>(std::move(list));
    EXPECT_EQ(harness->chain().AddStream(Ms(0), PacketDirection::kIncoming, Video()),
              AddStreamVerdict::kOk);
    harness->Event(Ms(0), RoundTripMeasured{TimeDelta::Millis(50)});
  }

  // Datagrams of RTCP until then; what the chain gives the application is added to `delivered`.
  size_t RunUntil(Timestamp end) {
    size_t datagrams = 0;
    while (harness->chain().NextTimeout() <= end) {
      Take(harness->Timeout(harness->chain().NextTimeout()), datagrams);
    }
    return datagrams;
  }
  void Take(const ChainOutput& output, size_t& datagrams) {
    datagrams += output.rtcp.size();
    for (const std::vector<Bytes>* packets : {&output.passed, &output.delivered}) {
      for (const Bytes& packet : *packets) {
        delivered.push_back(RtpPacketView::Parse(packet)->sequence_number().value());
      }
    }
  }

  NackGenerator* generator;
  std::unique_ptr<ChainHarness> harness;
  std::vector<uint16_t> delivered;
};

TEST(RepairTogetherTest, WhatParityRecoversIsNotAskedFor) {
  SeededRandom random(1);
  const std::vector<Bytes> sent = Protected(random);
  Receiver receiver(random);
  // The parity comes before the hold-off of the gap is over.
  receiver.harness->IncomingRtp(Ms(10), {sent[0], sent[1], sent[3]});
  const ChainOutput output = receiver.harness->IncomingRtp(Ms(11), {sent[4]});
  EXPECT_THAT(output.passed, IsEmpty());
  EXPECT_THAT(output.delivered, ElementsAre(Media(3)));
  EXPECT_EQ(receiver.RunUntil(Ms(5000)), 0u);
  EXPECT_EQ(receiver.generator->counters().requests_sent, 0u);
}

TEST(RepairTogetherTest, WhatParityAloneCannotRecoverIsAskedForUntilEitherBringsIt) {
  SeededRandom random(2);
  const std::vector<Bytes> sent = Protected(random);
  Receiver receiver(random);
  // Two of four are missing: parity of one packet is not enough, so they are asked for.
  receiver.harness->IncomingRtp(Ms(10), {sent[0], sent[3], sent[4]});
  EXPECT_EQ(receiver.RunUntil(Ms(20)), 1u);
  EXPECT_EQ(receiver.generator->counters().requests_sent, 2u);
  // One comes, late or repeated; with it the waiting parity recovers the other.
  EXPECT_THAT(receiver.harness->IncomingRtp(Ms(30), {sent[1]}).delivered, ElementsAre(Media(3)));
  EXPECT_EQ(receiver.RunUntil(Ms(5000)), 0u);
  EXPECT_EQ(receiver.generator->counters().requests_sent, 2u);
}

TEST(RepairTogetherTest, OrderIsMadeBehindAllRepair) {
  SeededRandom random(3);
  const std::vector<Bytes> sent = Protected(random);
  Receiver receiver(random, /*jitter_buffer=*/true);
  size_t datagrams = 0;
  receiver.Take(receiver.harness->IncomingRtp(Ms(10), {sent[0], sent[3]}), datagrams);
  receiver.Take(receiver.harness->IncomingRtp(Ms(12), {sent[1], sent[4]}), datagrams);
  receiver.RunUntil(Ms(5000));
  EXPECT_THAT(receiver.delivered, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(receiver.harness->slots_held(), 0u);
}

}  // namespace
}  // namespace sluice
