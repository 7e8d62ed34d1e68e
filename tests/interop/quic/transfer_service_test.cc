#include "tests/interop/quic/transfer_service.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/interop/quic/transfer_bytes.h"

namespace sluice {
namespace {

const Timestamp kNow = Timestamp::Zero();

// A client that reads as much as a test says.
class FakeResponder : public HttpResponder {
 public:
  struct Answer {
    int status = 0;
    std::string content_type;
    size_t content_length = 0;
    std::string body;
    bool finished = false;
  };

  HttpSendVerdict Begin(Timestamp, StreamId id, const HttpAnswer& answer) override {
    answers[id] = {.status = answer.status,
                   .content_type = std::string(answer.content_type),
                   .content_length = answer.content_length.value_or(0)};
    return HttpSendVerdict::kSent;
  }
  HttpSendVerdict Send(Timestamp, StreamId id, absl::Span<const uint8_t> piece) override {
    if (pieces_taken == 0) return HttpSendVerdict::kBlocked;
    --pieces_taken;
    answers[id].body.append(piece.begin(), piece.end());
    return HttpSendVerdict::kSent;
  }
  bool Finish(Timestamp, StreamId id) override { return answers[id].finished = true; }

  int pieces_taken = 1000;
  std::map<StreamId, Answer> answers;
};

class TransferServiceTest : public ::testing::Test {
 protected:
  const FakeResponder::Answer& Ask(const HttpRequest& request) {
    const HttpCall call(responder_, next_id_);
    service_.OnRequest(kNow, call, request);
    const StreamId asked = next_id_;
    next_id_ += 4;
    return responder_.answers[asked];
  }

  TransferService service_{"<p>page</p>"};
  FakeResponder responder_;
  StreamId next_id_ = 0;
};

TEST_F(TransferServiceTest, GivesAsManyBytesAsAskedForInPieces) {
  responder_.pieces_taken = 3;
  const HttpCall call(responder_, 0);
  const FakeResponder::Answer& answer = Ask({.method = "GET", .path = "/bytes/1000000"});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_length, 1'000'000u);
  EXPECT_FALSE(answer.finished);
  responder_.pieces_taken = 1000;
  service_.OnWritable(kNow, call);
  EXPECT_TRUE(answer.finished);
  EXPECT_TRUE(answer.body == TransferBytes(1'000'000));
}

TEST_F(TransferServiceTest, SaysBackWhatItIsToldAndThatItIsThere) {
  const std::vector<uint8_t> body = {'x', 'y'};
  const FakeResponder::Answer& echo =
      Ask({.method = "POST", .path = "/echo", .content_type = "text/x", .body = body});
  EXPECT_EQ(echo.body, "xy");
  EXPECT_EQ(echo.content_type, "text/x");
  EXPECT_TRUE(echo.finished);
  EXPECT_EQ(Ask({.method = "GET", .path = "/healthz"}).body, R"({"status":"SERVING"})");
  EXPECT_EQ(Ask({.method = "GET", .path = "/"}).body, "<p>page</p>");
  EXPECT_EQ(service_.requests(), 3u);
}

TEST_F(TransferServiceTest, HasNothingElse) {
  for (const char* path : {"/bytes/", "/bytes/x", "/bytes/999999999999", "/echo", "/other"}) {
    const FakeResponder::Answer& answer = Ask({.method = "GET", .path = path});
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_TRUE(answer.finished) << path;
  }
}

TEST_F(TransferServiceTest, ForgetsWhatWasCancelled) {
  responder_.pieces_taken = 0;
  const HttpCall call(responder_, 0);
  const FakeResponder::Answer& answer = Ask({.method = "GET", .path = "/bytes/10", .early = true});
  service_.OnCancelled(call, HttpCancelCause::kByClient);
  responder_.pieces_taken = 1000;
  service_.OnWritable(kNow, call);
  EXPECT_FALSE(answer.finished);
  EXPECT_EQ(service_.early_requests(), 1u);
}

TEST(TransferBytesTest, NoTwoBlocksAreAlike) {
  const std::string bytes = TransferBytes(100'000);
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i + 16 <= bytes.size(); i += 16) {
    EXPECT_TRUE(seen.emplace(bytes.substr(i, 16), i).second) << i;
  }
  EXPECT_EQ(TransferBytes(10), bytes.substr(0, 10));
}

}  // namespace
}  // namespace sluice
