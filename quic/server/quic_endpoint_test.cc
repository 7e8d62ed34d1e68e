#include "quic/server/quic_endpoint.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/codec/quic_version.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/endpoint_verdict.h"
#include "quic/server/testing/endpoint_world.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Verdict = EndpointVerdict;

UdpAddress Host(uint32_t host, uint16_t port = 4000) {
  return UdpAddress::V4({10, static_cast<uint8_t>(host >> 16), static_cast<uint8_t>(host >> 8),
                         static_cast<uint8_t>(host)},
                        port);
}

EndpointOptions WithLimits(const EndpointLimits& limits) {
  EndpointOptions options;
  options.limits = limits;
  return options;
}

TEST(QuicEndpointTest, ManyClientsAreServedAndGo) {
  EndpointWorld world;
  for (uint32_t i = 0; i < 40; ++i) world.Connect(Host(i));
  world.Run(TimeDelta::Millis(200));
  EXPECT_EQ(world.endpoint->connections(), 40u);
  EXPECT_EQ(world.endpoint->half_open(), 0u);
  for (const auto& client : world.clients) {
    ASSERT_TRUE(client->peer.connected);
    EXPECT_TRUE(world.Echoes(*client));
    client->peer.connection->Close(world.now, 5, client->peer.out);
  }
  world.Run(TimeDelta::Seconds(3));
  EXPECT_EQ(world.endpoint->connections(), 0u);
  EXPECT_EQ(world.closed,
            std::vector<CloseReason>(40, CloseReason{CloseCause::kRemoteApplication, 5}));
  EXPECT_EQ(world.count(Verdict::kAccepted), 40u);
  EXPECT_EQ(world.endpoint->NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_EQ(world.endpoint->names_refused(), 0u);
}

TEST(QuicEndpointTest, AConnectionIsFoundByItsNameWhereverItsClientIs) {
  EndpointWorld world;
  EndpointWorld::Client& client = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  ASSERT_TRUE(world.Echoes(client));
  // A NAT took another port.
  client.seen_as = Host(1, 4001);
  EXPECT_TRUE(world.Echoes(client));
  // The old address is given up.
  world.Run(TimeDelta::Seconds(3));
  // The client itself moved.
  client.seen_as = Host(2, 5000);
  ASSERT_TRUE(client.peer.connection->Migrate(world.now, {Host(2, 5000), world.server_address}));
  EXPECT_TRUE(world.Echoes(client));
  EXPECT_EQ(client.peer.closed, std::nullopt);
  EXPECT_EQ(world.closed, std::vector<CloseReason>());
  EXPECT_EQ(world.endpoint->connections(), 1u);
}

TEST(QuicEndpointTest, ASilentConnectionGoesAndGivesBackAllItHad) {
  EndpointWorld world;
  world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  world.clients.clear();
  world.Run(TimeDelta::Seconds(31));
  EXPECT_EQ(world.endpoint->connections(), 0u);
  EXPECT_EQ(world.closed, (std::vector<CloseReason>{{CloseCause::kIdleTimeout, 0}}));
}

// ---- Versions. ----

TEST(QuicEndpointTest, AnUnknownVersionIsToldWhichThereAre) {
  EndpointWorld world;
  Bytes datagram = world.FirstDatagram(Host(1));
  for (const uint8_t byte : {0x5a, 0x6a, 0x7a}) {
    datagram[1] = byte;
    EXPECT_EQ(world.Give(Host(1), datagram).verdict, Verdict::kVersionNegotiationSent);
    ASSERT_EQ(world.answers().size(), 1u);
    EXPECT_LT(world.answers()[0].size(), 100u);
    EXPECT_EQ(Bytes(world.answers()[0].begin() + 1, world.answers()[0].begin() + 5), Bytes(4));
  }
  EXPECT_EQ(world.endpoint->connections(), 0u);
  // RFC 9000 section 6.1: small ones are not answered.
  datagram.resize(1199);
  EXPECT_EQ(world.Give(Host(1), datagram).verdict, Verdict::kNotQuic);
  EXPECT_TRUE(world.answers().empty());
}

TEST(QuicEndpointTest, Version2IsSpokenOnlyWhereItIsConfigured) {
  EndpointWorld world;
  Bytes datagram = world.FirstDatagram(Host(1));
  const Bytes version2 = {0x6b, 0x33, 0x43, 0xcf};
  std::copy(version2.begin(), version2.end(), datagram.begin() + 1);
  EXPECT_EQ(world.Give(Host(1), datagram).verdict, Verdict::kVersionNegotiationSent);
  EXPECT_EQ(world.endpoint->connections(), 0u);

  EndpointOptions options;
  options.connection_limits.version2 = true;
  world.Restart(options);
  world.client_limits.version2 = true;
  EndpointWorld::Client& client = world.Connect(Host(2), {.version = QuicVersion(0x6b3343cf)});
  world.Run(TimeDelta::Millis(100));
  EXPECT_TRUE(world.Echoes(client));
  EXPECT_EQ(client.peer.connection->version(), QuicVersion(0x6b3343cf));
}

// ---- Proofs of addresses. ----

TEST(QuicEndpointTest, ARetryProvesTheAddressWhenItIsAskedOfAll) {
  EndpointWorld world(WithLimits({.retry_above_half_open = 0}));
  EndpointWorld::Client& client = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  EXPECT_EQ(world.count(Verdict::kRetrySent), 1u);
  EXPECT_EQ(world.count(Verdict::kAccepted), 1u);
  EXPECT_TRUE(world.Echoes(client));
}

TEST(QuicEndpointTest, ATokenFromLastTimeSavesTheRetry) {
  EndpointWorld world(WithLimits({.retry_above_half_open = 0}));
  EndpointWorld::Client& first = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(200));
  const Bytes token = first.peer.token;
  ASSERT_FALSE(token.empty());
  EndpointWorld::Client& second = world.Connect(Host(1, 4001), {.token = token});
  world.Run(TimeDelta::Millis(200));
  EXPECT_TRUE(world.Echoes(second));
  EXPECT_EQ(world.count(Verdict::kRetrySent), 1u);
  // Of another host it proves nothing.
  EndpointWorld::Client& third = world.Connect(Host(2), {.token = token});
  world.Run(TimeDelta::Millis(200));
  EXPECT_TRUE(world.Echoes(third));
  EXPECT_EQ(world.count(Verdict::kRetrySent), 2u);
}

