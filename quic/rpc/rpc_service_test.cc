#include "quic/rpc/rpc_service.h"

#include <cstdint>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {
namespace {

class NoAnswers : public RpcResponder {
 public:
  RpcSendVerdict Send(Timestamp /*now*/, RpcStreamId /*id*/,
                      absl::Span<const uint8_t> /*message*/) override {
    return RpcSendVerdict::kGone;
  }
  bool Finish(Timestamp /*now*/, RpcStreamId /*id*/,
              absl::Span<const uint8_t> /*status*/) override {
    return false;
  }
};

TEST(RpcCallTest, IsNamedByItsConnectionAndItsStreamTogether) {
  NoAnswers one;
  NoAnswers other;
  EXPECT_EQ(RpcCall(one, 4), RpcCall(one, 4));
  EXPECT_NE(RpcCall(one, 4), RpcCall(one, 8));
  EXPECT_NE(RpcCall(one, 4), RpcCall(other, 4));
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      std::vector{RpcCall(one, 4), RpcCall(one, 4), RpcCall(one, 8), RpcCall(other, 4)}));
}

}  // namespace
}  // namespace sluice
