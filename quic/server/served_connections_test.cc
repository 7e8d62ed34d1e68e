#include "quic/server/served_connections.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/server/served_connection.h"
#include "quic/server/testing/endpoint_world.h"
#include "quic/server/turn_work.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using Client = EndpointWorld::Client;

constexpr uint64_t kNoError = 33;
constexpr uint64_t kExcessiveLoad = 44;
constexpr uint32_t kFruitlessPerSecond = 20;
const TimeDelta kShortly = TimeDelta::Millis(50);

// Keeps what comes until it is told to send it back.
class Keeper : public ServedConnection {
 public:
  Keeper(std::set<Keeper*>& all, QuicConnection& connection) : all_(all), connection_(&connection) {
    all_.insert(this);
  }
  ~Keeper() override { all_.erase(this); }

  void OnStreamOpened(StreamId) override { ++open_streams_; }
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool) override {
    connection_->Consume(id, data.size());
    kept_.insert(kept_.end(), data.begin(), data.end());
    broken = breaks_with_;
    if (fin) stream_ = id;
  }
  void OnStreamReset(StreamId, uint64_t) override { ++given_up_; }
  void OnStreamClosed(StreamId) override { --open_streams_; }
  void OnClosed(const CloseReason&) override { connection_ = nullptr; }

  void HandleTimeout(Timestamp now) override {
    timeouts.push_back(now);
    timeout = Timestamp::PlusInfinity();
  }
  Timestamp NextTimeout() const override { return timeout; }
  bool TakeUnsent() override { return std::exchange(unsent_, false); }
  void Drain() override { draining_ = true; }
  bool drained() const override { return draining_ && open_streams_ == 0; }
  QuicConnection* connection() const override { return connection_; }
  std::optional<uint64_t> failure() const override { return broken; }
  uint64_t fruitless_streams() const override { return given_up_; }
  uint64_t excessive_load() const override { return kExcessiveLoad; }

  // Outside of events.
  void Answer() {
    if (!stream_.has_value() || connection_ == nullptr) return;
    connection_->Write(*stream_, kept_, true);
    stream_.reset();
    unsent_ = true;
    Touch();
  }
  void SetTimeout(Timestamp time) {
    timeout = time;
    Touch();
  }
  bool asked() const { return stream_.has_value(); }
  // What comes next breaks a rule.
  void BreakWith(uint64_t code) { breaks_with_ = code; }

  std::vector<Timestamp> timeouts;
  Timestamp timeout = Timestamp::PlusInfinity();
  std::optional<uint64_t> broken;

 private:
  std::set<Keeper*>& all_;
  QuicConnection* connection_;
  std::vector<uint8_t> kept_;
  std::optional<StreamId> stream_;
  std::optional<uint64_t> breaks_with_;
  int open_streams_ = 0;
  uint64_t given_up_ = 0;
  bool unsent_ = false;
  bool draining_ = false;
};

class KeeperProtocol : public ConnectionProtocol {
 public:
  explicit KeeperProtocol(absl::string_view name) : name_(name) {}
  absl::string_view name() const override { return name_; }
  uint64_t no_error() const override { return kNoError; }
  std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override {
    if (refuses) return nullptr;
    return std::make_unique<Keeper>(keepers, connection);
  }
  void OnTurnEnd() override { ++turns; }

  std::set<Keeper*> keepers;
  bool refuses = false;
  int turns = 0;

 private:
  const absl::string_view name_;
};

// Answers whoever was asked, when told to.
class AnswerWork : public TurnWork {
 public:
  explicit AnswerWork(KeeperProtocol& protocol) : protocol_(protocol) {}
  void OnTurn(Timestamp) override {
    if (!std::exchange(due, false)) return;
    for (Keeper* const keeper : protocol_.keepers) keeper->Answer();
  }
  bool due = false;

 private:
  KeeperProtocol& protocol_;
};

class ServedConnectionsTest : public testing::Test {
 protected:
  explicit ServedConnectionsTest(uint32_t capacity = 256)
      : served_({.capacity = capacity,
                 .protocols = {&other_, &echo_},
                 .works = {&work_},
                 .fruitless_per_second = kFruitlessPerSecond},
                now_) {
    world_.application = &served_;
  }
  ~ServedConnectionsTest() override { world_.endpoint.reset(); }

