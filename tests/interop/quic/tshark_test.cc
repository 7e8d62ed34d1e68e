// What Wireshark reads, with our key log, in what went over the wire: our transport parameters as
// configured, and marks of congestion that are told back.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/codec/transport_parameters.h"
#include "tests/interop/quic/gtlsclient.h"
#include "tests/interop/quic/quic_interop_fixture.h"
#include "tests/interop/quic/tshark_reader.h"
#include "tools/load/udp_proxy.h"

namespace sluice {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class TsharkTest : public QuicInteropTest {
 protected:
  // A client fetches something, and everything is written down.
  void Record(QuicTestServerOptions options) {
    keys_ = folder_.File("keys.txt");
    options.key_log_path = keys_;
    StartServer(options);
    StartProxy({.pcap_path = folder_.File("a.pcap")});
    GtlsClient client(proxy_->address());
    const std::string log = client.Fetch({200'000}, {"-q"});
    ASSERT_TRUE(client.AllArrived({200'000})) << log;
    proxy_.reset();
  }

  TsharkReader Reader() const {
    return TsharkReader(folder_.File("a.pcap"), keys_, server_->address().port());
  }
  std::vector<std::string> Decode(const std::string& filter,
                                  const std::vector<std::string>& fields) const {
    return Reader().Decode(filter, fields);
  }

  std::string keys_;
};

TEST_F(TsharkTest, EncryptedExtensionsHaveTheTransportParametersAsConfigured) {
  Record({.idle_timeout = TimeDelta::Seconds(17)});
  EXPECT_EQ(server_->http_parameters().max_idle_timeout, TimeDelta::Seconds(17));
  Reader().ExpectServerParameters(server_->http_parameters());
}

TEST_F(TsharkTest, EncryptedExtensionsNameTheIdsOfThePackets) {
  Record({.retry_always = true});
  // The client's first packet, the one after the Retry, and the Retry.
  const std::vector<std::string> clients =
      Decode("quic.long.packet_type == 0 && tls.handshake.type == 1", {"quic.dcid", "quic.scid"});
  const std::vector<std::string> retries =
      Decode("quic.long.packet_type == 3", {"quic.dcid", "quic.scid"});
  const std::vector<std::string> ours =
      Decode(kEncryptedExtensions, {"tls.quic.parameter.original_destination_connection_id",
                                    "tls.quic.parameter.retry_source_connection_id",
                                    "tls.quic.parameter.initial_source_connection_id",
                                    "tls.quic.parameter.stateless_reset_token", "quic.scid"});
  ASSERT_THAT(clients, Not(IsEmpty()));
  ASSERT_THAT(retries, SizeIs(1));
  ASSERT_THAT(ours, SizeIs(1));
  const std::vector<std::string> client = absl::StrSplit(clients[0], ';');
  const std::vector<std::string> retry = absl::StrSplit(retries[0], ';');
  const std::vector<std::string> parameters = absl::StrSplit(ours[0], ';');
  ASSERT_THAT(parameters, SizeIs(5));
  EXPECT_EQ(parameters[0], client[0]);
  EXPECT_EQ(parameters[1], retry[1]);
  // Of the Initial and the Handshake packet of that datagram.
  EXPECT_TRUE(absl::StartsWith(parameters[4], parameters[2])) << ours[0];
  EXPECT_THAT(parameters[3], SizeIs(2 * kStatelessResetTokenSize));
}

// RFC 9000 section 13.4.
TEST_F(TsharkTest, DatagramsAreMarkedAndMarksAreToldBack) {
  Record({});
  const std::string port = absl::StrCat("udp.srcport == ", server_->address().port());
  EXPECT_THAT(Decode(absl::StrCat(port, " && ip.dsfield.ecn == 2"), {"frame.number"}),
              Not(IsEmpty()));
  // What was marked by the client: ACK_ECN frames of ours count it.
  EXPECT_THAT(Decode(absl::StrCat(port, " && quic.ack.ect0_count > 0"), {"frame.number"}),
              Not(IsEmpty()));
}

TEST_F(TsharkTest, NothingIsReadWithoutTheKeys) {
  Record({});
  keys_ = folder_.Write("none.txt", "");
  EXPECT_THAT(Decode(kEncryptedExtensions, {"frame.number"}), IsEmpty());
}

}  // namespace
}  // namespace sluice
