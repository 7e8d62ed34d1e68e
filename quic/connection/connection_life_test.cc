#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/testing/connection_pair.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

// How connections begin and end.
using ConnectionLifeTest = ConnectionPair;

TEST_F(ConnectionLifeTest, ATicketBringsTheClientBack) {
  Connect();
  ASSERT_FALSE(client_.ticket.empty());
  EXPECT_FALSE(client_.connection->resumed());
  Connect(Resumption());
  EXPECT_TRUE(client_.connection->resumed());
  EXPECT_TRUE(server_.connection->resumed());
  EXPECT_FALSE(server_.connection->early_data_accepted());
}

TEST_F(ConnectionLifeTest, EarlyDataComeWithTheFirstFlightAndSaySo) {
  ApplicationProtocol protocol = TestProtocol();
  protocol.early_data = true;
  Configure(protocol, protocol);
  Connect();
  Start(Resumption());
  const auto id = client_.connection->OpenBidirectional();
  ASSERT_TRUE(id.has_value());
  client_.connection->Write(*id, Text("again"), true);
  Flush();
  link_.RunFor(link_.delay * 2 - TimeDelta::Micros(1));
  EXPECT_EQ(server_.streams[*id].data, Text("again"));
  EXPECT_TRUE(server_.streams[*id].early);
  link_.RunFor(TimeDelta::Millis(200));
  EXPECT_TRUE(server_.connection->early_data_accepted());
}

TEST_F(ConnectionLifeTest, EarlyDataThatAreNotTakenAreForgottenOnBothSides) {
  ApplicationProtocol protocol = TestProtocol();
  protocol.early_data = true;
  Configure(protocol, protocol);
  Connect();
  const OutgoingConnection outgoing = Resumption();
  ApplicationProtocol smaller = protocol;
  smaller.parameters.initial_max_streams_bidi = 1;
  Configure(smaller, protocol);
  Start(outgoing);
  const StreamId id = *client_.connection->OpenBidirectional();
  client_.connection->Write(id, Text("again"), true);
  Flush();
  link_.RunFor(TimeDelta::Millis(300));
  EXPECT_TRUE(client_.connected && server_.connected);
  EXPECT_TRUE(client_.early_data_rejected);
  EXPECT_TRUE(server_.streams.empty());
  EXPECT_EQ(client_.pool.free_streams(), 32u);
  Transfer(client_, server_, *client_.connection->OpenBidirectional(), Text("once more"));
}

TEST_F(ConnectionLifeTest, NoCommonProtocolEndsBoth) {
  ApplicationProtocol other = TestProtocol();
  other.name = "other";
  Configure(TestProtocol(), other);
  Connect();
  EXPECT_EQ(client_.closed, (CloseReason{CloseCause::kRemoteTransport, 0x178}));
  EXPECT_EQ(server_.connection->reason(), (CloseReason{CloseCause::kLocalTransport, 0x178}));
  EXPECT_FALSE(server_.closed.has_value()) << "nobody spoke on it yet";
}

TEST_F(ConnectionLifeTest, AnEndIsToldOnceKeptForAWhileAndThenOver) {
  Connect();
  client_.connection->Close(link_.now, 42, client_.out);
  EXPECT_EQ(client_.closed, (CloseReason{CloseCause::kLocalApplication, 42}));
  EXPECT_TRUE(client_.connection->ended());
  EXPECT_FALSE(client_.connection->over());
  EXPECT_FALSE(client_.connection->OpenBidirectional().has_value());
  link_.RunFor(link_.delay);
  EXPECT_EQ(server_.closed, (CloseReason{CloseCause::kRemoteApplication, 42}));
  EXPECT_FALSE(server_.connection->over());
  link_.RunFor(TimeDelta::Seconds(5));
  EXPECT_TRUE(client_.connection->over());
  EXPECT_TRUE(server_.connection->over());
  EXPECT_EQ(client_.connection->NextTimeout(), Timestamp::PlusInfinity());
}

TEST_F(ConnectionLifeTest, AnEndThatGotLostIsToldAgain) {
  Connect();
  link_.pass = [](bool from_client, size_t) { return !from_client; };
  client_.connection->Close(link_.now, 1, client_.out);
  link_.RunFor(TimeDelta::Micros(1));
  link_.pass = nullptr;
  const StreamId id = *server_.connection->OpenBidirectional();
  server_.connection->Write(id, Text("are you there?"), true);
  Flush();
  link_.RunFor(link_.delay * 2);
  EXPECT_EQ(server_.closed, (CloseReason{CloseCause::kRemoteApplication, 1}));
  EXPECT_EQ(client_.connection->counters().closes_repeated, 1u);
}

