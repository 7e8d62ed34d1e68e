#include "quic/http3/http_session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/http3/http_answer_fields.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/testing/http_bytes.h"
#include "quic/http3/testing/recording_http_streams.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Verdict = HttpSession::Verdict;

constexpr StreamId kControl = 3;

class HttpSessionTest : public testing::Test, public HttpSessionEvents {
 protected:
  HttpSessionTest() { session_ = HttpSession::Create(*this, streams_); }

  void OnField(StreamId /*id*/, absl::string_view name, absl::string_view value) override {
    absl::StrAppend(&told_, name, "=", value, " ");
  }
  void OnFieldsEnd(StreamId /*id*/) override { absl::StrAppend(&told_, "| "); }
  void OnTrailer(StreamId /*id*/, absl::string_view name, absl::string_view value) override {
    absl::StrAppend(&told_, "t:", name, "=", value, " ");
  }
  void OnBody(StreamId /*id*/, absl::Span<const uint8_t> bytes) override {
    absl::StrAppend(&told_, std::string(bytes.begin(), bytes.end()));
  }
  Bytes Encode(StreamId id, const HttpAnswer& answer) {
    Bytes bytes;
    const HttpAnswerFields fields(answer);
    EXPECT_EQ(session_->EncodeFields(id, fields.fields(),
                                     [&](absl::Span<const uint8_t> frame) {
                                       bytes.assign(frame.begin(), frame.end());
                                     }),
              Verdict::kTaken);
    return bytes;
  }

  RecordingHttpStreams streams_;
  std::string told_;
  std::unique_ptr<HttpSession> session_;
};

TEST_F(HttpSessionTest, OpensItsStreamsAndSaysWhatItTakes) {
  ASSERT_NE(session_, nullptr);
  // SETTINGS: no table, no blocked streams (their defaults, but said), and 16 KiB of fields.
  const Bytes& control = streams_.stream(kControl).written;
  ASSERT_GE(control.size(), 3u);
  EXPECT_EQ(control[0], 0x00);
  EXPECT_EQ(control[1], 0x04);
  EXPECT_EQ(control[2], control.size() - 3);
  const std::string settings(control.begin() + 3, control.end());
  EXPECT_NE(settings.find(std::string("\x06\x80\x00\x40\x00", 5)), std::string::npos);
  EXPECT_EQ(streams_.stream(7).written, Bytes{0x02});
  EXPECT_EQ(streams_.stream(11).written, Bytes{0x03});
  EXPECT_FALSE(session_->control_waits());
}

TEST_F(HttpSessionTest, AClientThatAllowsTooFewStreamsGetsNone) {
  RecordingHttpStreams streams;
  streams.AllowStreams(2);
  EXPECT_EQ(HttpSession::Create(*this, streams), nullptr);
}

TEST_F(HttpSessionTest, ARequestIsToldOfInItsOrder) {
  const Bytes request = Join({HttpRequestBytes("POST", "/a?b", "hello"), HttpFrame(0x21, "noise"),
                              HttpFrame(0x00, " you "), HttpHeaders({{"x", "y"}})});
  EXPECT_EQ(session_->Read(0, request), Verdict::kTaken);
  EXPECT_EQ(session_->ReadEnd(0), Verdict::kTaken);
  const std::string expected =
      ":method=POST :scheme=https :authority=sluice.test :path=/a?b | hello you t:x=y ";
  EXPECT_EQ(told_, expected);
  // However it is cut.
  told_.clear();
  for (const uint8_t byte : request) {
    ASSERT_EQ(session_->Read(4, absl::MakeConstSpan(&byte, 1)), Verdict::kTaken);
  }
  EXPECT_EQ(session_->ReadEnd(4), Verdict::kTaken);
  EXPECT_EQ(told_, expected);
}

