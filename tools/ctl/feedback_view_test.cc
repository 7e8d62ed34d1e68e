#include "tools/ctl/feedback_view.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::LegStats;
using ::sluice::gateway::v1::SessionStats;
using ::sluice::gateway::v1::StreamStats;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(FeedbackViewTest, ACallWithoutInterceptorsHasNothingToTell) {
  SessionStats stats;
  LegStats& leg = *stats.add_legs();
  leg.set_leg_id("alice");
  leg.add_streams()->set_packets(7);
  EXPECT_EQ(RenderStreamFeedback(stats), "");
  EXPECT_EQ(RenderEstimates(stats), "");
  EXPECT_EQ(RenderInterceptorCounters(stats), "");
}

TEST(FeedbackViewTest, OneRowPerStreamThatIsTalkedAbout) {
  SessionStats stats;
  LegStats& leg = *stats.add_legs();
  leg.set_leg_id("alice");
  StreamStats& sent = *leg.add_streams();
  sent.set_ssrc(0xbeef);
  sent.set_direction(gateway::v1::DIRECTION_SENT);
  sent.set_retransmitted_packets(12);
  sent.set_nacks(3);
  sent.set_picture_loss_indications(2);
  sent.set_full_intra_requests(1);
  sent.mutable_remote()->set_packets_lost(-5);
  sent.mutable_remote()->set_fraction_lost(0.0625);
  sent.mutable_remote()->set_jitter_us(1'500);
  sent.mutable_remote()->mutable_round_trip()->set_last_us(42'000);
  sent.mutable_remote()->mutable_round_trip()->set_measurements(1);
  StreamStats& received = *leg.add_streams();
  received.set_ssrc(7);
  received.set_direction(gateway::v1::DIRECTION_RECEIVED);
  received.set_mean_opinion_score(4.25);
  leg.add_streams()->set_ssrc(8);
  EXPECT_EQ(
      RenderStreamFeedback(stats),
      "\n"
      "LEG    DIR  SSRC        RTX  NACKS  PLIS  FIRS   PEER LOST  PEER JITTER      RTT  MOS\n"
      "alice  out  0x0000beef   12      3     2     1  -5 (6.2 %)       1.5 ms  42.0 ms    -\n"
      "alice  in   0x00000007    0      0     0     0           -            -        -  4.2\n");
}

TEST(FeedbackViewTest, OneRowPerLegWithAnEstimateOrARoundTrip) {
  SessionStats stats;
  stats.add_legs()->set_leg_id("nobody");
  LegStats& alice = *stats.add_legs();
  alice.set_leg_id("alice");
  alice.mutable_bandwidth()->set_target_bps(1'500'000);
  alice.mutable_bandwidth()->set_delay_based_bps(1'500'000);
  alice.mutable_bandwidth()->set_loss_based_bps(2'000'000);
  alice.mutable_bandwidth()->set_application_limited(true);
  LegStats& bob = *stats.add_legs();
  bob.set_leg_id("bob");
  bob.mutable_round_trip()->set_last_us(8'040);
  bob.mutable_round_trip()->set_measurements(2);
  EXPECT_EQ(RenderEstimates(stats),
            "\n"
            "LEG        TARGET    BY DELAY     BY LOSS  DELIVERED     RTT  NOTES\n"
            "alice  1.5 Mbit/s  1.5 Mbit/s  2.0 Mbit/s          -       -  sends less than it may\n"
            "bob             -           -           -          -  8.0 ms  -\n");
}

TEST(FeedbackViewTest, OneRowPerInterceptorThatCounted) {
  SessionStats stats;
  LegStats& leg = *stats.add_legs();
  leg.set_leg_id("alice");
  const auto count = [&leg](const char* interceptor, const char* name, uint64_t value) {
    auto* counter = leg.add_interceptor_counters();
    counter->set_interceptor(interceptor);
    counter->set_name(name);
    counter->set_value(value);
  };
  count("nack_generator", "requests", 5);
  count("nack_generator", "recovered", 4);
  count("pacer", "dropped\x1b", 1);
  EXPECT_EQ(RenderInterceptorCounters(stats),
            "\n"
            "LEG    INTERCEPTOR     WHAT IT COUNTED\n"
            "alice  nack_generator  requests 5, recovered 4\n"
            "alice  pacer           dropped? 1\n");
  EXPECT_THAT(RenderInterceptorCounters(stats), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace sluice
