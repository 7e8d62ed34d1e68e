#include "interceptor/ccfb/congestion_feedback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/ccfb.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;

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
                                   " arrived ", entry.arrived));
      }
    }
  }

  Log log;
};

std::unique_ptr<CongestionFeedback> Make(CongestionFeedbackOptions options) {
  options.sender = Ssrc(7);
  auto made = CongestionFeedback::Create(options);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// One end of a transport.
struct End {
  explicit End(const CongestionFeedbackOptions& options = {}) {
    auto made = Make(options);
    feedback = made.get();
    auto report_log = std::make_unique<ReportLog>();
    reports = report_log.get();
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(std::move(made));
    list.push_back(std::move(report_log));
    harness = std::make_unique<ChainHarness>(std::move(list));
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      StreamInfo video;
      video.ssrc = Ssrc(kVideo);
      video.retransmission_ssrc = Ssrc(kVideoRtx);
      video.feedback.congestion_control = true;
      StreamInfo plain;
      plain.ssrc = Ssrc(kPlain);
      for (const StreamInfo& info : {video, plain}) {
        EXPECT_EQ(harness->chain().AddStream(Timestamp::Zero(), direction, info),
                  AddStreamVerdict::kOk);
      }
    }
  }

  Log TakeReports() { return std::exchange(reports->log, {}); }

  CongestionFeedback* feedback;
  ReportLog* reports;
  std::unique_ptr<ChainHarness> harness;
};

Bytes Packet(uint16_t sequence, uint32_t ssrc = kVideo) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(88).Build();
}

TEST(CongestionFeedbackTest, PacketsPassUnchanged) {
  End end;
  EXPECT_THAT(end.harness->OutgoingRtp(Ms(0), {Packet(5)}).passed, ElementsAre(Packet(5)));
  EXPECT_THAT(end.harness->IncomingRtp(Ms(0), {Packet(5)}).passed, ElementsAre(Packet(5)));
}

TEST(CongestionFeedbackTest, BothEndsTogetherMakeAReport) {
  End sender;
  // 100 s after its origin.
  End receiver({.ntp_origin = uint64_t{100} << 32});
  sender.harness->OutgoingRtp(Ms(10), {Packet(5), Packet(900, kVideoRtx), Packet(3, kPlain)});
  sender.harness->OutgoingRtp(Ms(20), {Packet(6), Packet(7)});
  receiver.harness->IncomingRtp(Ms(1000), {Packet(5), Packet(900, kVideoRtx), Packet(3, kPlain)});
  // 6 is lost.
  receiver.harness->IncomingRtp(Ms(2000), {Packet(7)});
  EXPECT_EQ(receiver.harness->chain().NextTimeout(), Ms(1000));
  const std::vector<Bytes> rtcp = receiver.harness->Timeout(Ms(2000)).rtcp;
  ASSERT_EQ(rtcp.size(), 1u);
  sender.harness->IncomingRtcp(Ms(80), rtcp);
  EXPECT_THAT(
      sender.TakeReports(),
      ElementsAre("0: 100 bytes sent 10 ms arrived 101 s", "1: 100 bytes sent 10 ms arrived 101 s",
                  "2: 100 bytes sent 20 ms arrived +inf", "3: 100 bytes sent 20 ms arrived 102 s"));
  sender.harness->IncomingRtcp(Ms(90), rtcp);
  EXPECT_THAT(sender.TakeReports(), ElementsAre("none"));
}

TEST(CongestionFeedbackTest, ABurstIsReportedBeforeTheLogOverruns) {
  End end({.arrival_log = 64});
  std::vector<Bytes> packets;
  for (uint16_t i = 0; i < 40; ++i) {
    packets.push_back(Packet(i));
  }
  EXPECT_EQ(end.harness->IncomingRtp(Ms(1000), packets).rtcp.size(), 1u);
}

