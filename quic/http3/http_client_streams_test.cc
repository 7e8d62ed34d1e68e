#include "quic/http3/http_client_streams.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/http3/http_error_code.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Verdict = HttpClientStreams::Verdict;

constexpr StreamId kFirst = 2;
constexpr StreamId kSecond = 6;

// What a client is told that says these bytes, all at once and byte by byte; nothing if nothing.
std::optional<HttpErrorCode> FaultOf(const Bytes& bytes) {
  HttpClientStreams whole;
  HttpClientStreams cut;
  const Verdict verdict = whole.OnData(kFirst, bytes, false);
  Verdict in_parts = Verdict::kTaken;
  for (const uint8_t byte : bytes) {
    if (in_parts != Verdict::kTaken) break;
    in_parts = cut.OnData(kFirst, absl::MakeConstSpan(&byte, 1), false);
  }
  EXPECT_EQ(in_parts, verdict);
  EXPECT_EQ(cut.fault(), whole.fault());
  if (verdict != Verdict::kFault) return std::nullopt;
  return whole.fault();
}

// On a control stream after its SETTINGS.
std::optional<HttpErrorCode> FaultOfFrames(const Bytes& frames) {
  Bytes bytes = {0x00, 0x04, 0x00};
  bytes.insert(bytes.end(), frames.begin(), frames.end());
  return FaultOf(bytes);
}

TEST(HttpClientStreamsTest, WhatClientsSayIsTaken) {
  // SETTINGS with table capacity, blocked streams, field section size and one to be ignored.
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x0d, 0x01, 0x50, 0x00, 0x07, 0x10, 0x06, 0x80, 0x00, 0x40, 0x00,
                     0x21, 0x3f, 0x33}),
            HttpErrorCode::kFrameError)
      << "a setting without a value";
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x0c, 0x01, 0x50, 0x00, 0x07, 0x10, 0x06, 0x80, 0x00, 0x40, 0x00,
                     0x21, 0x3f}),
            std::nullopt);
  // MAX_PUSH_ID, GOAWAY, a priority of a request, a frame nobody knows.
  EXPECT_EQ(FaultOfFrames({0x0d, 0x01, 0x05, 0x0d, 0x01, 0x05}), std::nullopt);
  EXPECT_EQ(FaultOfFrames({0x07, 0x01, 0x09, 0x07, 0x01, 0x00}), std::nullopt);
  EXPECT_EQ(FaultOfFrames({0x80, 0x0f, 0x07, 0x00, 0x04, 0x08, 'u', '=', '1'}), std::nullopt);
  EXPECT_EQ(FaultOfFrames({0x21, 0x02, 0xff, 0xff, 0x21, 0x00, 0x07, 0x01, 0x00}), std::nullopt);
  // A table of capacity zero; a cancelled stream with a short number and one with a long one.
  EXPECT_EQ(FaultOf({0x02, 0x20}), std::nullopt);
  EXPECT_EQ(FaultOf({0x03, 0x44, 0x7f, 0x81, 0x01, 0x44}), std::nullopt);
}