  Client& Connect() {
    const auto number = static_cast<uint8_t>(world_.clients.size());
    return world_.Connect(UdpAddress::V4({10, 0, 0, number}, 4000));
  }
  // ... and its handshake is done.
  Client& Connected() {
    Client& client = Connect();
    world_.Run(kShortly);
    EXPECT_TRUE(client.peer.connected);
    return client;
  }
  StreamId Ask(Client& client) {
    const auto id = client.peer.connection->OpenBidirectional();
    client.peer.connection->Write(*id, std::vector<uint8_t>(100, 1), true);
    client.peer.connection->Flush(world_.now, client.peer.out);
    return *id;
  }
  // Asks `count` times and gives up each time, as fast as the server lets streams be opened.
  void AskAndGiveUp(Client& client, uint32_t count) {
    for (uint32_t i = 0; i < count && !client.peer.closed.has_value(); ++i) {
      const StreamId id = Ask(client);
      client.peer.connection->Reset(id, 0);
      client.peer.connection->StopSending(id, 0);
      client.peer.connection->Flush(world_.now, client.peer.out);
      world_.Run(TimeDelta::Millis(5));
    }
  }
  // A turn without anything from outside.
  void Turn() {
    served_.BeginTurn(world_.now);
    world_.EndTurn();
  }
  ServedProtocolCounters echo() { return served_.counters().protocols[1]; }
  uint64_t ended(CloseCause cause) { return echo().ended[static_cast<size_t>(cause)]; }

  Timestamp now_ = Timestamp::Zero();
  KeeperProtocol other_{"other"};
  KeeperProtocol echo_{"echo"};
  AnswerWork work_{echo_};
  EndpointWorld world_;
  ServedConnections served_;
};

TEST_F(ServedConnectionsTest, TheProtocolThatWasAgreedOnServesAConnectionUntilItsEnd) {
  Client& client = Connected();
  EXPECT_EQ(echo_.keepers.size(), 1u);
  EXPECT_EQ(other_.keepers.size(), 0u);
  EXPECT_EQ(echo().name, "echo");
  EXPECT_EQ(echo().accepted, 1u);
  EXPECT_EQ(served_.counters().connections, 1u);
  Turn();
  EXPECT_EQ(now_, world_.now) << "the time of the turn";
  EXPECT_GT(echo_.turns, 0);
  client.peer.connection->Close(world_.now, 5, client.peer.out);
  world_.Run(kShortly);
  EXPECT_EQ(echo_.keepers.size(), 0u);
  EXPECT_EQ(ended(CloseCause::kRemoteApplication), 1u);
  EXPECT_EQ(served_.counters().connections, 0u);
}

TEST_F(ServedConnectionsTest, WhatWasSaidOutsideOfEventsLeavesWithTheTurn) {
  Client& client = Connected();
  const StreamId id = Ask(client);
  world_.Run(kShortly);
  EXPECT_EQ(client.peer.streams[id].data.size(), 0u);
  work_.due = true;
  Turn();
  world_.Run(kShortly);
  EXPECT_EQ(client.peer.streams[id].data.size(), 100u);
}

