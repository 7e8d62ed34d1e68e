#include "gateway/signalling/signalling_rpc_service.h"

#include <grpcpp/grpcpp.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using Service = GatewayService;

// A connection that writes down what is answered.
class FakeConnection final : public RpcResponder {
 public:
  struct Heard {
    std::vector<std::string> messages;
    std::optional<google::rpc::Status> status;
  };

  RpcSendVerdict Send(Timestamp, RpcStreamId id, absl::Span<const uint8_t> message) override {
    if (next == RpcSendVerdict::kSent) {
      heard[id].messages.emplace_back(message.begin(), message.end());
    }
    return next;
  }
  bool Finish(Timestamp, RpcStreamId id, absl::Span<const uint8_t> status) override {
    EXPECT_LE(status.size(), kMaxRpcStatus);
    EXPECT_TRUE(heard[id].status.emplace().ParseFromArray(status.data(), int(status.size())));
    return true;
  }

  RpcSendVerdict next = RpcSendVerdict::kSent;
  std::map<RpcStreamId, Heard> heard;
};

class SignallingRpcServiceTest : public ::testing::Test {
 protected:
  SignallingRpcServiceTest() {
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
    token_ = Token("alice");
  }

  std::string Token(const std::string& leg) {
    pb::CreateParticipantTokenResponse created;
    EXPECT_TRUE(harness_
                    .Call(&Service::CreateParticipantToken,
                          absl::StrCat("session_id: 'call' leg_id: '", leg, "'"), created)
                    .ok());
    return created.token();
  }
  // A stream's number.
  RpcStreamId Call(const std::string& method, const std::string& message = "", bool early = false) {
    next_ += 4;
    service_.OnCall(now_, RpcCall(connection_, next_),
                    {.method = method,
                     .token = token_,
                     .message = absl::MakeConstSpan(
                         reinterpret_cast<const uint8_t*>(message.data()), message.size()),
                     .early = early});
    return next_;
  }
  google::rpc::Status Await(RpcStreamId id) {
    while (!connection_.heard[id].status.has_value()) {
      {
        const absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(&woken_));
        woken_ = false;
      }
      pending_.OnTurn(now_);
    }
    return *connection_.heard[id].status;
  }

  ControlHarness harness_;
  ParticipantCalls calls_{harness_.service(), harness_.room(), harness_.tokens()};
  absl::Mutex mutex_;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  CallThreads threads_{{.threads = 2, .waiting = 8}};
  PendingCalls pending_{calls_, harness_.room().log(), threads_, {}, [this] {
                          const absl::MutexLock lock(&mutex_);
                          woken_ = true;
                        }};
  FakeConnection connection_;
  SignallingRpcService service_{pending_};
  Timestamp now_ = Timestamp::Seconds(1);
  RpcStreamId next_ = -4;
  std::string token_;
};

TEST_F(SignallingRpcServiceTest, AParticipantJoinsWatchesUpdatesAndLeaves) {
  const RpcStreamId watch = Call("WatchEvents");
  ASSERT_EQ(connection_.heard[watch].messages.size(), 1u);
  sig::WatchEventsResponse first;
  ASSERT_TRUE(first.ParseFromString(connection_.heard[watch].messages[0]));
  EXPECT_EQ(first.instance_id(), "test-instance");

  const RpcStreamId join = Call("Join");
  EXPECT_EQ(Await(join).code(), 0);
  sig::JoinResponse joined;
  ASSERT_TRUE(joined.ParseFromString(connection_.heard[join].messages.at(0)));
  EXPECT_EQ(joined.leg().leg_id(), "alice");
  EXPECT_FALSE(joined.local_key().master_key_and_salt().empty());

  sig::UpdateLegRequest update;
  update.mutable_config()->set_hold(true);
  update.mutable_update_mask()->add_paths("hold");
  EXPECT_EQ(Await(Call("UpdateLeg", update.SerializeAsString())).code(), 0);
  EXPECT_EQ(Await(Call("Leave")).code(), 0);

  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  EXPECT_EQ(Await(watch).code(), 0);
  EXPECT_EQ(service_.open_calls(), 0u);
}