TEST(HttpClientStreamsTest, EveryRuleHasItsCode) {
  struct Case {
    absl::string_view what;
    Bytes bytes;
    HttpErrorCode code;
  };
  for (const Case& wrong : {
           Case{"not SETTINGS first", {0x00, 0x07, 0x01, 0x00}, HttpErrorCode::kMissingSettings},
           Case{"unknown first", {0x00, 0x21, 0x00}, HttpErrorCode::kMissingSettings},
           Case{"DATA first", {0x00, 0x00, 0x00}, HttpErrorCode::kMissingSettings},
           Case{"a push stream", {0x01, 0x00}, HttpErrorCode::kStreamCreationError},
           Case{"an insertion", {0x02, 0xc1, 0x01, 'a'}, HttpErrorCode::kQpackEncoderStreamError},
           Case{"a capacity", {0x02, 0x21}, HttpErrorCode::kQpackEncoderStreamError},
           Case{"a duplicate", {0x02, 0x00}, HttpErrorCode::kQpackEncoderStreamError},
           Case{"zero increment", {0x03, 0x00}, HttpErrorCode::kQpackDecoderStreamError},
           Case{"increment", {0x03, 0x01}, HttpErrorCode::kQpackDecoderStreamError},
           Case{"acknowledgement", {0x03, 0x84}, HttpErrorCode::kQpackDecoderStreamError},
           Case{"a number without an end",
                {0x03, 0x7f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
                HttpErrorCode::kQpackDecoderStreamError},
       }) {
    EXPECT_EQ(FaultOf(wrong.bytes), wrong.code) << wrong.what;
  }
  for (const Case& wrong : {
           Case{"DATA", {0x00, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"HEADERS", {0x01, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"SETTINGS again", {0x04, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"PUSH_PROMISE", {0x05, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"PRIORITY of HTTP/2", {0x02, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"PING of HTTP/2", {0x06, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"WINDOW_UPDATE", {0x08, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"CONTINUATION", {0x09, 0x00}, HttpErrorCode::kFrameUnexpected},
           Case{"CANCEL_PUSH", {0x03, 0x01, 0x00}, HttpErrorCode::kIdError},
           Case{"empty CANCEL_PUSH", {0x03, 0x00}, HttpErrorCode::kFrameError},
           Case{"a smaller MAX_PUSH_ID",
                {0x0d, 0x01, 0x05, 0x0d, 0x01, 0x04},
                HttpErrorCode::kIdError},
           Case{"more in MAX_PUSH_ID", {0x0d, 0x02, 0x05, 0x00}, HttpErrorCode::kFrameError},
           Case{"less in MAX_PUSH_ID", {0x0d, 0x01, 0x40}, HttpErrorCode::kFrameError},
           Case{"a larger GOAWAY", {0x07, 0x01, 0x05, 0x07, 0x01, 0x06}, HttpErrorCode::kIdError},
           Case{"empty GOAWAY", {0x07, 0x00}, HttpErrorCode::kFrameError},
           Case{"a priority of a server's stream",
                {0x80, 0x0f, 0x07, 0x00, 0x01, 0x01},
                HttpErrorCode::kIdError},
           Case{
               "a priority of nothing", {0x80, 0x0f, 0x07, 0x00, 0x00}, HttpErrorCode::kFrameError},
           Case{"a priority of a push",
                {0x80, 0x0f, 0x07, 0x01, 0x01, 0x00},
                HttpErrorCode::kIdError},
       }) {
    EXPECT_EQ(FaultOfFrames(wrong.bytes), wrong.code) << wrong.what;
  }
}

TEST(HttpClientStreamsTest, SettingsAreJudgedOneByOne) {
  for (const uint8_t of_http2 : {0x00, 0x02, 0x03, 0x04, 0x05}) {
    EXPECT_EQ(FaultOf({0x00, 0x04, 0x02, of_http2, 0x01}), HttpErrorCode::kSettingsError)
        << int{of_http2};
  }
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x04, 0x01, 0x00, 0x01, 0x00}), HttpErrorCode::kSettingsError);
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x04, 0x21, 0x00, 0x21, 0x01}), HttpErrorCode::kSettingsError);
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x02, 0x08, 0x02}), HttpErrorCode::kSettingsError);
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x02, 0x08, 0x01}), std::nullopt);
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x01, 0x01}), HttpErrorCode::kFrameError);
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x01, 0x40}), HttpErrorCode::kFrameError);
}

TEST(HttpClientStreamsTest, ThereAreNotMoreSettingsThanAnybodyHas) {
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x42, 0x00}), std::nullopt);
  EXPECT_EQ(FaultOf({0x00, 0x04, 0x42, 0x01}), HttpErrorCode::kExcessiveLoad);
  Bytes settings = {0x00, 0x04, 0x40, 66};
  for (uint8_t i = 0; i < 33; ++i) settings.insert(settings.end(), {uint8_t(20 + i), 0});
  EXPECT_EQ(FaultOf(settings), HttpErrorCode::kExcessiveLoad);
}