TEST_F(HttpSessionTest, AnAnswerIsOneFrame) {
  ASSERT_EQ(session_->Read(0, {}), Verdict::kTaken);
  const Bytes frame = Encode(0, {.status = 200});
  ASSERT_GE(frame.size(), 4u);
  EXPECT_EQ(frame[0], 0x01);
  EXPECT_EQ(frame[1], frame.size() - 2);
  // Nothing of it is kept, so that any number of them takes no more memory.
  session_->Forget(0);
  const size_t used = session_->memory().used();
  for (StreamId id = 4; id < 4000; id += 4) {
    ASSERT_EQ(session_->Read(id, HttpRequestBytes("GET", "/")), Verdict::kTaken);
    ASSERT_EQ(Encode(id, {.status = 200}), frame);
    session_->Forget(id);
    ASSERT_LE(session_->memory().used(), used + 4096) << id;
  }
}

TEST_F(HttpSessionTest, AnAnswerWithMoreThanAFrameHoldsIsOurMistakeAndNotSent) {
  ASSERT_EQ(session_->Read(0, {}), Verdict::kTaken);
  const std::string allow(5000, '{');
  const HttpAnswer answer{.status = 405, .allow = allow};
  const HttpAnswerFields fields(answer);
  EXPECT_EQ(session_->EncodeFields(0, fields.fields(),
                                   [](absl::Span<const uint8_t>) { ADD_FAILURE() << "sent"; }),
            Verdict::kMalformed);
  session_->Forget(0);
  ASSERT_EQ(session_->Read(4, {}), Verdict::kTaken);
  EXPECT_FALSE(Encode(4, {.status = 204}).empty());
}

TEST_F(HttpSessionTest, GoawayNamesTheFirstRequestThatIsNotServed) {
  ASSERT_EQ(session_->Read(8, {}), Verdict::kTaken);
  streams_.stream(kControl).written.clear();
  ASSERT_EQ(session_->AnnounceGoaway(), Verdict::kTaken);
  EXPECT_EQ(streams_.stream(kControl).written,
            (Bytes{0x07, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfc}));
  streams_.stream(kControl).written.clear();
  ASSERT_EQ(session_->Read(12, {}), Verdict::kTaken);
  StreamId first_refused = 0;
  ASSERT_EQ(session_->SendGoaway(first_refused), Verdict::kTaken);
  EXPECT_EQ(first_refused, 16);
  EXPECT_EQ(streams_.stream(kControl).written, (Bytes{0x07, 0x01, 0x10}));
}

TEST_F(HttpSessionTest, WhatHasNoRoomOnControlStreamsGoesLater) {
  streams_.stream(kControl).written.clear();
  streams_.stream(kControl).room = 4;
  ASSERT_EQ(session_->AnnounceGoaway(), Verdict::kTaken);
  EXPECT_TRUE(session_->control_waits());
  // Answers do not wait for it.
  ASSERT_EQ(session_->Read(0, {}), Verdict::kTaken);
  EXPECT_FALSE(Encode(0, {.status = 204}).empty());
  EXPECT_TRUE(session_->control_waits());
  streams_.stream(kControl).room = 100;
  EXPECT_EQ(session_->FlushControl(), Verdict::kTaken);
  EXPECT_FALSE(session_->control_waits());
  EXPECT_EQ(streams_.stream(kControl).written,
            (Bytes{0x07, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfc}));
}

TEST_F(HttpSessionTest, FieldsThatAreWaitedForDoNotTakeMoreMemoryThanThereIs) {
  // A field of 60000 bytes, of which none comes: nghttp3 wants memory for all of it.
  Bytes promise = {0x01, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x51, 0x7f};
  for (size_t left = 60'000 - 127; left > 0; left >>= 7) {
    promise.push_back(static_cast<uint8_t>((left & 0x7f) | (left >= 0x80 ? 0x80 : 0)));
  }
  Verdict verdict = Verdict::kTaken;
  StreamId id = 0;
  for (; verdict == Verdict::kTaken && id < 400; id += 4) verdict = session_->Read(id, promise);
  EXPECT_EQ(verdict, Verdict::kFailed);
  EXPECT_EQ(session_->failure(), HttpErrorCode::kExcessiveLoad);
  EXPECT_EQ(session_->memory().exhausted(), 1u);
  EXPECT_LE(session_->memory().used(), kMaxHttpStateMemory);
  // Several streams may wait before that.
  EXPECT_GE(id, 3 * 4);
}

}  // namespace
}  // namespace sluice
