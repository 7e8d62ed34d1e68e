#include "gateway/signalling/pending_calls.h"

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/signalling/participant_refusals.h"
#include "gateway/signalling/protobuf_codec.h"
#include "gateway/signalling/token_places.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using Service = GatewayService;
using Code = grpc::StatusCode;

// A transport whose clients are the test.
class FakeTransport final : public CallTransport {
 public:
  struct Heard {
    std::vector<std::string> messages;
    std::optional<grpc::Status> status;
  };

  CallTransportKind kind() const override { return CallTransportKind::kHttp; }
  const CallCodec& codec() const override { return ProtobufCodec(); }
  CallSend Send(Timestamp, CallId id, const std::string& message) override {
    if (next == CallSend::kSent) {
      heard[id].messages.push_back(message);
    }
    return next;
  }
  CallSend Finish(Timestamp, CallId id, const grpc::Status& status) override {
    if (next == CallSend::kSent) {
      EXPECT_FALSE(heard[id].status.has_value()) << "it ends once";
      heard[id].status = status;
    }
    return next;
  }

  // What becomes of all that is sent.
  CallSend next = CallSend::kSent;
  std::map<CallId, Heard> heard;
};

// Says how often the thread was woken, and waits for that.
class Waker {
 public:
  void Wake() {
    const absl::MutexLock lock(&mutex_);
    ++wakes_;
  }
  // Until woken once more.
  void Wait() {
    const absl::MutexLock lock(&mutex_);
    const auto woken = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return wakes_ > seen_; };
    mutex_.Await(absl::Condition(&woken));
    seen_ = wakes_;
  }
  int wakes() {
    const absl::MutexLock lock(&mutex_);
    return wakes_;
  }

 private:
  absl::Mutex mutex_;
  int wakes_ ABSL_GUARDED_BY(mutex_) = 0;
  int seen_ ABSL_GUARDED_BY(mutex_) = 0;
};

class PendingCallsTest : public ::testing::Test {
 protected:
  explicit PendingCallsTest(PendingCallLimits limits = {}) {
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
    token_ = Token("alice");
    pending_.emplace(calls_, harness_.room().log(), threads_, limits, [this] { waker_.Wake(); });
  }

  std::string Token(const std::string& leg) {
    EXPECT_TRUE(harness_
                    .Call(&Service::CreateParticipantToken,
                          absl::StrCat("session_id: 'call' leg_id: '", leg, "'"), created_)
                    .ok());
    return created_.token();
  }
  CallId Submit(SignallingMethod method, const std::string& body = "", bool early = false,
                std::optional<std::string> token = std::nullopt) {
    const CallId id = pending_->NewId();
    const std::string& shown = token.has_value() ? *token : token_;
    pending_->Submit(
        now_, transport_, id,
        {&RowOf(method), shown.empty() ? std::nullopt : std::make_optional(shown),
         absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(body.data()), body.size()), early});
    return id;
  }
  // Turns until the call has ended.
  grpc::Status Await(CallId id) {
    while (!transport_.heard[id].status.has_value()) {
      waker_.Wait();
      pending_->OnTurn(now_);
    }
    return *transport_.heard[id].status;
  }
  // The threads have nothing to do until the notification comes.
  void KeepThreadsBusy() {
    for (size_t i = 0; i < kThreads; ++i) {
      ASSERT_TRUE(threads_
                      .Submit([this] {
                        begun_.DecrementCount();
                        go_.WaitForNotification();
                      })
                      .ok());
    }
    begun_.Wait();
  }
  uint64_t Counted(SignallingMethod method, CallOutcome outcome) {
    return pending_->counters().count(CallTransportKind::kHttp, &RowOf(method), outcome);
  }

  static constexpr size_t kThreads = 2;
  ControlHarness harness_;
  ParticipantCalls calls_{harness_.service(), harness_.room(), harness_.tokens()};
  // Outlive the threads.
  absl::BlockingCounter begun_{kThreads};
  absl::Notification go_;
  CallThreads threads_{{.threads = kThreads, .waiting = 2}};
  Waker waker_;
  FakeTransport transport_;
  Timestamp now_ = Timestamp::Seconds(10);
  pb::CreateParticipantTokenResponse created_;
  std::string token_;
  std::optional<PendingCalls> pending_;
};

