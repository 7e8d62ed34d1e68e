#include "quic/connection/connection_end.h"

#include <ngtcp2/ngtcp2.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/testing/bare_connection.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {
namespace {

class ConnectionEndTest : public testing::Test {
 protected:
  SeededRandom random_{41};
  std::unique_ptr<TlsClientContext> context_ =
      *TlsClientContext::Create({.protocols = {{.name = "x"}}, .trust_anyone = true});
  std::unique_ptr<BareConnection> client_ =
      BareConnection::Client(Timestamp::Zero(), context_->NewSession("sluice.test", 0, {}),
                             context_->protocols(), random_);
};

TEST_F(ConnectionEndTest, SilenceIsForgottenAndFaultsAreTold) {
  ngtcp2_conn& conn = client_->conn();
  EXPECT_EQ(EndingOf(NGTCP2_ERR_IDLE_CLOSE, conn).manner, Ending::Manner::kForget);
  EXPECT_EQ(EndingOf(NGTCP2_ERR_IDLE_CLOSE, conn).reason.cause, CloseCause::kIdleTimeout);
  EXPECT_EQ(EndingOf(NGTCP2_ERR_HANDSHAKE_TIMEOUT, conn).reason.cause,
            CloseCause::kHandshakeTimeout);
  EXPECT_EQ(EndingOf(NGTCP2_ERR_DROP_CONN, conn).reason.cause, CloseCause::kDropped);
  EXPECT_EQ(EndingOf(NGTCP2_ERR_DRAINING, conn).manner, Ending::Manner::kDrain);
  const Ending fault = EndingOf(NGTCP2_ERR_FLOW_CONTROL, conn);
  EXPECT_EQ(fault.manner, Ending::Manner::kTell);
  EXPECT_EQ(fault.reason, (CloseReason{CloseCause::kLocalTransport, 0x03}));
  EXPECT_EQ(EndingOf(NGTCP2_ERR_MALFORMED_TRANSPORT_PARAM, conn).reason.code, 0x08u);
  EXPECT_EQ(EndingByApplication(77).reason, (CloseReason{CloseCause::kLocalApplication, 77}));
}

TEST_F(ConnectionEndTest, IsSaidAgainLessAndLessOften) {
  ASSERT_FALSE(client_->Write(Timestamp::Zero()).empty());
  DatagramOutbox out(20);
  ClosePacket packet;
  ASSERT_TRUE(packet.Write(client_->conn(), EndingByApplication(0).error, Timestamp::Zero(), out));
  ASSERT_EQ(out.datagrams().size(), 1u);
  const std::vector<uint8_t> first(out.datagrams()[0].bytes.begin(),
                                   out.datagrams()[0].bytes.end());
  const UdpPath path{UdpAddress::V4({10, 0, 0, 1}, 1), UdpAddress::V4({10, 0, 0, 2}, 2)};
  std::vector<int> answered;
  for (int i = 1; i <= 20; ++i) {
    if (packet.Answer(path, out)) answered.push_back(i);
  }
  EXPECT_EQ(answered, (std::vector<int>{1, 2, 4, 8, 16}));
  EXPECT_EQ(out.datagrams().back().bytes, first);
  EXPECT_EQ(out.datagrams().back().path, path);
}

TEST_F(ConnectionEndTest, BeforeTheFirstPacketThereIsNobodyToTell) {
  DatagramOutbox out(2);
  ClosePacket packet;
  EXPECT_FALSE(packet.Write(client_->conn(), EndingByApplication(0).error, Timestamp::Zero(), out));
  EXPECT_TRUE(out.datagrams().empty());
}

}  // namespace
}  // namespace sluice
