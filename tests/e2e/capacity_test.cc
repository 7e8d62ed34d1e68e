// What a gateway holds comes back, and what it cannot hold is refused by name while calls go on.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Stub = ControlClient::Stub;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// Whatever a session may take, counted in one string so that two moments compare and differ
// readably.
std::string Holdings(ControlClient& control, const GatewayProcess& gateway) {
  const pb::Node node = control.GetNode();
  std::string text = absl::StrCat("descriptors ", gateway.CountDescriptors(), ", sessions ",
                                  LimitOf(node, "sessions").used(), ", media ports ",
                                  LimitOf(node, "media_ports").used());
  for (const pb::WorkerStatus& worker : node.workers()) {
    absl::StrAppend(&text, "; worker ", worker.worker(), ": sessions ", worker.sessions(),
                    ", legs ", worker.legs(), ", slots in use ",
                    worker.packet_slots() - worker.packet_slots_free());
  }
  return text;
}

// Holdings once they are `expected`, or those at the deadline.
std::string AwaitHoldings(ControlClient& control, const GatewayProcess& gateway,
                          const std::string& expected) {
  const Deadline deadline = Deadline::Generous();
  std::string now = Holdings(control, gateway);
  while (now != expected && !deadline.passed()) {
    now = Holdings(control, gateway);
  }
  return now;
}

pb::AddLegRequest LegRequest(const std::string& session_id, const std::string& leg_id,
                             const pb::LegConfig& config) {
  pb::AddLegRequest request;
  request.set_session_id(session_id);
  request.set_leg_id(leg_id);
  *request.mutable_config() = config;
  return request;
}

class ThousandSessionsTest : public GatewayFixture {
 protected:
  static constexpr int kSessions = 1000;

  // Two legs of two ports each.
  ThousandSessionsTest()
      : GatewayFixture({.media_ports = 4 * kSessions,
                        .config = absl::StrCat("limits { sessions: ", kSessions, " }")}) {}
};

TEST_F(ThousandSessionsTest, GiveBackDescriptorsPortsAndSlots) {
  // The first calls open what the gateway keeps for good.
  control().CreateSession("first");
  PlainPeer().Join(control(), "first", "leg");
  control().DeleteSession("first");
  const std::string before = Holdings(control(), gateway());

  SrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_128_GCM, .transport = {.rtcp_mux = false}});
  PlainPeer bob(PeerOptions{.rtcp_mux = false});
  for (int i = 0; i < kSessions; ++i) {
    const std::string id = absl::StrCat("session-", i);
    control().CreateSession(id);
    alice.Join(control(), id, "alice");
    bob.Join(control(), id, "bob");
    // Each of them works.
    ExpectRtpArrives(alice, bob, {RtpPacket(kAliceSsrc, static_cast<uint16_t>(i))});
    ASSERT_FALSE(HasFailure()) << "at session " << i;
  }
  const pb::Node full = control().GetNode();
  EXPECT_EQ(full.open_file_descriptors(), gateway().CountDescriptors());
  EXPECT_EQ(LimitOf(full, "sessions").used(), static_cast<uint64_t>(kSessions));
  EXPECT_EQ(LimitOf(full, "media_ports").used(), LimitOf(full, "media_ports").limit());
  uint64_t legs = 0;
  for (const pb::WorkerStatus& worker : full.workers()) {
    legs += worker.legs();
    EXPECT_GT(worker.sessions(), static_cast<uint64_t>(kSessions) / 4) << "badly spread";
  }
  EXPECT_EQ(legs, 2u * kSessions);

  for (int i = 0; i < kSessions; ++i) {
    control().DeleteSession(absl::StrCat("session-", i));
  }
  EXPECT_EQ(AwaitHoldings(control(), gateway(), before), before);
}

class CapacityTest : public GatewayFixture {
 protected:
  // Four pairs of ports, three sessions, three legs a session.
  CapacityTest()
      : GatewayFixture({.workers = 1,
                        .media_ports = 8,
                        .config = "limits { sessions: 3 legs_per_session: 3 }"}) {}