TEST(HttpClientStreamsTest, ThereIsOneOfEach) {
  for (const uint8_t type : {0x00, 0x02, 0x03}) {
    HttpClientStreams streams;
    EXPECT_EQ(streams.OnData(kFirst, Bytes{type}, false), Verdict::kTaken);
    EXPECT_EQ(streams.OnData(kSecond, Bytes{type}, false), Verdict::kFault);
    EXPECT_EQ(streams.fault(), HttpErrorCode::kStreamCreationError);
  }
}

TEST(HttpClientStreamsTest, ThoseThatAllDependsOnDoNotEnd) {
  for (const uint8_t type : {0x00, 0x02, 0x03}) {
    for (const int way : {0, 1, 2}) {
      HttpClientStreams streams;
      Verdict verdict = streams.OnData(kFirst, Bytes{type}, way == 0);
      if (way == 1) verdict = streams.OnData(kFirst, {}, true);
      if (way == 2) verdict = streams.OnReset(kFirst);
      EXPECT_EQ(verdict, Verdict::kFault) << int{type} << " " << way;
      EXPECT_EQ(streams.fault(), HttpErrorCode::kClosedCriticalStream);
    }
  }
}

TEST(HttpClientStreamsTest, UnknownOnesAreStoppedOnceAndMayEndInAnyWay) {
  HttpClientStreams streams;
  EXPECT_EQ(streams.OnData(kFirst, Bytes{0x21, 1, 2}, false), Verdict::kUnknownStream);
  EXPECT_EQ(streams.OnData(kFirst, Bytes{0x00}, false), Verdict::kTaken);
  EXPECT_EQ(streams.OnReset(kFirst), Verdict::kTaken);
  streams.OnClosed(kFirst);
  // Also before it is known what they are.
  EXPECT_EQ(streams.OnData(kSecond, Bytes{0x40}, false), Verdict::kTaken);
  EXPECT_EQ(streams.OnData(kSecond, {}, true), Verdict::kTaken);
  streams.OnClosed(kSecond);
  EXPECT_EQ(streams.OnData(10, {}, true), Verdict::kTaken);
}

TEST(HttpClientStreamsTest, PlacesComeBackAndAreNoMoreThanThereAre) {
  HttpClientStreams streams;
  for (StreamId id = 2; id < 400; id += 4) {
    EXPECT_EQ(streams.OnData(id, Bytes{0x21}, true), Verdict::kUnknownStream);
    streams.OnClosed(id);
  }
  for (size_t i = 0; i < HttpClientStreams::kMaxStreams; ++i) {
    EXPECT_EQ(streams.OnData(static_cast<StreamId>(1002 + 4 * i), Bytes{0x21}, false),
              Verdict::kUnknownStream);
  }
  EXPECT_EQ(streams.OnData(2002, Bytes{0x21}, false), Verdict::kFault);
  EXPECT_EQ(streams.fault(), HttpErrorCode::kExcessiveLoad);
}

TEST(HttpClientStreamsTest, NoiseIsTakenOnlyWithRequests) {
  HttpClientStreams streams;
  ASSERT_EQ(streams.OnData(kFirst, Bytes{0x00, 0x04, 0x00}, false), Verdict::kTaken);
  const Bytes frame = {0x21, 0x02, 0x00, 0x00};
  for (size_t i = 0; i < 10'000; ++i) {
    if (i % 1000 == 0) streams.OnRequest();
    ASSERT_EQ(streams.OnData(kFirst, frame, false), Verdict::kTaken) << i;
  }
  size_t more = 0;
  while (streams.OnData(kFirst, frame, false) == Verdict::kTaken) ++more;
  EXPECT_EQ(streams.fault(), HttpErrorCode::kExcessiveLoad);
  EXPECT_LE((1000 + more) * frame.size(), HttpClientStreams::kMaxBytesPerRequest);
}

}  // namespace
}  // namespace sluice
