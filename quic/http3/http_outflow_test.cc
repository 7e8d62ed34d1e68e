#include "quic/http3/http_outflow.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/testing/recording_http_streams.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Verdict = HttpOutflow::Verdict;

class HttpOutflowTest : public testing::Test {
 protected:
  RecordingHttpStreams::Stream& stream() { return streams_.stream(0); }

  HttpBufferPool pool_{1};
  HttpBufferShare share_{pool_, 1};
  RecordingHttpStreams streams_;
  HttpOutflow outflow_;
};

TEST_F(HttpOutflowTest, WhatThereIsRoomForGoesOutAtOnce) {
  EXPECT_EQ(outflow_.SendFrame(0, Bytes{1, 1, 9}, streams_, share_), Verdict::kTaken);
  EXPECT_EQ(outflow_.SendData(0, Bytes{7, 8}, streams_, share_), Verdict::kTaken);
  EXPECT_EQ(outflow_.SendData(0, Bytes(64, 5), streams_, share_), Verdict::kTaken);
  EXPECT_TRUE(outflow_.Finish(0, streams_));
  Bytes expected = {1, 1, 9, 0, 2, 7, 8, 0, 0x40, 64};
  expected.insert(expected.end(), 64, 5);
  EXPECT_EQ(stream().written, expected);
  EXPECT_TRUE(stream().fin);
  EXPECT_EQ(pool_.free(), 1u);
}

TEST_F(HttpOutflowTest, TheRestWaitsAndFollowsInItsOrderWithTheEnd) {
  stream().room = 1;
  EXPECT_EQ(outflow_.SendData(0, Bytes{7, 8}, streams_, share_), Verdict::kTaken);
  EXPECT_EQ(outflow_.SendData(0, Bytes{9}, streams_, share_), Verdict::kTaken);
  EXPECT_EQ(outflow_.waiting(), 6u);
  EXPECT_EQ(pool_.free(), 0u);
  EXPECT_FALSE(outflow_.Finish(0, streams_));
  EXPECT_FALSE(outflow_.Flush(0, streams_));
  stream().room = 3;
  EXPECT_FALSE(outflow_.Flush(0, streams_));
  EXPECT_FALSE(stream().fin);
  stream().room = 100;
  EXPECT_TRUE(outflow_.Flush(0, streams_));
  EXPECT_EQ(stream().written, (Bytes{0, 2, 7, 8, 0, 1, 9}));
  EXPECT_TRUE(stream().fin);
  EXPECT_EQ(pool_.free(), 1u);
}

TEST_F(HttpOutflowTest, NoMoreWaitsThanABufferHas) {
  stream().room = 0;
  const Bytes piece(kMaxHttpPiece, 1);
  EXPECT_EQ(outflow_.SendData(0, piece, streams_, share_), Verdict::kTaken);
  EXPECT_EQ(outflow_.SendData(0, piece, streams_, share_), Verdict::kRefused);
  const size_t waiting = outflow_.waiting();
  EXPECT_EQ(outflow_.SendFrame(0, Bytes(HttpOutflow::kMaxWaiting - waiting), streams_, share_),
            Verdict::kTaken);
  EXPECT_EQ(outflow_.SendFrame(0, Bytes{1}, streams_, share_), Verdict::kRefused);
  // Room in front of what waits is used as well.
  stream().room = 5;
  EXPECT_FALSE(outflow_.Flush(0, streams_));
  EXPECT_EQ(outflow_.SendFrame(0, Bytes{1, 2, 3, 4, 5}, streams_, share_), Verdict::kTaken);
  stream().room = 1'000'000;
  EXPECT_TRUE(outflow_.Flush(0, streams_));
  EXPECT_EQ(stream().written.size(), HttpOutflow::kMaxWaiting + 5);
  EXPECT_EQ(stream().written.back(), 5);
}

TEST_F(HttpOutflowTest, WithoutABufferAFrameGoesWholeOrNotAtAll) {
  const HttpBuffer taken = share_.Take();
  stream().room = 0;
  EXPECT_EQ(outflow_.SendData(0, Bytes{7}, streams_, share_), Verdict::kRefused);
  stream().room = 2;
  EXPECT_EQ(outflow_.SendData(0, Bytes{7}, streams_, share_), Verdict::kBroken);
  EXPECT_EQ(outflow_.waiting(), 0u);
}

TEST_F(HttpOutflowTest, WhatIsForgottenIsNotSent) {
  stream().room = 0;
  EXPECT_EQ(outflow_.SendData(0, Bytes{7}, streams_, share_), Verdict::kTaken);
  outflow_.Clear();
  EXPECT_EQ(pool_.free(), 1u);
  stream().room = 10;
  EXPECT_TRUE(outflow_.Flush(0, streams_));
  EXPECT_TRUE(stream().written.empty());
}

}  // namespace
}  // namespace sluice