TEST_F(ConnectionLifeTest, SilenceEndsAConnectionOnBothSides) {
  Connect();
  link_.pass = [](bool, size_t) { return false; };
  link_.RunFor(TimeDelta::Seconds(29));
  EXPECT_FALSE(client_.closed.has_value());
  link_.RunFor(TimeDelta::Seconds(2));
  EXPECT_EQ(client_.closed, (CloseReason{CloseCause::kIdleTimeout, 0}));
  EXPECT_EQ(server_.closed, (CloseReason{CloseCause::kIdleTimeout, 0}));
  EXPECT_TRUE(client_.connection->over() && server_.connection->over());
}

// The smaller of both counts, and none on one side is that of the other.
TEST_F(ConnectionLifeTest, ThePeersIdleTimeoutCountsToo) {
  ApplicationProtocol endless = TestProtocol();
  endless.parameters.max_idle_timeout = TimeDelta::Zero();
  Configure(TestProtocol(), endless);
  Connect();
  link_.pass = [](bool, size_t) { return false; };
  link_.RunFor(TimeDelta::Seconds(31));
  EXPECT_EQ(client_.closed, (CloseReason{CloseCause::kIdleTimeout, 0}));
}

TEST_F(ConnectionLifeTest, NobodyAnswersIsAnEndToo) {
  link_.pass = [](bool, size_t) { return false; };
  Start();
  link_.RunFor(TimeDelta::Seconds(11));
  ASSERT_TRUE(client_.connection->ended());
  EXPECT_EQ(client_.connection->reason()->cause, CloseCause::kHandshakeTimeout);
  EXPECT_TRUE(client_.connection->over());
}

TEST_F(ConnectionLifeTest, AServerSendsAnUnprovedAddressThreeTimesWhatItGot) {
  size_t received = 0;
  link_.tap = [&](bool from_client, absl::Span<const uint8_t> bytes) {
    if (from_client && received == 0) received = bytes.size();
  };
  link_.pass = [](bool from_client, size_t index) { return !from_client || index == 0; };
  Start();
  link_.RunFor(TimeDelta::Seconds(20));
  EXPECT_GT(link_.bytes_by_server(), 0u);
  EXPECT_LE(link_.bytes_by_server(), 3 * received);
  EXPECT_EQ(server_.connection->reason()->cause, CloseCause::kHandshakeTimeout);
}

TEST_F(ConnectionLifeTest, NoDatagramIsLargerThanThePeerTakes) {
  for (const int64_t size : {1200, 1300, 65527}) {
    ApplicationProtocol narrow = TestProtocol();
    narrow.parameters.max_udp_payload_size = DataSize::Bytes(size);
    Configure(TestProtocol(), narrow);
    size_t largest = 0;
    link_.tap = [&](bool from_client, absl::Span<const uint8_t> bytes) {
      if (!from_client) largest = std::max(largest, bytes.size());
    };
    Connect();
    const StreamId id = *client_.connection->OpenBidirectional();
    client_.connection->Write(id, Text("all of it"), true);
    Flush();
    link_.RunFor(TimeDelta::Millis(100));
    Transfer(server_, client_, id, Random(300'000));
    EXPECT_LE(largest, std::min<size_t>(static_cast<size_t>(size), 1452));
    EXPECT_GE(largest, 1200u);
    link_.tap = nullptr;
  }
}

TEST_F(ConnectionLifeTest, AFullOutboxLosesNothing) {
  Connect();
  const StreamId id = *client_.connection->OpenBidirectional();
  client_.connection->Write(id, Random(20'000), true);
  DatagramOutbox tiny(1);
  client_.connection->Flush(link_.now, tiny);
  EXPECT_EQ(tiny.datagrams().size(), 1u);
  EXPECT_EQ(client_.connection->counters().outbox_full, 1u);
  link_.RunFor(TimeDelta::Seconds(2));
  EXPECT_TRUE(server_.streams[id].fin);
}

TEST_F(ConnectionLifeTest, DatagramsThatAreNoneChangeNothing) {
  Connect();
  for (int i = 0; i < 2000; ++i) {
    Bytes junk = Random(random_.Below(1500));
    if (!junk.empty() && i % 2 == 0) junk[0] = static_cast<uint8_t>(0x40 | (junk[0] & 0x3f));
    for (TestPeer* peer : {&client_, &server_}) {
      peer->connection->HandleDatagram(link_.now, peer->connection->path(), Ecn::kNotEct, junk,
                                       peer->out);
    }
  }
  EXPECT_FALSE(client_.closed.has_value() || server_.closed.has_value());
  Transfer(client_, server_, *client_.connection->OpenBidirectional(), Text("still here"));
}

TEST_F(ConnectionLifeTest, NamesAreGivenAndTakenBack) {
  Connect();
  EXPECT_GE(server_.live_ids, 2u);
  EXPECT_LE(server_.live_ids, 8u);
  EXPECT_LE(client_.live_ids, 8u);
}

}  // namespace
}  // namespace sluice
