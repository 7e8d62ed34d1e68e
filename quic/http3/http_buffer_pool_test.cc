#include "quic/http3/http_buffer_pool.h"

#include "gtest/gtest.h"
#include "quic/http3/http_limits.h"

namespace sluice {
namespace {

TEST(HttpBufferPoolTest, ABufferHasRoomForTheLongestRequest) {
  HttpBufferPool pool(1);
  HttpBufferShare share(pool, 1);
  const HttpBuffer buffer = share.Take();
  EXPECT_EQ(buffer.bytes().size(), HttpBufferPool::kBufferSize);
  EXPECT_GE(buffer.bytes().size(), kMaxHttpFieldSection + kMaxHttpBody);
}

}  // namespace
}  // namespace sluice