TEST(QuicEndpointTest, ARetryTokenFromElsewhereIsRefusedByItsCode) {
  EndpointWorld world(WithLimits({.retry_above_half_open = 0}));
  EndpointWorld::Client& client = world.Connect(Host(1));
  const auto first = client.peer.out.datagrams()[0].bytes;
  const Bytes initial(first.begin(), first.end());
  client.peer.out.Clear();
  EXPECT_EQ(world.Give(Host(1), initial).verdict, Verdict::kRetrySent);
  // What the client answers comes from another port.
  client.seen_as = Host(1, 4001);
  world.Run(TimeDelta::Millis(50));
  EXPECT_GE(world.count(Verdict::kInvalidToken), 1u);
  EXPECT_EQ(client.peer.closed, (CloseReason{CloseCause::kRemoteTransport, 0x0b}));
  EXPECT_EQ(world.endpoint->connections(), 0u);
}

TEST(QuicEndpointTest, HalfOpenConnectionsEndWithRetries) {
  EndpointLimits limits;
  limits.retry_above_half_open = 20;
  limits.retry_above_half_open_per_source = 5;
  EndpointWorld world(WithLimits(limits));
  // A flood of one source, of which nothing more is heard.
  for (int i = 0; i < 30; ++i) {
    const Verdict verdict = world.Give(Host(1), world.FirstDatagram(Host(1))).verdict;
    EXPECT_EQ(verdict, i < 5 ? Verdict::kAccepted : Verdict::kRetrySent) << i;
  }
  // Of many.
  for (uint32_t i = 0; i < 100; ++i) world.Give(Host(100 + i), world.FirstDatagram(Host(100 + i)));
  EXPECT_EQ(world.endpoint->half_open(), 20u);
  // Whoever is there gets in.
  EndpointWorld::Client& client = world.Connect(Host(2));
  world.Run(TimeDelta::Millis(100));
  EXPECT_TRUE(world.Echoes(client));
  world.Run(TimeDelta::Seconds(11));
  EXPECT_EQ(world.endpoint->half_open(), 0u);
  EXPECT_EQ(world.endpoint->connections(), 1u);
}