TEST_F(ServedConnectionsTest, ADeadlineIsKeptOnceAndNotBefore) {
  Connected();
  Connected();
  Keeper& keeper = **echo_.keepers.begin();
  const Timestamp due = world_.now + TimeDelta::Millis(100);
  keeper.SetTimeout(due + TimeDelta::Seconds(50));
  Turn();
  keeper.SetTimeout(due);
  Turn();
  EXPECT_EQ(served_.NextTimeout(), due);
  world_.Run(TimeDelta::Millis(99));
  EXPECT_TRUE(keeper.timeouts.empty());
  world_.Run(TimeDelta::Millis(100));
  EXPECT_EQ(keeper.timeouts, std::vector{due});
  EXPECT_EQ(served_.NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_EQ(served_.counters().timeouts, 1u);
}

TEST_F(ServedConnectionsTest, ATurnLooksOnlyAtThoseThatSomethingHappenedTo) {
  constexpr uint64_t kClients = 200;
  for (uint64_t i = 0; i < kClients; ++i) Connect();
  world_.Run(TimeDelta::Seconds(1));
  ASSERT_EQ(served_.counters().connections, kClients);
  const uint64_t before = served_.counters().visits;
  for (int i = 0; i < 1000; ++i) Turn();
  EXPECT_EQ(served_.counters().visits, before) << "idle ones";
  Ask(*world_.clients[7]);
  world_.Run(kShortly);
  work_.due = true;
  Turn();
  world_.Run(kShortly);
  // A handful: the request, the answer, its acknowledgement.
  EXPECT_GT(served_.counters().visits, before);
  EXPECT_LE(served_.counters().visits, before + 8);
  const uint64_t asked = served_.counters().visits;
  (*echo_.keepers.begin())->SetTimeout(world_.now + TimeDelta::Millis(10));
  Turn();
  world_.Run(kShortly);
  EXPECT_EQ(served_.counters().visits, asked + 2) << "a new deadline, and its time";
}

TEST_F(ServedConnectionsTest, TurnsAndDeadlinesAllocateNothing) {
  for (int i = 0; i < 20; ++i) Connected();
  Turn();
  for (Keeper* const keeper : echo_.keepers) keeper->timeouts.reserve(100);
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 100; ++i) {
    for (Keeper* const keeper : echo_.keepers) keeper->SetTimeout(world_.now);
    Turn();
    Turn();
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_EQ(served_.counters().timeouts, 20u * 100);
}

TEST_F(ServedConnectionsTest, WhatDoesNotFitIntoATurnGoesInTheNext) {
  world_.outbox_size = 8;
  std::vector<StreamId> streams;
  for (int i = 0; i < 40; ++i) Connected();
  for (const auto& client : world_.clients) streams.push_back(Ask(*client));
  world_.Run(kShortly);
  work_.due = true;
  Turn();
  EXPECT_GE(served_.counters().postponed, 30u);
  EXPECT_EQ(served_.NextTimeout(), Timestamp::MinusInfinity());
  world_.Run(kShortly);
  for (size_t i = 0; i < streams.size(); ++i) {
    EXPECT_EQ(world_.clients[i]->peer.streams[streams[i]].data.size(), 100u) << i;
  }
  EXPECT_EQ(served_.NextTimeout(), Timestamp::PlusInfinity());
}

TEST_F(ServedConnectionsTest, WhoBreaksARuleIsToldWhichAndNobodyElse) {
  Client& good = Connected();
  Client& bad = Connected();
  const StreamId id = Ask(good);
  world_.Run(kShortly);
  for (Keeper* const keeper : echo_.keepers) {
    if (!keeper->asked()) keeper->BreakWith(77);
  }
  Ask(bad);
  world_.Run(kShortly);
  EXPECT_EQ(bad.peer.closed, (CloseReason{CloseCause::kRemoteApplication, 77}));
  EXPECT_EQ(served_.counters().broken, 1u);
  EXPECT_EQ(ended(CloseCause::kLocalApplication), 1u);
  work_.due = true;
  Turn();
  world_.Run(kShortly);
  EXPECT_EQ(good.peer.streams[id].data.size(), 100u);
}

TEST_F(ServedConnectionsTest, WhoGivesUpWhatItAsksForAllTheTimeIsClosedAndNobodyElse) {
  Client& good = Connected();
  Client& bad = Connected();
  AskAndGiveUp(good, kFruitlessPerSecond);
  EXPECT_FALSE(good.peer.closed.has_value());
  // Half of what a second has comes back.
  AskAndGiveUp(bad, kFruitlessPerSecond);
  world_.Run(TimeDelta::Millis(500));
  AskAndGiveUp(bad, kFruitlessPerSecond / 2);
  EXPECT_FALSE(bad.peer.closed.has_value());
  AskAndGiveUp(bad, kFruitlessPerSecond);
  EXPECT_EQ(bad.peer.closed, (CloseReason{CloseCause::kRemoteApplication, kExcessiveLoad}));
  EXPECT_EQ(served_.counters().overloading, 1u);
  EXPECT_EQ(served_.counters().broken, 0u);
  EXPECT_FALSE(good.peer.closed.has_value());
}

TEST_F(ServedConnectionsTest, DrainClosesWhoHasNothingLeftAndWaitsForOthers) {
  Client& idle = Connected();
  Client& busy = Connected();
  const StreamId id = Ask(busy);
  world_.Run(kShortly);
  served_.Drain();
  Turn();
  world_.Run(TimeDelta::Seconds(1));
  EXPECT_EQ(idle.peer.closed, (CloseReason{CloseCause::kRemoteApplication, kNoError}));
  EXPECT_FALSE(busy.peer.closed.has_value());
  work_.due = true;
  Turn();
  world_.Run(TimeDelta::Seconds(1));
  EXPECT_EQ(busy.peer.streams[id].data.size(), 100u);
  EXPECT_EQ(busy.peer.closed, (CloseReason{CloseCause::kRemoteApplication, kNoError}));
  EXPECT_EQ(served_.counters().drained, 2u);
  EXPECT_EQ(ended(CloseCause::kLocalApplication), 2u);
  EXPECT_TRUE(echo_.keepers.empty());
  // Whose handshake was under way.
  Client& late = Connect();
  world_.Run(TimeDelta::Seconds(1));
  EXPECT_EQ(late.peer.closed, (CloseReason{CloseCause::kRemoteApplication, kNoError}));
}

TEST_F(ServedConnectionsTest, ClosesAllInSteps) {
  for (int i = 0; i < 20; ++i) Ask(Connected());
  world_.Run(kShortly);
  DatagramOutbox out(8);
  int steps = 1;
  for (; !served_.CloseSome({world_.now, *world_.endpoint, out}); ++steps) out.Clear();
  EXPECT_EQ(steps, 3);
  Turn();
  EXPECT_EQ(ended(CloseCause::kLocalApplication), 20u);
  EXPECT_TRUE(echo_.keepers.empty());
}

TEST_F(ServedConnectionsTest, WhatAProtocolWillNotServeIsClosedAndCounted) {
  echo_.refuses = true;
  Client& client = Connect();
  world_.Run(TimeDelta::Seconds(1));
  EXPECT_TRUE(client.peer.closed.has_value());
  EXPECT_EQ(echo().refused, 1u);
  EXPECT_EQ(echo().accepted, 0u);
  EXPECT_EQ(served_.counters().connections, 0u);
}

TEST_F(ServedConnectionsTest, WhatNobodySpeaksIsClosedAndCounted) {
  KeeperProtocol other("other");
  ServedConnections served({.capacity = 8, .protocols = {&other}}, now_);
  world_.application = &served;
  Client& client = Connect();
  world_.Run(TimeDelta::Seconds(1));
  EXPECT_TRUE(client.peer.closed.has_value());
  EXPECT_EQ(served.counters().unknown_protocol, 1u);
  world_.endpoint.reset();
}

// With room for one.
class CrampedServedConnectionsTest : public ServedConnectionsTest {
 protected:
  CrampedServedConnectionsTest() : ServedConnectionsTest(1) {}
};

TEST_F(CrampedServedConnectionsTest, MoreThanThereIsRoomForAreRefused) {
  Client& first = Connected();
  Client& second = Connect();
  world_.Run(TimeDelta::Seconds(1));
  EXPECT_TRUE(second.peer.closed.has_value());
  EXPECT_EQ(echo().refused, 1u);
  EXPECT_FALSE(first.peer.closed.has_value());
}

TEST_F(CrampedServedConnectionsTest, APlaceIsGivenAgainWithinTheTurn) {
  Client& first = Connected();
  world_.makes_turns = false;
  first.peer.connection->Close(world_.now, 0, first.peer.out);
  world_.Run(kShortly);
  EXPECT_EQ(echo_.keepers.size(), 1u);
  Client& second = Connect();
  world_.Run(kShortly);
  EXPECT_TRUE(second.peer.connected);
  EXPECT_EQ(echo_.keepers.size(), 1u);
  world_.EndTurn();
  world_.makes_turns = true;
  Ask(second);
  world_.Run(kShortly);
  ASSERT_EQ(echo_.keepers.size(), 1u);
  EXPECT_TRUE((*echo_.keepers.begin())->asked());
  EXPECT_EQ(echo().accepted, 2u);
}

}  // namespace
}  // namespace sluice
