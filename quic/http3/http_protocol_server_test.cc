#include "quic/http3/http_protocol_server.h"

#include <memory>

#include "base/buffer_pool.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/testing/http_world.h"
#include "quic/http3/testing/test_http_service.h"

namespace sluice {
namespace {

TEST(HttpProtocolServerTest, ServesConnectionsOfHttp) {
  HttpWorld world(95);
  world.Connect();
  const Timestamp now = Timestamp::Zero();
  TestHttpService service;
  HttpBufferPool buffers(1);
  HttpProtocolServer protocol({now, service, buffers});
  EXPECT_EQ(protocol.name(), "h3");
  EXPECT_EQ(protocol.no_error(), 0x100u);
  const auto served = protocol.Serve(*world.server().connection());
  ASSERT_NE(served, nullptr);
  EXPECT_EQ(served->connection(), world.server().connection());
  EXPECT_FALSE(served->drained());
  EXPECT_FALSE(served->TakeUnsent());
}

TEST(HttpProtocolServerTest, ConnectionsCountTogetherAndAreReadAsOfTheEndOfATurn) {
  HttpWorld world(96);
  world.Connect();
  const Timestamp now = Timestamp::Zero();
  TestHttpService service;
  HttpBufferPool buffers(1);
  HttpBufferShare first(buffers, 1, BufferSource(1));
  HttpBufferShare second(buffers, 1, BufferSource(1));
  const HttpBuffer taken = first.Take();
  EXPECT_TRUE(second.Take().empty());
  HttpProtocolServer protocol({now, service, buffers});
  for (int i = 0; i < 2; ++i) {
    const auto served = protocol.Serve(*world.server().connection());
    served->OnStreamOpened(0);
    // It is not a stream that the connection knows, which loses what is written there.
    served->OnStreamReset(0, 0x10c);
    EXPECT_EQ(protocol.counters().requests.requests_abandoned, 0u);
  }
  protocol.OnTurnEnd();
  EXPECT_EQ(protocol.counters().requests.requests_abandoned, 2u);
  EXPECT_EQ(protocol.counters().buffers_exhausted, 0u);
  EXPECT_EQ(protocol.counters().source_exhausted, 1u);
}

}  // namespace
}  // namespace sluice
