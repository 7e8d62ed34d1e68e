#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/testing/hex.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"
#include "quic/server/testing/endpoint_world.h"
#include "quic/tls/testing/bare_connection.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// What a client may not say, and the code that it is told (RFC 9000 sections 19 and 20.1). The
// client is an honest one in one of whose packets other frames are put.
class ProtocolErrorsTest : public testing::Test {
 protected:
  // Carries datagrams both ways until nothing is left, or for ever is over.
  void Exchange() {
    for (int round = 0; round < 20; ++round) {
      world_.now += TimeDelta::Millis(1);
      for (Bytes out = client_->Write(world_.now); !out.empty(); out = client_->Write(world_.now)) {
        Give(out);
      }
    }
  }
  void Give(const Bytes& datagram) {
    world_.Give(address_, datagram);
    for (const Bytes& answer : world_.answers()) client_->Read(world_.now, answer);
  }
  void Start(uint32_t first_packet_number = 0) {
    client_ = BareConnection::Client(world_.now, context_->NewSession("sluice.test", 0, {}),
                                     context_->protocols(), world_.random, first_packet_number);
  }
  // What the client is told when it says `frames` after the handshake.
  std::optional<uint64_t> CodeFor(absl::string_view frames, bool reserved_bits = false) {
    Start();
    Exchange();
    EXPECT_TRUE(client_->completed());
    BareConnection::InjectNext(BareConnection::Kind::kOneRtt, HexBytes(frames), reserved_bits);
    Give(client_->WriteStream(world_.now, 200));
    EXPECT_TRUE(BareConnection::injected());
    Exchange();
    return client_->close_code_received();
  }

  EndpointWorld world_;
  const UdpAddress address_ = UdpAddress::V4({10, 0, 0, 1}, 4000);
  std::unique_ptr<TlsClientContext> context_ =
      *TlsClientContext::Create({.protocols = {{.name = "echo"}}, .trust_anyone = true});
  std::unique_ptr<BareConnection> client_;
};

TEST_F(ProtocolErrorsTest, EachHasItsCode) {
  const struct {
    absl::string_view what;
    absl::string_view frames;
    uint64_t code;
  } kCases[] = {
      {"STREAM beyond its flow control", "0e00c000000000ffffff0161", 0x03},
      {"STREAM beyond 2^62", "0e00ffffffffffffffff0161", 0x03},
      {"STREAM of a number that is not allowed yet", "0a4ffc0161", 0x04},
      {"STREAM that only we send on", "0a030161", 0x05},
      {"STREAM of ours that was never opened", "0a010161", 0x05},
      // STREAM_STATE_ERROR would say more; section 11 leaves the general code open.
      {"RESET_STREAM where only we send", "04030000", 0x0a},
      {"STOP_SENDING of ours that was never opened", "050100", 0x05},
      {"STOP_SENDING where only the client sends", "050200", 0x05},
      {"MAX_STREAM_DATA of ours that was never opened", "110110", 0x05},
      {"MAX_STREAM_DATA where only the client sends", "110210", 0x05},
      {"MAX_STREAMS above 2^60", "12d000000000000001", 0x07},
      {"STREAMS_BLOCKED above 2^60", "16d000000000000001", 0x07},
      {"NEW_TOKEN from a client", "070161", 0x0a},
      {"HANDSHAKE_DONE from a client", "1e", 0x0a},
      {"NEW_CONNECTION_ID that retires itself",
       "180708080102030405060708000102030405060708090a0b0c0d0e0f", 0x07},
      {"NEW_CONNECTION_ID without an id", "18070000000102030405060708090a0b0c0d0e0f", 0x07},
      {"NEW_CONNECTION_ID of 21 bytes",
       "180700150102030405060708090a0b0c0d0e0f101112131415000102030405060708090a0b0c0d0e0f", 0x07},
      {"RETIRE_CONNECTION_ID that was never given", "194fff", 0x0a},
      {"ACK of what was never sent", "0280ffffff000000", 0x0a},
      {"ACK that goes below zero", "020100000a", 0x07},
      {"a frame that nobody knows", "2f", 0x07},
      {"DATAGRAM where none were offered", "310161", 0x0a},
      // RFC 9001 section 6: a KeyUpdate of TLS is the alert unexpected_message.
      {"KeyUpdate in CRYPTO", "0600051800000100", 0x100 + SSL_AD_UNEXPECTED_MESSAGE},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(CodeFor(c.frames), c.code);
  }
}

