#include "quic/http3/http_server_connection.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_server.h"
#include "quic/http3/http_service.h"
#include "quic/http3/testing/http_bytes.h"
#include "quic/http3/testing/http_world.h"
#include "quic/http3/testing/test_http_service.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// Requests on a connection that is made.
class HttpServerConnectionTest : public testing::Test {
 protected:
  HttpServerConnectionTest() { world_.Connect(); }

  const HttpServerCounters& counters() { return world_.server().server().counters(); }
  // Nothing is kept of any request, and the connection lives.
  void ExpectNothingIsLeft() {
    world_.link.RunFor(TimeDelta::Seconds(2));
    EXPECT_EQ(world_.server().server().open_requests(), 0u);
    EXPECT_EQ(world_.buffers.free(), 32u);
    EXPECT_FALSE(world_.client.closed.has_value());
    // All but the three of control and QPACK, with a block each.
    EXPECT_EQ(world_.endpoint->send_pool().free_streams(), 509u);
    EXPECT_EQ(world_.endpoint->send_pool().free_blocks(), 2045u);
  }

  HttpWorld world_{90};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", world_.random.seed())};
};

TEST_F(HttpServerConnectionTest, ARequestIsAnsweredInOneRoundTrip) {
  const StreamId id = world_.Ask("POST", "/echo", "hello", {{"authorization", "Bearer t"}});
  EXPECT_TRUE(world_.RunUntilOver(id, world_.link.delay * 2));
  EXPECT_EQ(world_.answer(id).fields.at(":status"), "200");
  EXPECT_EQ(world_.answer(id).fields.at("content-type"), "text/plain");
  EXPECT_EQ(world_.answer(id).fields.at("content-length"), "5");
  EXPECT_EQ(world_.answer(id).fields.at("cache-control"), "no-store");
  EXPECT_EQ(world_.answer(id).body, "hello");
  ASSERT_EQ(world_.service.asked.size(), 1u);
  EXPECT_EQ(world_.service.asked[0].authorization, "Bearer t");
  EXPECT_FALSE(world_.service.asked[0].early);
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, HeadHasNoBody) {
  const StreamId id = world_.Ask("HEAD", "/echo", "hello");
  EXPECT_TRUE(world_.RunUntilOver(id));
  EXPECT_EQ(world_.answer(id).fields.at(":status"), "200");
  EXPECT_EQ(world_.answer(id).body, "");
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, WhatTheServerRefusesItselfHasTheRightStatus) {
  const std::string long_value(9'000, 'v');
  const struct {
    Bytes request;
    bool fin;
    const char* status;
  } kCases[] = {
      {HttpRequestBytes("GET", "/", "", {{"a", long_value}, {"b", long_value}}), true, "431"},
      {HttpRequestBytes("GET", "/", "", {{"content-length", "65537"}}), false, "413"},
      {HttpRequestBytes("GET", "/", "", {{"origin", "a"}, {"origin", "b"}}), true, "400"},
      {HttpRequestBytes("GET", "/unknown"), true, "404"},
  };
  for (const auto& each : kCases) {
    const StreamId id = world_.Open(each.request, each.fin);
    EXPECT_TRUE(world_.RunUntilOver(id)) << each.status;
    EXPECT_EQ(world_.answer(id).fields.at(":status"), each.status);
    EXPECT_TRUE(world_.answer(id).finished);
    if (!each.fin) world_.Write(id, {}, true);
  }
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, TheLongestBodiesGoBothWays) {
  // In pieces, as the client's own pool has room.
  const std::string body(kMaxHttpBody, 'b');
  const Bytes request = HttpRequestBytes("POST", "/echo", body);
  const StreamId id = world_.Open(absl::MakeConstSpan(request).first(30'000), false);
  for (size_t at = 30'000; at < request.size(); at += 5'000) {
    world_.link.RunFor(TimeDelta::Millis(100));
    world_.Write(id, absl::MakeConstSpan(request).subspan(at, 5'000), at + 5'000 >= request.size());
  }
  EXPECT_TRUE(world_.RunUntilOver(id));
  EXPECT_EQ(world_.answer(id).body, body);
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, AConnectionMakesAnyNumberOfRequestsOneAfterTheOther) {
  for (int i = 0; i < 150; ++i) {
    const std::string body(4'000, static_cast<char>('a' + i % 26));
    const StreamId id = world_.Ask("POST", "/echo", body);
    ASSERT_TRUE(world_.RunUntilOver(id)) << i;
    ASSERT_EQ(world_.answer(id).body, body) << i;
  }
  EXPECT_EQ(counters().finished, 150u);
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, AsManyRequestsAsMayBeShareTheConnectionAtOnce) {
  std::vector<StreamId> ids;
  for (size_t i = 0; i < HttpLimits().requests; ++i) {
    ids.push_back(world_.Ask("POST", "/echo", std::string(500 + i, 'x')));
  }
  EXPECT_FALSE(world_.client.connection->OpenBidirectional().has_value());
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(world_.RunUntilOver(ids[i])) << i;
    EXPECT_EQ(world_.answer(ids[i]).body.size(), 500 + i);
  }
  EXPECT_EQ(counters().too_many_requests, 0u);
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, RequestsMayBeCutAnywhere) {
  for (int i = 0; i < 40; ++i) {
    const std::string body(world_.random.Below(3'000), 'r');
    const Bytes request = HttpRequestBytes("POST", "/echo", body, {{"x-filler", "0123456789"}});
    size_t at = 1 + world_.random.Below(request.size() - 1);
    const StreamId id = world_.Open(absl::MakeConstSpan(request).first(at), at == request.size());
    while (at < request.size()) {
      if (world_.random.Below(2) == 0) world_.link.RunFor(TimeDelta::Millis(15));
      const size_t size = 1 + world_.random.Below(request.size() - at);
      world_.Write(id, absl::MakeConstSpan(request).subspan(at, size), at + size == request.size());
      at += size;
    }
    ASSERT_TRUE(world_.RunUntilOver(id)) << i;
    ASSERT_EQ(world_.answer(id).body, body) << i;
  }
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, RequestsSurviveTheLossOfATenthOfAllDatagrams) {
  world_.link.lost_per_mille = 100;
  for (int i = 0; i < 30; ++i) {
    const StreamId id = world_.Ask("POST", "/echo", std::string(3'000, 'l'));
    ASSERT_TRUE(world_.RunUntilOver(id, TimeDelta::Seconds(20))) << i;
    ASSERT_EQ(world_.answer(id).body.size(), 3'000u) << i;
  }
  world_.link.lost_per_mille = 0;
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, AServiceWaitsForTheClientAndAllArrivesInOrder) {
  const StreamId id = world_.Ask("GET", "/count?100");
  // Nothing reaches the client for a while.
  world_.link.pass = [](bool from_client, size_t) { return from_client; };
  world_.link.RunFor(TimeDelta::Millis(500));
  EXPECT_EQ(world_.service.blocked, 1);
  EXPECT_LT(counters().pieces, 20u);
  world_.link.pass = nullptr;
  EXPECT_TRUE(world_.RunUntilOver(id, TimeDelta::Seconds(30)));
  std::string expected;
  for (int left = 100; left > 0; --left) {
    expected.append(TestHttpService::kPieceSize, static_cast<char>(left));
  }
  EXPECT_EQ(world_.answer(id).body, expected);
  EXPECT_GT(world_.service.blocked, 1);
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, AClientThatDoesNotReadLosesTheAnswerAndNothingElse) {
  world_.client.consume = false;
  const StreamId id = world_.Ask("GET", "/count?100");
  world_.link.RunFor(TimeDelta::Seconds(11));
  EXPECT_EQ(world_.service.cancelled, std::vector{HttpCancelCause::kTooSlow});
  EXPECT_EQ(world_.answer(id).reset, 0x10cu);
  world_.client.consume = true;
  const StreamId next = world_.Ask("POST", "/echo", "still here");
  EXPECT_TRUE(world_.RunUntilOver(next));
  EXPECT_EQ(world_.answer(next).body, "still here");
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, ARequestIsCancelledWhileItIsAnswered) {
  const StreamId id = world_.Ask("GET", "/count?100");
  world_.link.RunFor(TimeDelta::Seconds(5), [&] { return world_.answer(id).body.size() > 30'000; });
  world_.client.connection->StopSending(id, 0x10c);
  world_.client.connection->Flush(world_.link.now, world_.client.out);
  world_.link.RunFor(TimeDelta::Millis(500));
  EXPECT_EQ(world_.service.cancelled, std::vector{HttpCancelCause::kByClient});
  const StreamId next = world_.Ask("GET", "/count?20");
  EXPECT_TRUE(world_.RunUntilOver(next, TimeDelta::Seconds(10)));
  EXPECT_EQ(world_.answer(next).body.size(), 20 * TestHttpService::kPieceSize);
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, AServiceAnswersLater) {
  const StreamId id = world_.Ask("GET", "/late");
  world_.link.RunFor(TimeDelta::Seconds(3));
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  EXPECT_FALSE(world_.server().TakeUnsent());
  const HttpCall& call = world_.service.waiting[0];
  EXPECT_EQ(call.Begin(world_.link.now, {}), HttpSendVerdict::kSent);
  EXPECT_EQ(call.Send(world_.link.now, Bytes{'o', 'k'}), HttpSendVerdict::kSent);
  EXPECT_TRUE(call.Finish(world_.link.now));
  world_.SettleServer();
  EXPECT_FALSE(world_.server().TakeUnsent());
  EXPECT_TRUE(world_.RunUntilOver(id, world_.link.delay * 2));
  EXPECT_EQ(world_.answer(id).body, "ok");
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, OneThatStopsTellsTheClientAndIsDoneWhenAllHasArrived) {
  const StreamId id = world_.Ask("GET", "/late");
  world_.link.RunFor(TimeDelta::Millis(100));
  world_.server().Drain();
  world_.SettleServer();
  world_.link.RunFor(TimeDelta::Seconds(1));
  // SETTINGS, the notice, and the end.
  const Bytes& control = world_.client.streams[3].data;
  ASSERT_GE(control.size(), 13u);
  EXPECT_EQ(Bytes(control.end() - 13, control.end()),
            (Bytes{0x07, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfc, 0x07, 0x01, 0x04}));
  const StreamId after = world_.Ask("GET", "/late");
  EXPECT_TRUE(world_.RunUntilOver(after));
  EXPECT_EQ(world_.answer(after).reset, 0x10bu);
  EXPECT_FALSE(world_.server().drained());
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  static_cast<void>(world_.service.waiting[0].Begin(world_.link.now, {.status = 204}));
  EXPECT_TRUE(world_.service.waiting[0].Finish(world_.link.now));
  EXPECT_FALSE(world_.server().drained()) << "the answer has not arrived";
  world_.SettleServer();
  EXPECT_TRUE(world_.RunUntilOver(id));
  world_.link.RunFor(TimeDelta::Millis(200));
  EXPECT_TRUE(world_.server().drained());
  ExpectNothingIsLeft();
}

TEST_F(HttpServerConnectionTest, TheEndOfTheConnectionEndsItsRequests) {
  world_.Ask("GET", "/late");
  world_.link.RunFor(TimeDelta::Millis(100));
  world_.client.connection->Close(world_.link.now, 0x100, world_.client.out);
  world_.link.RunFor(TimeDelta::Millis(100));
  EXPECT_EQ(world_.service.cancelled, std::vector{HttpCancelCause::kConnectionLost});
  EXPECT_EQ(world_.server().connection(), nullptr);
  EXPECT_FALSE(world_.server().TakeUnsent());
  EXPECT_FALSE(world_.service.waiting[0].Finish(world_.link.now));
  EXPECT_EQ(world_.server().NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_EQ(world_.server().server().state_bytes(), 0u);
}

TEST(HttpEarlyDataTest, ARequestThatCameBeforeTheHandshakeIsMarkedAndAnswered) {
  HttpWorld world(91, {}, /*early_data=*/true);
  world.Connect();
  world.StartClient(/*resume=*/true);
  const StreamId id = world.Ask("GET", "/echo");
  EXPECT_TRUE(world.RunUntilOver(id));
  EXPECT_TRUE(world.client.connection->early_data_accepted());
  ASSERT_EQ(world.service.asked.size(), 1u);
  EXPECT_TRUE(world.service.asked[0].early);
  EXPECT_EQ(world.answer(id).fields.at(":status"), "200");
}

TEST(HttpServerConnectionSourceTest, OneSourceWithManyHalfRequestsLeavesBuffersForOthers) {
  HttpLimits limits;
  // As if all of them had come within ten seconds.
  limits.request_timeout = TimeDelta::Seconds(60);
  HttpWorld world(93, limits);
  constexpr size_t kConnections = 40;
  constexpr size_t kRequests = 2;
  const Bytes whole = HttpRequestBytes("POST", "/echo", std::string(100, 'x'));
  const auto half = absl::MakeConstSpan(whole).first(whole.size() / 2);
  for (size_t i = 0; i < kConnections; ++i) {
    world.Connect();
    for (size_t request = 0; request < kRequests; ++request) world.Open(half, false);
    world.link.RunFor(TimeDelta::Millis(50));
  }
  ASSERT_GT(kConnections * kRequests, world.buffers.source_limit());
  EXPECT_EQ(world.buffers.free(), 32 - world.buffers.source_limit());
  const uint64_t refused = world.buffers.source_exhausted();
  EXPECT_EQ(refused, kConnections * kRequests - world.buffers.source_limit());
  EXPECT_EQ(world.buffers.exhausted(), 0u);

  world.client_ip = {198, 51, 100, 7};
  world.Connect();
  const StreamId id = world.Ask("POST", "/echo", "hello");
  EXPECT_TRUE(world.RunUntilOver(id, world.link.delay * 4));
  EXPECT_EQ(world.answer(id).fields.at(":status"), "200");
  EXPECT_EQ(world.buffers.source_exhausted(), refused);
}

TEST(HttpServerConnectionStateTest, AStrangersFirstDatagramMakesNothingOfNghttp3) {
  HttpWorld world(92);
  world.StartClient();
  // It hears nothing of the server, and so never gets beyond its first flight.
  world.link.pass = [](bool from_client, size_t) { return from_client; };
  world.link.RunFor(TimeDelta::Seconds(1));
  for (const auto& server : world.servers) EXPECT_EQ(server->server().state_bytes(), 0u);
  EXPECT_EQ(world.endpoint->half_open(), 1u);
}

}  // namespace
}  // namespace sluice
