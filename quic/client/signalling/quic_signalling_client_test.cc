#include "quic/client/signalling/quic_signalling_client.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/client/client_error.h"
#include "quic/client/io/testing/rpc_test_server.h"
#include "quic/client/ticket_store.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::signalling::v1;
using ::testing::ElementsAre;

// Answers each method with its own message, for the token "good".
class Service : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    if (request.token != "good") {
      call.Finish(now, static_cast<RpcCode>(16), "token: unknown");
      return;
    }
    const std::string message(request.message.begin(), request.message.end());
    std::string text = absl::StrCat(request.method, request.early ? " early: " : ": ");
    if (request.method == "Join") {
      v1::JoinRequest join;
      join.ParseFromString(message);
      absl::StrAppend(&text, join.ShortDebugString());
      v1::JoinResponse response;
      response.mutable_leg()->set_leg_id("alice");
      Send(now, call, response.SerializeAsString());
    } else if (request.method == "UpdateLeg") {
      v1::UpdateLegResponse response;
      response.mutable_leg()->set_leg_id("bob");
      Send(now, call, response.SerializeAsString());
    } else if (request.method == "Leave") {
      v1::LeaveResponse response;
      response.mutable_final_stats()->set_leg_id("carol");
      Send(now, call, response.SerializeAsString());
    } else if (request.method == "Ping") {
      v1::PingRequest ping;
      ping.ParseFromString(message);
      v1::PingResponse response;
      response.set_payload(ping.payload());
      Send(now, call, ping.payload() == "break" ? "\xff" : response.SerializeAsString());
    } else if (request.method == "WatchEvents") {
      v1::WatchEventsRequest watch;
      watch.ParseFromString(message);
      v1::WatchEventsResponse response;
      response.set_instance_id(watch.instance_id());
      for (uint64_t i = 1; i <= 2; ++i) {
        response.set_latest_sequence(watch.after_sequence() + i);
        Send(now, call, response.SerializeAsString());
      }
      if (watch.instance_id() == "break") Send(now, call, "\xff");
      // Whoever does not want the end waits for more.
      if (watch.instance_id() == "wait") return;
    }
    call.Finish(now, RpcCode::kOk, "");
    const absl::MutexLock lock(&mutex_);
    calls_.push_back(text);
  }

  std::vector<std::string> calls() const {
    const absl::MutexLock lock(&mutex_);
    return calls_;
  }

 private:
  static void Send(Timestamp now, const RpcCall& call, const std::string& message) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(message.data());
    static_cast<void>(call.Send(now, absl::MakeConstSpan(bytes, message.size())));
  }

  mutable absl::Mutex mutex_;
  std::vector<std::string> calls_ ABSL_GUARDED_BY(mutex_);
};

class QuicSignallingClientTest : public testing::Test {
 protected:
  std::unique_ptr<QuicSignallingClient> Start(std::string token = "good") {
    auto client = QuicSignallingClient::Start({.connection = {.addresses = {server_.address()},
                                                              .server_name = "localhost",
                                                              .trusted_pem = server_.root_pem(),
                                                              .tickets = &tickets_},
                                               .token = std::move(token),
                                               .timeout = TimeDelta::Seconds(30)});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }

  TicketStore tickets_;
  Service service_;
  RpcTestServer server_{service_};
};

TEST_F(QuicSignallingClientTest, EachCallHasItsMethodAndItsAnswer) {
  const auto client = Start();
  v1::JoinRequest request;
  request.mutable_config()->set_rtcp_mux(true);
  WaitingTime took;
  EXPECT_EQ(client->Join(request, &took)->leg().leg_id(), "alice");
  EXPECT_EQ(took.round_trips, 2u);
  EXPECT_EQ(client->UpdateLeg(v1::UpdateLegRequest())->leg().leg_id(), "bob");
  v1::PingRequest ping;
  ping.set_payload("hello");
  EXPECT_EQ(client->Ping(ping)->payload(), "hello");
  EXPECT_EQ(client->Leave(v1::LeaveRequest(), &took)->final_stats().leg_id(), "carol");
  EXPECT_EQ(took.round_trips, 1u);
  EXPECT_EQ(client->connection().report().round_trips, 5u);
  client->connection().Close();
  EXPECT_THAT(service_.calls(),
              ElementsAre("Join: config { rtcp_mux: true }", "UpdateLeg: ", "Ping: ", "Leave: "));
}

