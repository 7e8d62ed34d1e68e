#include "interceptor/twcc/transport_wide_feedback.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "interceptor/testing/chain_harness.h"
#include "interceptor/twcc/sequence_extension.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;

constexpr uint8_t kId = 3;
constexpr uint32_t kAudio = 0xA0;
constexpr uint32_t kVideo = 0xB0;
constexpr uint32_t kVideoRtx = 0xB1;
constexpr uint32_t kPlain = 0xC0;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

// Writes down the reports that reach the estimator's place.
class ReportLog : public Interceptor {
 public:
  InterceptorKind kind() const override { return InterceptorKind::kBandwidthEstimator; }
  InterceptorHooks hooks() const override { return {.incoming_rtcp = true}; }
  void OnIncomingRtcp(Timestamp, absl::Span<InterceptedRtcp> packets, InterceptorOutbox&) override {
    for (const InterceptedRtcp& packet : packets) {
      const auto report = packet.attributes.Get(&PacketAttributes::feedback);
      if (!report.has_value()) {
        log.push_back("none");
        continue;
      }
      for (const PacketReport& entry : report->packets) {
        log.push_back(absl::StrCat(entry.sequence, ": ", entry.size, " sent ", entry.sent,
                                   " arrived ", entry.arrived, " probe ", entry.probe_cluster));
      }
    }
  }

  Log log;
};

// Marks outgoing packets as one above would.
class ProbeMarker : public Interceptor {
 public:
  InterceptorKind kind() const override { return InterceptorKind::kPacer; }
  InterceptorHooks hooks() const override { return {.outgoing_rtp = true}; }
  void OnOutgoingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override {
    for (InterceptedRtp& packet : packets) {
      if (cluster != 0) {
        packet.attributes.Set(out.attributes(), &PacketAttributes::probe_cluster, cluster);
      }
    }
  }

  uint32_t cluster = 0;
};

StreamInfo Stream(uint32_t ssrc, bool numbered = true) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.feedback.transport_wide = numbered;
  info.extensions.transport_sequence = kId;
  return info;
}

// One end of a transport.
struct End {
  explicit End(const TransportWideFeedbackOptions& options = {},
               const ChainHarnessOptions& harness_options = {}) {
    auto made = Make(options);
    feedback = made.get();
    std::vector<std::unique_ptr<Interceptor>> list;
    auto report_log = std::make_unique<ReportLog>();
    auto probe_marker = std::make_unique<ProbeMarker>();
    reports = report_log.get();
    marker = probe_marker.get();
    list.push_back(std::move(made));
    list.push_back(std::move(report_log));
    list.push_back(std::move(probe_marker));
    harness = std::make_unique<ChainHarness>(std::move(list), harness_options);
    StreamInfo video = Stream(kVideo);
    video.retransmission_ssrc = Ssrc(kVideoRtx);
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      for (const StreamInfo& info : {Stream(kAudio), video, Stream(kPlain, false)}) {
        EXPECT_EQ(harness->chain().AddStream(Timestamp::Zero(), direction, info),
                  AddStreamVerdict::kOk);
      }
    }
  }

  static std::unique_ptr<TransportWideFeedback> Make(TransportWideFeedbackOptions options) {
    options.sender = Ssrc(7);
    auto made = TransportWideFeedback::Create(options);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  Log TakeReports() { return std::exchange(reports->log, {}); }

  TransportWideFeedback* feedback;
  ReportLog* reports;
  ProbeMarker* marker;
  std::unique_ptr<ChainHarness> harness;
};

Bytes Packet(uint32_t ssrc, size_t payload = 100) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(5).WithPayloadSize(payload).Build();
}

Bytes Numbered(uint16_t sequence, uint32_t ssrc = kVideo) {
  return RtpPacketBuilder()
      .WithSsrc(ssrc)
      .WithPayloadSize(100)
      .AddOneByteExtension(kId,
                           {{static_cast<uint8_t>(sequence >> 8), static_cast<uint8_t>(sequence)}})
      .Build();
}

