// Our own client of sluice/1 on a bad network.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/client/client_session.h"
#include "quic/client/io/rpc_client_thread.h"
#include "quic/server/endpoint_verdict.h"
#include "tests/interop/quic/quic_interop_fixture.h"
#include "tools/load/impaired_path.h"
#include "tools/load/udp_proxy.h"

namespace sluice {
namespace {

class OwnClientTest : public QuicInteropTest {
 protected:
  OwnClientTest() : seed_(SeededRandom::SeedFromEnvOr(23)) { StartServer(); }

  void StartNetwork(const Impairments& impairments, UdpProxyOptions options = {}) {
    options.impairments = {impairments, impairments};
    options.seed = seed_;
    StartProxy(options);
  }
  std::unique_ptr<RpcClientThread> NewClient() {
    auto client = RpcClientThread::Start({.addresses = {proxy_->address()},
                                          .server_name = "localhost",
                                          .trusted_pem = server_->root_certificate(),
                                          // The server's own; losses may take nearly as long.
                                          .handshake_timeout = TimeDelta::Seconds(10)});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  // Whether the server says back what it is told.
  static RpcAnswer ExpectEcho(RpcClientThread& client, const std::string& message) {
    RpcAnswer answer = client.Call({.method = "Echo", .message = message});
    EXPECT_TRUE(answer.status.ok()) << answer.status;
    EXPECT_EQ(answer.message, message);
    return answer;
  }

  const uint64_t seed_;
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__,
                                      absl::StrCat("replay with SLUICE_TEST_SEED=", seed_)};
};

TEST_F(OwnClientTest, AFirstCallTakesTwoRoundTripsAndTheNextOne) {
  constexpr TimeDelta kRoundTrip = TimeDelta::Millis(400);
  StartNetwork({.delay = kRoundTrip / 2});
  const std::unique_ptr<RpcClientThread> client = NewClient();
  const RpcAnswer first = ExpectEcho(*client, "first");
  EXPECT_EQ(first.took.round_trips, 2u);
  EXPECT_GE(first.took.elapsed, kRoundTrip * 2);
  const RpcAnswer next = ExpectEcho(*client, "next");
  EXPECT_EQ(next.took.round_trips, 1u);
  EXPECT_GE(next.took.elapsed, kRoundTrip);
}

TEST_F(OwnClientTest, CallsAreAnsweredInSpiteOfLossesAndCorruption) {
  StartNetwork({.lost_per_million = 100'000, .corrupted_per_million = 100'000, .max_burst = 3});
  for (int i = 0; i < 5; ++i) {
    const std::unique_ptr<RpcClientThread> client = NewClient();
    for (int call = 0; call < 20; ++call) ExpectEcho(*client, std::string(1 + 100 * call, 'x'));
  }
  const UdpProxyCounters counters = proxy_->Stop();
  EXPECT_GT(counters.paths[kToServer].count(PathVerdict::kLost), 0u);
  EXPECT_GT(counters.paths[kToClient].corrupted, 0u);
}

TEST_F(OwnClientTest, CallsGoOnOverHoles) {
  StartNetwork({.delay = TimeDelta::Millis(10),
                .hole_every = TimeDelta::Millis(600),
                .hole = TimeDelta::Millis(200)});
  const std::unique_ptr<RpcClientThread> client = NewClient();
  for (int call = 0; call < 60; ++call) ExpectEcho(*client, absl::StrCat(call));
  EXPECT_GT(proxy_->Stop().paths[kToServer].count(PathVerdict::kInHole), 0u);
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

TEST_F(OwnClientTest, CallsGoOnWhenThePortOrAddressChanges) {
  for (const Rebinding rebinding : {Rebinding::kPort, Rebinding::kAddress}) {
    StartServer();
    StartNetwork({.delay = TimeDelta::Millis(10)}, {.rebinding = rebinding,
                                                    .rebind_after = TimeDelta::Millis(200),
                                                    .rebind_every = TimeDelta::Millis(400)});
    const std::unique_ptr<RpcClientThread> client = NewClient();
    for (int call = 0; call < 60; ++call) ExpectEcho(*client, absl::StrCat(call));
    EXPECT_GE(proxy_->Stop().rebindings, 2u);
    EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
  }
}

}  // namespace
}  // namespace sluice
