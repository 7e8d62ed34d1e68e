#include "quic/client/client_session.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/client/client_error.h"
#include "quic/client/testing/client_world.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;

constexpr TimeDelta kRoundTrip = ClientWorld::kRoundTrip;
// What pacing adds to some round trips; far below half of one.
constexpr TimeDelta kPacing = TimeDelta::Millis(2);

// So many round trips and nothing else.
MATCHER_P(Takes, round_trips, "") {
  *result_listener << arg.round_trips << " round trips, " << absl::StrCat(arg.elapsed);
  return arg.round_trips == static_cast<uint64_t>(round_trips) &&
         arg.elapsed >= kRoundTrip * round_trips &&
         arg.elapsed < kRoundTrip * round_trips + kPacing;
}

class ClientSessionTest : public testing::Test {
 protected:
  // A connection that was, so that the next one has a ticket and a token.
  void VisitOnce() {
    world_.StartClient();
    world_.Flush();
    world_.RunUntilConnected();
    world_.link.RunFor(TimeDelta::Millis(500));
    ASSERT_FALSE(world_.memory.ticket.empty());
  }

  ClientWorld world_{91};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", world_.random.seed())};
};

// ---- Round trips. ----

TEST_F(ClientSessionTest, AHandshakeIsOneRoundTripAndACallAnother) {
  world_.StartClient();
  world_.Flush();
  world_.RunUntilConnected();
  EXPECT_THAT(*world_.client->handshake(), Takes(1));
  // Until pacing has forgotten the handshake's datagrams.
  world_.link.RunFor(TimeDelta::Seconds(1));
  const ClientCallId join = world_.Call("Echo");
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(join);
  EXPECT_TRUE(end.status.ok()) << end.status;
  EXPECT_THAT(end.took, Takes(1));
  EXPECT_EQ(world_.client->round_trips().count(), 2u);
  EXPECT_THAT(world_.answers[join].messages, ElementsAre("hello"));
}

TEST_F(ClientSessionTest, ACallThatWaitsForTheHandshakeIsAnsweredAfterTwo) {
  world_.StartClient();
  const ClientCallId join = world_.Call("Echo");
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(join).took, Takes(2));
  EXPECT_EQ(world_.client->round_trips().count(), 2u);
}

TEST_F(ClientSessionTest, ARetryIsOneMore) {
  world_.StartServer(/*retry=*/true);
  world_.StartClient();
  const ClientCallId join = world_.Call("Echo");
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(join).took, Takes(3));
  EXPECT_THAT(*world_.client->handshake(), Takes(2));
  EXPECT_EQ(world_.client->retries(), 1u);
}

TEST_F(ClientSessionTest, WithATokenOfTheLastTimeNoRetryIsNeeded) {
  world_.StartServer(/*retry=*/true);
  VisitOnce();
  ASSERT_FALSE(world_.memory.token.empty());
  world_.StartClient(/*resume=*/true);
  const ClientCallId join = world_.Call("Echo");
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(join).took, Takes(2));
  EXPECT_EQ(world_.client->retries(), 0u);
}

TEST_F(ClientSessionTest, AHarmlessCallWithATicketTakesOneInAll) {
  VisitOnce();
  world_.StartClient(/*resume=*/true);
  const ClientCallId ping = world_.Call("Echo", RpcReplay::kHarmless);
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(ping).took, Takes(1));
  EXPECT_EQ(world_.client->round_trips().count(), 1u);
  EXPECT_EQ(world_.service.early_calls, 1);
}

TEST_F(ClientSessionTest, AHarmfulCallWithATicketWaitsForTheHandshake) {
  VisitOnce();
  world_.StartClient(/*resume=*/true);
  const ClientCallId join = world_.Call("Echo");
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(join).took, Takes(2));
  EXPECT_EQ(world_.service.early_calls, 0);
}

TEST_F(ClientSessionTest, CallsMadeTogetherShareTheirRoundTrip) {
  world_.StartClient();
  world_.Flush();
  world_.RunUntilConnected();
  world_.link.RunFor(TimeDelta::Seconds(1));
  std::vector<ClientCallId> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(world_.Call("Echo"));
  world_.Flush();
  for (const ClientCallId call : calls) {
    EXPECT_THAT(world_.RunUntilOver(call).took.elapsed, Lt(kRoundTrip + kPacing));
  }
  EXPECT_EQ(world_.client->round_trips().count(), 2u);
}

