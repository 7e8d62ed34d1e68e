#include "quic/http3/http_buffer_pool.h"

#include <utility>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(HttpBufferPoolTest, LendsWhatItHasAndGetsItBack) {
  HttpBufferPool pool(2);
  HttpBufferShare share(pool, 5);
  {
    const HttpBuffer a = share.Take();
    const HttpBuffer b = share.Take();
    EXPECT_EQ(a.bytes().size(), HttpBufferPool::kBufferSize);
    EXPECT_NE(a.bytes().data(), b.bytes().data());
    EXPECT_EQ(pool.free(), 0u);
    EXPECT_TRUE(share.Take().empty());
    EXPECT_EQ(pool.exhausted(), 1u);
    EXPECT_EQ(share.exhausted(), 0u);
  }
  EXPECT_EQ(pool.free(), 2u);
  EXPECT_EQ(share.taken(), 0u);
}

TEST(HttpBufferPoolTest, AShareLeavesTheRestToOthers) {
  HttpBufferPool pool(3);
  HttpBufferShare greedy(pool, 2);
  HttpBufferShare other(pool, 2);
  const HttpBuffer a = greedy.Take();
  const HttpBuffer b = greedy.Take();
  EXPECT_TRUE(greedy.Take().empty());
  EXPECT_EQ(greedy.exhausted(), 1u);
  EXPECT_FALSE(other.Take().empty());
}

TEST(HttpBufferPoolTest, ABufferThatMovedIsGivenBackOnce) {
  HttpBufferPool pool(2);
  HttpBufferShare share(pool, 2);
  HttpBuffer a = share.Take();
  HttpBuffer b = std::move(a);
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(a.bytes().empty());
  b = share.Take();
  EXPECT_EQ(share.taken(), 1u);
  b.GiveBack();
  b.GiveBack();
  EXPECT_EQ(share.taken(), 0u);
  EXPECT_EQ(pool.free(), 2u);
}

}  // namespace
}  // namespace sluice