TEST_F(PendingCallsTest, WhatWaitsForAWorkerIsAnsweredInALaterTurn) {
  const CallId id = Submit(SignallingMethod::kJoin);
  EXPECT_TRUE(transport_.heard.empty());
  EXPECT_EQ(pending_->usage().calls, 1u);
  ASSERT_TRUE(Await(id).ok());
  ASSERT_EQ(transport_.heard[id].messages.size(), 1u);
  sig::JoinResponse joined;
  ASSERT_TRUE(joined.ParseFromString(transport_.heard[id].messages[0]));
  EXPECT_EQ(joined.leg().leg_id(), "alice");
  EXPECT_FALSE(joined.local_key().master_key_and_salt().empty());
  EXPECT_EQ(pending_->usage().calls, 0u);
  EXPECT_EQ(Counted(SignallingMethod::kJoin, CallOutcome::kOk), 1u);
  EXPECT_TRUE(Await(Submit(SignallingMethod::kLeave)).ok());
}

TEST_F(PendingCallsTest, APingIsAnsweredAtOnceEvenIfAllThreadsAreBusy) {
  KeepThreadsBusy();
  const CallId id = Submit(SignallingMethod::kPing, "", true);
  ASSERT_TRUE(transport_.heard[id].status.has_value());
  EXPECT_TRUE(transport_.heard[id].status->ok());
  EXPECT_EQ(waker_.wakes(), 0);
  go_.Notify();
}

TEST_F(PendingCallsTest, WhatIsRefusedIsRefusedAtOnceAndCounted) {
  for (const auto& [token, code] :
       {std::pair<std::string, Code>("", Code::UNAUTHENTICATED), {"x", Code::UNAUTHENTICATED}}) {
    const CallId id = Submit(SignallingMethod::kJoin, "", false, token);
    EXPECT_EQ(transport_.heard[id].status->error_code(), code);
  }
  EXPECT_EQ(transport_.heard[Submit(SignallingMethod::kJoin, "\xff")].status->error_code(),
            Code::INVALID_ARGUMENT);
  EXPECT_EQ(transport_.heard[Submit(SignallingMethod::kJoin, "", true)].status->error_code(),
            Code::UNAVAILABLE)
      << "early";
  EXPECT_EQ(transport_.heard[Submit(SignallingMethod::kWatchEvents, "", true)].status->error_code(),
            Code::UNAVAILABLE);
  EXPECT_EQ(Counted(SignallingMethod::kJoin, CallOutcome::kRefused), 3u);
  EXPECT_EQ(Counted(SignallingMethod::kJoin, CallOutcome::kBusy), 1u);
  EXPECT_EQ(pending_->usage().calls, 0u);
}

TEST_F(PendingCallsTest, ATokenIsJudgedBeforeTheRequest) {
  const CallId id = Submit(SignallingMethod::kJoin, "\xff", false, "x");
  EXPECT_EQ(transport_.heard[id].status->error_code(), Code::UNAUTHENTICATED);
}

TEST_F(PendingCallsTest, MoreCallsThanMayWaitAreToldTheLimit) {
  KeepThreadsBusy();
  const CallId first = Submit(SignallingMethod::kLeave);
  const CallId second = Submit(SignallingMethod::kLeave);
  const CallId third = Submit(SignallingMethod::kLeave);
  ASSERT_TRUE(transport_.heard[third].status.has_value());
  EXPECT_EQ(ReachedLimit(*transport_.heard[third].status), "participant_calls");
  EXPECT_EQ(Counted(SignallingMethod::kLeave, CallOutcome::kBusy), 1u);
  go_.Notify();
  EXPECT_EQ(Await(first).error_code(), Code::NOT_FOUND);
  EXPECT_EQ(Await(second).error_code(), Code::NOT_FOUND);
}

TEST_F(PendingCallsTest, WhatIsRefusedAndNotReadTakesNoPlaceOfOthers) {
  transport_.next = CallSend::kBlocked;
  for (int i = 0; i < 100; ++i) {
    Submit(SignallingMethod::kJoin, "", false, "x");
  }
  EXPECT_EQ(pending_->usage().calls, 0u);
  EXPECT_EQ(pending_->usage().calls_refused, 0u);
}

