#include "quic/rpc/rpc_buffer_pool.h"

#include <utility>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(RpcBufferPoolTest, LendsWhatItHasAndGetsItBack) {
  RpcBufferPool pool(2);
  RpcBufferShare share(pool, 5);
  {
    const RpcBuffer a = share.Take();
    const RpcBuffer b = share.Take();
    EXPECT_EQ(a.bytes().size(), RpcBufferPool::kBufferSize);
    EXPECT_NE(a.bytes().data(), b.bytes().data());
    EXPECT_EQ(pool.free(), 0u);
    EXPECT_TRUE(share.Take().empty());
    EXPECT_EQ(pool.exhausted(), 1u);
    EXPECT_EQ(share.exhausted(), 0u);
  }
  EXPECT_EQ(pool.free(), 2u);
  EXPECT_EQ(share.taken(), 0u);
}

TEST(RpcBufferPoolTest, AShareLeavesTheRestToOthers) {
  RpcBufferPool pool(3);
  RpcBufferShare greedy(pool, 2);
  RpcBufferShare other(pool, 2);
  const RpcBuffer a = greedy.Take();
  const RpcBuffer b = greedy.Take();
  EXPECT_TRUE(greedy.Take().empty());
  EXPECT_EQ(greedy.exhausted(), 1u);
  EXPECT_FALSE(other.Take().empty());
}

TEST(RpcBufferPoolTest, ABufferThatMovedIsGivenBackOnce) {
  RpcBufferPool pool(2);
  RpcBufferShare share(pool, 2);
  RpcBuffer a = share.Take();
  RpcBuffer b = std::move(a);
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