// ---- Calls. ----

TEST_F(ClientSessionTest, WhatAServerDidNotTakeEarlyIsMadeAgain) {
  VisitOnce();
  RpcLimits smaller;
  smaller.calls = 4;
  world_.StartServer(/*retry=*/false, smaller);
  world_.StartClient(/*resume=*/true);
  const ClientCallId ping = world_.Call("Echo", RpcReplay::kHarmless);
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(ping);
  EXPECT_TRUE(end.status.ok()) << end.status;
  EXPECT_EQ(world_.client->calls_repeated(), 1u);
  EXPECT_EQ(world_.service.calls, 1);
  EXPECT_EQ(world_.service.early_calls, 0);
  EXPECT_EQ(end.took.round_trips, 2u);
}

TEST_F(ClientSessionTest, MoreCallsThanPlacesWaitForTheirTurn) {
  world_.StartClient();
  std::vector<ClientCallId> calls;
  for (int i = 0; i < 100; ++i) calls.push_back(world_.Call("Echo"));
  world_.Flush();
  for (const ClientCallId call : calls) {
    const CallEnd end = world_.RunUntilOver(call);
    EXPECT_TRUE(end.status.ok()) << end.status;
  }
}

TEST_F(ClientSessionTest, MoreThanAnybodyWantsAreRefused) {
  world_.StartClient();
  ClientCallId last = 0;
  for (size_t i = 0; i <= ClientSession::kMaxWaiting + RpcLimits().calls; ++i) {
    last = world_.Call("Echo");
  }
  EXPECT_TRUE(absl::IsResourceExhausted(world_.answers[last].end->status));
  EXPECT_FALSE(world_.answers[last - 1].end.has_value());
}

TEST_F(ClientSessionTest, ACallThatMayNotBeMadeSaysWhy) {
  world_.StartClient();
  const ClientCallId call = world_.Call("not a method");
  world_.Flush();
  EXPECT_TRUE(absl::IsInvalidArgument(world_.RunUntilOver(call).status));
}

TEST_F(ClientSessionTest, TheTimeoutOfACallCountsTheWaitForTheConnection) {
  world_.link.pass = [](bool, size_t) { return false; };
  world_.StartClient();
  const ClientCallId call = world_.Call("Echo", RpcReplay::kHarmful, TimeDelta::Millis(300));
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_EQ(end.status, absl::DeadlineExceededError("Echo waited 300 ms for the connection to gw"));
  EXPECT_EQ(end.took.elapsed, TimeDelta::Millis(300));
  EXPECT_FALSE(world_.client->end().has_value());
}

TEST_F(ClientSessionTest, WhoHearsOfTheEndOfACallMayGiveUpTheNext) {
  world_.link.pass = [](bool, size_t) { return false; };
  world_.StartClient();
  const ClientCallId first = world_.Call("Echo", RpcReplay::kHarmful, TimeDelta::Millis(300));
  const ClientCallId second = world_.Call("Echo", RpcReplay::kHarmful, TimeDelta::Millis(300));
  const ClientCallId third = world_.Call("Echo", RpcReplay::kHarmful, TimeDelta::Millis(300));
  world_.cancelled_at_end = second;
  world_.Flush();
  EXPECT_TRUE(absl::IsDeadlineExceeded(world_.RunUntilOver(first).status));
  EXPECT_TRUE(absl::IsDeadlineExceeded(world_.RunUntilOver(third).status));
  EXPECT_FALSE(world_.answers[second].end.has_value());
  // The same when calls end that could not be made.
  world_.link.pass = nullptr;
  world_.StartClient();
  const ClientCallId wrong = world_.Call("not a method");
  world_.cancelled_at_end = world_.Call("not a method either");
  world_.Flush();
  EXPECT_TRUE(absl::IsInvalidArgument(world_.RunUntilOver(wrong).status));
  EXPECT_FALSE(world_.answers[*world_.cancelled_at_end].end.has_value());
}

