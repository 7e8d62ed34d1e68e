#include "quic/rpc/rpc_buffer_pool.h"

#include "gtest/gtest.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {
namespace {

TEST(RpcBufferPoolTest, ABufferHasRoomForTheLongestRequest) {
  RpcBufferPool pool(1);
  RpcBufferShare share(pool, 1);
  const RpcBuffer buffer = share.Take();
  EXPECT_EQ(buffer.bytes().size(), RpcBufferPool::kBufferSize);
  EXPECT_GE(buffer.bytes().size(), kMaxRpcHeader + kMaxRpcMessage);
}

}  // namespace
}  // namespace sluice
