#include "quic/calls/connection_rpc_streams.h"

#include <array>
#include <cstdint>

#include "gtest/gtest.h"
#include "quic/calls/rpc_server_connection.h"
#include "quic/calls/testing/call_world.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {
namespace {

constexpr std::array<uint8_t, 3> kBytes = {1, 2, 3};
// One that nobody has opened.
constexpr RpcStreamId kNowhere = 40;

class ConnectionRpcStreamsTest : public testing::Test {
 protected:
  ConnectionRpcStreamsTest() {
    world_.Connect();
    streams_.Attach(*world_.server().connection());
  }

  CallWorld world_{82};
  ConnectionRpcStreams streams_;
};

TEST_F(ConnectionRpcStreamsTest, WithoutAConnectionNothingHappens) {
  streams_.Detach();
  EXPECT_EQ(streams_.connection(), nullptr);
  EXPECT_EQ(streams_.Write(0, kBytes, true), 0u);
  streams_.Shutdown(0, RpcErrorCode::kCancelled);
  streams_.Consume(0, 5);
  EXPECT_FALSE(streams_.Open().has_value());
  EXPECT_FALSE(streams_.TakeUnsent());
}

TEST_F(ConnectionRpcStreamsTest, WhatIsSaidOutsideOfEventsMustBeFlushedOnce) {
  EXPECT_FALSE(streams_.TakeUnsent());
  streams_.Reset(kNowhere, RpcErrorCode::kCancelled);
  EXPECT_TRUE(streams_.TakeUnsent());
  EXPECT_FALSE(streams_.TakeUnsent());
  streams_.StopSending(kNowhere, RpcErrorCode::kCancelled);
  EXPECT_TRUE(streams_.TakeUnsent());
  streams_.Consume(kNowhere, 5);
  EXPECT_TRUE(streams_.TakeUnsent());
  EXPECT_EQ(streams_.Write(kNowhere, kBytes, true), 0u);
  EXPECT_TRUE(streams_.TakeUnsent());
}

TEST_F(ConnectionRpcStreamsTest, WhatIsSaidInAnEventTheConnectionWritesItself) {
  {
    const ConnectionRpcStreams::Event outer(streams_);
    { const ConnectionRpcStreams::Event inner(streams_); }
    streams_.Reset(kNowhere, RpcErrorCode::kCancelled);
  }
  EXPECT_FALSE(streams_.TakeUnsent());
  streams_.Reset(kNowhere, RpcErrorCode::kCancelled);
  EXPECT_TRUE(streams_.TakeUnsent());
}

TEST_F(ConnectionRpcStreamsTest, WhatWasUnsentWhenTheConnectionEndedStaysSo) {
  streams_.Reset(kNowhere, RpcErrorCode::kCancelled);
  streams_.Detach();
  EXPECT_FALSE(streams_.TakeUnsent());
}

}  // namespace
}  // namespace sluice