TEST_F(QuicSignallingClientTest, OnlyAPingGoesOutEarly) {
  {
    const auto first = Start();
    // The ticket may come behind the first answer, but not behind the second.
    ASSERT_TRUE(first->Ping(v1::PingRequest()).ok());
    ASSERT_TRUE(first->Ping(v1::PingRequest()).ok());
  }
  WaitingTime took;
  ASSERT_TRUE(Start()->Ping(v1::PingRequest(), &took).ok());
  EXPECT_EQ(took.round_trips, 1u);
  ASSERT_TRUE(Start()->Leave(v1::LeaveRequest(), &took).ok());
  EXPECT_EQ(took.round_trips, 2u);
  EXPECT_THAT(service_.calls(), ElementsAre("Ping: ", "Ping: ", "Ping early: ", "Leave: "));
}

TEST_F(QuicSignallingClientTest, ARefusalKeepsItsCodeAndItsDetails) {
  const auto refused = Start("bad")->Join(v1::JoinRequest()).status();
  EXPECT_TRUE(absl::IsUnauthenticated(refused));
  EXPECT_EQ(refused.message(), "token: unknown");
  EXPECT_TRUE(refused.GetPayload(kRpcStatusPayload).has_value());
  const auto client = Start("bad");
  const auto events = client->WatchEvents(v1::WatchEventsRequest());
  v1::WatchEventsResponse response;
  EXPECT_FALSE(events->Read(response));
  EXPECT_TRUE(absl::IsUnauthenticated(events->status()));
}

TEST_F(QuicSignallingClientTest, EventsComeUntilTheStreamEnds) {
  const auto client = Start();
  v1::WatchEventsRequest request;
  request.set_after_sequence(17);
  request.set_instance_id("abc");
  const auto events = client->WatchEvents(request);
  v1::WatchEventsResponse response;
  ASSERT_TRUE(events->Read(response));
  EXPECT_EQ(response.latest_sequence(), 18u);
  EXPECT_EQ(response.instance_id(), "abc");
  ASSERT_TRUE(events->Read(response));
  EXPECT_EQ(response.latest_sequence(), 19u);
  EXPECT_FALSE(events->Read(response));
  EXPECT_TRUE(events->status().ok()) << events->status();
}

TEST_F(QuicSignallingClientTest, WhoHasSeenEnoughGivesUp) {
  const auto client = Start();
  v1::WatchEventsRequest request;
  request.set_instance_id("wait");
  const auto events = client->WatchEvents(request);
  v1::WatchEventsResponse response;
  ASSERT_TRUE(events->Read(response));
  events->Cancel();
  while (events->Read(response)) {
  }
  EXPECT_TRUE(absl::IsCancelled(events->status()));
}

TEST_F(QuicSignallingClientTest, MessagesThatAreNoneAreToldOf) {
  const auto client = Start();
  v1::PingRequest ping;
  ping.set_payload("break");
  EXPECT_TRUE(absl::IsInternal(client->Ping(ping).status()));
  v1::WatchEventsRequest request;
  request.set_instance_id("break");
  const auto events = client->WatchEvents(request);
  v1::WatchEventsResponse response;
  while (events->Read(response)) {
  }
  EXPECT_TRUE(absl::IsInternal(events->status()));
  EXPECT_FALSE(events->Read(response));
}

}  // namespace
}  // namespace sluice
