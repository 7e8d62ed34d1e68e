#include "quic/http3/http_protocol_server.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer_pool.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/testing/http_world.h"
#include "quic/http3/testing/test_http_service.h"
#include "quic/server/served_connections.h"

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

// All the way that it goes in a process: the client hears of what it did, and others are answered.
TEST(HttpProtocolServerTest, ABrokenRuleEndsTheConnectionWithItsCodeAndNoOther) {
  Timestamp now = Timestamp::Zero();
  TestHttpService service;
  HttpBufferPool buffers(4);
  HttpProtocolServer protocol({now, service, buffers});
  ServedConnections served({.capacity = 8, .protocols = {&protocol}}, now);
  HttpWorld world(97);
  world.application = &served;
  world.Connect();
  const StreamId fine = world.Ask("POST", "/echo", "hello");
  EXPECT_TRUE(world.RunUntilOver(fine));
  EXPECT_EQ(world.answer(fine).body, "hello");
  // A second control stream (RFC 9114 section 6.2.1).
  world.OpenUnidirectional(std::vector<uint8_t>{0x00, 0x04, 0x00});
  EXPECT_EQ(world.CodeOfEnd(), static_cast<uint64_t>(HttpErrorCode::kStreamCreationError));
  EXPECT_EQ(served.counters().broken, 1u);
  EXPECT_EQ(served.counters().connections, 0u);
  world.Connect();
  const StreamId next = world.Ask("GET", "/echo");
  EXPECT_TRUE(world.RunUntilOver(next));
  EXPECT_TRUE(world.answer(next).finished);
  EXPECT_EQ(protocol.counters().requests.requests, 2u);
  world.endpoint.reset();
}

}  // namespace
}  // namespace sluice
