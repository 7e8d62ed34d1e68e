#include "quic/server/server_connection_id.h"

#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"

namespace sluice {
namespace {

TEST(ServerConnectionIdTest, CarriesTheThreadAndIsOtherwiseRandom) {
  SeededRandom random(60);
  const ConnectionId a = DrawServerConnectionId(3, random);
  const ConnectionId b = DrawServerConnectionId(3, random);
  EXPECT_EQ(a.size(), kServerConnectionIdSize);
  EXPECT_EQ(ThreadOf(a), 3);
  EXPECT_EQ(ThreadOf(b), 3);
  EXPECT_NE(a, b);
  EXPECT_EQ(ThreadOf(DrawServerConnectionId(255, random)), 255);
}

}  // namespace
}  // namespace sluice
