#include "quic/connection/send_streams.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "quic/connection/send_stream.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(SendStreamsTest, ServesInTurnThoseThatMay) {
  SendStreamPool pool(4, 4);
  SendStreams streams(pool);
  EXPECT_EQ(streams.NextToSend(), nullptr);
  for (int64_t id : {0, 4, 8, 12}) streams.FindOrTake(id)->Append(Bytes{1}, 100);
  streams.Find(4)->blocked = true;
  streams.Find(8)->shut = true;
  std::vector<int64_t> served;
  for (int turn = 0; turn < 4; ++turn) {
    SendStream* stream = streams.NextToSend();
    served.push_back(stream->id());
    streams.MoveToEnd(*stream);
  }
  EXPECT_EQ(served, (std::vector<int64_t>{0, 12, 0, 12}));
  streams.Find(0)->Sent(1, false);
  streams.Find(12)->Sent(1, false);
  EXPECT_EQ(streams.NextToSend(), nullptr);
  streams.Unblock();
  EXPECT_EQ(streams.NextToSend(), streams.Find(4));
}

TEST(SendStreamsTest, TakesEachOnceAndGivesAllBack) {
  SendStreamPool pool(2, 2);
  {
    SendStreams streams(pool);
    SendStream* a = streams.FindOrTake(0);
    EXPECT_EQ(streams.FindOrTake(0), a);
    EXPECT_EQ(streams.Find(4), nullptr);
    EXPECT_NE(streams.FindOrTake(4), nullptr);
    EXPECT_EQ(streams.FindOrTake(8), nullptr);
    streams.Forget(*a);
    EXPECT_EQ(streams.Find(0), nullptr);
    EXPECT_NE(streams.FindOrTake(8), nullptr);
    EXPECT_EQ(pool.free_streams(), 0u);
  }
  EXPECT_EQ(pool.free_streams(), 2u);
}

TEST(SendStreamsTest, FindsWhoWasStopped) {
  SendStreamPool pool(2, 1);
  SendStreams streams(pool);
  streams.FindOrTake(0);
  EXPECT_EQ(streams.NextStopped(), nullptr);
  streams.FindOrTake(4)->stopped = true;
  EXPECT_EQ(streams.NextStopped(), streams.Find(4));
}

TEST(SendStreamsTest, FindsWhoWaitsForRoomAndHasIt) {
  SendStreamPool pool(2, 1);
  SendStreams streams(pool);
  streams.FindOrTake(0)->Append(Bytes(2000), 5000);
  EXPECT_EQ(streams.NextWithRoom(5000), nullptr) << "the pool is empty";
  streams.Find(0)->Sent(SendStreamPool::kBlockSize, false);
  streams.Find(0)->Acknowledge(SendStreamPool::kBlockSize);
  EXPECT_EQ(streams.NextWithRoom(5000), streams.Find(0));
  streams.Find(0)->wants_room = false;
  EXPECT_EQ(streams.NextWithRoom(5000), nullptr);
}

}  // namespace
}  // namespace sluice
