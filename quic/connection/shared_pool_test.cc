#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/testing/connection_pair.h"
#include "quic/connection/testing/test_peer.h"

namespace sluice {
namespace {

// What a server's connections do to each other that have one pool, in virtual time.

constexpr TimeDelta kStep = TimeDelta::Millis(1);

// A client, its connection to the server, and what the server has to say on it.
class Visitor : public ConnectionPair {
 public:
  Visitor(SendStreamPool& pool, const ConnectionLimits& limits) {
    server_.shared_pool = &pool;
    server_.limits = limits;
    server_.on_writable = [this](StreamId id) { Continue(id); };
    Connect();
  }
  void TestBody() override {}

  // A stream on which the server is to send `size` bytes and the end.
  StreamId Ask(size_t size) {
    const StreamId id = client_.connection->OpenBidirectional().value();
    client_.connection->Write(id, Text("?"), true);
    client_.connection->Flush(link_.now, client_.out);
    left_.resize(static_cast<size_t>(id / 4) + 1);
    left_[static_cast<size_t>(id / 4)] = size;
    RunAlone(TimeDelta::Millis(100));
    return id;
  }
  // Tries for the first time.
  void Begin(StreamId id) {
    Continue(id);
    server_.connection->Flush(link_.now, server_.out);
  }
  // As who owns connections does: those for which there is room are flushed.
  void Step() {
    if (server_.room_came) {
      server_.room_came = false;
      ++told_;
      server_.connection->Flush(link_.now, server_.out);
    }
    link_.RunFor(kStep);
  }
  // Nothing of the server's arrives from now on, or everything does.
  void SetDeaf(bool deaf) {
    link_.pass = [deaf](bool from_client, size_t) { return from_client || !deaf; };
  }
  bool Has(StreamId id, size_t size) {
    const TestPeer::Stream& stream = client_.streams[id];
    return stream.fin && stream.data == Bytes(size, 'x');
  }
  size_t got(StreamId id) { return client_.streams[id].data.size(); }
  int writable(StreamId id) { return server_.streams[id].writable; }
  int told() const { return told_; }
  const ConnectionCounters& counters() { return server_.connection->counters(); }
  void Leave() { server_.connection.reset(); }

 private:
  void RunAlone(TimeDelta time) { link_.RunFor(time); }
  void Continue(StreamId id) {
    size_t& left = left_[static_cast<size_t>(id / 4)];
    // More than any stream takes at once.
    const size_t offered = std::min<size_t>(left, 128 * 1024);
    left -= server_.connection->Write(id, Bytes(offered, 'x'), offered == left);
  }