  void SetUp() override {
    GatewayFixture::SetUp();
    control().CreateSession("call");
    alice_.Join(control(), "call", "alice");
    bob_.Join(control(), "call", "bob");
  }

  // The call that runs beside it all notices nothing.
  void ExpectTheCallGoesOn() {
    ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, sequence_, 20));
    ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, sequence_, 20));
    sequence_ = static_cast<uint16_t>(sequence_ + 20);
  }

  ErrorInfo TryAddLeg(const std::string& session_id, const std::string& leg_id,
                      const pb::LegConfig& config) {
    pb::AddLegResponse response;
    return ErrorInfoOf(
        control().Call(&Stub::AddLeg, LegRequest(session_id, leg_id, config), &response));
  }

  SrtpPeer alice_;
  PlainPeer bob_;
  uint16_t sequence_ = 1;
};

TEST_F(CapacityTest, PortsThatAreUsedUpAreRefusedByName) {
  control().CreateSession("second");
  control().AddLeg("second", "a", bob_.Config());
  control().AddLeg("second", "b", bob_.Config());
  control().CreateSession("third");
  const std::string before = Holdings(control(), gateway());

  for (int i = 0; i < 20; ++i) {
    const ErrorInfo error = TryAddLeg("third", absl::StrCat("leg-", i), alice_.Config());
    EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
    EXPECT_THAT(error.limits, ElementsAre("media_ports")) << error;
    EXPECT_THAT(error.message, ::testing::HasSubstr("media_ports"));
    ExpectTheCallGoesOn();
  }
  EXPECT_EQ(Holdings(control(), gateway()), before) << "a refused call left something behind";
  EXPECT_GE(LimitOf(control().GetNode(), "media_ports").refused(), 20u);
  // What one gives back another may have.
  control().RemoveLeg("second", "a");
  control().AddLeg("third", "leg", alice_.Config());
  const VerdictMap all_well = {{"forwarded", 400}, {"sent", 400}};
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"), all_well);
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "bob"), all_well);
}

TEST_F(CapacityTest, SessionsOverTheLimitAreRefusedByName) {
  control().CreateSession("second");
  control().CreateSession("third");
  const std::string before = Holdings(control(), gateway());
  for (int i = 0; i < 20; ++i) {
    pb::CreateSessionRequest request;
    request.set_session_id(absl::StrCat("too-many-", i));
    pb::CreateSessionResponse response;
    const ErrorInfo error = ErrorInfoOf(control().Call(&Stub::CreateSession, request, &response));
    EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
    EXPECT_THAT(error.limits, ElementsAre("sessions")) << error;
    EXPECT_THAT(error.message, ::testing::HasSubstr("3")) << "the limit's value is told";
    ExpectTheCallGoesOn();
  }
  EXPECT_EQ(Holdings(control(), gateway()), before);
  EXPECT_EQ(LimitOf(control().GetNode(), "sessions").refused(), 20u);

  // A refused session is no tombstone: its id is free when there is room again.
  control().DeleteSession("third");
  control().CreateSession("too-many-0");
}

TEST_F(CapacityTest, LegsOverTheLimitOfASessionAreRefusedByName) {
  control().AddLeg("call", "carol", bob_.Config());
  const std::string before = Holdings(control(), gateway());
  const ErrorInfo error = TryAddLeg("call", "dave", bob_.Config());
  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
  EXPECT_THAT(error.limits, ElementsAre("legs_per_session")) << error;
  EXPECT_EQ(Holdings(control(), gateway()), before);
}

