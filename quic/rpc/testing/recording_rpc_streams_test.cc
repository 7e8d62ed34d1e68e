#include "quic/rpc/testing/recording_rpc_streams.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "quic/rpc/rpc_error_code.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(RecordingRpcStreamsTest, TakesWhatThereIsRoomFor) {
  RecordingRpcStreams streams;
  streams.stream(4).room = 3;
  EXPECT_EQ(streams.Write(4, Bytes{1, 2}, false), 2u);
  EXPECT_EQ(streams.Write(4, Bytes{3, 4}, true), 1u);
  EXPECT_EQ(streams.stream(4).written, (Bytes{1, 2, 3}));
  EXPECT_FALSE(streams.stream(4).fin);
  streams.stream(4).room = 1;
  EXPECT_EQ(streams.Write(4, Bytes{4}, true), 1u);
  EXPECT_TRUE(streams.stream(4).fin);
}

TEST(RecordingRpcStreamsTest, AResetStreamTakesNothing) {
  RecordingRpcStreams streams;
  streams.Shutdown(8, RpcErrorCode::kRefused);
  EXPECT_EQ(streams.stream(8).reset, RpcErrorCode::kRefused);
  EXPECT_EQ(streams.stream(8).stopped, RpcErrorCode::kRefused);
  EXPECT_EQ(streams.Write(8, Bytes{1}, false), 0u);
}

TEST(RecordingRpcStreamsTest, OpensAsManyAsAreAllowed) {
  RecordingRpcStreams streams;
  streams.AllowStreams(2);
  streams.SetRoomOfNewStreams(1);
  EXPECT_EQ(streams.Open(), 0);
  EXPECT_EQ(streams.Open(), 4);
  EXPECT_EQ(streams.Open(), std::nullopt);
  EXPECT_EQ(streams.Write(4, Bytes{1, 2}, false), 1u);
}

}  // namespace
}  // namespace sluice
