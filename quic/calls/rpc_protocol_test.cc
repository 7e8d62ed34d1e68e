#include "quic/calls/rpc_protocol.h"

#include "base/data_size.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

TEST(RpcProtocolTest, AServerOffersAStreamForEachCall) {
  RpcLimits limits;
  limits.calls = 23;
  const ApplicationProtocol protocol = RpcServerProtocol(limits);
  EXPECT_EQ(protocol.name, "sluice/1");
  EXPECT_EQ(protocol.parameters.initial_max_streams_bidi, 23u);
  EXPECT_EQ(protocol.parameters.initial_max_streams_uni, 0u);
  EXPECT_GT(protocol.parameters.initial_max_stream_data_bidi_remote, DataSize::Zero());
  EXPECT_GT(protocol.parameters.max_idle_timeout, TimeDelta::Zero());
  EXPECT_FALSE(protocol.early_data);
}

TEST(RpcProtocolTest, AClientLetsNobodyOpenStreams) {
  const ApplicationProtocol protocol = RpcClientProtocol();
  EXPECT_EQ(protocol.name, "sluice/1");
  EXPECT_EQ(protocol.parameters.initial_max_streams_bidi, 0u);
  EXPECT_EQ(protocol.parameters.initial_max_streams_uni, 0u);
  EXPECT_GT(protocol.parameters.initial_max_stream_data_bidi_local, DataSize::Zero());
  EXPECT_TRUE(protocol.early_data);
}

TEST(RpcProtocolTest, BothAreProtocolsForTls) {
  EXPECT_TRUE(ApplicationProtocols::Create({RpcServerProtocol(RpcLimits())}).ok());
  EXPECT_TRUE(ApplicationProtocols::Create({RpcClientProtocol()}).ok());
}

}  // namespace
}  // namespace sluice