TEST_F(CapacityTest, RefusedLegsLeaveNothingBehind) {
  const std::string before = Holdings(control(), gateway());
  pb::LegConfig bad_key = alice_.Config();
  bad_key.mutable_remote_key()->set_master_key_and_salt("short");
  pb::LegConfig ipv6 = bob_.Config();
  ipv6.clear_remote();
  ipv6.set_ip_family(pb::IP_FAMILY_IPV6);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(TryAddLeg("call", "carol", bad_key).code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(TryAddLeg("call", "alice", alice_.Config()).code, grpc::StatusCode::ALREADY_EXISTS);
    EXPECT_EQ(TryAddLeg("nobody", "carol", alice_.Config()).code, grpc::StatusCode::NOT_FOUND);
    // No IPv6 address is configured.
    EXPECT_NE(TryAddLeg("call", "carol", ipv6).code, grpc::StatusCode::OK);
  }
  EXPECT_EQ(Holdings(control(), gateway()), before);
  ExpectTheCallGoesOn();
}

TEST_F(CapacityTest, CallsThatTheClientGivesUpLeaveNothingBehind) {
  control().CreateSession("second");
  const std::string before = Holdings(control(), gateway());
  // Given up at all kinds of moments: before the call is sent, while it runs, when it is done.
  for (int i = 0; i < 200; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::microseconds(10 * i));
    pb::AddLegResponse response;
    const grpc::Status status =
        control().stub().AddLeg(&context, LegRequest("second", "leg", alice_.Config()), &response);
    if (!status.ok() && status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) {
      // The previous call came through after all.
      EXPECT_EQ(status.error_code(), grpc::StatusCode::ALREADY_EXISTS) << status.error_message();
    }
    pb::RemoveLegRequest remove;
    remove.set_session_id("second");
    remove.set_leg_id("leg");
    pb::RemoveLegResponse removed;
    control().Call(&Stub::RemoveLeg, remove, &removed).IgnoreError();
  }
  // A call that was given up may still be under way; the last one to come is removed here.
  const Deadline deadline = Deadline::Generous();
  while (Holdings(control(), gateway()) != before && !deadline.passed()) {
    pb::RemoveLegRequest remove;
    remove.set_session_id("second");
    remove.set_leg_id("leg");
    pb::RemoveLegResponse removed;
    control().Call(&Stub::RemoveLeg, remove, &removed).IgnoreError();
  }
  EXPECT_EQ(Holdings(control(), gateway()), before);
  ExpectTheCallGoesOn();
}

TEST_F(CapacityTest, ATenThousandthLegFindsPortsAsTheFirstDid) {
  control().CreateSession("second");
  const std::string before = Holdings(control(), gateway());
  for (int i = 0; i < 2000; ++i) {
    control().AddLeg("second", "leg", bob_.Config());
    control().RemoveLeg("second", "leg");
    ASSERT_FALSE(HasFailure()) << "at leg " << i;
  }
  EXPECT_EQ(Holdings(control(), gateway()), before);
}

// Another process holds every odd port, as in a server that shares its machine.
TEST_F(CapacityTest, PortsThatSomebodyElseHoldsArePassedOver) {
  std::vector<PeerSocket> squatters;
  for (int port = gateway().media_ports().first(); port <= gateway().media_ports().last(); ++port) {
    pb::TransportAddress address;
    address.set_ip("127.0.0.1");
    address.set_port(static_cast<uint32_t>(port));
    absl::StatusOr<PeerSocket> squatter = PeerSocket::OpenAt(address);
    if (port % 2 == 1 && squatter.ok()) {
      squatters.push_back(*std::move(squatter));
    }
  }
  ASSERT_FALSE(squatters.empty());
  control().CreateSession("second");
  const std::string before = Holdings(control(), gateway());
  pb::LegConfig config = bob_.Config();
  config.set_rtcp_mux(false);
  for (int i = 0; i < 50; ++i) {
    const ErrorInfo error = TryAddLeg("second", "leg", config);
    EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
  }
  EXPECT_EQ(Holdings(control(), gateway()), before) << "a half-bound pair was kept";
  squatters.clear();
  control().AddLeg("second", "leg", config);
}

}  // namespace
}  // namespace sluice
