#include "quic/connection/datagram_writer.h"

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_share.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/send_streams.h"
#include "quic/connection/testing/connection_pair.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

class Waiter : public SendRoomReceiver {
 public:
  void OnRoom() override {}
};

// Writes what the connection's own streams know nothing of.
class DatagramWriterTest : public ConnectionPair {
 protected:
  // One datagram of the client's, which the server gets at once; how long it is.
  ngtcp2_ssize Write() {
    ngtcp2_path_storage path;
    ngtcp2_path_storage_zero(&path);
    ngtcp2_pkt_info info = {};
    std::array<uint8_t, 1200> room;
    const ngtcp2_ssize size = WriteDatagram(client_.connection->ngtcp2(), streams_, link_.now,
                                            absl::MakeSpan(room), path.path, info);
    if (size > 0) {
      server_.connection->HandleDatagram(
          link_.now, {server_address_, link_.client_seen_as}, Ecn::kNotEct,
          absl::MakeConstSpan(room).first(static_cast<size_t>(size)), server_.out);
    }
    return size;
  }
  StreamId Open() { return client_.connection->OpenBidirectional().value(); }

  SendStreamPool pool_{8, 64};
  Waiter waiter_;
  SendStreams streams_{pool_, {.streams = 8, .blocks = 64, .waiting = 0}, waiter_};
};

TEST_F(DatagramWriterTest, StreamsShareADatagramAndEndInIt) {
  Connect();
  const StreamId a = Open();
  const StreamId b = Open();
  for (const StreamId id : {a, b}) {
    SendStream* stream = streams_.Take(id, false);
    stream->Append(Text("hello"), 100);
    stream->Finish();
  }
  EXPECT_GT(Write(), 0);
  for (const StreamId id : {a, b}) {
    EXPECT_EQ(server_.streams[id].data, Text("hello"));
    EXPECT_TRUE(server_.streams[id].fin);
    EXPECT_FALSE(streams_.Find(id)->HasUnsent());
  }
}

TEST_F(DatagramWriterTest, WhatDoesNotFitIsForTheNextOne) {
  Connect();
  const StreamId id = Open();
  const Bytes bytes = Random(1500);
  streams_.Take(id, false)->Append(bytes, 2000);
  EXPECT_GT(Write(), 1100);
  EXPECT_TRUE(streams_.Find(id)->HasUnsent());
  EXPECT_GT(Write(), 0);
  EXPECT_FALSE(streams_.Find(id)->HasUnsent());
  EXPECT_EQ(server_.streams[id].data, bytes);
}

TEST_F(DatagramWriterTest, AStreamThatIsGoneIsForgotten) {
  Connect();
  // The client never opened it.
  streams_.Take(400, false)->Append(Text("x"), 100);
  Write();
  EXPECT_EQ(streams_.Find(400), nullptr);
  EXPECT_EQ(pool_.free_streams(), 8u);
}

TEST_F(DatagramWriterTest, WhatWasGivenUpIsMarkedAndNotSent) {
  Connect();
  const StreamId id = Open();
  streams_.Take(id, false)->Append(Text("x"), 100);
  client_.connection->Reset(id, 7);
  Write();
  EXPECT_TRUE(streams_.Find(id)->shut);
  EXPECT_TRUE(streams_.Find(id)->stopped) << "nobody marked it before";
  EXPECT_EQ(server_.streams[id].data, Bytes());
}

}  // namespace
}  // namespace sluice
