#include "quic/rpc/rpc_error_code.h"

#include <cstdint>
#include <set>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(RpcErrorCodeTest, NumbersStayWhatPeersKnowThemAs) {
  EXPECT_EQ(static_cast<uint64_t>(RpcErrorCode::kCancelled), 2u);
  EXPECT_EQ(static_cast<uint64_t>(RpcErrorCode::kRefused), 3u);
  EXPECT_EQ(static_cast<uint64_t>(RpcErrorCode::kFrameTooLong), 5u);
  EXPECT_EQ(static_cast<uint64_t>(RpcErrorCode::kTooSlow), 9u);
  EXPECT_EQ(static_cast<uint64_t>(RpcErrorCode::kOverloaded), 11u);
  EXPECT_EQ(static_cast<uint64_t>(RpcErrorCode::kExcessiveLoad), 12u);
}

TEST(RpcErrorCodeTest, EveryCodeHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (uint64_t code = 0; code < kRpcErrorCodeCount; ++code) names.insert(RpcErrorCodeName(code));
  EXPECT_EQ(names.size(), kRpcErrorCodeCount);
  EXPECT_EQ(RpcErrorCodeName(static_cast<uint64_t>(RpcErrorCode::kTooSlow)), "too_slow");
  EXPECT_EQ(RpcErrorCodeName(static_cast<uint64_t>(RpcErrorCode::kFrameTooLong)), "frame_too_long");
}

TEST(RpcErrorCodeTest, AnyOtherNumberIsUnknown) {
  EXPECT_EQ(RpcErrorCodeName(kRpcErrorCodeCount), "unknown");
  EXPECT_EQ(RpcErrorCodeName(~uint64_t{0}), "unknown");
}

}  // namespace
}  // namespace sluice