TEST_F(ClientSessionTest, ACallThatIsNotAnsweredInTimeEnds) {
  world_.StartClient();
  const ClientCallId call = world_.Call("Wait", RpcReplay::kHarmful, TimeDelta::Millis(500));
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_TRUE(absl::IsDeadlineExceeded(end.status)) << end.status;
  EXPECT_TRUE(world_.client->connected());
}

TEST_F(ClientSessionTest, ACancelledCallIsNotHeardOfAgain) {
  world_.StartClient();
  const ClientCallId waiting = world_.Call("Echo");
  EXPECT_TRUE(world_.client->Cancel(waiting));
  EXPECT_FALSE(world_.client->Cancel(waiting));
  const ClientCallId sent = world_.Call("Wait");
  world_.Flush();
  world_.link.RunFor(TimeDelta::Millis(400));
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  EXPECT_TRUE(world_.client->Cancel(sent));
  world_.Flush();
  world_.link.RunFor(TimeDelta::Millis(400));
  EXPECT_THAT(world_.answers, IsEmpty());
  EXPECT_EQ(world_.service.calls, 1);
}

TEST_F(ClientSessionTest, WhatTheServerSaysIsTheEnd) {
  VisitOnce();
  world_.StartClient(/*resume=*/true);
  const ClientCallId call = world_.Call("Once", RpcReplay::kHarmless);
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_EQ(end.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(end.status.message(), "not as 0-RTT");
  EXPECT_TRUE(end.status.GetPayload(kRpcStatusPayload).has_value());
}

// ---- Addresses. ----

TEST_F(ClientSessionTest, WhenNobodyAnswersTheNextAddressIsTried) {
  world_.StartClient({ClientWorld::kNobody, ClientWorld::kServer});
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_TRUE(end.status.ok()) << end.status;
  EXPECT_EQ(world_.client->path(), ClientWorld::kServer);
  EXPECT_THAT(end.took.elapsed, AllOf(Ge(TimeDelta::Seconds(1) + kRoundTrip * 2),
                                      Lt(TimeDelta::Seconds(1) + kRoundTrip * 2 + kPacing)));
  EXPECT_EQ(end.took.round_trips, 3u);
}

TEST_F(ClientSessionTest, AnAddressThatAnswersSlowlyIsKept) {
  world_.link.delay = TimeDelta::Millis(400);
  world_.StartClient({ClientWorld::kServer, ClientWorld::kNobody});
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  EXPECT_TRUE(world_.RunUntilOver(call).status.ok());
  EXPECT_EQ(world_.client->path(), ClientWorld::kServer);
}

TEST_F(ClientSessionTest, WhatWasSaidEarlyToNobodyIsSaidAgainElsewhere) {
  VisitOnce();
  world_.StartClient({ClientWorld::kNobody, ClientWorld::kServer}, /*resume=*/true);
  const ClientCallId call = world_.Call("Echo", RpcReplay::kHarmless);
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_TRUE(end.status.ok()) << end.status;
  EXPECT_EQ(world_.service.calls, 1);
}

TEST_F(ClientSessionTest, WhatComesFromElsewhereIsDropped) {
  world_.StartClient();
  world_.Flush();
  const std::vector<uint8_t> junk(100, 0xc0);
  world_.client->HandleDatagram(world_.link.now, ClientWorld::kNobody, Ecn::kNotEct, junk,
                                world_.client_out);
  EXPECT_EQ(world_.client->strangers(), 1u);
  world_.RunUntilConnected();
}

TEST_F(ClientSessionTest, AForgedRetryIsNoRoundTrip) {
  world_.StartClient();
  world_.Flush();
  std::vector<uint8_t> forged(60, 0);
  forged[0] = 0xf0;
  forged[4] = 1;
  world_.client->HandleDatagram(world_.link.now, ClientWorld::kServer, Ecn::kNotEct, forged,
                                world_.client_out);
  world_.RunUntilConnected();
  EXPECT_EQ(world_.client->retries(), 0u);
  EXPECT_THAT(*world_.client->handshake(), Takes(1));
}

TEST_F(ClientSessionTest, ANewAddressOfANatGoesUnnoticed) {
  world_.StartClient();
  world_.Flush();
  world_.RunUntilConnected();
  world_.link.RunFor(TimeDelta::Seconds(1));
  world_.link.client_seen_as = UdpAddress::V4({192, 0, 2, 2}, 7000);
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  EXPECT_TRUE(world_.RunUntilOver(call).status.ok());
}

TEST_F(ClientSessionTest, NobodyMovesBeforeThereIsAConnection) {
  world_.StartClient();
  EXPECT_FALSE(world_.client->Migrate(world_.link.now, ClientWorld::kServer));
  world_.Flush();
  EXPECT_FALSE(world_.client->Migrate(world_.link.now, ClientWorld::kServer));
}

// ---- Ends. ----

TEST_F(ClientSessionTest, ASilentServerIsToldWithWhatMayBeWrong) {
  world_.link.pass = [](bool, size_t) { return false; };
  world_.StartClient();
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_EQ(end.status,
            absl::UnavailableError(
                "no answer from gw within 5 s (does it listen there? is UDP blocked?)"));
  EXPECT_EQ(end.took.elapsed, TimeDelta::Seconds(5));
  EXPECT_EQ(world_.ended, end.status);
  EXPECT_TRUE(world_.client->over());
  // Too late.
  EXPECT_EQ(world_.answers[world_.Call("Echo")].end->status, end.status);
}

TEST_F(ClientSessionTest, AServerThatNobodyHereTrustsIsNotTalkedTo) {
  world_.client_tls = *TlsClientContext::Create(
      {.protocols = {RpcClientProtocol()}, .trusted_pem = MakeTestRoot().certificate});
  world_.StartClient();
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_TRUE(absl::IsFailedPrecondition(end.status)) << end.status;
  EXPECT_THAT(end.status.message(), HasSubstr("not signed by an authority"));
  EXPECT_EQ(world_.service.calls, 0);
}

TEST_F(ClientSessionTest, ACertificateForAnotherNameIsNamed) {
  world_.server_name = "other.test";
  world_.StartClient();
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(call).status.message(), HasSubstr("is not for the name"));
}

