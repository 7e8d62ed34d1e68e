#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/udp_path.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/testing/endpoint_world.h"

namespace sluice {
namespace {

// What becomes of many connections that want more of the endpoint's pool than there is.

constexpr size_t kAnswer = 30'000;
constexpr uint32_t kBlocks = 16;

// Answers each request with kAnswer bytes, as there is room.
class Talker : public ConnectionHandler {
 public:
  explicit Talker(QuicConnection& connection) : connection_(&connection) {}
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool) override {
    connection_->Consume(id, data.size());
    if (fin) Continue(id);
  }
  void OnWritable(StreamId id) override { Continue(id); }
  void OnClosed(const CloseReason&) override { connection_ = nullptr; }

 private:
  void Continue(StreamId id) {
    left_ -= connection_->Write(id, std::vector<uint8_t>(left_, 'x'), true);
  }

  QuicConnection* connection_;
  size_t left_ = kAnswer;
};

class TalkWorld : public EndpointWorld {
 public:
  using EndpointWorld::EndpointWorld;
  ConnectionHandler* OnConnection(QuicConnection& connection) override {
    talkers_.push_back(std::make_unique<Talker>(connection));
    return talkers_.back().get();
  }

 private:
  std::vector<std::unique_ptr<Talker>> talkers_;
};

EndpointOptions WithPool(uint32_t streams, uint32_t blocks) {
  EndpointOptions options;
  options.limits.send_streams = streams;
  options.limits.send_blocks = blocks;
  return options;
}

// `count` clients ask at once; how much each of them has when the first one has everything.
std::vector<size_t> AskAll(TalkWorld& world, uint8_t count) {
  for (uint8_t i = 1; i <= count; ++i) world.Connect(UdpAddress::V4({10, 0, 0, i}, 4000));
  world.Run(TimeDelta::Millis(200));
  for (const auto& client : world.clients) {
    const auto id = client->peer.connection->OpenBidirectional();
    client->peer.connection->Write(id.value(), std::vector<uint8_t>{'?'}, true);
    client->peer.connection->Flush(world.now, client->peer.out);
  }
  std::vector<size_t> got(count);
  for (int i = 0; i < 10'000 && *std::max_element(got.begin(), got.end()) < kAnswer; ++i) {
    world.Run(TimeDelta::Millis(1));
    std::transform(world.clients.begin(), world.clients.end(), got.begin(),
                   [](const auto& client) { return client->peer.streams[0].data.size(); });
  }
  return got;
}

void ExpectAllHaveAll(TalkWorld& world) {
  for (const auto& client : world.clients) {
    EXPECT_EQ(client->peer.streams[0].data.size(), kAnswer);
    EXPECT_TRUE(client->peer.streams[0].fin);
  }
}

TEST(EndpointRoomTest, BytesGoOutInTurnThoughThereIsRoomForFew) {
  TalkWorld world(WithPool(64, kBlocks));
  const std::vector<size_t> got = AskAll(world, 12);
  EXPECT_GT(world.endpoint->send_pool().counters().no_block, 0u);
  // A quarter each, at most.
  EXPECT_GT(world.endpoint->send_pool().counters().blocks_over_share, 0u);
  EXPECT_GE(*std::min_element(got.begin(), got.end()), kAnswer / 2);
  world.Run(TimeDelta::Seconds(2));
  ExpectAllHaveAll(world);
  EXPECT_EQ(world.endpoint->send_pool().free_blocks(), kBlocks);
}

TEST(EndpointRoomTest, StreamsHavePlacesInTurn) {
  TalkWorld world(WithPool(2, 256));
  AskAll(world, 12);
  EXPECT_GT(world.endpoint->send_pool().counters().no_stream, 0u);
  world.Run(TimeDelta::Seconds(5));
  ExpectAllHaveAll(world);
  EXPECT_EQ(world.endpoint->send_pool().free_streams(), 2u);
}

TEST(EndpointRoomTest, AnOutboxThatIsAlwaysFullKeepsNobodyWaiting) {
  TalkWorld world(WithPool(64, kBlocks));
  world.outbox_size = 2;
  AskAll(world, 12);
  world.Run(TimeDelta::Seconds(10));
  ExpectAllHaveAll(world);
  EXPECT_EQ(world.endpoint->send_pool().free_blocks(), kBlocks);
}

}  // namespace
}  // namespace sluice
