#include "quic/connection/quic_connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/codec/quic_version.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/testing/connection_pair.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

using QuicConnectionTest = ConnectionPair;

TEST_F(QuicConnectionTest, AHandshakeAndACall) {
  Connect();
  ASSERT_TRUE(client_.connected && server_.connected);
  EXPECT_EQ(server_.connection->protocol(), "test");
  EXPECT_EQ(client_.connection->version(), kQuicVersion1);
  EXPECT_EQ(server_.connection->path(), (UdpPath{server_address_, link_.client_seen_as}));
  server_.on_data = [this](StreamId id) {
    if (server_.streams[id].fin) server_.connection->Write(id, Text("pong"), true);
  };
  const auto id = client_.connection->OpenBidirectional();
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(client_.connection->Write(*id, Text("ping"), true), 4u);
  Flush();
  link_.RunFor(TimeDelta::Millis(200));
  EXPECT_EQ(server_.streams[*id].data, Text("ping"));
  EXPECT_EQ(client_.streams[*id].data, Text("pong"));
  EXPECT_TRUE(client_.streams[*id].fin && client_.streams[*id].closed);
  EXPECT_TRUE(server_.streams[*id].closed);
  EXPECT_FALSE(server_.streams[*id].early);
  EXPECT_EQ(client_.pool.free_streams(), 32u);
  EXPECT_EQ(server_.pool.free_blocks(), 256u);
}

TEST_F(QuicConnectionTest, OneRoundTripBeforeTheClientMaySend) {
  Start();
  const Timestamp start = link_.now;
  link_.RunFor(TimeDelta::Seconds(1), [this] { return client_.connected; });
  EXPECT_EQ(link_.now - start, link_.delay * 2);
}

TEST_F(QuicConnectionTest, SmallWritesShareADatagram) {
  Connect();
  const size_t before = link_.sent_by_client();
  for (int i = 0; i < 6; ++i) {
    client_.connection->Write(*client_.connection->OpenBidirectional(), Text("small"), true);
  }
  Flush();
  link_.RunFor(TimeDelta::Micros(1));
  EXPECT_EQ(link_.sent_by_client() - before, 1u);
}

