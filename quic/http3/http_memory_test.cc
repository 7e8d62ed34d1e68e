#include <malloc.h>

#include <cstddef>

#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_server_connection.h"
#include "quic/http3/testing/http_world.h"

namespace sluice {
namespace {

// What one idle connection takes, with QUIC, TLS and HTTP/3. An allocator that does not tell, as a
// sanitizer's, has nothing to compare.
constexpr size_t kMostPerConnection = size_t{40} * 1024;
constexpr int kConnections = 8;

size_t InUse() { return mallinfo2().uordblks; }

TEST(HttpMemoryTest, AnIdleConnectionIsSmall) {
  HttpWorld world(94);
  size_t state = 0;
  for (int i = 0; i < kConnections; ++i) {
    world.Connect();
    const StreamId id = world.Ask("POST", "/echo", "hello");
    ASSERT_TRUE(world.RunUntilOver(id));
    world.link.RunFor(TimeDelta::Millis(500));
    state = world.server().server().state_bytes();
  }
  // The client's own goes first.
  world.client.Restart();
  ASSERT_EQ(world.endpoint->connections(), size_t{kConnections});
  // Of the pool of the endpoint and its tables nothing is a connection's; they stay what they are.
  const size_t before = InUse();
  for (const auto& server : world.servers) {
    world.endpoint->Close(world.link.now, *server->connection(), 0x100, world.server_out);
    world.server_out.Clear();
  }
  world.servers.clear();
  world.link.RunFor(TimeDelta::Minutes(1));
  ASSERT_EQ(world.endpoint->connections(), 0u);
  const size_t each = (before - InUse()) / kConnections;
  RecordProperty("bytes_per_connection", static_cast<int>(each));
  RecordProperty("bytes_of_nghttp3", static_cast<int>(state));
  EXPECT_LE(each, kMostPerConnection);
  EXPECT_LE(state, size_t{10} * 1024);
}

}  // namespace
}  // namespace sluice
