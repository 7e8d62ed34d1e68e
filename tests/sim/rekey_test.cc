// Keys change in the middle of a call, in both directions, while packets overtake each other.

#include <cstdint>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/master_key.h"
#include "tests/sim/call_simulation.h"

namespace sluice {
namespace {

// Longer than any packet is on its way, shorter than an old key is kept.
constexpr TimeDelta kDelayMax = TimeDelta::Millis(300);

class RekeyTest : public testing::TestWithParam<std::tuple<SuiteId, EngineKind>> {
 protected:
  static SuiteId Suite() { return std::get<0>(GetParam()); }

  CallSimulation::Options Options(uint64_t seed) {
    return {.seed = seed,
            .a = {.host = 1, .suite = Suite(), .first_sequence = 65'300},
            .b = {.host = 2},
            .link = {.lost_permille = 0, .duplicated_permille = 10, .jitter = kDelayMax},
            .timeouts = {},
            .harness = {.engine = std::get<1>(GetParam())}};
  }

  static void ExpectNothingLost(CallSimulation& call) {
    call.a().talks = false;
    call.b().talks = false;
    call.Run(2 * kDelayMax);
    call.ExpectSound();
    EXPECT_EQ(call.b().received.size(), call.a().sent.size());
    EXPECT_EQ(call.a().received.size(), call.b().sent.size());
    EXPECT_EQ(VerdictCount(call.Leg(call.a()), PacketVerdict::kAuthFailed), 0u);
    EXPECT_EQ(VerdictCount(call.Leg(call.a()), PacketVerdict::kReplayed),
              call.a().link->duplicated());
  }
};

TEST_P(RekeyTest, ThePeersNewKeyLosesNothing) {
  CallSimulation call(Options(SeededRandom::SeedFromEnvOr(1)));
  // Five times, over the wrap of the sequence number and so with a rollover counter to be kept.
  for (int i = 0; i < 5; ++i) {
    call.Run(TimeDelta::Seconds(3));
    LegUpdate update;
    update.remote_key = call.a().peer->Rekey();
    ASSERT_TRUE(call.Update(call.a(), std::move(update)).ok());
  }
  call.Run(TimeDelta::Seconds(3));
  ExpectNothingLost(call);
}

TEST_P(RekeyTest, OurNewKeyLosesNothing) {
  CallSimulation call(Options(SeededRandom::SeedFromEnvOr(2)));
  for (int i = 0; i < 5; ++i) {
    call.Run(TimeDelta::Seconds(3));
    const MasterKey key = MasterKey::Generate(Suite(), call.random());
    LegUpdate prepare;
    prepare.prepare_local_key = key.Clone();
    ASSERT_TRUE(call.Update(call.a(), std::move(prepare)).ok());
    // Signalling takes its time; packets still go out under the old key, which the peer keeps.
    call.Run(TimeDelta::Seconds(1));
    call.a().peer->InstallGatewayKey(key);
    call.Run(TimeDelta::Millis(100));
    LegUpdate activate;
    activate.activate_local_key = true;
    ASSERT_TRUE(call.Update(call.a(), std::move(activate)).ok());
  }
  call.Run(TimeDelta::Seconds(3));
  ExpectNothingLost(call);
}

TEST_P(RekeyTest, ASecondNewKeySoonAfterTheFirstLosesNothingThatIsInTime) {
  CallSimulation call(Options(SeededRandom::SeedFromEnvOr(3)));
  call.Run(TimeDelta::Seconds(3));
  for (int i = 0; i < 4; ++i) {
    LegUpdate update;
    update.remote_key = call.a().peer->Rekey();
    ASSERT_TRUE(call.Update(call.a(), std::move(update)).ok());
    call.Run(2 * kDelayMax);
  }
  ExpectNothingLost(call);
}

TEST_P(RekeyTest, AnEndpointThatMovesWithNewKeysStartsFromTheBeginning) {
  CallSimulation call(Options(SeededRandom::SeedFromEnvOr(4)));
  // The rollover counters of both directions are past 0 or the sequence is high.
  call.Run(TimeDelta::Seconds(8));
  call.a().talks = false;
  call.b().talks = false;
  call.Run(2 * kDelayMax);
  // Another phone takes over: it never heard of the old contexts.
  TestPeer& peer = *call.a().peer;
  peer.rtp = TestAddress(9, 9000);
  peer.rtcp = TestAddress(9, 9001);
  const MasterKey our_key = MasterKey::Generate(Suite(), call.random());
  LegUpdate update;
  update.remote = peer.Remote();
  update.remote_key = peer.Rekey(/*new_context=*/true);
  update.prepare_local_key = our_key.Clone();
  ASSERT_TRUE(call.Update(call.a(), std::move(update)).ok());
  peer.InstallGatewayKey(our_key, /*new_context=*/true);
  LegUpdate activate;
  activate.activate_local_key = true;
  ASSERT_TRUE(call.Update(call.a(), std::move(activate)).ok());
  call.a().talks = true;
  call.b().talks = true;
  call.Run(TimeDelta::Seconds(5));
  ExpectNothingLost(call);
}

TEST_P(RekeyTest, WhatAnotherKeyProtectedIsNeverPlayed) {
  CallSimulation call(Options(SeededRandom::SeedFromEnvOr(5)));
  call.Run(TimeDelta::Seconds(1));
  // The peer changes its key and tells nobody.
  call.a().peer->Rekey();
  const size_t before = call.b().received.size();
  call.Run(TimeDelta::Seconds(1));
  call.Run(TimeDelta::Seconds(5));
  EXPECT_LE(call.b().received.size(), before + 15) << "what was on its way";
  EXPECT_EQ(call.b().foreign, 0u);
  EXPECT_GT(VerdictCount(call.Leg(call.a()), PacketVerdict::kAuthFailed), 200u);
}

INSTANTIATE_TEST_SUITE_P(
    SuitesAndEngines, RekeyTest,
    testing::Combine(testing::Values(SuiteId::kAesCm128HmacSha1_80, SuiteId::kAesCm128HmacSha1_32,
                                     SuiteId::kAeadAes128Gcm, SuiteId::kAes256CmHmacSha1_80,
                                     SuiteId::kAeadAes256Gcm),
                     testing::ValuesIn(UsableEngines(DetectCpuFeatures()))),
    [](const auto& test) {
      return absl::StrCat(GetCipherSuite(std::get<0>(test.param)).name, "_",
                          EngineName(std::get<1>(test.param)));
    });

}  // namespace
}  // namespace sluice
