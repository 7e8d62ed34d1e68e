#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/endpoint_verdict.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/testing/endpoint_world.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Verdict = EndpointVerdict;

// Restarts, threads, the end, and whatever else comes to a port.

UdpAddress Host(uint8_t host, uint16_t port = 4000) {
  return UdpAddress::V4({10, 0, 0, host}, port);
}

// A packet with a short header to a connection of `thread` that nobody has.
Bytes ShortTo(uint8_t thread, size_t size) {
  Bytes packet(size, 0x33);
  packet[0] = 0x40;
  packet[1] = thread;
  return packet;
}

TEST(EndpointLifeTest, ARestartIsToldToClientsThatAreLeft) {
  EndpointWorld world;
  EndpointWorld::Client& client = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(200));
  ASSERT_TRUE(client.peer.connected);
  world.Restart({}, /*secret=*/1);
  world.Echoes(client);
  EXPECT_EQ(client.peer.closed, (CloseReason{CloseCause::kStatelessReset, 0}));
  EXPECT_GE(world.count(Verdict::kStatelessResetSent), 1u);
}

TEST(EndpointLifeTest, NobodyElseCanSaySo) {
  EndpointWorld world;
  EndpointWorld::Client& client = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(200));
  world.Restart({}, /*secret=*/2);
  world.Echoes(client);
  EXPECT_GE(world.count(Verdict::kStatelessResetSent), 1u);
  EXPECT_FALSE(client.peer.closed.has_value());
}

TEST(EndpointLifeTest, AResetIsSmallerThanItsCauseAndShortOnesHaveNone) {
  EndpointWorld world;
  for (size_t size = 17; size < 60; ++size) {
    const Verdict verdict = world.Give(Host(1), ShortTo(0, size)).verdict;
    if (size < 41) {
      EXPECT_EQ(verdict, Verdict::kUnknownConnection);
      EXPECT_TRUE(world.answers().empty());
    } else {
      EXPECT_EQ(verdict, Verdict::kStatelessResetSent);
      ASSERT_EQ(world.answers().size(), 1u);
      EXPECT_LT(world.answers()[0].size(), size);
    }
  }
  // Two servers that reset each other come to an end.
  Bytes ball = ShortTo(0, 1200);
  int rallies = 0;
  while (world.Give(Host(1), ball).verdict == Verdict::kStatelessResetSent) {
    ball = world.answers()[0];
    ++rallies;
  }
  EXPECT_LE(rallies, 4);
}

TEST(EndpointLifeTest, OtherThreadsConnectionsAreHandedOver) {
  EndpointOptions options;
  options.thread = 1;
  options.threads = 4;
  EndpointWorld world(options);
  const EndpointResult result = world.Give(Host(1), ShortTo(3, 100));
  EXPECT_EQ(result.verdict, Verdict::kOtherThread);
  EXPECT_EQ(result.thread, 3);
  EXPECT_TRUE(world.answers().empty());
  // There is no fifth thread, and our own is us.
  EXPECT_EQ(world.Give(Host(1), ShortTo(4, 100)).verdict, Verdict::kStatelessResetSent);
  EXPECT_EQ(world.Give(Host(1), ShortTo(1, 100)).verdict, Verdict::kStatelessResetSent);
  // Connections are called so that others can do the same.
  EndpointWorld::Client& client = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  ASSERT_TRUE(client.peer.connected);
  EXPECT_EQ(ngtcp2_conn_get_dcid(&client.peer.connection->ngtcp2())->data[0], 1);
}

TEST(EndpointLifeTest, WhoIsHereMayFinishWhenNobodyElseMayCome) {
  EndpointWorld world;
  EndpointWorld::Client& here = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  world.endpoint->StopAccepting();
  EndpointWorld::Client& late = world.Connect(Host(2));
  world.Run(TimeDelta::Millis(100));
  EXPECT_EQ(late.peer.closed, (CloseReason{CloseCause::kRemoteTransport, 0x02}));
  EXPECT_GE(world.count(Verdict::kRefusedClosing), 1u);
  EXPECT_TRUE(world.Echoes(here));
  DatagramOutbox out(8);
  EXPECT_TRUE(world.endpoint->CloseSome(world.now, 99, out));
  ASSERT_EQ(out.datagrams().size(), 1u);
  here.peer.connection->HandleDatagram(world.now, here.peer.connection->path(), Ecn::kNotEct,
                                       out.datagrams()[0].bytes, here.peer.out);
  EXPECT_EQ(here.peer.closed, (CloseReason{CloseCause::kRemoteApplication, 99}));
  world.Run(TimeDelta::Seconds(2));
  EXPECT_EQ(world.endpoint->connections(), 0u);
}