  std::vector<size_t> left_;
  int told_ = 0;
};

void RunAll(const std::vector<Visitor*>& visitors, TimeDelta time) {
  for (TimeDelta passed = TimeDelta::Zero(); passed < time; passed = passed + kStep) {
    for (Visitor* visitor : visitors) visitor->Step();
  }
}

TEST(SharedPoolTest, OneConnectionCannotHaveItAll) {
  SendStreamPool pool(16, 64);
  const ConnectionLimits limits = WithinPool({}, 16, 64);
  Visitor hog(pool, limits);
  Visitor neighbour(pool, limits);
  std::vector<StreamId> answers;
  for (int i = 0; i < 4; ++i) answers.push_back(hog.Ask(100'000));
  const StreamId call = neighbour.Ask(100'000);
  hog.SetDeaf(true);
  for (const StreamId id : answers) hog.Begin(id);
  EXPECT_EQ(pool.free_blocks(), 48u);
  EXPECT_GT(pool.counters().blocks_over_share, 0u);
  EXPECT_EQ(pool.counters().no_block, 0u);
  neighbour.Begin(call);
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(2));
  EXPECT_TRUE(neighbour.Has(call, 100'000));
  // It loses nothing by it but time.
  hog.SetDeaf(false);
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(20));
  for (const StreamId id : answers) EXPECT_TRUE(hog.Has(id, 100'000)) << id;
  EXPECT_EQ(pool.free_blocks(), 64u);
}

TEST(SharedPoolTest, WhoFindsItEmptyIsToldWhenTheOthersBytesArrive) {
  SendStreamPool pool(16, 32);
  Visitor hog(pool, {});
  Visitor neighbour(pool, {});
  const StreamId much = hog.Ask(2'000'000);
  const StreamId call = neighbour.Ask(20'000);
  hog.Begin(much);
  EXPECT_EQ(pool.free_blocks(), 0u);
  neighbour.Begin(call);
  EXPECT_EQ(neighbour.counters().writes_cut, 1u);
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(1));
  // The hog writes whenever it may, and does not keep the neighbour from its turn.
  EXPECT_TRUE(neighbour.Has(call, 20'000));
  EXPECT_GE(neighbour.writable(call), 20);
  EXPECT_LT(hog.got(much), 2'000'000u) << "it is not because the hog was through";
}

TEST(SharedPoolTest, BothHaveTheSameWhenBothWantMore) {
  SendStreamPool pool(16, 32);
  Visitor hog(pool, {});
  Visitor neighbour(pool, {});
  const StreamId much = hog.Ask(3'000'000);
  const StreamId as_much = neighbour.Ask(3'000'000);
  hog.Begin(much);
  neighbour.Begin(as_much);
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(1));
  const size_t before[] = {hog.got(much), neighbour.got(as_much)};
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(4));
  const auto one = static_cast<double>(hog.got(much) - before[0]);
  const auto other = static_cast<double>(neighbour.got(as_much) - before[1]);
  EXPECT_GT(one, 100'000);
  EXPECT_GT(other, one * 0.6);
  EXPECT_LT(other, one / 0.6);
}

TEST(SharedPoolTest, AStreamThatFindsNoPlaceIsToldToo) {
  SendStreamPool pool(1, 32);
  Visitor hog(pool, {});
  Visitor neighbour(pool, {});
  const StreamId first = hog.Ask(1000);
  const StreamId call = neighbour.Ask(1000);
  const StreamId end = neighbour.Ask(0);
  hog.Begin(first);
  neighbour.Begin(call);
  neighbour.Begin(end);
  EXPECT_EQ(pool.counters().no_stream, 2u);
  EXPECT_EQ(neighbour.writable(call), 0);
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(1));
  EXPECT_TRUE(hog.Has(first, 1000));
  EXPECT_TRUE(neighbour.Has(call, 1000));
  EXPECT_EQ(neighbour.writable(call), 1);
  // An end alone needs nobody to be asked again.
  EXPECT_TRUE(neighbour.Has(end, 0));
  EXPECT_EQ(neighbour.writable(end), 0);
  EXPECT_EQ(pool.free_streams(), 1u);
}

TEST(SharedPoolTest, WhatOneLeavesBehindIsTheOthers) {
  SendStreamPool pool(16, 32);
  auto hog = std::make_unique<Visitor>(pool, ConnectionLimits{});
  Visitor neighbour(pool, {});
  const StreamId much = hog->Ask(100'000);
  const StreamId call = neighbour.Ask(20'000);
  hog->SetDeaf(true);
  hog->Begin(much);
  neighbour.Begin(call);
  RunAll({&neighbour}, TimeDelta::Seconds(1));
  EXPECT_EQ(neighbour.got(call), 0u);
  EXPECT_EQ(neighbour.told(), 0);
  hog->Leave();
  RunAll({&neighbour}, TimeDelta::Seconds(1));
  EXPECT_TRUE(neighbour.Has(call, 20'000));
  EXPECT_GE(neighbour.told(), 1);
  EXPECT_EQ(pool.free_blocks(), 32u);
}

TEST(SharedPoolTest, WhoWaitsAndGoesIsNotWaitedFor) {
  SendStreamPool pool(16, 32);
  Visitor hog(pool, {});
  Visitor gone(pool, {});
  Visitor neighbour(pool, {});
  const StreamId much = hog.Ask(100'000);
  const StreamId never = gone.Ask(20'000);
  const StreamId call = neighbour.Ask(20'000);
  hog.Begin(much);
  gone.Begin(never);
  neighbour.Begin(call);
  gone.Leave();
  RunAll({&hog, &neighbour}, TimeDelta::Seconds(3));
  EXPECT_TRUE(hog.Has(much, 100'000));
  EXPECT_TRUE(neighbour.Has(call, 20'000));
  EXPECT_EQ(pool.free_blocks(), 32u);
}

}  // namespace
}  // namespace sluice