TEST_F(PendingCallsTest, OneTokenHasNotThePlacesOfAll) {
  transport_.next = CallSend::kBlocked;
  std::vector<CallId> ids;
  for (size_t i = 0; i < kCallsPerToken.places; ++i) {
    ids.push_back(Submit(SignallingMethod::kPing));
  }
  transport_.next = CallSend::kSent;
  EXPECT_EQ(pending_->usage().calls, kCallsPerToken.places);
  const CallId refused = Submit(SignallingMethod::kPing);
  EXPECT_EQ(ReachedLimit(*transport_.heard[refused].status), "calls_per_token");
  EXPECT_EQ(calls_.refusals().count(ParticipantRefusal::kTooManyCalls), 1u);
  EXPECT_TRUE(
      transport_.heard[Submit(SignallingMethod::kPing, "", false, Token("bob"))].status->ok())
      << "others are not concerned";
  pending_->OnWritable(now_, ids[0]);
  EXPECT_TRUE(transport_.heard[ids[0]].status->ok());
  EXPECT_TRUE(transport_.heard[Submit(SignallingMethod::kPing)].status->ok());
}

TEST_F(PendingCallsTest, WhoCancelsHasThePlaceBackWhenAThreadHasSeenIt) {
  KeepThreadsBusy();
  // Taken by hand: fewer calls may wait here than a token may have.
  const auto claims = calls_.Authenticate(token_);
  std::vector<TokenPlaces::Place> taken;
  for (size_t i = 1; i < kCallsPerToken.places; ++i) {
    taken.push_back(*calls_.BeginCall(*claims));
  }
  pending_->Cancel(Submit(SignallingMethod::kJoin));
  const CallId refused = Submit(SignallingMethod::kPing);
  EXPECT_EQ(ReachedLimit(*transport_.heard[refused].status), "calls_per_token");
  taken.pop_back();
  const CallId behind = Submit(SignallingMethod::kLeave);
  go_.Notify();
  EXPECT_EQ(Await(behind).error_code(), Code::NOT_FOUND);
}

TEST_F(PendingCallsTest, ACallWhoseClientIsGoneBeforeAThreadHasItIsNotMade) {
  KeepThreadsBusy();
  const std::string before = harness_.Footprint();
  const CallId id = Submit(SignallingMethod::kJoin);
  pending_->Cancel(id);
  EXPECT_EQ(pending_->usage().calls, 0u);
  go_.Notify();
  // Behind it.
  EXPECT_EQ(Await(Submit(SignallingMethod::kLeave)).error_code(), Code::NOT_FOUND);
  EXPECT_EQ(harness_.Footprint(), before);
  EXPECT_TRUE(transport_.heard[id].messages.empty());
  EXPECT_FALSE(transport_.heard[id].status.has_value());
  EXPECT_EQ(Counted(SignallingMethod::kJoin, CallOutcome::kCancelled), 1u);
}

TEST_F(PendingCallsTest, AnAnswerWhoseClientIsGoneIsLostAndTheLegStays) {
  const CallId id = Submit(SignallingMethod::kJoin);
  waker_.Wait();
  pending_->Cancel(id);
  pending_->OnTurn(now_);
  EXPECT_FALSE(transport_.heard[id].status.has_value());
  EXPECT_EQ(pending_->usage().answers_lost, 1u);
  EXPECT_EQ(Await(Submit(SignallingMethod::kJoin)).error_code(), Code::ALREADY_EXISTS);
  EXPECT_TRUE(Await(Submit(SignallingMethod::kLeave)).ok());
  EXPECT_TRUE(Await(Submit(SignallingMethod::kJoin)).ok());
}

