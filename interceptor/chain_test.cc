#include "interceptor/chain.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/testing/chain_harness.h"
#include "interceptor/testing/scripted_interceptor.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = ScriptedInterceptor::Log;

constexpr Timestamp kNow = Timestamp::Millis(100);

// A chain of scripted interceptors of these kinds, in this order of making.
struct ScriptedChain {
  explicit ScriptedChain(const std::vector<InterceptorKind>& kinds,
                         const ChainHarnessOptions& options = {}) {
    std::vector<std::unique_ptr<Interceptor>> list;
    for (const InterceptorKind kind : kinds) {
      auto interceptor = std::make_unique<ScriptedInterceptor>(kind, log);
      at.push_back(interceptor.get());
      list.push_back(std::move(interceptor));
    }
    harness = std::make_unique<ChainHarness>(std::move(list), options);
  }

  Log TakeLog() { return std::exchange(log, {}); }

  Log log;
  // In the order of making.
  std::vector<ScriptedInterceptor*> at;
  std::unique_ptr<ChainHarness> harness;
};

Bytes Packet(uint16_t sequence, uint32_t ssrc = 1) {
  return RtpPacketBuilder().WithSequence(sequence).WithSsrc(ssrc).WithPayloadSize(20).Build();
}

PacketLoan Loan(InterceptorOutbox& out, uint16_t sequence) {
  return RtpPacketBuilder().WithSequence(sequence).BuildInto(out.packets());
}

// A picture loss indication about nothing.
void WriteRtcp(InterceptorOutbox& out) {
  constexpr uint8_t kPacket[12] = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  const absl::Span<uint8_t> room = out.ReserveRtcp(sizeof(kPacket));
  ASSERT_EQ(room.size(), sizeof(kPacket));
  CopyBytes(room, kPacket);
  out.CommitRtcp(12);
}

using enum InterceptorKind;

TEST(InterceptorChainTest, PacketsPassInTheOrderOfKindsWhateverTheOrderOfMaking) {
  ScriptedChain c({kNackGenerator, kPacketLog, kReports});
  c.harness->IncomingRtp(kNow, {Packet(1), Packet(2)});
  EXPECT_THAT(c.TakeLog(),
              ElementsAre("packet_log: in 1 2", "reports: in 1 2", "nack_generator: in 1 2"));
  c.harness->OutgoingRtp(kNow, {Packet(3)});
  EXPECT_THAT(c.TakeLog(),
              ElementsAre("nack_generator: out 3", "reports: out 3", "packet_log: out 3"));
  const Bytes rtcp = RtcpPacketBuilder().AddReceiverReport(1).Build();
  c.harness->IncomingRtcp(kNow, {rtcp});
  EXPECT_THAT(c.TakeLog(), ElementsAre("packet_log: rtcp in 1", "reports: rtcp in 1",
                                       "nack_generator: rtcp in 1"));
  c.harness->OutgoingRtcp(kNow, {rtcp});
  EXPECT_THAT(c.TakeLog(), ElementsAre("nack_generator: rtcp out 1", "reports: rtcp out 1",
                                       "packet_log: rtcp out 1"));
}

