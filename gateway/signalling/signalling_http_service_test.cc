#include "gateway/signalling/signalling_http_service.h"

#include <grpcpp/grpcpp.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Service = GatewayService;

constexpr char kOrigin[] = "https://app.example";

// A connection that writes down what is answered.
class FakeConnection final : public HttpResponder {
 public:
  struct Heard {
    int status = 0;
    std::string content_type;
    std::string allow;
    std::string challenge;
    std::string origin;
    std::string methods;
    std::string headers;
    std::string vary;
    std::optional<size_t> length;
    std::string body;
    bool ended = false;
  };

  HttpSendVerdict Begin(Timestamp, StreamId id, const HttpAnswer& answer) override {
    const HttpSendVerdict verdict = Next();
    if (verdict == HttpSendVerdict::kSent) {
      Heard& to = heard[id];
      EXPECT_EQ(to.status, 0) << "it begins once";
      to.status = answer.status;
      to.content_type = std::string(answer.content_type);
      to.allow = std::string(answer.allow);
      to.challenge = std::string(answer.www_authenticate);
      to.origin = std::string(answer.access_control_allow_origin);
      to.methods = std::string(answer.access_control_allow_methods);
      to.headers = std::string(answer.access_control_allow_headers);
      to.vary = std::string(answer.vary);
      to.length = answer.content_length;
    }
    return verdict;
  }
  HttpSendVerdict Send(Timestamp, StreamId id, absl::Span<const uint8_t> piece) override {
    EXPECT_NE(heard[id].status, 0) << "it has begun";
    const HttpSendVerdict verdict = Next();
    if (verdict == HttpSendVerdict::kSent) {
      heard[id].body.append(piece.begin(), piece.end());
    }
    return verdict;
  }
  bool Finish(Timestamp, StreamId id) override {
    EXPECT_FALSE(heard[id].ended);
    if (heard[id].length.has_value()) {
      EXPECT_EQ(*heard[id].length, heard[id].body.size());
    }
    heard[id].ended = true;
    return true;
  }

  // How many parts of answers are taken before the client reads no more.
  int room = 1'000'000;
  HttpSendVerdict otherwise = HttpSendVerdict::kBlocked;
  std::map<StreamId, Heard> heard;

 private:
  HttpSendVerdict Next() {
    if (room == 0) {
      return otherwise;
    }
    --room;
    return HttpSendVerdict::kSent;
  }
};

class SignallingHttpServiceTest : public ::testing::Test {
 protected:
  SignallingHttpServiceTest() {
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
    EXPECT_TRUE(
        harness_
            .Call(&Service::CreateParticipantToken, "session_id: 'call' leg_id: 'alice'", created_)
            .ok());
    authorization_ = "Bearer " + created_.token();
  }

  // A stream's number.
  StreamId Ask(HttpRequest request, const std::string& body = "") {
    next_ += 4;
    request.body = absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(body.data()), body.size());
    service_.OnRequest(now_, HttpCall(connection_, next_), request);
    return next_;
  }
  StreamId Post(const std::string& path, const std::string& body = "") {
    return Ask({.method = "POST",
                .path = path,
                .authorization = authorization_,
                .content_type = "application/json"},
               body);
  }
  FakeConnection::Heard& Await(StreamId id) {
    while (!connection_.heard[id].ended) {
      {
        const absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(&woken_));
        woken_ = false;
      }
      pending_.OnTurn(now_);
    }
    return connection_.heard[id];
  }
  FakeConnection::Heard& Heard(StreamId id) { return connection_.heard[id]; }

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
  bool serving_ = true;
  SignallingHttpService service_{pending_,
                                 {{"https://a.example", kOrigin}, [this] { return serving_; }}};
  Timestamp now_ = Timestamp::Seconds(1);
  StreamId next_ = -4;
  pb::CreateParticipantTokenResponse created_;
  std::string authorization_;
};

