#include "quic/rpc/rpc_frame.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace sluice {
namespace {

std::vector<uint8_t> Head(RpcFrameType type, uint64_t length) {
  RpcFrameHead head;
  const size_t size = WriteRpcFrameHead(type, length, head);
  return {head.begin(), head.begin() + size};
}

TEST(RpcFrameTest, AHeadIsATypeAndTheShortestLength) {
  EXPECT_EQ(Head(RpcFrameType::kHeader, 0), (std::vector<uint8_t>{0x01, 0x00}));
  EXPECT_EQ(Head(RpcFrameType::kMessage, 63), (std::vector<uint8_t>{0x02, 0x3f}));
  EXPECT_EQ(Head(RpcFrameType::kMessage, 64), (std::vector<uint8_t>{0x02, 0x40, 0x40}));
  EXPECT_EQ(Head(RpcFrameType::kStatus, kMaxRpcMessage),
            (std::vector<uint8_t>{0x03, 0x80, 0x01, 0x00, 0x00}));
}

TEST(RpcFrameTest, TheLongestHeadHasRoom) {
  EXPECT_EQ(Head(RpcFrameType::kMessage, kMaxVarint).size(), kMaxRpcFrameHead);
}

TEST(RpcFrameTest, ThreeTypesAreKnown) {
  std::vector<int> known;
  for (int type = 0; type < 256; ++type) {
    if (IsKnownRpcFrameType(static_cast<uint8_t>(type))) known.push_back(type);
  }
  EXPECT_EQ(known, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace sluice
