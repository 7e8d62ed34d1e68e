// The cases of the QUIC interop runner that are about a bad network: ngtcp2's client, our server,
// and tools/load:udp_proxy between them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/data_rate.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/server/endpoint_verdict.h"
#include "tests/interop/quic/gtlsclient.h"
#include "tests/interop/quic/quic_interop_fixture.h"
#include "tools/load/impaired_path.h"
#include "tools/load/udp_proxy.h"

namespace sluice {
namespace {

// As the interop runner has them.
constexpr uint32_t kTwoPercent = 20'000;
constexpr uint32_t kThirtyPercent = 300'000;
constexpr uint32_t kBurst = 3;

class BadNetworkTest : public QuicInteropTest {
 protected:
  BadNetworkTest() : seed_(SeededRandom::SeedFromEnvOr(17)) {}

  // Both directions alike.
  void StartNetwork(const Impairments& impairments, UdpProxyOptions options = {}) {
    options.impairments = {impairments, impairments};
    options.seed = seed_;
    StartProxy(options);
  }
  void ExpectTransfer(const std::vector<size_t>& sizes) {
    GtlsClient client(proxy_->address());
    const std::string log = client.Fetch(sizes, {"-q"});
    EXPECT_TRUE(client.AllArrived(sizes)) << log;
  }
  // `count` clients at once, each with a connection of its own.
  void ExpectHandshakes(size_t count) {
    std::vector<std::unique_ptr<GtlsClient>> clients;
    for (size_t i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<GtlsClient>(proxy_->address()));
      // So that what is lost is sent again before anybody's patience is at its end.
      clients.back()->Begin({1000 + i}, {"-q", "--initial-rtt=50ms"});
    }
    for (size_t i = 0; i < count; ++i) {
      const std::string log = clients[i]->Finish();
      EXPECT_TRUE(clients[i]->AllArrived({1000 + i})) << log;
    }
  }

  const uint64_t seed_;
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__,
                                      absl::StrCat("replay with SLUICE_TEST_SEED=", seed_)};
};

TEST_F(BadNetworkTest, LongRoundTrips) {
  StartServer();
  StartNetwork({.delay = TimeDelta::Millis(750)});
  ExpectTransfer({20'000});
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

TEST_F(BadNetworkTest, TransferOverAHole) {
  StartServer();
  // Some four seconds of transfer, and nothing gets through in the third.
  StartNetwork({.rate = DataRate::KilobitsPerSec(2500),
                .hole_every = TimeDelta::Seconds(3),
                .hole = TimeDelta::Seconds(1)});
  ExpectTransfer({1'000'000});
  EXPECT_GT(proxy_->Stop().paths[kToClient].count(PathVerdict::kInHole), 0u);
}

TEST_F(BadNetworkTest, HandshakesWithLosses) {
  StartServer();
  StartNetwork({.lost_per_million = kThirtyPercent, .max_burst = kBurst});
  ExpectHandshakes(50);
  EXPECT_GT(proxy_->Stop().paths[kToServer].count(PathVerdict::kLost), 0u);
}

TEST_F(BadNetworkTest, HandshakesWithCorruption) {
  StartServer();
  StartNetwork({.corrupted_per_million = kThirtyPercent, .max_burst = kBurst});
  ExpectHandshakes(50);
  EXPECT_GT(proxy_->Stop().paths[kToServer].corrupted, 0u);
}

TEST_F(BadNetworkTest, TransferWithLosses) {
  StartServer();
  StartNetwork({.lost_per_million = kTwoPercent, .max_burst = kBurst});
  ExpectTransfer({2'000'000, 1'000'000});
  EXPECT_GT(proxy_->Stop().paths[kToClient].count(PathVerdict::kLost), 0u);
}

TEST_F(BadNetworkTest, TransferWithCorruption) {
  StartServer();
  StartNetwork({.corrupted_per_million = kTwoPercent, .max_burst = kBurst});
  ExpectTransfer({2'000'000, 1'000'000});
  EXPECT_GT(proxy_->Stop().paths[kToClient].corrupted, 0u);
}

TEST_F(BadNetworkTest, TransferWithDuplicatesAndDisorder) {
  StartServer();
  StartNetwork({.duplicated_per_million = 10 * kTwoPercent,
                .reordered_per_million = 5 * kTwoPercent,
                .delay = TimeDelta::Millis(2),
                .jitter = TimeDelta::Millis(2)});
  ExpectTransfer({1'000'000});
  const UdpProxyCounters counters = proxy_->Stop();
  EXPECT_GT(counters.paths[kToClient].duplicated, 0u);
  EXPECT_GT(counters.paths[kToClient].reordered, 0u);
}

TEST_F(BadNetworkTest, HandshakeAfterTheClientsSecondFlightIsLost) {
  StartServer();
  UdpProxyOptions options;
  options.impairments[kToServer] = {.dropped_from = 2, .dropped_to = 7};
  StartProxy(options);
  ExpectTransfer({50'000});
}

// RFC 9000 section 8.1: an address that was forged gets three times as much as was sent in its
// name, however often the server says it again.
TEST_F(BadNetworkTest, AnAddressThatNeverAnswersGetsThreeTimesWhatItSent) {
  StartServer();
  UdpProxyOptions options;
  options.impairments[kToServer] = {.dropped_from = 2, .dropped_to = 1'000'000};
  StartProxy(options);
  GtlsClient client(proxy_->address());
  client.Fetch({1000}, {"-q", "--timeout=4s"});
  EXPECT_EQ(client.Body(1000), "");
  const UdpProxyCounters counters = proxy_->Stop();
  EXPECT_EQ(counters.paths[kToServer].count(PathVerdict::kPassed), 1u);
  EXPECT_GT(counters.paths[kToClient].count(PathVerdict::kPassed), 1u);
  EXPECT_LE(counters.paths[kToClient].bytes, counters.paths[kToServer].bytes * 3);
}

TEST_F(BadNetworkTest, ATransferGoesOnWhenTheClientsPortChanges) {
  StartServer();
  StartNetwork({.rate = DataRate::KilobitsPerSec(2500)}, {.rebinding = Rebinding::kPort,
                                                          .rebind_after = TimeDelta::Millis(500),
                                                          .rebind_every = TimeDelta::Seconds(1)});
  ExpectTransfer({1'000'000});
  EXPECT_GE(proxy_->Stop().rebindings, 2u);
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

TEST_F(BadNetworkTest, ATransferGoesOnWhenTheClientsAddressChanges) {
  StartServer();
  StartNetwork({.rate = DataRate::KilobitsPerSec(2500)}, {.rebinding = Rebinding::kAddress,
                                                          .rebind_after = TimeDelta::Millis(500),
                                                          .rebind_every = TimeDelta::Seconds(1)});
  ExpectTransfer({1'000'000});
  EXPECT_GE(proxy_->Stop().rebindings, 2u);
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

}  // namespace
}  // namespace sluice
