// Floods of first packets against a gateway in which a call with media goes on: those who are here
// do not notice, memory does not grow without end, and strangers must show that they have their
// address.

#include "tests/e2e/quic_flood.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/node.pb.h"
#include "quic/client/io/server_addresses.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/own_srtp_peer.h"
#include "tests/e2e/peer_socket.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/quic_participant.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// What the gateway may come to hold for strangers. Handshakes that are kept without a Retry are
// less than three hundred, of some 40 KiB each; the rest is what pools touch for the first time.
constexpr size_t kMostGrowth = size_t{64} << 20;

class QuicFloodTest : public GatewayFixture {
 protected:
  void SetUp() override {
    const absl::Status made = MakeCertificates(certificates_.path());
    ASSERT_TRUE(made.ok()) << made;
    options().tls_dir = certificates_.path();
    options().quic_listen = "127.0.0.1:0";
    GatewayFixture::SetUp();
    ASSERT_FALSE(gateway().quic_address().empty()) << gateway().Log();
    control().CreateSession("call");
    token_ = control().CreateParticipantToken("call", "alice").token();
  }

  UdpAddress Target() {
    return ResolveServer(*ParseServerTarget(gateway().quic_address())).value().front();
  }
  uint64_t Datagrams(absl::string_view verdict) {
    const pb::Node node = control().GetNode();
    for (const pb::NamedCount& count : node.quic().datagrams()) {
      if (count.name() == verdict) {
        return count.count();
      }
    }
    return 0;
  }

  ScratchFolder certificates_;
  std::string token_;
};

TEST_F(QuicFloodTest, ACallGoesOnWhileThousandsOfStrangersKnock) {
  constexpr size_t kRounds = 20;
  constexpr size_t kClientsOfARound = 100;
  const uint64_t seed = SeededRandom::SeedFromEnvOr(17);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  PlainPeer bob;
  bob.Join(control(), "call", "bob");
  OwnSrtpPeer alice({});
  QuicParticipant participant(gateway().quic_address(),
                              ReadFileOrEmpty(certificates_.File("ca.crt")));
  ASSERT_EQ(participant.Join(token_, alice), absl::OkStatus());
  QuicFlood flood(Target(), seed);
  uint16_t sequence = 1000;
  const auto call_goes_on = [&] {
    EXPECT_EQ(participant.Ping(token_), absl::OkStatus());
    ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, sequence, 10));
    ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, sequence, 10));
    sequence += 10;
  };
  call_goes_on();

  const size_t before = gateway().ResidentBytes();
  for (size_t round = 0; round < kRounds && !HasFailure(); ++round) {
    // An office that went mad, a network of attackers, and one port.
    const auto attacker = static_cast<uint8_t>(10 + round);
    flood.SendFromManyPorts({127, 0, 0, 2}, kClientsOfARound);
    call_goes_on();
    flood.SendFromManyPorts({127, 0, 1, attacker}, kClientsOfARound);
    call_goes_on();
    flood.SendFromOnePort({127, 0, 2, attacker}, kClientsOfARound);
    call_goes_on();
  }
  const size_t after = gateway().ResidentBytes();
  EXPECT_GT(flood.sent(), 3 * kRounds * kClientsOfARound - 1);
  ASSERT_GT(before, 0u);
  EXPECT_LT(after, before + kMostGrowth);
  EXPECT_GT(Datagrams("retry_sent"), 0u);
  const pb::Node node = control().GetNode();
  EXPECT_LE(node.quic().half_open(), LimitOf(node, "quic_half_open").limit());
  std::cout << "flood of " << flood.sent() << " first packets: memory grew by "
            << (after > before ? (after - before) >> 10 : 0) << " KiB, " << Datagrams("accepted")
            << " accepted, " << Datagrams("retry_sent") << " Retry sent, "
            << Datagrams("answer_limited") << " not answered\n";
}

TEST_F(QuicFloodTest, WhatIsNoQuicIsDroppedAndCounted) {
  QuicParticipant participant(gateway().quic_address(),
                              ReadFileOrEmpty(certificates_.File("ca.crt")));
  ASSERT_EQ(participant.Ping(token_), absl::OkStatus());
  const uint64_t seed = SeededRandom::SeedFromEnvOr(18);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  absl::StatusOr<PeerSocket> noise = PeerSocket::Open("127.0.0.3");
  ASSERT_TRUE(noise.ok()) << noise.status();
  pb::TransportAddress target;
  target.set_ip("127.0.0.1");
  target.set_port(Target().port());
  for (size_t size = 1; size < 1400; size += 7) {
    Bytes bytes(size);
    random.Fill(absl::MakeSpan(bytes));
    noise->Send(target, bytes);
  }
  EXPECT_EQ(participant.Ping(token_), absl::OkStatus());
  EXPECT_GT(Datagrams("not_quic") + Datagrams("unknown_connection"), 0u);
  EXPECT_EQ(control().GetNode().quic().connections(), 1u);
}

}  // namespace
}  // namespace sluice
