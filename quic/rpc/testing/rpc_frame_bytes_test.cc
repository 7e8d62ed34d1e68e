#include "quic/rpc/testing/rpc_frame_bytes.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(RpcFrameBytesTest, WritesWhatTheWireFormatSays) {
  EXPECT_EQ(RpcFrameBytes().Message("hi").bytes(), (Bytes{2, 2, 'h', 'i'}));
  EXPECT_EQ(RpcFrameBytes().Frame(9, "x", 4).bytes(), (Bytes{9, 0x80, 0, 0, 1, 'x'}));
  EXPECT_EQ(RpcFrameBytes().Head(2, 1).bytes(), (Bytes{2, 0xc0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(RpcFrameBytes().Header("J", "t", 300).bytes(),
            (Bytes{1, 9, 0x0a, 1, 'J', 0x12, 1, 't', 0x18, 0xac, 0x02}));
  EXPECT_EQ(RpcFrameBytes().Status(5, "no").bytes(), (Bytes{3, 6, 8, 5, 0x12, 2, 'n', 'o'}));
  EXPECT_EQ(RpcFrameBytes().Status(0).bytes(), (Bytes{3, 0}));
}

TEST(RpcFrameBytesTest, LongFieldsHaveALengthOfTwoBytes) {
  const Bytes bytes = RpcFrameBytes().Header("J", std::string(300, 'x')).bytes();
  EXPECT_EQ(bytes.size(), 1u + 2 + 3 + 3 + 300);
  EXPECT_EQ(Bytes(bytes.begin() + 6, bytes.begin() + 9), (Bytes{0x12, 0xac, 0x02}));
}

TEST(RpcFrameBytesTest, DescribesFramesAndWhatIsLeft) {
  RpcFrameBytes frames;
  EXPECT_EQ(DescribeRpcFrames(frames.bytes()), "");
  frames.Message("ping").Frame(2, "pong", 8).Status(0);
  EXPECT_EQ(DescribeRpcFrames(frames.bytes()), "2:ping 2:pong 3:");
  frames.Head(2, 5);
  EXPECT_EQ(DescribeRpcFrames(frames.bytes()), "2:ping 2:pong 3: ...");
}

}  // namespace
}  // namespace sluice