// The number, or nothing.
std::optional<int> NumberOf(const Bytes& packet) {
  const auto sequence = ReadTransportSequence(*RtpPacketView::Parse(packet), kId);
  return sequence.has_value() ? std::optional<int>(sequence->value()) : std::nullopt;
}

TEST(TransportWideFeedbackTest, OneCountForAllStreamsOfATransport) {
  End end;
  std::vector<std::optional<int>> numbers;
  for (const Bytes& packet :
       end.harness
           ->OutgoingRtp(Ms(0), {Packet(kAudio), Packet(kVideo), Packet(kVideoRtx), Packet(kPlain),
                                 Packet(kAudio), Packet(0xDEAD)})
           .passed) {
    numbers.push_back(NumberOf(packet));
  }
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, std::nullopt, 3, std::nullopt));
  EXPECT_EQ(end.feedback->counters().numbered, 4u);
}

TEST(TransportWideFeedbackTest, APacketThatCannotBeNumberedGoesAsItIsAndTakesNoNumber) {
  End end;
  const Bytes strange = RtpPacketBuilder()
                            .WithSsrc(kVideo)
                            .WithRawExtension(0x4321, {1, 2, 3, 4})
                            .WithPayloadSize(10)
                            .Build();
  const ChainOutput output = end.harness->OutgoingRtp(Ms(0), {strange, Packet(kVideo)});
  EXPECT_EQ(output.passed[0], strange);
  EXPECT_EQ(NumberOf(output.passed[1]), 0);
  EXPECT_EQ(end.feedback->counters().unwritable, 1u);
}

TEST(TransportWideFeedbackTest, TheNumberIsWrittenWhereRoomWasMade) {
  End end;
  const ChainOutput output = end.harness->OutgoingRtp(Ms(0), {Numbered(0xFFFF)});
  EXPECT_EQ(output.passed[0], Numbered(0));
}