TEST(EndpointLifeTest, ClosingManyTakesAsManyRoundsAsTheOutboxNeeds) {
  EndpointWorld world;
  for (uint8_t i = 0; i < 10; ++i) world.Connect(Host(i));
  world.Run(TimeDelta::Millis(100));
  DatagramOutbox out(4);
  int rounds = 1;
  size_t sent = 0;
  while (!world.endpoint->CloseSome(world.now, 0, out)) {
    ++rounds;
    sent += out.datagrams().size();
    out.Clear();
  }
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(sent + out.datagrams().size(), 10u);
}

TEST(EndpointLifeTest, AFullOutboxDelaysAndLosesNothing) {
  EndpointWorld world;
  world.outbox_size = 1;
  for (uint8_t i = 0; i < 5; ++i) world.Connect(Host(i));
  world.Run(TimeDelta::Millis(300));
  for (const auto& client : world.clients) {
    EXPECT_TRUE(client->peer.connected);
    EXPECT_TRUE(world.Echoes(*client, 5000));
  }
}

TEST(EndpointLifeTest, JunkOfAnyKindLeavesNothingBehind) {
  EndpointWorld world;
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", world.random.seed()));
  EndpointWorld::Client& client = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  const Bytes initial = world.FirstDatagram(Host(2));
  for (int i = 0; i < 3000; ++i) {
    Bytes junk;
    switch (world.random.Below(3)) {
      case 0:  // Anything.
        junk.resize(world.random.Below(1500));
        world.random.Fill(absl::MakeSpan(junk));
        break;
      case 1: {  // A first packet with damage anywhere but in what the ClientHello is.
        junk = initial;
        for (int n = 0; n < 3; ++n) {
          junk[world.random.Below(60)] = static_cast<uint8_t>(world.random.NextU32());
        }
        break;
      }
      default:  // ... or cut off.
        junk.assign(initial.begin(),
                    initial.begin() + static_cast<ptrdiff_t>(world.random.Below(initial.size())));
        break;
    }
    world.Give(Host(3), junk);
  }
  EXPECT_GE(std::accumulate(world.endpoint->counters().begin(), world.endpoint->counters().end(),
                            uint64_t{0}),
            3000u)
      << "one verdict for each";
  EXPECT_TRUE(world.Echoes(client));
  world.Run(TimeDelta::Seconds(11));
  EXPECT_EQ(world.endpoint->half_open(), 0u);
  EXPECT_EQ(world.endpoint->connections(), 1u);
}

TEST(EndpointLifeTest, WhatAServerNeverGetsIsDropped) {
  EndpointWorld world;
  Bytes handshake = world.FirstDatagram(Host(1));
  handshake[0] = static_cast<uint8_t>((handshake[0] & 0xcf) | 0x20);
  EXPECT_EQ(world.Give(Host(1), handshake).verdict, Verdict::kNotQuic);
  Bytes negotiation = world.FirstDatagram(Host(1));
  std::fill_n(negotiation.begin() + 1, 4, uint8_t{0});
  EXPECT_EQ(world.Give(Host(1), negotiation).verdict, Verdict::kNotQuic);
  Bytes small = world.FirstDatagram(Host(1));
  small.resize(1199);
  EXPECT_EQ(world.Give(Host(1), small).verdict, Verdict::kNotQuic);
  EXPECT_EQ(world.Give(Host(1), {}).verdict, Verdict::kNotQuic);
  EXPECT_EQ(world.Give(Host(1), Bytes{0x40}).verdict, Verdict::kNotQuic);
  EXPECT_EQ(world.endpoint->connections(), 0u);
}

TEST(EndpointLifeTest, SaysWhichOptionIsWrong) {
  EndpointWorld world;
  EndpointOptions options;
  options.thread = 2;
  options.threads = 2;
  EXPECT_EQ(world.TryRestart(options).message(), "thread 2 is not one of 2");
  options = {};
  options.limits.max_connections = 0;
  EXPECT_EQ(world.TryRestart(options).message(), "max_connections is 0, not 1 to 1048576");
  options = {};
  options.connection_limits.handshake_timeout = TimeDelta::Zero();
  EXPECT_EQ(world.TryRestart(options).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sluice