TEST_F(PendingCallsTest, AnAnswerThatIsNotTakenIsOfferedAgain) {
  const CallId id = Submit(SignallingMethod::kJoin);
  transport_.next = CallSend::kBlocked;
  waker_.Wait();
  pending_->OnTurn(now_);
  pending_->OnWritable(now_, id);
  EXPECT_TRUE(transport_.heard.empty());
  EXPECT_EQ(pending_->usage().calls, 1u);
  transport_.next = CallSend::kSent;
  pending_->OnWritable(now_, id);
  EXPECT_EQ(transport_.heard[id].messages.size(), 1u);
  EXPECT_TRUE(transport_.heard[id].status->ok());
  EXPECT_EQ(pending_->usage().calls, 0u);
  pending_->OnWritable(now_, id);
  pending_->Cancel(id);
  EXPECT_EQ(Counted(SignallingMethod::kJoin, CallOutcome::kCancelled), 0u);
}

TEST_F(PendingCallsTest, AnAnswerToNobodyIsForgotten) {
  transport_.next = CallSend::kGone;
  Submit(SignallingMethod::kPing);
  Submit(SignallingMethod::kWatchEvents);
  EXPECT_EQ(pending_->usage().calls, 0u);
  EXPECT_EQ(pending_->usage().streams, 0u);
}

TEST_F(PendingCallsTest, AStreamIsWokenForItsEvents) {
  const CallId id = Submit(SignallingMethod::kWatchEvents);
  EXPECT_EQ(transport_.heard[id].messages.size(), 1u);
  ASSERT_TRUE(Await(Submit(SignallingMethod::kJoin)).ok());
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  EXPECT_TRUE(Await(id).ok());
  EXPECT_GE(transport_.heard[id].messages.size(), 3u);
  EXPECT_EQ(pending_->usage().streams, 0u);
  EXPECT_EQ(Counted(SignallingMethod::kWatchEvents, CallOutcome::kOk), 1u);
}

TEST_F(PendingCallsTest, AStreamEndsSoonAfterItsTokenIsRevoked) {
  const CallId id = Submit(SignallingMethod::kWatchEvents);
  ASSERT_TRUE(harness_
                  .Call(&Service::RevokeParticipantToken,
                        absl::StrCat("token_id: '", created_.token_id(), "'"))
                  .ok());
  const grpc::Status status = Await(id);
  EXPECT_EQ(status.error_message(), "token: revoked");
}

TEST_F(PendingCallsTest, ACancelledStreamGivesItsPlacesBack) {
  const CallId first = Submit(SignallingMethod::kWatchEvents);
  Submit(SignallingMethod::kWatchEvents);
  EXPECT_EQ(ReachedLimit(*transport_.heard[Submit(SignallingMethod::kWatchEvents)].status),
            "streams_per_token");
  pending_->Cancel(first);
  const CallId again = Submit(SignallingMethod::kWatchEvents);
  EXPECT_EQ(transport_.heard[again].messages.size(), 1u);
  EXPECT_EQ(pending_->usage().streams, 2u);
}

TEST_F(PendingCallsTest, TheEndWaitsForCallsThatAreBeingMade) {
  KeepThreadsBusy();
  Submit(SignallingMethod::kJoin);
  Submit(SignallingMethod::kJoin);
  std::thread stopper([this] { pending_.reset(); });
  go_.Notify();
  stopper.join();
  EXPECT_TRUE(transport_.heard.empty());
}

class FewPendingCallsTest : public PendingCallsTest {
 protected:
  FewPendingCallsTest() : PendingCallsTest({.calls = 1, .streams = 1}) {}
};

TEST_F(FewPendingCallsTest, CallsAndStreamsHaveBoundsThatHaveNames) {
  const CallId call = Submit(SignallingMethod::kJoin);
  Submit(SignallingMethod::kWatchEvents);
  EXPECT_EQ(ReachedLimit(*transport_.heard[Submit(SignallingMethod::kPing)].status),
            "pending_calls");
  EXPECT_EQ(ReachedLimit(*transport_.heard[Submit(SignallingMethod::kWatchEvents)].status),
            "event_streams");
  EXPECT_EQ(pending_->usage().calls_refused, 1u);
  EXPECT_EQ(pending_->usage().streams_refused, 1u);
  EXPECT_TRUE(Await(call).ok());
  EXPECT_TRUE(Await(Submit(SignallingMethod::kLeave)).ok());
}

}  // namespace
}  // namespace sluice
