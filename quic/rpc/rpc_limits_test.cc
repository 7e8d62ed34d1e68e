#include "quic/rpc/rpc_limits.h"

#include <string>

#include "absl/status/status.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

std::string Fault(const RpcLimits& limits) {
  const std::string message(CheckRpcLimits(limits).message());
  return message.substr(0, message.find(' '));
}

TEST(RpcLimitsTest, DefaultsAreGood) { EXPECT_EQ(CheckRpcLimits(RpcLimits()), absl::OkStatus()); }

TEST(RpcLimitsTest, EachLimitHasARange) {
  EXPECT_EQ(Fault({.calls = 1}), "");
  EXPECT_EQ(Fault({.calls = 0}), "calls");
  EXPECT_EQ(Fault({.calls = RpcLimits::kMaxCalls}), "");
  EXPECT_EQ(Fault({.calls = RpcLimits::kMaxCalls + 1}), "calls");
  EXPECT_EQ(Fault({.buffers = 0}), "buffers");
  EXPECT_EQ(Fault({.buffers = RpcLimits::kMaxBuffers}), "");
  EXPECT_EQ(Fault({.buffers = RpcLimits::kMaxBuffers + 1}), "buffers");
  EXPECT_EQ(Fault({.request_timeout = TimeDelta::Zero()}), "request_timeout");
  EXPECT_EQ(Fault({.request_timeout = TimeDelta::PlusInfinity()}), "request_timeout");
  EXPECT_EQ(Fault({.request_timeout = TimeDelta::Micros(1)}), "");
  EXPECT_EQ(Fault({.drain_timeout = TimeDelta::Micros(-1)}), "drain_timeout");
  EXPECT_EQ(Fault({.drain_timeout = TimeDelta::PlusInfinity()}), "drain_timeout");
}

}  // namespace
}  // namespace sluice