TEST_F(SignallingHttpServiceTest, AParticipantJoinsUpdatesAndLeaves) {
  const FakeConnection::Heard joined = Await(Post("/v1/join", R"({"config":{"hold":true}})"));
  EXPECT_EQ(joined.status, 200) << joined.body;
  EXPECT_EQ(joined.content_type, "application/json");
  EXPECT_TRUE(joined.length.has_value());
  EXPECT_THAT(joined.body, HasSubstr(R"("legId":"alice")"));
  EXPECT_THAT(joined.body, HasSubstr(R"("masterKeyAndSalt":")"));
  EXPECT_EQ(
      Await(Post("/v1/leg:update", R"({"config":{"hold":false},"updateMask":"hold"})")).status,
      200);
  EXPECT_EQ(Await(Post("/v1/leave")).status, 200);
  EXPECT_EQ(Await(Post("/v1/leave")).status, 404);
  EXPECT_EQ(service_.open_requests(), 0u);
  EXPECT_EQ(pending_.counters().count(CallTransportKind::kHttp, &RowOf(SignallingMethod::kLeave),
                                      CallOutcome::kOk),
            1u);
}

TEST_F(SignallingHttpServiceTest, EventsAreLinesUntilTheSessionEnds) {
  const StreamId id = Post("/v1/events");
  EXPECT_EQ(Heard(id).status, 200);
  EXPECT_EQ(Heard(id).content_type, "application/x-ndjson");
  EXPECT_FALSE(Heard(id).length.has_value());
  EXPECT_THAT(Heard(id).body, StartsWith(R"({"result":{"instanceId":"test-instance")"));
  EXPECT_FALSE(Heard(id).ended);
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  const std::string body = Await(id).body;
  const std::vector<std::string> lines = absl::StrSplit(body, '\n');
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[1], HasSubstr("sessionEnded"));
  EXPECT_EQ(lines[2], "") << "each line has its end";
}

TEST_F(SignallingHttpServiceTest, AStreamWhoseTokenIsRevokedEndsWithAnError) {
  const StreamId id = Post("/v1/events");
  ASSERT_TRUE(harness_
                  .Call(&Service::RevokeParticipantToken,
                        absl::StrCat("token_id: '", created_.token_id(), "'"))
                  .ok());
  const std::string body = Await(id).body;
  EXPECT_THAT(body, HasSubstr("\n{\"error\":{\"code\":16,\"message\":\"token: revoked\"}}\n"));
  EXPECT_EQ(Heard(id).status, 200);
}

TEST_F(SignallingHttpServiceTest, AStreamThatCannotBeginIsAnOrdinaryError) {
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  const StreamId id = Post("/v1/events");
  EXPECT_EQ(Heard(id).status, 404);
  EXPECT_EQ(Heard(id).content_type, "application/json");
  EXPECT_THAT(Heard(id).body, StartsWith(R"({"code":5,)"));
}

TEST_F(SignallingHttpServiceTest, NoParticipantNamesALeg) {
  for (const char* body :
       {R"({"sessionId":"other"})", R"({"leg_id":"bob"})", R"({"config":{"legId":"bob"}})"}) {
    const StreamId id = Post("/v1/join", body);
    EXPECT_EQ(Heard(id).status, 400) << body;
    EXPECT_THAT(Heard(id).body, HasSubstr("there is no such field")) << body;
  }
}

TEST_F(SignallingHttpServiceTest, WhatIsNoJsonIsRefused) {
  EXPECT_EQ(Heard(Post("/v1/join", "{")).status, 400);
  EXPECT_EQ(Heard(Post("/v1/join", "[1]")).status, 400);
}

TEST_F(SignallingHttpServiceTest, ErrorsOfTheControlApiHaveTheirFields) {
  const FakeConnection::Heard& heard = Await(Post("/v1/join", R"({"config":{"kind":1}})"));
  EXPECT_EQ(heard.status, 400) << heard.body;
  EXPECT_THAT(heard.body, HasSubstr(R"("field":"config.kind")"));
}