TEST_F(SignallingRpcServiceTest, MethodsThatAreNotThereAreUnimplemented) {
  for (const char* method : {"join", "GetNode", "Join/", ""}) {
    EXPECT_EQ(connection_.heard[Call(method)].status->code(), 12) << method;
  }
  EXPECT_EQ(pending_.counters().count(CallTransportKind::kRpc, nullptr, CallOutcome::kRefused), 4u);
}

TEST_F(SignallingRpcServiceTest, AMessageThatIsNoneIsInvalid) {
  EXPECT_EQ(connection_.heard[Call("Join", "\xff\xff")].status->code(), 3);
}

TEST_F(SignallingRpcServiceTest, OnlyAPingMayComeEarly) {
  EXPECT_EQ(connection_.heard[Call("Ping", "", true)].status->code(), 0);
  for (const char* method : {"Join", "UpdateLeg", "Leave", "WatchEvents"}) {
    EXPECT_EQ(connection_.heard[Call(method, "", true)].status->code(), 14) << method;
  }
}

TEST_F(SignallingRpcServiceTest, TokensAreJudged) {
  const std::string good = token_;
  for (const std::string& token :
       {std::string(), std::string("x"), good + "x", good.substr(0, good.size() - 2) + "??"}) {
    token_ = token;
    EXPECT_EQ(connection_.heard[Call("Ping")].status->code(), 16) << token.size();
  }
  token_ = good;
  EXPECT_EQ(connection_.heard[Call("Ping")].status->code(), 0);
  harness_.Advance(absl::Hours(1));
  EXPECT_EQ(connection_.heard[Call("Ping")].status->message(), "token: expired");
}

TEST_F(SignallingRpcServiceTest, DetailsOfErrorsArrive) {
  sig::JoinRequest request;
  request.mutable_config()->set_kind(pb::LEG_KIND_RTP);
  const google::rpc::Status status = Await(Call("Join", request.SerializeAsString()));
  EXPECT_EQ(status.code(), 3);
  google::rpc::BadRequest bad;
  ASSERT_EQ(status.details_size(), 1);
  ASSERT_TRUE(status.details(0).UnpackTo(&bad));
  EXPECT_EQ(bad.field_violations(0).field(), "config.kind");
}

TEST_F(SignallingRpcServiceTest, AReaderThatIsSlowGetsItsAnswerWhenThereIsRoom) {
  connection_.next = RpcSendVerdict::kBlocked;
  const RpcStreamId id = Call("Ping");
  EXPECT_EQ(service_.open_calls(), 1u);
  connection_.next = RpcSendVerdict::kSent;
  service_.OnWritable(now_, RpcCall(connection_, id));
  EXPECT_EQ(connection_.heard[id].messages.size(), 1u);
  EXPECT_EQ(connection_.heard[id].status->code(), 0);
  EXPECT_EQ(service_.open_calls(), 0u);
}

TEST_F(SignallingRpcServiceTest, ACancelledCallIsForgottenAndLooksLikeNoOther) {
  const RpcStreamId id = Call("WatchEvents");
  FakeConnection other;
  service_.OnCancelled(RpcCall(other, id), RpcCancelCause::kByClient);
  EXPECT_EQ(pending_.usage().streams, 1u);
  service_.OnCancelled(RpcCall(connection_, id), RpcCancelCause::kConnectionLost);
  service_.OnCancelled(RpcCall(connection_, id), RpcCancelCause::kConnectionLost);
  EXPECT_EQ(pending_.usage().streams, 0u);
  EXPECT_EQ(service_.open_calls(), 0u);
  service_.OnWritable(now_, RpcCall(connection_, id));
}

TEST_F(SignallingRpcServiceTest, CallsThatBreakAreForgotten) {
  for (const RpcSendVerdict verdict :
       {RpcSendVerdict::kGone, RpcSendVerdict::kBroken, RpcSendVerdict::kTooLong}) {
    connection_.next = verdict;
    Call("Ping");
    Call("WatchEvents");
    EXPECT_EQ(service_.open_calls(), 0u);
    EXPECT_EQ(pending_.usage().streams, 0u);
  }
}

}  // namespace
}  // namespace sluice
