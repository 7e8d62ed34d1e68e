#include "quic/calls/rpc_connection_end.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"

namespace sluice {
namespace {

TEST(RpcConnectionEndTest, EachReasonHasItsMeaning) {
  struct Row {
    CloseCause cause;
    uint64_t code;
    RpcConnectionEnd end;
  };
  constexpr Row kRows[] = {
      {CloseCause::kLocalApplication, 0, RpcConnectionEnd::kByUs},
      {CloseCause::kLocalApplication, 7, RpcConnectionEnd::kByUs},
      {CloseCause::kRemoteApplication, 0, RpcConnectionEnd::kDrained},
      {CloseCause::kRemoteApplication, 1, RpcConnectionEnd::kByPeer},
      {CloseCause::kRemoteApplication, 2, RpcConnectionEnd::kByPeer},
      {CloseCause::kRemoteTransport, 0x2, RpcConnectionEnd::kRefused},
      {CloseCause::kRemoteTransport, 0x0, RpcConnectionEnd::kBroken},
      {CloseCause::kLocalTransport, 0xa, RpcConnectionEnd::kBroken},
      {CloseCause::kRemoteTransport, 0xff, RpcConnectionEnd::kBroken},
      {CloseCause::kRemoteTransport, 0x100, RpcConnectionEnd::kUntrusted},
      {CloseCause::kLocalTransport, 0x178, RpcConnectionEnd::kUntrusted},
      {CloseCause::kLocalTransport, 0x1ff, RpcConnectionEnd::kUntrusted},
      {CloseCause::kLocalTransport, 0x200, RpcConnectionEnd::kBroken},
      {CloseCause::kIdleTimeout, 0, RpcConnectionEnd::kLost},
      {CloseCause::kStatelessReset, 0, RpcConnectionEnd::kLost},
      {CloseCause::kHandshakeTimeout, 0, RpcConnectionEnd::kUnreachable},
      {CloseCause::kDropped, 0, RpcConnectionEnd::kUnreachable},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(RpcConnectionEndOf({row.cause, row.code}), row.end)
        << CloseCauseName(row.cause) << " " << row.code;
  }
}

TEST(RpcConnectionEndTest, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (size_t i = 0; i < kRpcConnectionEndCount; ++i) {
    names.emplace(RpcConnectionEndName(static_cast<RpcConnectionEnd>(i)));
  }
  EXPECT_EQ(names.size(), kRpcConnectionEndCount);
}

}  // namespace
}  // namespace sluice
