#include "quic/client/client_error.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

const ConnectionStory kUnheard = {.server = "gw:7445", .patience = TimeDelta::Seconds(5)};
const ConnectionStory kHeard = {
    .server = "gw:7445", .heard = true, .patience = TimeDelta::Seconds(5)};
const ConnectionStory kConnected = {
    .server = "gw:7445", .connected = true, .heard = true, .patience = TimeDelta::Seconds(5)};

struct Expectation {
  CloseReason reason;
  ConnectionStory story;
  absl::StatusCode code;
  absl::string_view words;
};

void ExpectAll(const std::vector<Expectation>& all) {
  for (const Expectation& expected : all) {
    const absl::Status error = ConnectionError(expected.reason, expected.story);
    EXPECT_EQ(error.code(), expected.code) << error;
    EXPECT_THAT(error.message(), HasSubstr(std::string(expected.words)));
    EXPECT_THAT(error.message(), HasSubstr("gw:7445"));
  }
}

TEST(ClientErrorTest, EachEndOfAConnectionSaysWhatToDo) {
  ExpectAll({
      {{CloseCause::kHandshakeTimeout, 0},
       kUnheard,
       absl::StatusCode::kUnavailable,
       "no answer from gw:7445 within 5 s (does it listen there? is UDP blocked?)"},
      {{CloseCause::kHandshakeTimeout, 0},
       kHeard,
       absl::StatusCode::kUnavailable,
       "the handshake with gw:7445 was not done within 5 s"},
      {{CloseCause::kDropped, 0}, kUnheard, absl::StatusCode::kUnavailable, "no answer"},
      {{CloseCause::kIdleTimeout, 0}, kUnheard, absl::StatusCode::kUnavailable, "no answer"},
      {{CloseCause::kIdleTimeout, 0}, kConnected, absl::StatusCode::kUnavailable, "was lost"},
      {{CloseCause::kStatelessReset, 0},
       kConnected,
       absl::StatusCode::kUnavailable,
       "was started anew"},
      {{CloseCause::kRemoteTransport, 0x02},
       kHeard,
       absl::StatusCode::kUnavailable,
       "takes no more connections"},
      {{CloseCause::kRemoteTransport, 0x0b},
       kHeard,
       absl::StatusCode::kUnavailable,
       "address token"},
      {{CloseCause::kRemoteTransport, 0x0a},
       kConnected,
       absl::StatusCode::kUnavailable,
       "the server ended the connection with gw:7445: error 0xa of QUIC"},
      {{CloseCause::kLocalTransport, 0x0a},
       kConnected,
       absl::StatusCode::kUnavailable,
       "this side ended the connection"},
  });
}

TEST(ClientErrorTest, WhoDoesNotTrustOrUnderstandTheOtherSaysWhy) {
  ExpectAll({
      {{CloseCause::kLocalTransport, 0},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "does not speak version 1"},
      {{CloseCause::kLocalTransport, 0x11},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "does not speak version 1"},
      {{CloseCause::kLocalTransport, 0x100 + 48},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "not signed by an authority"},
      {{CloseCause::kLocalTransport, 0x100 + 51},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "not signed by an authority"},
      {{CloseCause::kLocalTransport, 0x100 + 45},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "has expired"},
      {{CloseCause::kLocalTransport, 0x100 + 46},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "is not for the name"},
      {{CloseCause::kLocalTransport, 0x100 + 40},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "TLS with gw:7445 failed: alert 40"},
      {{CloseCause::kRemoteTransport, 0x100 + 120},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "not sluice/1"},
      {{CloseCause::kRemoteTransport, 0x100 + 112},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "does not know the name"},
      {{CloseCause::kRemoteTransport, 0x100 + 40},
       kHeard,
       absl::StatusCode::kFailedPrecondition,
       "refused TLS: alert 40"},
      {{CloseCause::kRemoteApplication, 0},
       kConnected,
       absl::StatusCode::kUnavailable,
       "is about to stop"},
      {{CloseCause::kRemoteApplication, 1},
       kConnected,
       absl::StatusCode::kUnavailable,
       "closed the connection: internal"},
      {{CloseCause::kLocalApplication, 0}, kConnected, absl::StatusCode::kCancelled, "was closed"},
  });
}

absl::Status Failed(RpcFailureCause cause, RpcErrorCode code = RpcErrorCode::kNone) {
  return CallError({.cause = cause, .code = static_cast<uint64_t>(code)}, "Join", "gw:7445",
                   TimeDelta::Millis(300));
}

TEST(ClientErrorTest, ACallThatFailedSaysWhetherItMayBeMadeAgain) {
  EXPECT_EQ(Failed(RpcFailureCause::kDeadline),
            absl::DeadlineExceededError("no answer to Join from gw:7445 within 300 ms"));
  EXPECT_TRUE(absl::IsUnavailable(Failed(RpcFailureCause::kByServer, RpcErrorCode::kRefused)));
  EXPECT_THAT(Failed(RpcFailureCause::kByServer, RpcErrorCode::kRefused).message(),
              HasSubstr("make the call again"));
  EXPECT_TRUE(
      absl::IsResourceExhausted(Failed(RpcFailureCause::kByServer, RpcErrorCode::kOverloaded)));
  EXPECT_EQ(Failed(RpcFailureCause::kByServer, RpcErrorCode::kTooSlow),
            absl::InternalError("gw:7445 gave up Join: too_slow"));
  EXPECT_EQ(Failed(RpcFailureCause::kByClient, RpcErrorCode::kIncomplete),
            absl::InternalError("the answer of gw:7445 to Join breaks the rules: incomplete"));
  EXPECT_THAT(Failed(RpcFailureCause::kConnectionLost).message(), HasSubstr("may have been done"));
}

TEST(ClientErrorTest, TheServersAnswerKeepsItsDetails) {
  EXPECT_TRUE(AnswerError({}).ok());
  const std::string encoded("any bytes\0 here", 15);
  const auto* data = reinterpret_cast<const uint8_t*>(encoded.data());
  const absl::Status error = AnswerError(
      {.code = 16, .message = "token: expired", .encoded = absl::MakeConstSpan(data, 15)});
  EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(error.message(), "token: expired");
  EXPECT_EQ(error.GetPayload(kRpcStatusPayload), encoded);
}

TEST(ClientErrorTest, CodesThatNobodyKnowsAreUnknown) {
  for (const int32_t code : {17, 1000, -1, INT32_MIN}) {
    EXPECT_EQ(AnswerError({.code = code, .message = "", .encoded = {}}).code(),
              absl::StatusCode::kUnknown)
        << code;
  }
}

}  // namespace
}  // namespace sluice
