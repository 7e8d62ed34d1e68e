#include "quic/connection/send_streams.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/connection/send_share.h"
#include "quic/connection/send_stream.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using ::testing::ElementsAre;

// Counts how often it is told.
class Waiter : public SendRoomReceiver {
 public:
  void OnRoom() override { ++told; }

  int told = 0;
};

constexpr SendStreams::Limits kLimits = {.streams = 8, .blocks = 8, .waiting = 2};

std::vector<int64_t> PlacesOf(SendStreams& streams) {
  std::vector<int64_t> ids;
  while (const std::optional<SendStreams::Waiting> next = streams.NextPlace()) {
    ids.push_back(next->id);
  }
  return ids;
}

TEST(SendStreamsTest, ServesInTurnThoseThatMay) {
  SendStreamPool pool(4, 4);
  Waiter waiter;
  SendStreams streams(pool, kLimits, waiter);
  EXPECT_EQ(streams.NextToSend(), nullptr);
  for (int64_t id : {0, 4, 8, 12}) streams.Take(id, false)->Append(Bytes{1}, 100);
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

TEST(SendStreamsTest, GivesAllBack) {
  SendStreamPool pool(2, 2);
  Waiter waiter;
  {
    SendStreams streams(pool, kLimits, waiter);
    SendStream* a = streams.Take(0, false);
    EXPECT_EQ(streams.Find(0), a);
    EXPECT_EQ(streams.Find(4), nullptr);
    EXPECT_NE(streams.Take(4, false), nullptr);
    EXPECT_EQ(streams.Take(8, false), nullptr);
    streams.Forget(*a);
    EXPECT_EQ(streams.Find(0), nullptr);
    EXPECT_NE(streams.Take(8, false), nullptr);
    EXPECT_EQ(pool.free_streams(), 0u);
  }
  EXPECT_EQ(pool.free_streams(), 2u);
  EXPECT_EQ(pool.stock().free(SendResource::kStream), 2u);
}

TEST(SendStreamsTest, FindsWhoWasStopped) {
  SendStreamPool pool(2, 1);
  Waiter waiter;
  SendStreams streams(pool, kLimits, waiter);
  streams.Take(0, false);
  EXPECT_EQ(streams.NextStopped(), nullptr);
  streams.Take(4, false)->stopped = true;
  EXPECT_EQ(streams.NextStopped(), streams.Find(4));
}

TEST(SendStreamsTest, WhoFindsNoPlaceHasTheNextOnesInTurn) {
  SendStreamPool pool(1, 1);
  Waiter waiter;
  SendStreams streams(pool, kLimits, waiter);
  SendStream* only = streams.Take(0, false);
  EXPECT_EQ(streams.Take(4, false), nullptr);
  EXPECT_EQ(streams.Take(8, true), nullptr);
  // Asking again is no second wait, and counts as what is asked for last.
  EXPECT_EQ(streams.Take(4, true), nullptr);
  EXPECT_EQ(streams.waits_lost(), 0u);
  EXPECT_EQ(streams.Take(12, false), nullptr);
  EXPECT_EQ(streams.waits_lost(), 1u) << "two may wait";
  EXPECT_THAT(PlacesOf(streams), ElementsAre());
  EXPECT_EQ(waiter.told, 0);
  streams.Forget(*only);
  EXPECT_EQ(waiter.told, 1);
  const std::optional<SendStreams::Waiting> next = streams.NextPlace();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->id, 4);
  EXPECT_TRUE(next->fin);
  only = streams.Take(4, false);
  ASSERT_NE(only, nullptr);
  EXPECT_THAT(PlacesOf(streams), ElementsAre());
  streams.Forget(*only);
  EXPECT_EQ(waiter.told, 2);
  EXPECT_THAT(PlacesOf(streams), ElementsAre(8));
}

TEST(SendStreamsTest, WhoIsGoneWaitsNoMore) {
  SendStreamPool pool(1, 1);
  Waiter waiter;
  SendStreams streams(pool, kLimits, waiter);
  SendStream* only = streams.Take(0, false);
  streams.Take(4, false);
  streams.Take(8, false);
  streams.ForgetWaiting(4);
  streams.ForgetWaiting(16);
  streams.Forget(*only);
  EXPECT_THAT(PlacesOf(streams), ElementsAre(8));
  streams.Take(0, false);
  streams.Take(4, false);
  const int told = waiter.told;
  streams.ForgetAll();
  EXPECT_EQ(waiter.told, told) << "it wants nothing any more";
  EXPECT_THAT(PlacesOf(streams), ElementsAre());
}

TEST(SendStreamsTest, FindsWhoWaitsForRoomAndHasItInTurn) {
  SendStreamPool pool(2, 2);
  Waiter waiter;
  SendStreams streams(pool, kLimits, waiter);
  streams.Take(0, false)->Append(Bytes(2048), 5000);
  streams.Take(4, false)->Append(Bytes(10), 5000);
  EXPECT_EQ(streams.NextWithRoom(5000), nullptr) << "the pool is empty";
  streams.Find(0)->Append(Bytes(10), 5000);
  SendStream* first = streams.Find(0);
  first->Sent(2048, false);
  first->Acknowledge(SendStreamPool::kBlockSize);
  EXPECT_EQ(waiter.told, 1);
  EXPECT_EQ(streams.NextWithRoom(5000), first);
  EXPECT_EQ(first->Append(Bytes(2000), 5000), SendStreamPool::kBlockSize);
  EXPECT_EQ(streams.NextWithRoom(5000), nullptr);
  first->Acknowledge(2 * SendStreamPool::kBlockSize);
  EXPECT_EQ(waiter.told, 2);
  EXPECT_EQ(streams.NextWithRoom(5000), streams.Find(4)) << "it waits for longer";
}

TEST(SendStreamsTest, RoomBelowAStreamsLimitIsNoneWhileThePoolIsEmpty) {
  SendStreamPool pool(2, 2);
  Waiter waiter;
  SendStreams streams(pool, kLimits, waiter);
  SendStreams others(pool, kLimits, waiter);
  SendStream* stream = streams.Take(0, false);
  EXPECT_EQ(stream->Append(Bytes(2000), SendStreamPool::kBlockSize), SendStreamPool::kBlockSize);
  SendStream* other = others.Take(0, false);
  EXPECT_EQ(other->Append(Bytes(1), 100), 1u);
  stream->Sent(1, false);
  stream->Acknowledge(1);
  // It never asked the pool for what it may have now, and is told nevertheless.
  EXPECT_EQ(streams.NextWithRoom(SendStreamPool::kBlockSize), nullptr);
  others.Forget(*other);
  EXPECT_EQ(waiter.told, 1);
  EXPECT_EQ(streams.NextWithRoom(SendStreamPool::kBlockSize), stream);
}

}  // namespace
}  // namespace sluice
