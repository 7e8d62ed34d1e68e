#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/testing/endpoint_world.h"

namespace sluice {
namespace {

// What one connection takes, TLS included. An allocator that does not tell, as a sanitizer's, has
// nothing to compare.
constexpr size_t kMostPerConnection = size_t{40} * 1024;
constexpr uint32_t kConnections = 100;

size_t InUse() { return mallinfo2().uordblks; }

EndpointOptions Roomy() {
  EndpointOptions options;
  options.limits.retry_above_half_open_per_source = 1000;
  options.limits.retry_above_half_open = 1000;
  return options;
}

UdpAddress Host(uint32_t host) {
  return UdpAddress::V4({10, 0, 1, static_cast<uint8_t>(host)}, 4000);
}

void Report(size_t bytes) {
  const size_t each = bytes / kConnections;
  testing::Test::RecordProperty("bytes_per_connection", static_cast<int>(each));
  EXPECT_LE(each, kMostPerConnection);
}

TEST(EndpointMemoryTest, AHalfOpenConnectionIsSmall) {
  EndpointWorld world(Roomy());
  std::vector<std::vector<uint8_t>> datagrams;
  for (uint32_t i = 0; i <= kConnections; ++i) datagrams.push_back(world.FirstDatagram(Host(i)));
  // What is made at the first use is not a connection's.
  world.Give(Host(kConnections), datagrams[kConnections]);
  const size_t before = InUse();
  for (uint32_t i = 0; i < kConnections; ++i) world.Give(Host(i), datagrams[i]);
  ASSERT_EQ(world.endpoint->half_open(), kConnections + 1);
  Report(InUse() - before);
}

TEST(EndpointMemoryTest, AnIdleConnectionIsSmall) {
  EndpointWorld world(Roomy());
  const size_t with_empty = InUse();
  world.endpoint.reset();
  const size_t empty_endpoint = with_empty - InUse();
  world.Restart(Roomy());
  for (uint32_t i = 0; i < kConnections; ++i) world.Connect(Host(i));
  world.Run(TimeDelta::Seconds(1));
  ASSERT_EQ(world.endpoint->connections(), kConnections);
  ASSERT_EQ(world.endpoint->half_open(), 0u);
  const size_t before = InUse();
  world.endpoint.reset();
  Report(before - InUse() - empty_endpoint);
}

}  // namespace
}  // namespace sluice
