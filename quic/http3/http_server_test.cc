#include "quic/http3/http_server.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_service.h"
#include "quic/http3/testing/http_bytes.h"
#include "quic/http3/testing/recording_http_streams.h"
#include "quic/http3/testing/test_http_service.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr HttpLimits kLimits = {.requests = 4, .buffers = 3};
// What an answer of the server's own begins with: HEADERS, of that many bytes, with the status.
constexpr absl::string_view kStatuses[] = {"400", "413", "431", "503"};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { server_.OnConnected(now_); }
  ~HttpServerTest() override {
    server_.OnConnectionClosed();
    EXPECT_EQ(server_.open_requests(), 0u);
    EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());
    EXPECT_EQ(server_.buffers().taken(), 0u);
    EXPECT_EQ(server_.state_bytes(), 0u);
  }

  StreamId Open() {
    const StreamId id = next_;
    next_ += 4;
    server_.OnStreamOpened(now_, id);
    return id;
  }
  StreamId Ask(const Bytes& bytes, bool fin = true) {
    const StreamId id = Open();
    server_.OnStreamData(now_, id, bytes, fin, false);
    return id;
  }
  RecordingHttpStreams::Stream& stream(StreamId id) { return streams_.stream(id); }
  // The status that stands, as text or by its place in the static table, in HEADERS.
  void ExpectRefused(StreamId id, absl::string_view status) {
    const Bytes& written = stream(id).written;
    ASSERT_GE(written.size(), 5u);
    EXPECT_EQ(written[0], 0x01);
    // RFC 9204 appendix A: 400 is 67; others are no entries, and 503 is 28.
    const std::string text(written.begin() + 4, written.end());
    const bool found = status == "400"   ? text.substr(0, 2) == "\xff\x04"
                       : status == "503" ? text[0] == '\xdc'
                                         : !text.empty() && (text[0] & 0xf0) == 0x50;
    EXPECT_TRUE(found) << status;
    EXPECT_TRUE(stream(id).fin);
    EXPECT_FALSE(stream(id).reset.has_value());
  }

  RecordingHttpStreams streams_;
  TestHttpService service_;
  HttpBufferPool pool_{8};
  Timestamp now_ = Timestamp::Seconds(1000);
  HttpServer server_{kLimits, streams_, service_, pool_};
  StreamId next_ = 0;
};

TEST_F(HttpServerTest, ARequestIsServedWhenItIsComplete) {
  const StreamId id = Ask(HttpRequestBytes("POST", "/echo?q", "hello"), false);
  EXPECT_TRUE(service_.asked.empty());
  EXPECT_EQ(server_.buffers().taken(), 1u);
  server_.OnStreamData(now_, id, {}, true, false);
  ASSERT_EQ(service_.asked.size(), 1u);
  EXPECT_EQ(service_.asked[0].body, "hello");
  EXPECT_EQ(service_.asked[0].query, "q");
  EXPECT_FALSE(service_.asked[0].early);
  EXPECT_TRUE(stream(id).fin);
  const std::string written(stream(id).written.begin(), stream(id).written.end());
  EXPECT_EQ(written.substr(written.size() - 7), std::string("\0\5hello", 7));
  EXPECT_EQ(server_.open_requests(), 0u);
  EXPECT_EQ(server_.counters().finished, 1u);
}

TEST_F(HttpServerTest, AnyPartThatWasEarlyMakesARequestEarly) {
  const StreamId id = Open();
  const Bytes request = HttpRequestBytes("GET", "/x");
  server_.OnStreamData(now_, id, absl::MakeConstSpan(request).first(3), false, true);
  server_.OnStreamData(now_, id, absl::MakeConstSpan(request).subspan(3), true, false);
  ASSERT_EQ(service_.asked.size(), 1u);
  EXPECT_TRUE(service_.asked[0].early);
}

TEST_F(HttpServerTest, HeadGetsTheFieldsOfGetAlone) {
  const StreamId get = Ask(HttpRequestBytes("GET", "/echo", "abc"));
  const StreamId head = Ask(HttpRequestBytes("HEAD", "/echo", "abc"));
  EXPECT_EQ(service_.asked[1].method, "GET");
  EXPECT_TRUE(stream(head).fin);
  Bytes fields = stream(get).written;
  fields.resize(fields.size() - 5);
  EXPECT_EQ(stream(head).written, fields);
}