TEST(QuicEndpointTest, StrangersGetNoMoreThanThreeTimesWhatTheySent) {
  EndpointWorld world;
  world.Give(Host(1), world.FirstDatagram(Host(1)));
  world.Run(TimeDelta::Seconds(15));
  EXPECT_GT(world.bytes_sent, 1200u);
  EXPECT_LE(world.bytes_sent, 3 * world.bytes_received);
}

// ---- Limits. ----

TEST(QuicEndpointTest, EachLimitRefusesByCodeAndCounter) {
  struct Case {
    EndpointLimits limits;
    Verdict verdict;
    bool same_source;
  };
  for (const Case& c : {Case{{.max_connections = 2,
                       .max_connections_per_source = 2,
                       .max_half_open = 2,
                       .retry_above_half_open = 2,
                       .retry_above_half_open_per_source = 2},
                             Verdict::kRefusedFull,
                             false},
                        Case{{.max_connections_per_source = 2}, Verdict::kRefusedSource, true}}) {
    EndpointWorld world(WithLimits(c.limits));
    SCOPED_TRACE(EndpointVerdictName(c.verdict));
    for (uint16_t i = 0; i < 3; ++i) {
      world.Connect(c.same_source ? Host(1, 1000 + i) : Host(i));
      world.Run(TimeDelta::Millis(100));
    }
    EXPECT_EQ(world.endpoint->connections(), 2u);
    EXPECT_EQ(world.clients[2]->peer.closed, (CloseReason{CloseCause::kRemoteTransport, 0x02}));
    EXPECT_EQ(world.count(c.verdict), 1u);
    // A place that is free again is given again.
    world.clients[0]->peer.connection->Close(world.now, 0, world.clients[0]->peer.out);
    world.Run(TimeDelta::Seconds(2));
    EndpointWorld::Client& late = world.Connect(c.same_source ? Host(1, 2000) : Host(9));
    world.Run(TimeDelta::Millis(100));
    EXPECT_TRUE(world.Echoes(late));
  }
}

TEST(QuicEndpointTest, HalfOpenConnectionsAreLimitedAlsoWithProof) {
  EndpointLimits limits;
  limits.max_half_open = 3;
  limits.retry_above_half_open = 3;
  limits.retry_above_half_open_per_source = 3;
  EndpointWorld world(WithLimits(limits));
  EndpointWorld::Client& first = world.Connect(Host(1));
  world.Run(TimeDelta::Millis(100));
  const Bytes token = first.peer.token;
  for (uint32_t i = 2; i < 5; ++i) world.Give(Host(i), world.FirstDatagram(Host(i)));
  EXPECT_EQ(world.endpoint->half_open(), 3u);
  EndpointWorld::Client& proved = world.Connect(Host(1, 4001), {.token = token});
  world.Run(TimeDelta::Millis(100));
  EXPECT_EQ(proved.peer.closed, (CloseReason{CloseCause::kRemoteTransport, 0x02}));
  EXPECT_EQ(world.count(Verdict::kRefusedHalfOpen), 1u);
}

TEST(QuicEndpointTest, StrangersAreAnsweredSoOftenASecondAndNoMore) {
  EndpointWorld world(WithLimits({.retry_above_half_open = 0, .stateless_answers_per_second = 10}));
  const Bytes datagram = world.FirstDatagram(Host(1));
  for (int i = 0; i < 30; ++i) world.Give(Host(static_cast<uint32_t>(i)), datagram);
  EXPECT_EQ(world.count(Verdict::kRetrySent), 10u);
  EXPECT_EQ(world.count(Verdict::kAnswerLimited), 20u);
}

TEST(QuicEndpointTest, PortsThatAnswerEverythingAreNotAnswered) {
  EndpointWorld world(WithLimits({.retry_above_half_open = 0}));
  const Bytes datagram = world.FirstDatagram(Host(1));
  for (const uint16_t port : {7, 19, 53, 123}) {
    EXPECT_EQ(world.Give(Host(1, port), datagram).verdict, Verdict::kReflectingPort);
    EXPECT_TRUE(world.answers().empty());
  }
}

}  // namespace
}  // namespace sluice