TEST(InterceptorChainTest, AnEmptyChainLeavesEverythingAsItIs) {
  ChainHarness harness(std::vector<std::unique_ptr<Interceptor>>{});
  EXPECT_TRUE(harness.chain().empty());
  EXPECT_THAT(harness.IncomingRtp(kNow, {Packet(1)}).passed, ElementsAre(Packet(1)));
  EXPECT_THAT(harness.OutgoingRtp(kNow, {Packet(2)}).passed, ElementsAre(Packet(2)));
  EXPECT_THAT(harness.Timeout(kNow).passed, IsEmpty());
  EXPECT_EQ(harness.chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(InterceptorChainTest, HooksThatWereNotAskedForAreNotCalled) {
  Log log;
  std::vector<std::unique_ptr<Interceptor>> list;
  list.push_back(
      std::make_unique<ScriptedInterceptor>(kReports, log, InterceptorHooks{.outgoing_rtp = true}));
  ChainHarness harness(std::move(list));
  harness.IncomingRtp(kNow, {Packet(1)});
  harness.IncomingRtcp(kNow, {RtcpPacketBuilder().AddReceiverReport(1).Build()});
  harness.Event(kNow, KeyFrameNeeded{Ssrc(1)});
  harness.Timeout(kNow);
  EXPECT_THAT(log, IsEmpty());
  harness.OutgoingRtp(kNow, {Packet(1)});
  EXPECT_THAT(log, ElementsAre("reports: out 1"));
}

TEST(InterceptorChainTest, IsNotMadeOfTwoOfAKindOrNothingOrOptionsOutOfTheirRange) {
  Log log;
  const ChainOptions good = {.rtcp = {.cname = "name"}};
  std::vector<std::unique_ptr<Interceptor>> twice;
  twice.push_back(std::make_unique<ScriptedInterceptor>(kPacer, log));
  twice.push_back(std::make_unique<ScriptedInterceptor>(kPacer, log));
  const auto two = InterceptorChain::Create(std::move(twice), good);
  EXPECT_EQ(two.status(), absl::InvalidArgumentError("two interceptors are pacer"));
  std::vector<std::unique_ptr<Interceptor>> null(1);
  EXPECT_EQ(InterceptorChain::Create(std::move(null), good).status().code(),
            absl::StatusCode::kInvalidArgument);
  for (const size_t streams : {size_t{0}, StreamSlots::kMaxStreams + 1}) {
    ChainOptions bad = good;
    bad.max_streams = streams;
    EXPECT_EQ(InterceptorChain::Create({}, bad).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  for (const size_t size : {size_t{0}, kMaxCnameSize + 1}) {
    ChainOptions bad = good;
    bad.rtcp.cname = std::string(size, 'x');
    EXPECT_EQ(InterceptorChain::Create({}, bad).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  ChainOptions largest = good;
  largest.max_streams = StreamSlots::kMaxStreams;
  largest.rtcp.cname = std::string(kMaxCnameSize, 'x');
  EXPECT_TRUE(InterceptorChain::Create({}, largest).ok());
}

TEST(InterceptorChainTest, PacketsComeWithTheStreamTheyBelongTo) {
  ScriptedChain c({kReports});
  StreamInfo first, second;
  first.ssrc = Ssrc(10);
  second.ssrc = Ssrc(20);
  second.retransmission_ssrc = Ssrc(21);
  InterceptorChain& chain = c.harness->chain();
  ASSERT_EQ(chain.AddStream(kNow, PacketDirection::kIncoming, first), AddStreamVerdict::kOk);
  ASSERT_EQ(chain.AddStream(kNow, PacketDirection::kIncoming, second), AddStreamVerdict::kOk);
  // The other direction has streams of its own.
  ASSERT_EQ(chain.AddStream(kNow, PacketDirection::kOutgoing, second), AddStreamVerdict::kOk);
  EXPECT_EQ(chain.AddStream(kNow, PacketDirection::kOutgoing, second),
            AddStreamVerdict::kSsrcInUse);
  EXPECT_THAT(c.TakeLog(),
              ElementsAre("reports: added incoming 0 10", "reports: added incoming 1 20",
                          "reports: added outgoing 0 20"));

  std::vector<std::pair<StreamSlot, SsrcRole>> seen;
  c.at[0]->on_incoming_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    for (const InterceptedRtp& row : packets) seen.emplace_back(row.stream, row.role);
  };
  c.harness->IncomingRtp(kNow, {Packet(1, 20), Packet(2, 0), Packet(3, 21), Packet(4, 10)});
  EXPECT_THAT(seen, ElementsAre(std::pair(StreamSlot(1), SsrcRole::kMedia),
                                std::pair(kNoStream, SsrcRole::kMedia),
                                std::pair(StreamSlot(1), SsrcRole::kRetransmission),
                                std::pair(StreamSlot(0), SsrcRole::kMedia)));

  c.TakeLog();
  EXPECT_TRUE(chain.JoinStream(kNow, PacketDirection::kIncoming, Ssrc(10),
                               SsrcRole::kRetransmission, Ssrc(2020)));
  EXPECT_FALSE(chain.JoinStream(kNow, PacketDirection::kIncoming, Ssrc(20),
                                SsrcRole::kRetransmission, Ssrc(2021)));
  EXPECT_EQ(chain.FindStream(PacketDirection::kIncoming, Ssrc(2020)).slot,
            chain.FindStream(PacketDirection::kIncoming, Ssrc(10)).slot);
  EXPECT_EQ(chain.FindStream(PacketDirection::kOutgoing, Ssrc(2020)).slot, kNoStream);
  EXPECT_TRUE(chain.RemoveStream(kNow, PacketDirection::kIncoming, Ssrc(20)));
  EXPECT_FALSE(chain.RemoveStream(kNow, PacketDirection::kIncoming, Ssrc(20)));
  EXPECT_THAT(c.TakeLog(), ElementsAre("reports: removed incoming 1"));
  seen.clear();
  c.harness->IncomingRtp(kNow, {Packet(5, 21)});
  EXPECT_THAT(seen, ElementsAre(std::pair(kNoStream, SsrcRole::kMedia)));
}

TEST(InterceptorChainTest, WhatOneTookTheNextDoesNotSee) {
  ScriptedChain c({kReports, kJitterBuffer});
  PacketLoan held;
  c.at[0]->on_incoming_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    held = packets[1].Take();
    // Dropped.
    static_cast<void>(packets[3].Take());
  };
  const ChainOutput out =
      c.harness->IncomingRtp(kNow, {Packet(1), Packet(2), Packet(3), Packet(4), Packet(5)});
  EXPECT_THAT(c.TakeLog(), ElementsAre("reports: in 1 2 3 4 5", "jitter_buffer: in 1 3 5"));
  EXPECT_THAT(out.passed, ElementsAre(Packet(1), Packet(3), Packet(5)));
  EXPECT_EQ(c.harness->slots_held(), 1u);
  held.Return();
}

TEST(InterceptorChainTest, WhenAllIsTakenTheRestOfTheChainSleeps) {
  ScriptedChain c({kReports, kJitterBuffer});
  c.at[0]->on_incoming_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    static_cast<void>(packets[0].Take());
  };
  EXPECT_THAT(c.harness->IncomingRtp(kNow, {Packet(1)}).passed, IsEmpty());
  EXPECT_THAT(c.TakeLog(), ElementsAre("reports: in 1"));
}

// A retransmission goes through the pacer and is numbered; those further from the wire than who
// made it never see it.
TEST(InterceptorChainTest, WhatOneSendsPassesThoseBetweenItAndTheWire) {
  ScriptedChain c({kTransportFeedback, kPacer, kNackResponder, kExtensionWriter});
  c.at[2]->on_incoming_rtcp = [](absl::Span<InterceptedRtcp>, InterceptorOutbox& out) {
    EXPECT_TRUE(out.SendRtp(Loan(out, 7), PacketSource::kRetransmission));
    EXPECT_TRUE(out.SendRtp(Loan(out, 8), PacketSource::kRetransmission));
  };
  std::vector<PacketSource> sources;
  c.at[0]->on_outgoing_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    for (const InterceptedRtp& row : packets) sources.push_back(row.source);
  };
  const ChainOutput out =
      c.harness->IncomingRtcp(kNow, {RtcpPacketBuilder().AddReceiverReport(1).Build()});
  Log log = c.TakeLog();
  log.erase(log.begin(), log.begin() + 4);
  EXPECT_THAT(log, ElementsAre("pacer: out 7 8", "transport_feedback: out 7 8"));
  EXPECT_THAT(sources, ElementsAre(PacketSource::kRetransmission, PacketSource::kRetransmission));
  EXPECT_EQ(out.sent.size(), 2u);
}

TEST(InterceptorChainTest, APacerHoldsWhatOthersSendAndReleasesItTowardsTheWire) {
  ScriptedChain c({kTransportFeedback, kPacer, kNackResponder});
  std::vector<PacketLoan> queue;
  c.at[1]->on_outgoing_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    for (InterceptedRtp& row : packets) queue.push_back(row.Take());
  };
  c.at[1]->on_timeout = [&](InterceptorOutbox& out) {
    for (PacketLoan& packet : queue) out.SendRtp(std::move(packet), PacketSource::kForwarded);
    queue.clear();
  };
  c.at[2]->on_timeout = [](InterceptorOutbox& out) {
    out.SendRtp(Loan(out, 9), PacketSource::kRetransmission);
  };
  EXPECT_THAT(c.harness->OutgoingRtp(kNow, {Packet(1)}).passed, IsEmpty());
  c.TakeLog();
  // 1 is released; 9, made meanwhile, waits for the next time.
  EXPECT_THAT(c.harness->Timeout(kNow).sent, ElementsAre(Packet(1)));
  EXPECT_THAT(c.TakeLog(),
              ElementsAre("transport_feedback: timeout", "pacer: timeout",
                          "nack_responder: timeout", "transport_feedback: out 1", "pacer: out 9"));
  EXPECT_EQ(c.harness->slots_held(), 1u);
  c.at[2]->on_timeout = nullptr;
  EXPECT_EQ(c.harness->Timeout(kNow).sent.size(), 1u);
  EXPECT_EQ(c.harness->slots_held(), 0u);
}

TEST(InterceptorChainTest, WhatOneDeliversPassesThoseBetweenItAndTheApplication) {
  ScriptedChain c({kReports, kForwardErrorCorrection, kNackGenerator, kJitterBuffer});
  c.at[1]->on_incoming_rtp = [](absl::Span<InterceptedRtp>, InterceptorOutbox& out) {
    out.DeliverRtp(Loan(out, 6), PacketSource::kRecovered);
  };
  const ChainOutput out = c.harness->IncomingRtp(kNow, {Packet(5)});
  EXPECT_THAT(c.TakeLog(),
              ElementsAre("reports: in 5", "forward_error_correction: in 5", "nack_generator: in 5",
                          "jitter_buffer: in 5", "nack_generator: in 6", "jitter_buffer: in 6"));
  EXPECT_EQ(out.delivered.size(), 1u);
}

TEST(InterceptorChainTest, WhatIsNoRtpPacketIsDroppedAndCounted) {
  ScriptedChain c({kReports, kForwardErrorCorrection, kNackGenerator});
  c.at[1]->on_incoming_rtp = [](absl::Span<InterceptedRtp>, InterceptorOutbox& out) {
    PacketLoan garbage = Loan(out, 6);
    garbage.bytes()[0] = 0x7F;
    out.DeliverRtp(std::move(garbage), PacketSource::kRecovered);
    out.DeliverRtp(PacketLoan(), PacketSource::kRecovered);
    out.DeliverRtp(Loan(out, 7), PacketSource::kRecovered);
  };
  const ChainOutput out = c.harness->IncomingRtp(kNow, {Packet(5)});
  EXPECT_EQ(out.delivered.size(), 1u);
  EXPECT_EQ(c.harness->outbox().rtp_malformed(), 2u);
  EXPECT_EQ(c.TakeLog().back(), "nack_generator: in 7");
}

TEST(InterceptorChainTest, EventsReachTheOthersAndTheLeg) {
  ScriptedChain c({kReports, kNackGenerator, kNackResponder});
  c.at[0]->on_incoming_rtcp = [](absl::Span<InterceptedRtcp>, InterceptorOutbox& out) {
    out.Raise(RoundTripMeasured{TimeDelta::Millis(30)});
  };
  const ChainOutput out =
      c.harness->IncomingRtcp(kNow, {RtcpPacketBuilder().AddReceiverReport(1).Build()});
  Log log = c.TakeLog();
  log.erase(log.begin(), log.begin() + 3);
  EXPECT_THAT(log, ElementsAre("nack_generator: event 0", "nack_responder: event 0"));
  ASSERT_EQ(out.EventsOf<RoundTripMeasured>().size(), 1u);
  EXPECT_EQ(out.EventsOf<RoundTripMeasured>()[0].round_trip, TimeDelta::Millis(30));
}

TEST(InterceptorChainTest, TheLegsEventsReachAllAndDoNotComeBack) {
  ScriptedChain c({kKeyFrameThrottle, kReports});
  const ChainOutput out = c.harness->Event(kNow, KeyFrameNeeded{Ssrc(5)});
  EXPECT_THAT(c.TakeLog(), ElementsAre("reports: event 7", "key_frame_throttle: event 7"));
  EXPECT_THAT(out.events, IsEmpty());
}

// Two that answer each other for ever are stopped by the outbox.
TEST(InterceptorChainTest, EndlessTalkEndsWithTheOutbox) {
  ScriptedChain c({kReports, kNackGenerator}, {.outbox = {.rtp_packets = 10, .events = 10}});
  for (ScriptedInterceptor* interceptor : c.at) {
    interceptor->on_event = [](const InterceptorEvent& event, InterceptorOutbox& out) {
      out.Raise(event);
      out.SendRtp(Loan(out, 1), PacketSource::kProbe);
    };
    interceptor->on_outgoing_rtp = [](absl::Span<InterceptedRtp>, InterceptorOutbox& out) {
      out.SendRtp(Loan(out, 2), PacketSource::kProbe);
    };
  }
  const ChainOutput out = c.harness->Event(kNow, KeyFrameNeeded{Ssrc(5)});
  EXPECT_EQ(out.events.size(), 10u);
  EXPECT_EQ(out.sent.size(), 10u);
  EXPECT_GT(c.harness->outbox().events_dropped(), 0u);
  EXPECT_GT(c.harness->outbox().rtp_dropped(), 0u);
  EXPECT_EQ(c.harness->slots_held(), 0u);
}

TEST(InterceptorChainTest, RtcpOfABatchLeavesTogetherAndPassesTheOutgoingHooks) {
  ScriptedChain c({kPacketLog, kReports, kNackGenerator});
  c.at[1]->on_timeout = WriteRtcp;
  c.at[2]->on_timeout = WriteRtcp;
  const ChainOutput out = c.harness->Timeout(kNow);
  ASSERT_EQ(out.rtcp.size(), 1u);
  EXPECT_EQ(out.rtcp[0].size(), 24u);
  Log log = c.TakeLog();
  log.erase(log.begin(), log.begin() + 3);
  EXPECT_THAT(log, ElementsAre("nack_generator: rtcp out 1", "reports: rtcp out 1",
                               "packet_log: rtcp out 1"));
}

TEST(InterceptorChainTest, RtcpWrittenOnTheWayOutDoesNotPassTheHooksAgain) {
  ScriptedChain c({kPacketLog, kReports});
  c.at[0]->on_outgoing_rtcp = [](absl::Span<InterceptedRtcp>, InterceptorOutbox& out) {
    WriteRtcp(out);
  };
  const ChainOutput out =
      c.harness->OutgoingRtcp(kNow, {RtcpPacketBuilder().AddReceiverReport(1).Build()});
  EXPECT_EQ(out.passed.size(), 1u);
  EXPECT_EQ(out.rtcp.size(), 2u);
}

TEST(InterceptorChainTest, NextTimeoutIsTheEarliest) {
  ScriptedChain c({kReports, kPacer});
  EXPECT_EQ(c.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  c.at[0]->next_timeout = Timestamp::Millis(300);
  c.at[1]->next_timeout = Timestamp::Millis(200);
  EXPECT_EQ(c.harness->chain().NextTimeout(), Timestamp::Millis(200));
}

TEST(InterceptorChainTest, AFactReachesThoseBehindAndEndsWithTheBatch) {
  ScriptedChain c({kExtensionReader, kReports}, {.attributes = 1});
  c.at[0]->on_incoming_rtp = [](absl::Span<InterceptedRtp> packets, InterceptorOutbox& out) {
    for (InterceptedRtp& row : packets) {
      row.attributes.Set(out.attributes(), &PacketAttributes::audio_level, AudioLevel{10, true});
    }
  };
  std::vector<bool> known;
  c.at[1]->on_incoming_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    for (const InterceptedRtp& row : packets) {
      known.push_back(row.attributes.Get(&PacketAttributes::audio_level).has_value());
    }
  };
  // There is one object: the second packet goes without, and so it is with the next batch.
  for (uint64_t batch = 1; batch <= 3; ++batch) {
    known.clear();
    EXPECT_EQ(c.harness->IncomingRtp(kNow, {Packet(1), Packet(2)}).passed.size(), 2u);
    EXPECT_THAT(known, ElementsAre(true, false));
    EXPECT_EQ(c.harness->attributes().exhausted(), batch);
    EXPECT_EQ(c.harness->attributes().lent(), 0u);
  }
}

TEST(InterceptorChainTest, AttributesTravelWithWhatIsSent) {
  ScriptedChain c({kTransportFeedback, kPacer});
  c.at[1]->on_timeout = [](InterceptorOutbox& out) {
    AttributesRef attributes;
    attributes.Set(out.attributes(), &PacketAttributes::probe_cluster, 4u);
    out.SendRtp(Loan(out, 1), PacketSource::kProbe, attributes);
    out.SendRtp(Loan(out, 2), PacketSource::kForwarded);
  };
  std::vector<std::optional<uint32_t>> clusters;
  c.at[0]->on_outgoing_rtp = [&](absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
    for (const InterceptedRtp& row : packets) {
      clusters.push_back(row.attributes.Get(&PacketAttributes::probe_cluster));
    }
  };
  c.harness->Timeout(kNow);
  EXPECT_THAT(clusters, ElementsAre(std::optional<uint32_t>(4), std::nullopt));
}

}  // namespace
}  // namespace sluice
