// Calls of two peers: every packet that arrives at the gateway comes out at the other side, once,
// with the bytes that were sent, and the statistics tell the truth about the rest.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session_spec.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "tests/sim/call_simulation.h"

namespace sluice {
namespace {

constexpr SuiteId kSuites[] = {SuiteId::kAesCm128HmacSha1_80, SuiteId::kAesCm128HmacSha1_32,
                               SuiteId::kAeadAes128Gcm, SuiteId::kAeadAes256Gcm};

StreamSnapshot Received(const LegSnapshot& leg) {
  for (const StreamSnapshot& stream : leg.streams) {
    if (stream.direction == StreamDirection::kReceived) {
      return stream;
    }
  }
  ADD_FAILURE() << "leg " << leg.id << " received no stream";
  return {};
}

TEST(TwoLegsTest, OnACleanPathNothingIsLostBetweenAnyTwoKindsOfLegs) {
  std::vector<std::optional<SuiteId>> kinds(std::begin(kSuites), std::end(kSuites));
  kinds.push_back(std::nullopt);
  for (const auto& a_kind : kinds) {
    for (const auto& b_kind : kinds) {
      CallSimulation call({.seed = 1,
                           .a = {.host = 1, .suite = a_kind, .rtcp_mux = true},
                           .b = {.host = 2, .suite = b_kind},
                           .link = {},
                           .timeouts = {}});
      call.Run(TimeDelta::Seconds(12));
      call.ExpectSound();
      for (const auto* side : {&call.a(), &call.b()}) {
        EXPECT_EQ(side->sent.size(), 602u);
        EXPECT_EQ(side->received.size(), 602u);
        EXPECT_EQ(Received(call.Leg(*side)).packets_lost, 0);
        EXPECT_EQ(Received(call.Leg(*side)).jitter, TimeDelta::Zero());
      }
    }
  }
}

TEST(TwoLegsTest, TheTwoDirectionsOfALegMayHaveDifferentSuites) {
  for (const SuiteId theirs : kSuites) {
    for (const SuiteId ours : kSuites) {
      CallSimulation call({.seed = 1,
                           .a = {.host = 1, .suite = theirs, .gateway_suite = ours},
                           .b = {.host = 2},
                           .link = {},
                           .timeouts = {}});
      call.Run(TimeDelta::Seconds(2));
      call.ExpectSound();
      EXPECT_EQ(call.a().received.size(), call.b().sent.size());
      EXPECT_EQ(call.b().received.size(), call.a().sent.size());
    }
  }
}

TEST(TwoLegsTest, OnABadPathWhatArrivesGetsThroughOnceAndTheRestIsCounted) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(10);
  for (uint64_t seed = first_seed; seed < first_seed + 5; ++seed) {
    SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
    CallSimulation call(
        {.seed = seed,
         .a = {.host = 1, .suite = SuiteId::kAeadAes128Gcm},
         .b = {.host = 2, .suite = SuiteId::kAesCm128HmacSha1_80},
         .link = {.lost_permille = 50, .duplicated_permille = 30, .jitter = TimeDelta::Millis(90)},
         .timeouts = {}});
    call.Run(TimeDelta::Seconds(60));
    // What is still on its way arrives.
    call.a().talks = false;
    call.b().talks = false;
    call.Run(TimeDelta::Millis(200));
    call.ExpectSound();
    const CallSimulation::Side* const pairs[][2] = {{&call.a(), &call.b()}, {&call.b(), &call.a()}};
    for (const auto& [from, to] : pairs) {
      const LegSnapshot leg = call.Leg(*from);
      EXPECT_EQ(to->received.size(), from->sent.size() - from->link->lost());
      for (const auto& [plain, times] : to->received) {
        ASSERT_EQ(times, 1);
      }
      EXPECT_EQ(VerdictCount(leg, PacketVerdict::kReplayed), from->link->duplicated());
      EXPECT_GE(Received(leg).packets_lost, 100);
      EXPECT_LE(Received(leg).packets_lost, 200) << "5 % of 3000";
      EXPECT_GE(Received(leg).jitter, TimeDelta::Millis(10));
      EXPECT_LE(Received(leg).jitter, TimeDelta::Millis(60));
    }
  }
}

TEST(TwoLegsTest, SequenceNumbersWrapWithoutLoss) {
  // The rollover counter goes to 1 in the middle of it, with packets out of order around the wrap.
  CallSimulation call(
      {.seed = 3,
       .a = {.host = 1, .suite = SuiteId::kAeadAes256Gcm, .first_sequence = 65'000},
       .b = {.host = 2, .suite = SuiteId::kAesCm128HmacSha1_32},
       .link = {.lost_permille = 0, .duplicated_permille = 0, .jitter = TimeDelta::Millis(100)},
       .timeouts = {}});
  call.Run(TimeDelta::Seconds(30));
  call.a().talks = false;
  call.b().talks = false;
  call.Run(TimeDelta::Millis(200));
  call.ExpectSound();
  EXPECT_EQ(call.b().received.size(), call.a().sent.size());
  EXPECT_EQ(Received(call.Leg(call.a())).extended_highest_sequence, 65'000u + 1'500 - 1);
  EXPECT_EQ(Received(call.Leg(call.a())).packets_lost, 0);
}

TEST(TwoLegsTest, HoldStopsAndResumesMedia) {
  CallSimulation call({.seed = 1,
                       .a = {.host = 1, .suite = SuiteId::kAeadAes128Gcm},
                       .b = {.host = 2},
                       .link = {},
                       .timeouts = {}});
  const auto hold = [&call](bool on) {
    LegUpdate update;
    update.hold = on;
    ASSERT_TRUE(call.Update(call.a(), std::move(update)).ok());
  };
  call.Run(TimeDelta::Seconds(2));
  const size_t before_a = call.a().received.size();
  const size_t before_b = call.b().received.size();
  hold(true);
  call.Run(TimeDelta::Seconds(30));
  EXPECT_EQ(call.a().received.size(), before_a);
  EXPECT_EQ(call.b().received.size(), before_b);
  hold(false);
  call.Run(TimeDelta::Seconds(2));
  call.ExpectSound();
  EXPECT_EQ(call.a().received.size(), before_a + 100);
  EXPECT_EQ(call.b().received.size(), before_b + 100);
  EXPECT_EQ(Received(call.Leg(call.a())).packets_lost, 0) << "held is not lost";
}

TEST(TwoLegsTest, ACallEndsWhenBothPeersFallSilent) {
  CallSimulation call({.seed = 1,
                       .a = {.host = 1, .suite = SuiteId::kAeadAes128Gcm},
                       .b = {.host = 2},
                       .link = {},
                       .timeouts = {.idle = TimeDelta::Seconds(30),
                                    .offer = TimeDelta::Seconds(10),
                                    .absolute = TimeDelta::Seconds(86400),
                                    .hold = TimeDelta::Seconds(3600)}});
  call.Run(TimeDelta::Seconds(60));
  call.a().talks = false;
  call.Run(TimeDelta::Seconds(60));
  EXPECT_EQ(call.harness().table().session_count(), 1u) << "one side still talks";
  call.b().talks = false;
  call.Run(TimeDelta::Seconds(29));
  EXPECT_EQ(call.harness().table().session_count(), 1u);
  call.Run(TimeDelta::Seconds(2));
  const auto ended = call.harness().TakeEnded();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]->report.end_reason, EndReason::kIdleTimeout);
  // Whoever comes late finds nobody.
  call.a().talks = true;
  call.Run(TimeDelta::Seconds(1));
  EXPECT_EQ(call.harness().table().stale_datagrams(), 50u);
  EXPECT_EQ(call.harness().arena().free(), call.harness().arena().capacity());
}

}  // namespace
}  // namespace sluice