TEST(TransportWideFeedbackTest, FeedbackIsSentWhenItIsDue) {
  End end;
  EXPECT_EQ(end.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  end.harness->IncomingRtp(Ms(1000), {Numbered(10), Numbered(12)});
  EXPECT_EQ(end.harness->chain().NextTimeout(), Ms(1000));
  const ChainOutput output = end.harness->Timeout(Ms(1000));
  ASSERT_EQ(output.rtcp.size(), 1u);
  const auto feedback = TransportFeedbackView::Parse(output.rtcp[0]);
  ASSERT_TRUE(feedback.has_value());
  EXPECT_EQ(feedback->sender(), Ssrc(7));
  EXPECT_EQ(feedback->media(), Ssrc(kVideo));
  EXPECT_EQ(feedback->base_sequence(), 10);
  EXPECT_EQ(feedback->status_count(), 3u);
  EXPECT_EQ(end.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_THAT(end.harness->Timeout(Ms(2000)).rtcp, IsEmpty());
}

TEST(TransportWideFeedbackTest, AnEarlyTimeoutSendsNothing) {
  End end;
  end.harness->IncomingRtp(Ms(1000), {Numbered(10)});
  end.harness->Timeout(Ms(1000));
  end.harness->IncomingRtp(Ms(1010), {Numbered(11)});
  EXPECT_THAT(end.harness->Timeout(Ms(1049)).rtcp, IsEmpty());
  EXPECT_EQ(end.harness->Timeout(Ms(1050)).rtcp.size(), 1u);
}

TEST(TransportWideFeedbackTest, ABurstIsReportedBeforeTheLogOverruns) {
  End end({.arrival_log = 64});
  std::vector<Bytes> packets;
  for (uint16_t i = 0; i < 40; ++i) {
    packets.push_back(Numbered(i));
  }
  const ChainOutput output = end.harness->IncomingRtp(Ms(1000), packets);
  ASSERT_EQ(output.rtcp.size(), 1u);
  EXPECT_EQ(TransportFeedbackView::Parse(output.rtcp[0])->status_count(), 40u);
}

TEST(TransportWideFeedbackTest, PacketsWithoutANumberAreCounted) {
  End end;
  end.harness->IncomingRtp(Ms(0), {Packet(kVideo), Packet(kPlain), Packet(0xDEAD)});
  EXPECT_EQ(end.feedback->counters().unnumbered, 1u);
  EXPECT_EQ(end.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(TransportWideFeedbackTest, PaddingOnlyPacketsAreReportedLikeOthers) {
  End end;
  const Bytes padding = RtpPacketBuilder()
                            .WithSsrc(kVideo)
                            .AddOneByteExtension(kId, {{0, 9}})
                            .WithPadding(200)
                            .Build();
  end.harness->IncomingRtp(Ms(0), {padding});
  EXPECT_EQ(end.harness->Timeout(Ms(0)).rtcp.size(), 1u);
}

TEST(TransportWideFeedbackTest, TimesAndNumbersThatOthersReadAreTaken) {
  // Nearer to the wire, something knows better.
  class Reader : public Interceptor {
   public:
    InterceptorKind kind() const override { return InterceptorKind::kExtensionReader; }
    InterceptorHooks hooks() const override { return {.incoming_rtp = true}; }
    void OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                       InterceptorOutbox& out) override {
      packets[0].attributes.Set(out.attributes(), &PacketAttributes::transport_sequence,
                                TransportSequence(500));
      packets[0].attributes.Set(out.attributes(), &PacketAttributes::arrival, Ms(64'000));
    }
  };
  std::vector<std::unique_ptr<Interceptor>> list;
  list.push_back(std::make_unique<Reader>());
  list.push_back(End::Make({}));
  ChainHarness harness(std::move(list));
  ASSERT_EQ(harness.chain().AddStream(Ms(0), PacketDirection::kIncoming, Stream(kVideo)),
            AddStreamVerdict::kOk);
  harness.IncomingRtp(Ms(70'000), {Packet(kVideo)});
  const ChainOutput output = harness.Timeout(Ms(70'000));
  ASSERT_EQ(output.rtcp.size(), 1u);
  const auto feedback = TransportFeedbackView::Parse(output.rtcp[0]);
  EXPECT_EQ(feedback->base_sequence(), 500);
  EXPECT_EQ(feedback->reference_time(), 1000u);
}

TEST(TransportWideFeedbackTest, AfterAStreamIsRemovedItsPacketsAreLeftAlone) {
  End end;
  ASSERT_TRUE(end.harness->chain().RemoveStream(Ms(0), PacketDirection::kOutgoing, Ssrc(kVideo)));
  ASSERT_TRUE(end.harness->chain().RemoveStream(Ms(0), PacketDirection::kIncoming, Ssrc(kVideo)));
  EXPECT_EQ(NumberOf(end.harness->OutgoingRtp(Ms(0), {Packet(kVideo)}).passed[0]), std::nullopt);
  end.harness->IncomingRtp(Ms(0), {Numbered(1)});
  EXPECT_EQ(end.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(TransportWideFeedbackTest, BothEndsTogetherMakeAReport) {
  End sender;
  End receiver;
  sender.marker->cluster = 6;
  const Bytes probe = sender.harness->OutgoingRtp(Ms(10), {Packet(kVideo, 500)}).passed[0];
  sender.marker->cluster = 0;
  std::vector<Bytes> media =
      sender.harness->OutgoingRtp(Ms(20), {Packet(kVideo), Packet(kAudio), Packet(kVideo)}).passed;
  receiver.harness->IncomingRtp(Ms(1000), {probe});
  // The first of the others is lost.
  receiver.harness->IncomingRtp(Ms(1015), {media[1], media[2]});
  const std::vector<Bytes> rtcp = receiver.harness->Timeout(Ms(1050)).rtcp;
  sender.harness->IncomingRtcp(Ms(80), rtcp);
  EXPECT_THAT(sender.TakeReports(), ElementsAre("0: 520 bytes sent 10 ms arrived 1 s probe 6",
                                                "1: 120 bytes sent 20 ms arrived +inf probe 0",
                                                "2: 120 bytes sent 20 ms arrived 1015 ms probe 0",
                                                "3: 120 bytes sent 20 ms arrived 1015 ms probe 0"));
  // The same feedback again says nothing.
  sender.harness->IncomingRtcp(Ms(90), rtcp);
  EXPECT_THAT(sender.TakeReports(), ElementsAre("none"));
}

TEST(TransportWideFeedbackTest, SeveralFeedbackPacketsInOneDatagramAreOneReport) {
  End sender;
  End receiver;
  const std::vector<Bytes> media =
      sender.harness->OutgoingRtp(Ms(0), {Packet(kVideo), Packet(kVideo)}).passed;
  receiver.harness->IncomingRtp(Ms(1000), {media[0]});
  // Too long after for one delta.
  receiver.harness->IncomingRtp(Ms(10'000), {media[1]});
  const std::vector<Bytes> rtcp = receiver.harness->Timeout(Ms(10'000)).rtcp;
  ASSERT_EQ(rtcp.size(), 1u);
  sender.harness->IncomingRtcp(Ms(80), rtcp);
  EXPECT_THAT(sender.TakeReports(), ElementsAre("0: 120 bytes sent 0 s arrived 1 s probe 0",
                                                "1: 120 bytes sent 0 s arrived 10 s probe 0"));
}

TEST(TransportWideFeedbackTest, AReportWithoutAttributesObjectIsCounted) {
  End sender({}, {.attributes = 0});
  End receiver;
  receiver.harness->IncomingRtp(Ms(1), sender.harness->OutgoingRtp(Ms(0), {Packet(kVideo)}).passed);
  sender.harness->IncomingRtcp(Ms(2), receiver.harness->Timeout(Ms(1)).rtcp);
  EXPECT_THAT(sender.TakeReports(), ElementsAre("none"));
  EXPECT_EQ(sender.feedback->counters().reports_dropped, 1u);
}

TEST(TransportWideFeedbackTest, AFullOutboxPutsFeedbackOff) {
  End end({}, {.outbox = {.rtcp_packets = 0}});
  end.harness->IncomingRtp(Ms(1000), {Numbered(10)});
  EXPECT_THAT(end.harness->Timeout(Ms(1000)).rtcp, IsEmpty());
  EXPECT_EQ(end.feedback->counters().feedback_dropped, 1u);
  EXPECT_TRUE(end.feedback->arrivals().HasNews());
}

TEST(TransportWideFeedbackTest, OptionsHaveBounds) {
  using Options = TransportWideFeedbackOptions;
  for (const Options& options :
       {Options{.max_streams = 0}, Options{.max_streams = 1025}, Options{.arrival_log = 100},
        Options{.send_log = 65'536}, Options{.max_reports = 0}, Options{.max_reports = 32'769},
        Options{.pace = {.min_interval = TimeDelta::Zero()}}}) {
    EXPECT_EQ(TransportWideFeedback::Create(options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// A million random calls with whatever a peer may send: nothing stops, and what is sent is RTCP of
// bounded size.
TEST(TransportWideFeedbackTest, AnythingFromThePeerIsSurvived) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(21);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  End end({.arrival_log = 256, .send_log = 256, .max_reports = 64});
  Timestamp now = Ms(0);
  for (int step = 0; step < 20'000; ++step) {
    now += TimeDelta::Micros(static_cast<int64_t>(random.Below(20'000)));
    ChainOutput output;
    switch (random.Below(4)) {
      case 0:
        output = end.harness->OutgoingRtp(now, {Packet(kVideo), Packet(kAudio)});
        break;
      case 1:
        output = end.harness->IncomingRtp(
            now,
            {Numbered(static_cast<uint16_t>(random.Below(2) == 0 ? step : random.Below(65'536)))});
        break;
      case 2: {
        // Any chunks and deltas about any packets.
        Bytes body(8 + 8 + random.Below(60) * 4);
        random.Fill(absl::MakeSpan(body));
        if (random.Below(2) == 0) {
          // About packets that were sent.
          body[8] = static_cast<uint8_t>(end.feedback->counters().numbered >> 8);
          body[9] = static_cast<uint8_t>(end.feedback->counters().numbered - random.Below(100));
          body[10] = 0;
        }
        output =
            end.harness->IncomingRtcp(now, {RtcpPacketBuilder().AddRaw(15, 205, body).Build()});
        break;
      }
      default:
        output = end.harness->Timeout(now);
    }
    for (const Bytes& datagram : output.rtcp) {
      ASSERT_LE(datagram.size(), kMaxRtcpDatagramSize);
      ASSERT_TRUE(
          TransportFeedbackView::Parse(absl::MakeConstSpan(datagram).first(
                                           RtcpPacketView::Parse(datagram)->first_packet_size()))
              .has_value());
    }
  }
  EXPECT_GT(end.feedback->reports().outcomes(OutcomeVerdict::kNews), 1000u);
  EXPECT_GT(end.feedback->counters().malformed, 100u);
}

// One end without anything else, and how often it allocated.
struct CountingEnd {
  CountingEnd() {
    auto made = End::Make({});
    feedback = made.get();
    harness = std::make_unique<ChainHarness>(std::move(made));
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      EXPECT_EQ(harness->chain().AddStream(Timestamp::Zero(), direction, Stream(kVideo)),
                AddStreamVerdict::kOk);
    }
  }

  template <typename Row>
  void Pass(absl::Span<Row> (InterceptorChain::*call)(Timestamp, absl::Span<Row>,
                                                      InterceptorOutbox&),
            Timestamp now, absl::Span<PacketLoan> loans) {
    std::vector<Row> rows;
    for (PacketLoan& loan : loans) {
      rows.push_back(*Row::Of(loan));
    }
    const uint64_t before = ThreadAllocations();
    (harness->chain().*call)(now, absl::MakeSpan(rows), harness->outbox());
    harness->outbox().EndBatch();
    allocations += ThreadAllocations() - before;
  }

  TransportWideFeedback* feedback;
  std::unique_ptr<ChainHarness> harness;
  uint64_t allocations = 0;
};

TEST(TransportWideFeedbackTest, AllocatesNothingPerPacket) {
  CountingEnd sender;
  CountingEnd receiver;
  constexpr int kBatch = 16;
  for (int i = 0; i < 500; ++i) {
    std::vector<PacketLoan> loans;
    for (int k = 0; k < kBatch; ++k) {
      loans.push_back(RtpPacketBuilder().WithSsrc(kVideo).WithPayloadSize(1000).BuildInto(
          sender.harness->packets()));
    }
    sender.Pass(&InterceptorChain::OnOutgoingRtp, Ms(10 * i), absl::MakeSpan(loans));
    // One of sixteen is lost.
    loans.erase(loans.begin() + i % kBatch);
    receiver.Pass(&InterceptorChain::OnIncomingRtp, Ms(10 * i + 3), absl::MakeSpan(loans));
    if (i % 5 != 4) {
      continue;
    }
    InterceptorOutbox& out = receiver.harness->outbox();
    const uint64_t before = ThreadAllocations();
    receiver.harness->chain().OnTimeout(Ms(10 * i + 3), out);
    receiver.allocations += ThreadAllocations() - before;
    sender.Pass(&InterceptorChain::OnIncomingRtcp, Ms(10 * i + 6), out.rtcp());
    out.EndBatch();
  }
  EXPECT_EQ(sender.allocations, 0u);
  EXPECT_EQ(receiver.allocations, 0u);
  EXPECT_GE(sender.feedback->reports().outcomes(OutcomeVerdict::kNews), 490u * kBatch);
}

}  // namespace
}  // namespace sluice