// Pion's stopped its reader for ever when it was closed while packets came.
TEST(CongestionFeedbackTest, AfterAStreamIsRemovedNothingIsSaidOfIt) {
  End end;
  end.harness->IncomingRtp(Ms(1000), {Packet(5)});
  ASSERT_TRUE(
      end.harness->chain().RemoveStream(Ms(1000), PacketDirection::kIncoming, Ssrc(kVideo)));
  EXPECT_THAT(end.harness->Timeout(Ms(1000)).rtcp, IsEmpty());
  end.harness->IncomingRtp(Ms(1010), {Packet(6)});
  EXPECT_EQ(end.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  ASSERT_TRUE(
      end.harness->chain().RemoveStream(Ms(1000), PacketDirection::kOutgoing, Ssrc(kVideo)));
  end.harness->OutgoingRtp(Ms(1020), {Packet(7)});
  EXPECT_EQ(end.feedback->counters().logged, 0u);
}

TEST(CongestionFeedbackTest, SsrcsWithoutAPlaceAreCounted) {
  End end({.max_ssrcs = 1});
  end.harness->IncomingRtp(Ms(1000), {Packet(5), Packet(6, kVideoRtx)});
  EXPECT_EQ(end.feedback->counters().unplaced, 1u);
  EXPECT_EQ(end.harness->Timeout(Ms(1000)).rtcp.size(), 1u);
}

TEST(CongestionFeedbackTest, OptionsHaveBounds) {
  using Options = CongestionFeedbackOptions;
  for (const Options& options :
       {Options{.max_streams = 0}, Options{.max_streams = 1025}, Options{.max_ssrcs = 0},
        Options{.arrival_log = 100}, Options{.send_log = 65'536}, Options{.max_reports = 0},
        Options{.pace = {.min_interval = TimeDelta::Zero()}}}) {
    EXPECT_EQ(CongestionFeedback::Create(options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// Whatever a peer may send: nothing stops, and what is sent is RTCP of bounded size.
TEST(CongestionFeedbackTest, AnythingFromThePeerIsSurvived) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(22);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  End end({.arrival_log = 256, .send_log = 256, .max_reports = 64});
  Timestamp now = Ms(0);
  for (int step = 0; step < 20'000; ++step) {
    now += TimeDelta::Micros(static_cast<int64_t>(random.Below(20'000)));
    const auto sequence = static_cast<uint16_t>(random.Below(2) == 0 ? step : random.Below(65'536));
    ChainOutput output;
    switch (random.Below(4)) {
      case 0:
        output = end.harness->OutgoingRtp(now, {Packet(static_cast<uint16_t>(step))});
        break;
      case 1:
        output = end.harness->IncomingRtp(now, {Packet(sequence)});
        break;
      case 2: {
        // Any metrics about packets that were sent, or any bytes.
        Bytes body(4 + 8 + 4 * random.Below(60) + 4);
        random.Fill(absl::MakeSpan(body));
        if (random.Below(2) == 0) {
          const uint16_t count = static_cast<uint16_t>((body.size() - 16) / 2);
          const auto begin = static_cast<uint16_t>(step - 200);
          const uint8_t block[] = {0,
                                   0,
                                   0,
                                   kVideo,
                                   static_cast<uint8_t>(begin >> 8),
                                   static_cast<uint8_t>(begin),
                                   static_cast<uint8_t>(count >> 8),
                                   static_cast<uint8_t>(count)};
          std::copy(std::begin(block), std::end(block), body.begin() + 4);
        }
        output =
            end.harness->IncomingRtcp(now, {RtcpPacketBuilder().AddRaw(11, 205, body).Build()});
        break;
      }
      default:
        output = end.harness->Timeout(now);
    }
    for (const Bytes& datagram : output.rtcp) {
      ASSERT_LE(datagram.size(), kMaxRtcpDatagramSize);
    }
  }
  EXPECT_GT(end.feedback->reports().outcomes(OutcomeVerdict::kNews), 1000u);
  EXPECT_GT(end.feedback->reader().malformed(), 100u);
}

TEST(CongestionFeedbackTest, AllocatesNothingPerPacket) {
  ChainHarness harness(Make({}));
  StreamInfo video;
  video.ssrc = Ssrc(kVideo);
  video.feedback.congestion_control = true;
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    ASSERT_EQ(harness.chain().AddStream(Ms(0), direction, video), AddStreamVerdict::kOk);
  }
  uint64_t allocations = 0;
  for (uint16_t i = 0; i < 5000; ++i) {
    const Timestamp now = Ms(5 * i);
    PacketLoan loan =
        RtpPacketBuilder().WithSsrc(kVideo).WithSequence(i).BuildInto(harness.packets());
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    const uint64_t before = ThreadAllocations();
    harness.chain().OnOutgoingRtp(now, absl::MakeSpan(&row, 1), harness.outbox());
    harness.outbox().EndBatch();
    // The peer is as we are.
    if (i % 20 != 7) {
      harness.chain().OnIncomingRtp(now, absl::MakeSpan(&row, 1), harness.outbox());
    }
    harness.chain().OnTimeout(now, harness.outbox());
    for (PacketLoan& datagram : harness.outbox().rtcp()) {
      InterceptedRtcp rtcp = *InterceptedRtcp::Of(datagram);
      harness.chain().OnIncomingRtcp(now, absl::MakeSpan(&rtcp, 1), harness.outbox());
    }
    harness.outbox().EndBatch();
    allocations += ThreadAllocations() - before;
  }
  EXPECT_EQ(allocations, 0u);
}

}  // namespace
}  // namespace sluice