TEST_F(ProtocolErrorsTest, ReservedBitsOfAHeaderAreZero) {
  // A PING would be fine.
  EXPECT_EQ(CodeFor("01", /*reserved_bits=*/true), 0x0a);
  EXPECT_EQ(CodeFor("01"), std::nullopt);
}

TEST_F(ProtocolErrorsTest, WhatIsNotForTheHandshakeIsNotTakenInIt) {
  for (const absl::string_view frames : {"1a0102030405060708", "08016100", "1e", "1c0000"}) {
    SCOPED_TRACE(frames);
    Start();
    BareConnection::InjectNext(BareConnection::Kind::kHandshake, HexBytes(frames));
    Exchange();
    EXPECT_TRUE(BareConnection::injected());
    if (frames == "1c0000") {
      // CONNECTION_CLOSE is the one that is.
      EXPECT_EQ(client_->close_code_received(), std::nullopt);
    } else {
      EXPECT_EQ(client_->close_code_received(), 0x0a);
    }
  }
}

TEST_F(ProtocolErrorsTest, ReservedBitsOfAHandshakeHeaderAreZero) {
  Start();
  BareConnection::InjectNext(BareConnection::Kind::kHandshake, HexBytes("01"),
                             /*reserved_bits=*/true);
  Exchange();
  EXPECT_TRUE(BareConnection::injected());
  EXPECT_EQ(client_->close_code_received(), 0x0a);
}

// RFC 9000 section 12.4.
TEST_F(ProtocolErrorsTest, APacketSaysSomething) {
  Start(/*first_packet_number=*/uint32_t{1} << 24);
  // As far as the client's first packet with the last keys.
  Give(client_->Write(world_.now));
  ASSERT_TRUE(client_->completed());
  Give(client_->Write(world_.now));
  // ngtcp2 paces what it sends.
  world_.now += TimeDelta::Millis(10);
  BareConnection::InjectNext(BareConnection::Kind::kOneRtt, {});
  Give(client_->WriteStream(world_.now, 200));
  EXPECT_TRUE(BareConnection::injected());
  Exchange();
  EXPECT_EQ(client_->close_code_received(), 0x0a);
}

// RFC 9001 section 8.3: QUIC has no EndOfEarlyData, and in its place the Finished was expected.
TEST_F(ProtocolErrorsTest, EndOfEarlyDataIsTheAlertForIt) {
  Start();
  BareConnection::InjectNext(BareConnection::Kind::kHandshake, HexBytes("06000405000000"));
  Exchange();
  EXPECT_TRUE(BareConnection::injected());
  EXPECT_EQ(client_->close_code_received(), 0x100 + SSL_AD_UNEXPECTED_MESSAGE);
}

// Each new id retires the one before, of which the server must tell until the client acknowledges
// it, which this one never does.
TEST_F(ProtocolErrorsTest, RetiredIdsThatAreNotAcknowledgedDoNotPileUp) {
  Start();
  Exchange();
  ASSERT_TRUE(client_->completed());
  Bytes frames;
  // Behind those that ngtcp2 gives by itself.
  for (uint8_t number = 20; number < 50; ++number) {
    frames.insert(frames.end(), {0x18, number, number, 8});
    frames.insert(frames.end(), 8 + 16, number);
  }
  BareConnection::InjectNext(BareConnection::Kind::kOneRtt, frames);
  Give(client_->WriteStream(world_.now, frames.size()));
  EXPECT_TRUE(BareConnection::injected());
  // CONNECTION_ID_LIMIT_ERROR.
  EXPECT_EQ(client_->close_code_received(), 0x09);
}

TEST_F(ProtocolErrorsTest, OthersGoOn) {
  EndpointWorld::Client& other = world_.Connect(UdpAddress::V4({10, 0, 0, 2}, 4000));
  world_.Run(TimeDelta::Millis(100));
  EXPECT_EQ(CodeFor("2f"), 0x07);
  EXPECT_TRUE(world_.Echoes(other));
}

}  // namespace
}  // namespace sluice
