// A reporter under any order of calls, against what was done.

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/report/reporter.h"
#include "interceptor/report/testing/reporter_leg.h"
#include "interceptor/rtcp/report_block.h"
#include "interceptor/rtcp/sender_report.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

constexpr uint32_t kFirstSsrc = 1000;
constexpr uint64_t kSsrcs = 6;
constexpr size_t kStreams = 4;

struct Model {
  // Streams by SSRC. Of incoming ones: packets that came; of outgoing ones: packets that went.
  std::map<uint32_t, uint32_t> incoming;
  std::map<uint32_t, uint32_t> outgoing;

  // What a report may say: streams that are there, what was sent, no block about what never came.
  void Check(const ReadReports& reports) const {
    for (const SenderInfo& sender : reports.senders) {
      const auto found = outgoing.find(sender.ssrc.value());
      ASSERT_NE(found, outgoing.end());
      EXPECT_GT(sender.packet_count, 0u);
      EXPECT_EQ(sender.packet_count, found->second);
      EXPECT_EQ(sender.octet_count, found->second * 100);
    }
    for (const ReportBlock& block : reports.blocks) {
      const auto found = incoming.find(block.ssrc.value());
      ASSERT_NE(found, incoming.end());
      EXPECT_GT(found->second, 0u);
    }
    EXPECT_LE(reports.senders.size(), outgoing.size());
    EXPECT_LE(reports.blocks.size(), incoming.size());
  }
};

void AddOrRemove(SeededRandom& random, uint32_t ssrc, ReporterLeg& leg, Model& model) {
  const bool in = random.Below(2) == 0;
  std::map<uint32_t, uint32_t>& streams = in ? model.incoming : model.outgoing;
  const PacketDirection direction = in ? PacketDirection::kIncoming : PacketDirection::kOutgoing;
  if (streams.contains(ssrc)) {
    ASSERT_TRUE(leg.harness->chain().RemoveStream(leg.now, direction, Ssrc(ssrc)));
    streams.erase(ssrc);
  } else if (streams.size() < kStreams) {
    leg.Add(direction, ssrc);
    streams[ssrc] = 0;
  }
}

// Reports, goodbyes and noise from the peer.
std::vector<uint8_t> AnyRtcp(SeededRandom& random, uint32_t ssrc) {
  const RtcpReportBlock block = {.ssrc = ssrc,
                                 .fraction_lost = static_cast<uint8_t>(random.NextU32()),
                                 .cumulative_lost = -1,
                                 .last_sr = random.NextU32(),
                                 .delay_since_last_sr = random.NextU32()};
  RtcpPacketBuilder builder;
  builder.AddSenderReport(ssrc, random.NextU32(), 0, 1, 1, absl::MakeConstSpan(&block, 1));
  if (random.Below(4) == 0) {
    builder.AddGoodbye(absl::MakeConstSpan(&ssrc, 1));
  }
  std::vector<uint8_t> noise(random.Below(64));
  random.Fill(absl::MakeSpan(noise));
  builder.AddRaw(static_cast<uint8_t>(random.Below(32)),
                 static_cast<uint8_t>(200 + random.Below(8)), noise);
  return builder.Build();
}

TEST(ReporterOperationsTest, ReportsSayWhatWasDoneInWhateverOrder) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3551);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  ReporterLeg leg({.max_streams = kStreams});
  Model model;
  for (int i = 0; i < 30000; ++i) {
    const auto ssrc = static_cast<uint32_t>(kFirstSsrc + random.Below(kSsrcs));
    switch (random.Below(16)) {
      case 0:
        AddOrRemove(random, ssrc, leg, model);
        break;
      case 1:
        leg.harness->IncomingRtcp(leg.now, {AnyRtcp(random, ssrc)});
        break;
      case 2:
      case 3:
        leg.now += TimeDelta::Millis(static_cast<int64_t>(random.Below(2000)));
        model.Check(ReadReportsOf(leg.harness->Timeout(leg.now)));
        break;
      default:
        leg.Receive(static_cast<uint16_t>(random.NextU32()), random.NextU32(), ssrc);
        if (model.incoming.contains(ssrc)) {
          ++model.incoming[ssrc];
        }
        leg.Send(static_cast<uint16_t>(i), random.NextU32(), ssrc);
        if (model.outgoing.contains(ssrc)) {
          ++model.outgoing[ssrc];
        }
    }
    const bool idle = model.incoming.empty() && model.outgoing.empty();
    ASSERT_EQ(leg.harness->chain().NextTimeout() == Timestamp::PlusInfinity(), idle);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(leg.reporter->counters().sender_reports_sent, 100u);
  EXPECT_GT(leg.reporter->counters().blocks_sent, 100u);
  EXPECT_EQ(leg.reporter->counters().reports_dropped, 0u);
}

}  // namespace
}  // namespace sluice
