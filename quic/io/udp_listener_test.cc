#include "quic/io/udp_listener.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/io/command_queue.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "quic/io/testing/listener_world.h"
#include "quic/server/endpoint_verdict.h"

namespace sluice {
namespace {

using Client = ListenerWorld::Client;

const UdpAddress kLoopback4 = UdpAddress::V4({127, 0, 0, 1}, 0);
const UdpAddress kLoopback6 = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0);

bool Connected(ListenerWorld& world, Client& client) {
  return world.RunUntil([&] { return client.peer.connected; });
}

uint64_t Count(const ListenerCounters& counters, EndpointVerdict verdict) {
  return counters.verdicts[static_cast<size_t>(verdict)];
}

TEST(UdpListenerTest, AClientConnectsAndItsStreamComesBack) {
  for (const UdpAddress& address : {kLoopback4, kLoopback6}) {
    ListenerWorld world({.address = address});
    Client& client = world.Connect();
    ASSERT_TRUE(Connected(world, client));
    EXPECT_TRUE(world.Echoes(client, 1000));
    EXPECT_TRUE(world.RunUntil([&] { return world.listener->counters().connections == 1; }));
    EXPECT_EQ(Count(world.listener->counters(), EndpointVerdict::kAccepted), 1u);
  }
}

TEST(UdpListenerTest, AnswersComeFromTheAddressThatWasAsked) {
  ListenerWorld world({.address = UdpAddress::V4({0, 0, 0, 0}, 0)});
  const uint16_t port = world.listener->local_address().port();
  Client& client = world.Connect(UdpAddress::V4({127, 0, 0, 2}, port));
  ASSERT_TRUE(Connected(world, client));
  EXPECT_TRUE(world.Echoes(client, 1000));
  EXPECT_EQ(client.peer.connection->path().remote, UdpAddress::V4({127, 0, 0, 2}, port));
}

TEST(UdpListenerTest, LongAnswersArriveWholeWithAndWithoutSegmentation) {
  for (const UdpAddress& address : {kLoopback4, kLoopback6}) {
    for (const bool segmentation : {true, false}) {
      ListenerWorld world({.address = address, .segmentation = segmentation});
      Client& client = world.Connect();
      ASSERT_TRUE(Connected(world, client));
      for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.Echoes(client, 50'000));
      world.listener->Stop(TimeDelta::Zero());
      const ListenerCounters counters = world.listener->counters();
      EXPECT_EQ(counters.send.segmented > 0, segmentation);
      EXPECT_GT(counters.send.sent, 5u * 50'000 / 1472);
      EXPECT_EQ(counters.receive.unusable, 0u);
    }
  }
}

TEST(UdpListenerTest, AHundredConnectionsAtOnce) {
  ListenerWorld world({.address = kLoopback4});
  for (int i = 0; i < 100; ++i) world.Connect();
  ASSERT_TRUE(world.RunUntil([&] {
    return std::all_of(world.clients.begin(), world.clients.end(),
                       [](const auto& client) { return client->peer.connected; });
  }));
  for (const auto& client : world.clients) EXPECT_TRUE(world.Echoes(*client, 2000));
  EXPECT_TRUE(world.RunUntil([&] {
    const ListenerCounters counters = world.listener->counters();
    return counters.connections == 100 && counters.half_open == 0;
  }));
}

TEST(UdpListenerTest, CommandsRunOnItsThreadWithItsEndpoint) {
  ListenerWorld world({.address = kLoopback4});
  Client& client = world.Connect();
  ASSERT_TRUE(Connected(world, client));
  size_t connections = 0;
  absl::Notification done;
  ASSERT_TRUE(world.listener->Post([&](ListenerTurn& turn) {
    connections = turn.endpoint.connections();
    done.Notify();
  }));
  done.WaitForNotification();
  EXPECT_EQ(connections, 1u);
  world.listener->Stop(TimeDelta::Zero());
  EXPECT_EQ(world.listener->counters().commands, 1u);
  EXPECT_FALSE(world.listener->Post([](ListenerTurn&) {}));
  EXPECT_EQ(world.listener->counters().commands_refused, 1u);
}

TEST(UdpListenerTest, NewClientsAreRefusedAfterStopAcceptingAndOldOnesGoOn) {
  ListenerWorld world({.address = kLoopback4});
  Client& old = world.Connect();
  ASSERT_TRUE(Connected(world, old));
  world.listener->StopAccepting();
  Client& late = world.Connect();
  ASSERT_TRUE(world.RunUntil([&] { return late.peer.closed.has_value(); }));
  EXPECT_FALSE(late.peer.connected);
  EXPECT_TRUE(world.Echoes(old, 1000));
  world.listener->Stop(TimeDelta::Zero());
  EXPECT_GE(Count(world.listener->counters(), EndpointVerdict::kRefusedClosing), 1u);
}

TEST(UdpListenerTest, WhoIsWokenSaysWhatOtherThreadsHaveReady) {
  ListenerWorld world({.address = kLoopback4});
  Client& client = world.Connect();
  ASSERT_TRUE(Connected(world, client));
  world.Hold();
  const std::optional<StreamId> id = client.peer.connection->OpenBidirectional();
  ASSERT_TRUE(id.has_value());
  world.Say(client, *id, std::vector<uint8_t>(3000, 1));
  ASSERT_TRUE(world.RunUntil([&] { return world.bytes_held() == 3000; }));
  EXPECT_EQ(client.peer.streams[*id].data.size(), 0u);
  world.Release();
  EXPECT_TRUE(world.RunUntil([&] { return client.peer.streams[*id].fin; }));
  EXPECT_EQ(client.peer.streams[*id].data.size(), 3000u);
}

TEST(UdpListenerTest, EachWakeIsFollowedByATurn) {
  ListenerWorld world({.address = kLoopback4});
  for (int i = 0; i < 100; ++i) {
    const uint64_t before = world.turns();
    world.listener->Wake();
    ASSERT_TRUE(world.RunUntil([&] { return world.turns() > before; }));
  }
}

TEST(UdpListenerTest, WhoHasNothingLeftIsToldAtOnceAndTheDrainEnds) {
  ListenerWorld world({.address = kLoopback4});
  for (int i = 0; i < 5; ++i) world.Connect();
  for (const auto& client : world.clients) ASSERT_TRUE(Connected(world, *client));
  // Would not come back in the time of a test if it waited.
  world.listener->Stop(TimeDelta::Minutes(60));
  ASSERT_TRUE(world.RunUntil([&] {
    return std::all_of(world.clients.begin(), world.clients.end(),
                       [](const auto& client) { return client->peer.closed.has_value(); });
  }));
  for (const auto& client : world.clients) {
    EXPECT_EQ(client->peer.closed->code, ListenerWorld::kNoError);
  }
}

TEST(UdpListenerTest, WhoIsLeftAtTheDeadlineIsToldTheCode) {
  ListenerWorld world({.address = kLoopback4});
  for (int i = 0; i < 5; ++i) world.Connect();
  for (const auto& client : world.clients) {
    ASSERT_TRUE(Connected(world, *client));
    // Busy: what comes back is under way.
    const std::optional<StreamId> id = client->peer.connection->OpenBidirectional();
    ASSERT_TRUE(id.has_value());
    client->peer.connection->Write(*id, std::vector<uint8_t>(40'000), false);
    client->peer.connection->Flush(MonotonicNow(), client->peer.out);
  }
  world.listener->Stop(TimeDelta::Zero());
  ASSERT_TRUE(world.RunUntil([&] {
    return std::all_of(world.clients.begin(), world.clients.end(),
                       [](const auto& client) { return client->peer.closed.has_value(); });
  }));
  for (const auto& client : world.clients) {
    EXPECT_EQ(client->peer.closed->code, ListenerWorld::kNoError);
  }
}

TEST(UdpListenerTest, ADrainEndsWhenTheLastClientHasLeft) {
  ListenerWorld world({.address = kLoopback4});
  Client& client = world.Connect();
  ASSERT_TRUE(Connected(world, client));
  client.peer.connection->Close(MonotonicNow(), 0, client.peer.out);
  ASSERT_TRUE(world.RunUntil([&] { return world.listener->counters().connections == 0; }));
  // Would not come back in the time of a test if it waited.
  world.listener->Stop(TimeDelta::Minutes(60));
  world.listener->Stop(TimeDelta::Minutes(60));
}

TEST(UdpListenerTest, WhatCannotStartSaysWhy) {
  ListenerWorld world({.address = kLoopback4});
  const auto holder = DatagramSocket::Open(kLoopback4);
  ASSERT_TRUE(holder.ok()) << holder.status();
  EXPECT_EQ(world.TryAnother({.address = holder->local_address()}).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(world.TryAnother({.address = kLoopback4, .endpoint = {.thread = 1}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(world.TryAnother({.address = kLoopback4}).ok());
}

}  // namespace
}  // namespace sluice