TEST_F(HttpServerTest, AnAnswerThatMayHaveNoBodyHasNone) {
  for (const int status : {204, 304}) {
    const StreamId id = Ask(HttpRequestBytes("GET", "/late"));
    const HttpCall call = service_.waiting.back();
    EXPECT_EQ(call.Begin(now_, {.status = status}), HttpSendVerdict::kSent);
    const Bytes fields = stream(id).written;
    EXPECT_EQ(call.Send(now_, Bytes{1, 2, 3}), HttpSendVerdict::kSent);
    EXPECT_TRUE(call.Finish(now_));
    EXPECT_EQ(stream(id).written, fields);
    EXPECT_TRUE(stream(id).fin);
  }
}

TEST_F(HttpServerTest, ConnectReachesTheServiceWithoutAPath) {
  Ask(HttpHeaders({{":method", "CONNECT"}, {":authority", "sluice.test:443"}}));
  ASSERT_EQ(service_.asked.size(), 1u);
  EXPECT_EQ(service_.asked[0].method, "CONNECT");
  EXPECT_EQ(service_.asked[0].path, "");
}

TEST_F(HttpServerTest, FieldsThatAreTooLongGet431AndTheRestIsNotWanted) {
  const std::string value(10'000, 'v');
  StreamId id = Ask(HttpRequestBytes("GET", "/", "", {{"a", value}, {"b", value}}), false);
  ExpectRefused(id, kStatuses[2]);
  EXPECT_EQ(stream(id).stopped, HttpErrorCode::kNone);
  // The same when they are complete, and for very many.
  HttpFields many(kMaxHttpFields, {"x", ""});
  id = Ask(HttpRequestBytes("GET", "/", "", many));
  ExpectRefused(id, kStatuses[2]);
  EXPECT_FALSE(stream(id).stopped.has_value());
  // Nothing of what is left does anything.
  server_.OnStreamData(now_, id, Bytes{1, 2, 3}, true, false);
  EXPECT_FALSE(server_.failure().has_value());
  EXPECT_EQ(server_.counters().fields_too_long, 2u);
}

TEST_F(HttpServerTest, FieldsThatNobodyIsToldOfCountAsWell) {
  // A value that no field may have is dropped, but was sent.
  HttpFields dropped(90, {"x", "\x01 dropped dropped dropped dropped dropped dropped dropped"});
  const StreamId id = Open();
  Bytes section = HttpSection({{":method", "GET"}});
  for (int i = 0; i < 10; ++i) {
    const Bytes more = HttpSection(dropped);
    section.insert(section.end(), more.begin() + 2, more.end());
  }
  const Bytes frame = HttpFrame(0x01, section);
  for (size_t at = 0; at < frame.size() && !stream(id).fin; at += 1000) {
    server_.OnStreamData(now_, id, absl::MakeConstSpan(frame).subspan(at, 1000), false, false);
  }
  ExpectRefused(id, kStatuses[2]);
}

TEST_F(HttpServerTest, AFieldOfAFewBytesThatStandsForManyCountsAsMany) {
  // The longest entry of the static table costs two bytes (content-security-policy, 85).
  Bytes section =
      HttpSection({{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}});
  for (int i = 0; i < 300; ++i) section.insert(section.end(), {0xff, 85 - 63});
  const StreamId id = Ask(HttpFrame(0x01, section), false);
  ExpectRefused(id, kStatuses[2]);
}

TEST_F(HttpServerTest, ABodyThatIsTooLongGets413WhenThatIsKnown) {
  StreamId id = Ask(HttpRequestBytes("POST", "/echo", "", {{"content-length", "65537"}}), false);
  ExpectRefused(id, kStatuses[1]);
  EXPECT_EQ(stream(id).stopped, HttpErrorCode::kNone);
  id = Ask(HttpRequestBytes("POST", "/echo", std::string(65'537, 'b')), false);
  ExpectRefused(id, kStatuses[1]);
  id = Ask(HttpRequestBytes("POST", "/late", std::string(65'536, 'b')));
  EXPECT_EQ(service_.asked.size(), 1u);
  EXPECT_EQ(server_.counters().bodies_too_long, 2u);
}

TEST_F(HttpServerTest, AFieldThatStandsTwiceGets400) {
  const StreamId id = Ask(HttpRequestBytes(
      "POST", "/echo", "", {{"authorization", "Bearer a"}, {"authorization", "Bearer b"}}));
  ExpectRefused(id, kStatuses[0]);
  EXPECT_TRUE(service_.asked.empty());
}

TEST_F(HttpServerTest, WithoutABufferTheAnswerIs503) {
  for (int i = 0; i < 3; ++i) Ask(HttpRequestBytes("POST", "/late"), false);
  const StreamId id = Ask(HttpRequestBytes("GET", "/late"));
  ExpectRefused(id, kStatuses[3]);
  EXPECT_EQ(server_.counters().requests_without_buffer, 1u);
}

TEST_F(HttpServerTest, MoreRequestsThanMayBeAreRejectedUntouched) {
  for (int i = 0; i < 4; ++i) Ask(HttpRequestBytes("GET", "/late"));
  const StreamId id = Ask(HttpRequestBytes("GET", "/late"));
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kRequestRejected);
  EXPECT_EQ(stream(id).stopped, HttpErrorCode::kRequestRejected);
  EXPECT_EQ(service_.asked.size(), 4u);
  EXPECT_EQ(server_.counters().too_many_requests, 1u);
  EXPECT_TRUE(service_.waiting[0].Finish(now_));
  Ask(HttpRequestBytes("GET", "/late"));
  EXPECT_EQ(service_.asked.size(), 5u);
}

TEST_F(HttpServerTest, ARequestWithoutAnEndIsGivenUpInTime) {
  const StreamId id = Ask(HttpRequestBytes("GET", "/late"), false);
  EXPECT_EQ(server_.NextTimeout(), now_ + kLimits.request_timeout);
  now_ += TimeDelta::Seconds(9);
  server_.OnStreamData(now_, id, HttpFrame(0x00, "b"), false, false);
  server_.HandleTimeout(now_);
  EXPECT_EQ(server_.open_requests(), 1u);
  now_ += TimeDelta::Seconds(1);
  server_.HandleTimeout(now_);
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kRequestRejected);
  EXPECT_EQ(server_.counters().requests_too_slow, 1u);
  EXPECT_EQ(server_.buffers().taken(), 0u);
}

TEST_F(HttpServerTest, NoiseOnTheStreamOfARequestIsNotTakenForEver) {
  const StreamId id = Ask(HttpRequestBytes("GET", "/late"), false);
  const Bytes noise = HttpFrame(0x21, std::string(1000, 'n'));
  int frames = 0;
  for (; !stream(id).reset.has_value() && frames < 1000; ++frames) {
    server_.OnStreamData(now_, id, noise, false, false);
  }
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kExcessiveLoad);
  EXPECT_LE(static_cast<size_t>(frames) * 1000, kMaxHttpRequestBytes);
  EXPECT_FALSE(server_.failure().has_value());
}

TEST_F(HttpServerTest, AnAnswerThatIsNotReadEndsInTime) {
  const StreamId id = Open();
  stream(id).room = 30'000;
  server_.OnStreamData(now_, id, HttpRequestBytes("GET", "/count?50"), true, false);
  EXPECT_EQ(service_.blocked, 1);
  EXPECT_EQ(server_.NextTimeout(), now_ + kLimits.drain_timeout);
  now_ += TimeDelta::Seconds(5);
  stream(id).room = 100'000;
  server_.OnWritable(now_, id);
  EXPECT_EQ(service_.blocked, 2);
  EXPECT_EQ(server_.NextTimeout(), now_ + kLimits.drain_timeout);
  now_ += kLimits.drain_timeout;
  server_.HandleTimeout(now_);
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kRequestCancelled);
  EXPECT_EQ(service_.cancelled, std::vector{HttpCancelCause::kTooSlow});
  EXPECT_EQ(server_.counters().answers_too_slow, 1u);
}

TEST_F(HttpServerTest, TheEndOfAnAnswerThatIsNotReadEndsInTime) {
  const StreamId id = Open();
  stream(id).room = 3;
  server_.OnStreamData(now_, id, HttpRequestBytes("GET", "/echo", "hello"), true, false);
  EXPECT_EQ(server_.counters().finished, 1u);
  EXPECT_EQ(server_.open_requests(), 1u);
  now_ = server_.NextTimeout();
  server_.HandleTimeout(now_);
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kRequestCancelled);
  EXPECT_TRUE(service_.cancelled.empty());
}

TEST_F(HttpServerTest, WhatTheClientGivesUpTheServiceHearsOf) {
  const StreamId reset = Ask(HttpRequestBytes("GET", "/late"));
  const StreamId stopped = Ask(HttpRequestBytes("GET", "/late"));
  const StreamId reading = Ask(HttpRequestBytes("GET", "/late"), false);
  server_.OnStreamReset(reset);
  server_.OnStopSending(stopped);
  server_.OnStreamReset(reading);
  EXPECT_EQ(service_.cancelled, (std::vector<HttpCancelCause>(2, HttpCancelCause::kByClient)));
  EXPECT_EQ(server_.counters().requests_abandoned, 1u);
  EXPECT_EQ(server_.open_requests(), 0u);
  // Answers to them go nowhere.
  EXPECT_EQ(service_.waiting[0].Begin(now_, {}), HttpSendVerdict::kGone);
  EXPECT_EQ(service_.waiting[0].Send(now_, Bytes{1}), HttpSendVerdict::kGone);
  EXPECT_FALSE(service_.waiting[1].Finish(now_));
  EXPECT_EQ(server_.counters().stale, 3u);
}

TEST_F(HttpServerTest, APieceIsNoLongerThanItMayBe) {
  Ask(HttpRequestBytes("GET", "/late"));
  const HttpCall& call = service_.waiting[0];
  EXPECT_EQ(call.Begin(now_, {}), HttpSendVerdict::kSent);
  EXPECT_EQ(call.Send(now_, Bytes(kMaxHttpPiece + 1)), HttpSendVerdict::kTooLong);
  EXPECT_EQ(call.Send(now_, Bytes(kMaxHttpPiece)), HttpSendVerdict::kSent);
  EXPECT_EQ(call.Send(now_, {}), HttpSendVerdict::kSent);
  EXPECT_TRUE(call.Finish(now_));
}

TEST_F(HttpServerTest, AnAnswerThatNobodyBeganIs500) {
  const StreamId id = Ask(HttpRequestBytes("GET", "/late"));
  EXPECT_TRUE(service_.waiting[0].Finish(now_));
  EXPECT_TRUE(stream(id).fin);
  EXPECT_FALSE(stream(id).written.empty());
}

TEST_F(HttpServerTest, OneThatStopsServesWhatWasOnItsWayAndRejectsTheRest) {
  const StreamId before = Ask(HttpRequestBytes("GET", "/late"));
  server_.Drain(now_);
  EXPECT_FALSE(server_.drained());
  Ask(HttpRequestBytes("GET", "/late"));
  EXPECT_EQ(service_.asked.size(), 2u);
  now_ = server_.NextTimeout();
  server_.HandleTimeout(now_);
  const StreamId after = Ask(HttpRequestBytes("GET", "/late"));
  EXPECT_EQ(stream(after).reset, HttpErrorCode::kRequestRejected);
  EXPECT_EQ(server_.counters().rejected_while_draining, 1u);
  EXPECT_EQ(service_.asked.size(), 2u);
  EXPECT_TRUE(service_.waiting[0].Finish(now_));
  EXPECT_TRUE(stream(before).fin);
  EXPECT_FALSE(server_.drained());
  EXPECT_TRUE(service_.waiting[1].Finish(now_));
  EXPECT_TRUE(server_.drained());
}

TEST_F(HttpServerTest, OneThatStopsRejectsWhatWasOpenedAndSaidNothingUntilThen) {
  const StreamId asked = Ask(HttpRequestBytes("GET", "/late"), false);
  const StreamId silent = Open();
  server_.Drain(now_);
  now_ = server_.NextTimeout();
  server_.HandleTimeout(now_);
  // Its id is not below that in GOAWAY: to be made again elsewhere.
  EXPECT_EQ(stream(silent).reset, HttpErrorCode::kRequestRejected);
  EXPECT_EQ(server_.counters().rejected_while_draining, 1u);
  server_.OnStreamData(now_, silent, HttpRequestBytes("GET", "/late"), true, false);
  EXPECT_TRUE(service_.asked.empty());
  server_.OnStreamData(now_, asked, {}, true, false);
  EXPECT_EQ(service_.asked.size(), 1u);
  EXPECT_EQ(server_.counters().malformed, 0u);
}

TEST_F(HttpServerTest, StreamsAreFruitlessThatTheClientGivesUpOrBreaksARuleOn) {
  Ask(HttpRequestBytes("GET", "/echo", "fruit"));
  EXPECT_EQ(server_.fruitless_streams(), 0u);
  server_.OnStreamReset(Ask(HttpRequestBytes("GET", "/late")));
  server_.OnStopSending(Ask(HttpRequestBytes("GET", "/late")));
  // One that was stopped, and of which only the end is heard.
  server_.OnStreamClosed(Ask(HttpRequestBytes("GET", "/late")));
  server_.OnStreamReset(Ask(HttpRequestBytes("GET", "/late"), false));
  EXPECT_EQ(server_.fruitless_streams(), 4u);
  // An answer that went out, but not all of it.
  const StreamId id = Open();
  stream(id).room = 3;
  server_.OnStreamData(now_, id, HttpRequestBytes("GET", "/echo", "hello"), true, false);
  server_.OnStreamReset(id);
  server_.OnStreamClosed(id);
  EXPECT_EQ(server_.fruitless_streams(), 5u);
  Ask({});
  Ask(HttpHeaders({{":method", "GET"}}));
  EXPECT_EQ(server_.fruitless_streams(), 7u);
  // What the server refuses, or takes too long for it, is not of the client's doing.
  Ask(HttpRequestBytes("POST", "/echo", "", {{"content-length", "65537"}}), false);
  Ask(HttpRequestBytes("GET", "/late"), false);
  server_.HandleTimeout(server_.NextTimeout());
  EXPECT_EQ(server_.fruitless_streams(), 7u);
}

TEST_F(HttpServerTest, StreamsThatSayNothingAreNotOpenedForEver) {
  int streams = 0;
  for (StreamId id = 2; !server_.failure().has_value() && streams < 10'000; id += 4) {
    ++streams;
    server_.OnStreamOpened(now_, id);
    server_.OnStreamReset(id);
    server_.OnStreamClosed(id);
    if (streams == 200) Ask(HttpRequestBytes("GET", "/echo", "and then as many again"));
  }
  EXPECT_EQ(server_.failure(), HttpErrorCode::kExcessiveLoad);
  EXPECT_GT(streams, 400);
  EXPECT_LE(streams, 500);
}

TEST_F(HttpServerTest, AStreamThatEndsBeforeItAskedIsIncomplete) {
  StreamId id = Ask({});
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kRequestIncomplete);
  id = Ask(HttpFrame(0x21, "noise"));
  EXPECT_EQ(stream(id).reset, HttpErrorCode::kRequestIncomplete);
  EXPECT_EQ(server_.counters().incomplete, 2u);
  EXPECT_FALSE(server_.failure().has_value());
}

TEST_F(HttpServerTest, AfterAFailureNothingIsDone) {
  Ask(HttpRequestBytes("GET", "/late"));
  Ask(HttpFrame(0x00, "DATA before HEADERS"), false);
  EXPECT_EQ(server_.failure(), HttpErrorCode::kFrameUnexpected);
  Ask(HttpRequestBytes("GET", "/late"));
  EXPECT_EQ(service_.asked.size(), 1u);
  EXPECT_EQ(service_.waiting[0].Begin(now_, {}), HttpSendVerdict::kGone);
  EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());
  server_.HandleTimeout(now_ + TimeDelta::Minutes(1));
  EXPECT_TRUE(service_.cancelled.empty());
  server_.OnConnectionClosed();
  EXPECT_EQ(service_.cancelled, std::vector{HttpCancelCause::kConnectionLost});
}

TEST(HttpServerMemoryTest, NothingIsMadeOfNghttp3BeforeAClientSaysSomething) {
  RecordingHttpStreams streams;
  TestHttpService service;
  HttpBufferPool pool(1);
  HttpServer server({}, streams, service, pool);
  EXPECT_EQ(server.state_bytes(), 0u);
  server.Drain(Timestamp::Zero());
  EXPECT_TRUE(server.drained());
  server.OnConnected(Timestamp::Zero());
  EXPECT_GT(server.state_bytes(), 0u);
  EXPECT_FALSE(server.drained()) << "who is connected is told of the end first";
}

TEST(HttpServerMemoryTest, AClientThatAllowsNoStreamsIsNotServed) {
  RecordingHttpStreams streams;
  streams.AllowStreams(0);
  TestHttpService service;
  HttpBufferPool pool(1);
  HttpServer server({}, streams, service, pool);
  server.OnConnected(Timestamp::Zero());
  EXPECT_EQ(server.failure(), HttpErrorCode::kGeneralProtocolError);
}

}  // namespace
}  // namespace sluice