TEST_F(SignallingHttpServiceTest, ATokenIsABearerTokenThatIsToBeBelieved) {
  const std::string good = authorization_;
  for (const std::string& wrong : {std::string(), "Basic " + created_.token(), created_.token(),
                                   std::string("Bearer x"), good + "x"}) {
    authorization_ = wrong;
    const StreamId id = Post("/v1/ping");
    EXPECT_EQ(Heard(id).status, 401);
    EXPECT_THAT(Heard(id).body, HasSubstr(R"("message":"token: )"));
    EXPECT_THAT(Heard(id).body, Not(HasSubstr(created_.token())));
  }
  authorization_ = good;
  EXPECT_EQ(Heard(Post("/v1/ping")).status, 200);
  harness_.Advance(absl::Hours(1));
  EXPECT_EQ(Heard(Post("/v1/ping")).status, 401);
}

// RFC 6750 section 3.
TEST_F(SignallingHttpServiceTest, WhoIsUnknownIsToldHowToShowAToken) {
  const std::string good = authorization_;
  for (const std::string& none : {std::string(), "Basic " + created_.token(), std::string("x")}) {
    authorization_ = none;
    EXPECT_EQ(Heard(Post("/v1/join")).challenge, "Bearer") << none;
  }
  authorization_ = good + "x";
  EXPECT_EQ(Heard(Post("/v1/join")).challenge, "Bearer error=\"invalid_token\"");
  EXPECT_EQ(Heard(Post("/v1/events")).challenge, "Bearer error=\"invalid_token\"");
  authorization_ = good;
  EXPECT_EQ(Heard(Post("/v1/ping")).challenge, "");
  EXPECT_EQ(Heard(Post("/v1/ping", "{")).challenge, "") << "400";
  EXPECT_EQ(Heard(Post("/v1/nothing")).challenge, "") << "404";
}

TEST_F(SignallingHttpServiceTest, PathsAndMethodsThatAreNotThereAreToldApart) {
  for (const char* path : {"/", "", "/v1/joi", "/v1/join/", "/v1/Join", "/healthz/"}) {
    EXPECT_EQ(Heard(Post(path)).status, 404) << path;
  }
  for (const char* method : {"GET", "PUT", "OPTIONS", "post", "DELETE"}) {
    const StreamId id = Ask({.method = method, .path = "/v1/join"});
    EXPECT_EQ(Heard(id).status, 405) << method;
    EXPECT_EQ(Heard(id).allow, "POST");
  }
  const StreamId id = Post("/healthz");
  EXPECT_EQ(Heard(id).status, 405);
  EXPECT_EQ(Heard(id).allow, "GET");
}

TEST_F(SignallingHttpServiceTest, ABodyIsJsonOrNothing) {
  const auto ask = [this](absl::string_view type, const std::string& body) {
    return Heard(Ask({.method = "POST",
                      .path = "/v1/ping",
                      .authorization = authorization_,
                      .content_type = type},
                     body))
        .status;
  };
  EXPECT_EQ(ask("", ""), 200);
  EXPECT_EQ(ask("Application/JSON; charset=utf-8", "{}"), 200);
  EXPECT_EQ(ask("", "{}"), 415);
  EXPECT_EQ(ask("text/plain", "{}"), 415);
  EXPECT_EQ(ask("application/jsonx", "{}"), 415);
  EXPECT_EQ(ask("application/x-www-form-urlencoded", ""), 415);
}

TEST_F(SignallingHttpServiceTest, HealthIsForAnybody) {
  StreamId id = Ask({.method = "GET", .path = "/healthz", .early = true});
  EXPECT_EQ(Heard(id).status, 200);
  EXPECT_EQ(Heard(id).body, R"({"status":"SERVING"})");
  serving_ = false;
  id = Ask({.method = "GET", .path = "/healthz"});
  EXPECT_EQ(Heard(id).status, 503);
  EXPECT_EQ(Heard(id).body, R"({"status":"NOT_SERVING"})");
}

TEST_F(SignallingHttpServiceTest, OnlyAPingMayComeEarly) {
  for (const SignallingMethodRow& row : SignallingMethodTable()) {
    const StreamId id =
        Ask({.method = "POST", .path = row.path, .authorization = authorization_, .early = true});
    EXPECT_EQ(Heard(id).status, row.method == SignallingMethod::kPing ? 200 : 425) << row.path;
  }
}

TEST_F(SignallingHttpServiceTest, PagesOfAllowedOriginsMayCall) {
  StreamId id = Ask({.method = "OPTIONS",
                     .path = "/v1/join",
                     .origin = kOrigin,
                     .access_control_request_method = "POST"});
  EXPECT_EQ(Heard(id).status, 204);
  EXPECT_EQ(Heard(id).origin, kOrigin);
  EXPECT_THAT(Heard(id).methods, HasSubstr("POST"));
  EXPECT_EQ(Heard(id).headers, "authorization, content-type");
  EXPECT_EQ(Heard(id).vary, "origin");
  EXPECT_EQ(Heard(id).body, "");
  EXPECT_TRUE(Heard(id).ended);

  id = Ask(
      {.method = "POST", .path = "/v1/ping", .authorization = authorization_, .origin = kOrigin});
  EXPECT_EQ(Heard(id).status, 200);
  EXPECT_EQ(Heard(id).origin, kOrigin);
  id = Ask({.method = "POST", .path = "/v1/ping", .origin = kOrigin});
  EXPECT_EQ(Heard(id).status, 401);
  EXPECT_EQ(Heard(id).origin, kOrigin) << "the page may read why";
  EXPECT_EQ(Heard(Post("/v1/ping")).origin, "");
}

TEST_F(SignallingHttpServiceTest, PagesOfOtherOriginsAreRefused) {
  for (const char* origin : {"https://evil.example", "null", "https://app.example:444",
                             "http://app.example", "https://app.example.evil"}) {
    for (const char* method : {"OPTIONS", "POST", "GET"}) {
      const StreamId id = Ask({.method = method,
                               .path = "/v1/ping",
                               .authorization = authorization_,
                               .origin = origin,
                               .access_control_request_method = "POST"});
      EXPECT_EQ(Heard(id).status, 403) << origin;
      EXPECT_EQ(Heard(id).origin, "") << origin;
    }
  }
}

TEST_F(SignallingHttpServiceTest, ASlowReaderGetsEachPartOnce) {
  ASSERT_EQ(Await(Post("/v1/join")).status, 200);
  for (const char* path : {"/v1/ping", "/v1/nothing", "/v1/events", "/healthz"}) {
    connection_.room = 0;
    const StreamId id = Post(path);
    for (int i = 0; i < 4; ++i) {
      connection_.room = 1;
      service_.OnWritable(now_, HttpCall(connection_, id));
    }
    connection_.room = 1'000'000;
    EXPECT_NE(Heard(id).status, 0) << path;
    if (std::string(path) == "/v1/events") {
      EXPECT_THAT(Heard(id).body, StartsWith("{\"result\""));
      ASSERT_TRUE(Await(Post("/v1/leave")).ended);
      // The leg's end comes, once there is room for it.
      while (Heard(id).body.find("legRemoved") == std::string::npos) {
        {
          const absl::MutexLock lock(&mutex_);
          mutex_.Await(absl::Condition(&woken_));
          woken_ = false;
        }
        pending_.OnTurn(now_);
      }
    } else {
      EXPECT_TRUE(Heard(id).ended) << path;
    }
  }
}

TEST_F(SignallingHttpServiceTest, CancelledAndBrokenRequestsAreForgotten) {
  const StreamId id = Post("/v1/events");
  FakeConnection other;
  service_.OnCancelled(HttpCall(other, id), HttpCancelCause::kByClient);
  EXPECT_EQ(pending_.usage().streams, 1u);
  service_.OnCancelled(HttpCall(connection_, id), HttpCancelCause::kTooSlow);
  service_.OnCancelled(HttpCall(connection_, id), HttpCancelCause::kConnectionLost);
  EXPECT_EQ(pending_.usage().streams, 0u);
  for (int room = 0; room < 2; ++room) {
    for (const HttpSendVerdict verdict : {HttpSendVerdict::kGone, HttpSendVerdict::kTooLong}) {
      for (const char* path : {"/v1/events", "/v1/ping", "/v1/nothing"}) {
        connection_.room = room;
        connection_.otherwise = verdict;
        Post(path);
        EXPECT_EQ(service_.open_requests(), 0u) << path;
        EXPECT_EQ(pending_.usage().streams, 0u) << path;
        EXPECT_EQ(pending_.usage().calls, 0u) << path;
      }
    }
  }
}

}  // namespace
}  // namespace sluice