TEST_F(QuicConnectionTest, ManyBytesArriveWhateverTheWay) {
  struct Way {
    uint64_t lost;
    uint64_t damaged;
    TimeDelta delay;
  };
  for (const Way& way : {Way{0, 0, TimeDelta::Millis(10)}, Way{20, 0, TimeDelta::Millis(10)},
                         Way{0, 20, TimeDelta::Millis(10)}, Way{0, 0, TimeDelta::Millis(750)},
                         Way{300, 0, TimeDelta::Millis(10)}}) {
    SCOPED_TRACE(absl::StrCat("lost ", way.lost, " damaged ", way.damaged, " delay ", way.delay));
    link_.delay = way.delay;
    Connect();
    ASSERT_TRUE(client_.connected);
    link_.lost_per_mille = way.lost;
    link_.damaged_per_mille = way.damaged;
    const StreamId id = *client_.connection->OpenBidirectional();
    Transfer(client_, server_, id, Random(200'000));
    Transfer(server_, client_, id, Random(200'000));
    link_.lost_per_mille = link_.damaged_per_mille = 0;
  }
}

TEST_F(QuicConnectionTest, HandshakesGetThroughLossAndDamage) {
  int connected = 0;
  for (int i = 0; i < 30; ++i) {
    link_.lost_per_mille = i % 2 == 0 ? 300 : 0;
    link_.damaged_per_mille = i % 2 == 0 ? 0 : 300;
    Start();
    link_.RunFor(TimeDelta::Seconds(60),
                 [this] { return (client_.connected && server_.connected) || client_.closed; });
    connected += client_.connected ? 1 : 0;
  }
  EXPECT_GE(connected, 25);
}

TEST_F(QuicConnectionTest, BothMayChangeKeysTwiceInARow) {
  Connect();
  for (TestPeer* peer : {&client_, &server_, &server_, &client_, &client_}) {
    // RFC 9001 section 6.5: three probe timeouts, and keys are made when there is something to do.
    link_.RunFor(TimeDelta::Seconds(1));
    Transfer(client_, server_, *client_.connection->OpenUnidirectional(), Text("before"));
    Transfer(server_, client_, *server_.connection->OpenUnidirectional(), Text("before"));
    ASSERT_TRUE(peer->connection->UpdateKeys(link_.now));
    EXPECT_FALSE(peer->connection->UpdateKeys(link_.now)) << "before the last one is known";
    const StreamId id = *client_.connection->OpenBidirectional();
    Transfer(client_, server_, id, Text("under new keys"));
    Transfer(server_, client_, id, Text("here too"));
  }
}

TEST_F(QuicConnectionTest, ANatMayForgetTheClient) {
  Connect();
  for (const UdpAddress& seen :
       {UdpAddress::V4({192, 0, 2, 1}, 5001), UdpAddress::V4({192, 0, 2, 7}, 6000)}) {
    link_.client_seen_as = seen;
    const StreamId id = *client_.connection->OpenBidirectional();
    Transfer(client_, server_, id, Random(3000));
    Transfer(server_, client_, id, Random(3000));
    EXPECT_EQ(server_.connection->path().remote, seen);
  }
}

TEST_F(QuicConnectionTest, AClientMayMove) {
  Connect();
  const UdpAddress elsewhere = UdpAddress::V4({10, 9, 9, 9}, 4009);
  ASSERT_TRUE(client_.connection->Migrate(link_.now, {elsewhere, server_address_}));
  EXPECT_EQ(client_.connection->path().local, elsewhere);
  EXPECT_FALSE(server_.connection->Migrate(link_.now, {server_address_, elsewhere}));
}

TEST_F(QuicConnectionTest, FlowControlHoldsAStreamUntilItsBytesAreConsumed) {
  server_.consume = false;
  Connect();
  const StreamId id = *client_.connection->OpenBidirectional();
  const Bytes bytes = Random(100'000);
  size_t written = 0;
  for (int i = 0; i < 50; ++i) {
    written += client_.connection->Write(id, absl::MakeConstSpan(bytes).subspan(written), false);
    Flush();
    link_.RunFor(TimeDelta::Millis(20));
  }
  EXPECT_EQ(server_.streams[id].data.size(), 64u * 1024);
  // Others go on meanwhile.
  Transfer(client_, server_, *client_.connection->OpenBidirectional(), Random(10'000));
  server_.connection->Consume(id, 64 * 1024);
  server_.consume = true;
  Flush();
  for (int i = 0; i < 50; ++i) {
    written += client_.connection->Write(id, absl::MakeConstSpan(bytes).subspan(written), false);
    Flush();
    link_.RunFor(TimeDelta::Millis(20));
  }
  EXPECT_EQ(server_.streams[id].data, bytes);
}

TEST_F(QuicConnectionTest, AWriterIsToldWhenThereIsRoomAgain) {
  Connect();
  const StreamId id = *client_.connection->OpenBidirectional();
  EXPECT_EQ(client_.connection->Write(id, Bytes(100'000), true), 64u * 1024);
  EXPECT_EQ(client_.connection->counters().writes_cut, 1u);
  EXPECT_EQ(client_.streams[id].writable, 0);
  Flush();
  link_.RunFor(TimeDelta::Millis(500));
  EXPECT_EQ(client_.streams[id].writable, 1);
}

TEST_F(QuicConnectionTest, ConnectionCreditComesBackForAllStreams) {
  ApplicationProtocol small = TestProtocol();
  small.parameters.initial_max_data = DataSize::Bytes(4000);
  Configure(small, TestProtocol());
  Connect();
  for (int i = 0; i < 4; ++i) {
    Transfer(client_, server_, *client_.connection->OpenBidirectional(), Random(9000));
  }
}

TEST_F(QuicConnectionTest, StreamsAreBoundedAndComeBack) {
  Connect();
  for (int round = 0; round < 3; ++round) {
    std::vector<StreamId> ids;
    while (const auto id = client_.connection->OpenUnidirectional()) ids.push_back(*id);
    EXPECT_EQ(ids.size(), 8u);
    for (const StreamId id : ids) client_.connection->Write(id, Text("x"), true);
    Flush();
    link_.RunFor(TimeDelta::Millis(300));
    for (const StreamId id : ids) EXPECT_TRUE(server_.streams[id].fin);
  }
}

TEST_F(QuicConnectionTest, EachSideMayGiveUpAStream) {
  Connect();
  const StreamId id = *client_.connection->OpenBidirectional();
  client_.connection->Write(id, Text("begin"), false);
  Flush();
  link_.RunFor(TimeDelta::Millis(100));
  server_.connection->StopSending(id, 11);
  server_.connection->Reset(id, 12);
  Flush();
  link_.RunFor(TimeDelta::Millis(100));
  EXPECT_EQ(client_.streams[id].reset, 12u);
  client_.connection->Write(id, Text("more"), false);
  Flush();
  EXPECT_TRUE(client_.streams[id].stopped || client_.streams[id].closed);
  EXPECT_EQ(client_.connection->Write(id, Text("more"), false), 0u);
  link_.RunFor(TimeDelta::Millis(300));
  EXPECT_TRUE(server_.streams[id].closed);
  EXPECT_EQ(client_.pool.free_streams(), 32u);
}

TEST_F(QuicConnectionTest, AWriterLearnsThatThePeerWantsNoMore) {
  Connect();
  const StreamId id = *server_.connection->OpenBidirectional();
  server_.connection->Write(id, Text("begin"), false);
  Flush();
  link_.RunFor(TimeDelta::Millis(100));
  client_.connection->StopSending(id, 11);
  Flush();
  link_.RunFor(TimeDelta::Millis(100));
  EXPECT_FALSE(server_.streams[id].stopped);
  server_.connection->Write(id, Text("more"), false);
  Flush();
  EXPECT_TRUE(server_.streams[id].stopped);
  EXPECT_EQ(server_.connection->Write(id, Text("more"), false), 0u);
}

TEST_F(QuicConnectionTest, WritingWhereThereIsNoStreamDoesNothing) {
  Connect();
  EXPECT_EQ(client_.connection->Write(400, Text("x"), true), 0u);
  client_.connection->Reset(400, 1);
  client_.connection->StopSending(400, 1);
  client_.connection->Consume(400, 1);
  EXPECT_EQ(client_.pool.free_streams(), 32u);
  Transfer(client_, server_, *client_.connection->OpenBidirectional(), Text("still here"));
}

TEST_F(QuicConnectionTest, ATokenForNextTimeIsGivenAfterTheHandshake) {
  server_.token_to_give = Text("a token");
  Connect();
  EXPECT_EQ(client_.token, Text("a token"));
}

}  // namespace
}  // namespace sluice