TEST_F(ClientSessionTest, AServerThatTakesNobodyAnyMoreSaysSo) {
  world_.endpoint->StopAccepting();
  world_.StartClient();
  const ClientCallId call = world_.Call("Echo");
  world_.Flush();
  EXPECT_THAT(world_.RunUntilOver(call).status.message(), HasSubstr("takes no more connections"));
}

TEST_F(ClientSessionTest, CallsUnderWayWhenTheServerStopsFail) {
  world_.StartClient();
  const ClientCallId call = world_.Call("Wait");
  world_.Flush();
  world_.link.RunFor(TimeDelta::Millis(400));
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  world_.CloseServer();
  const CallEnd end = world_.RunUntilOver(call);
  EXPECT_TRUE(absl::IsUnavailable(end.status));
  EXPECT_THAT(end.status.message(),
              AllOf(HasSubstr("about to stop"), HasSubstr("nobody knows whether Wait was done")));
}

TEST_F(ClientSessionTest, WhoeverClosesCancelsItsCalls) {
  world_.StartClient();
  const ClientCallId call = world_.Call("Wait");
  world_.Flush();
  world_.RunUntilConnected();
  world_.client->Close(world_.link.now, world_.client_out);
  EXPECT_TRUE(absl::IsCancelled(world_.answers[call].end->status));
  EXPECT_TRUE(absl::IsCancelled(*world_.ended));
  world_.link.RunFor(TimeDelta::Seconds(5));
  EXPECT_TRUE(world_.client->over());
}

TEST_F(ClientSessionTest, WhoeverClosesBeforeItBeganIsDoneAtOnce) {
  world_.StartClient();
  const ClientCallId call = world_.Call("Echo");
  world_.client->Close(world_.link.now, world_.client_out);
  EXPECT_TRUE(absl::IsCancelled(world_.answers[call].end->status));
  EXPECT_TRUE(world_.client->over());
  world_.Flush();
  EXPECT_THAT(world_.client_out.datagrams(), IsEmpty());
}

TEST_F(ClientSessionTest, LossesCostTimeAndNoCalls) {
  world_.link.lost_per_mille = 50;
  world_.StartClient();
  std::vector<ClientCallId> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(world_.Call("Echo"));
  world_.Flush();
  for (const ClientCallId call : calls) {
    const CallEnd end = world_.RunUntilOver(call);
    EXPECT_TRUE(end.status.ok()) << end.status;
  }
}

}  // namespace
}  // namespace sluice
