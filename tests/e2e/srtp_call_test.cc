// Calls with SRTP on one side or both, against peers built on libsrtp.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::Combine;
using ::testing::TestParamInfo;
using ::testing::ValuesIn;

constexpr pb::CryptoSuite kSuites[] = {
    pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32,
    pb::CRYPTO_SUITE_AEAD_AES_128_GCM,        pb::CRYPTO_SUITE_AEAD_AES_256_GCM,
    pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80, pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_32,
};

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// "AEAD_AES_128_GCM".
std::string SuiteName(pb::CryptoSuite suite) {
  return pb::CryptoSuite_Name(suite).substr(absl::string_view("CRYPTO_SUITE_").size());
}

SrtpPeerOptions PeerWith(pb::CryptoSuite suite, uint32_t key_number,
                         const std::string& ip = "127.0.0.1") {
  SrtpPeerOptions options;
  options.suite = suite;
  options.key_number = key_number;
  options.transport.ip = ip;
  return options;
}

class SuiteTest : public GatewayFixture, public ::testing::WithParamInterface<pb::CryptoSuite> {};

TEST_P(SuiteTest, CarriesRtpAndRtcpBothWaysAcrossASequenceWrap) {
  SrtpPeer alice(PeerWith(GetParam(), 1));
  PlainPeer bob;
  control().CreateSession("call");
  const pb::AddLegResponse alice_leg = alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  ASSERT_EQ(alice_leg.local_key().suite(), GetParam())
      << "the gateway sends with the suite of the peer's key when none is asked for";

  // Below 2^15 as RFC 3711 section 3.3.1 wants it for a first packet, then on to the wrap.
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 32000, 5));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 32000, 5));
  for (const uint16_t first : {40000, 50000, 60000}) {
    ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, first, 2));
    ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, first, 2));
  }
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 65500, 100));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 65500, 100));
  ExpectRtcpArrives(alice, bob, {3, RtcpPacket(kAliceSsrc)});
  ExpectRtcpArrives(bob, alice, {3, RtcpPacket(kBobSsrc)});

  const VerdictMap expected = {{"forwarded", 114}, {"sent", 114}};
  const pb::SessionStats stats = control().GetStats("call");
  EXPECT_EQ(VerdictsOf(stats, "alice"), expected);
  EXPECT_EQ(VerdictsOf(stats, "bob"), expected);
}

TEST_P(SuiteTest, LetsNoPlaintextOutOnTheSrtpSide) {
  SrtpPeer alice(PeerWith(GetParam(), 1));
  PlainPeer bob;
  control().CreateSession("call");
  const pb::AddLegResponse alice_leg = alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");

  const std::string pattern = "this must never be readable on the wire to alice";
  std::vector<Bytes> packets;
  for (uint16_t i = 0; i < 50; ++i) {
    packets.push_back(RtpPacketBuilder()
                          .WithSsrc(kBobSsrc)
                          .WithSequence(1000 + i)
                          .WithPayloadType(0)
                          .WithPayload(Bytes(pattern.begin(), pattern.end()))
                          .Build());
  }
  ExpectRtpArrives(bob, alice, packets);
  const Bytes report = RtcpPacketBuilder().AddSourceDescription(kBobSsrc, pattern).Build();
  ExpectRtcpArrives(bob, alice, {10, report});

  // Any eight letters of it would be a leak.
  constexpr size_t kPiece = 8;
  ASSERT_EQ(alice.transport().captured().size(), 60u);
  LibsrtpReceiver stranger(MakeTestKey(alice_leg.local_key().suite(), 99));
  for (const Bytes& datagram : alice.transport().captured()) {
    for (size_t i = 0; i + kPiece <= pattern.size(); ++i) {
      const auto piece = pattern.begin() + static_cast<std::ptrdiff_t>(i);
      ASSERT_EQ(std::search(datagram.begin(), datagram.end(), piece, piece + kPiece),
                datagram.end())
          << "readable in " << ToHex(datagram);
    }
    EXPECT_FALSE(LooksLikeRtcp(datagram) ? stranger.OpenRtcp(datagram).has_value()
                                         : stranger.OpenRtp(datagram).has_value())
        << "opens with another key: " << ToHex(datagram);
  }
}

INSTANTIATE_TEST_SUITE_P(EverySuite, SuiteTest, ValuesIn(kSuites),
                         [](const TestParamInfo<pb::CryptoSuite>& suite) {
                           return SuiteName(suite.param);
                         });

using SuitePair = std::tuple<pb::CryptoSuite, pb::CryptoSuite>;

class SuitePairTest : public GatewayFixture, public ::testing::WithParamInterface<SuitePair> {};

TEST_P(SuitePairTest, CarriesSrtpToSrtp) {
  const auto [alice_suite, bob_suite] = GetParam();
  SrtpPeer alice(PeerWith(alice_suite, 1));
  SrtpPeer bob(PeerWith(bob_suite, 2));
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");

  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 100, 50));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 100, 50));
  ExpectRtcpArrives(alice, bob, {2, RtcpPacket(kAliceSsrc)});
  ExpectRtcpArrives(bob, alice, {2, RtcpPacket(kBobSsrc)});
}

INSTANTIATE_TEST_SUITE_P(EveryPair, SuitePairTest, Combine(ValuesIn(kSuites), ValuesIn(kSuites)),
                         [](const TestParamInfo<SuitePair>& pair) {
                           return absl::StrCat(SuiteName(std::get<0>(pair.param)), "_to_",
                                               SuiteName(std::get<1>(pair.param)));
                         });

class SrtpCallTest : public GatewayFixture {};

TEST_F(SrtpCallTest, AsksForOneSuiteAndTakesAnother) {
  SrtpPeer alice(PeerWith(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32, 1));
  PlainPeer bob;
  control().CreateSession("call");
  pb::LegConfig config = alice.Config();
  config.set_local_suite(pb::CRYPTO_SUITE_AEAD_AES_256_GCM);
  const pb::AddLegResponse answer = alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");

  EXPECT_EQ(answer.local_key().suite(), pb::CRYPTO_SUITE_AEAD_AES_256_GCM);
  EXPECT_EQ(answer.leg().local_suite(), pb::CRYPTO_SUITE_AEAD_AES_256_GCM);
  EXPECT_EQ(answer.leg().remote_suite(), pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 20));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 20));
}

TEST_F(SrtpCallTest, GivesEachLegItsOwnKeyAndNeverThePeers) {
  SrtpPeer alice(PeerWith(pb::CRYPTO_SUITE_AEAD_AES_128_GCM, 1));
  SrtpPeer bob(PeerWith(pb::CRYPTO_SUITE_AEAD_AES_128_GCM, 2));
  control().CreateSession("call");
  const std::string alice_key =
      alice.Join(control(), "call", "alice").local_key().master_key_and_salt();
  const std::string bob_key = bob.Join(control(), "call", "bob").local_key().master_key_and_salt();

  EXPECT_NE(alice_key, bob_key);
  EXPECT_NE(alice_key, alice.key().master_key_and_salt());
  EXPECT_NE(bob_key, bob.key().master_key_and_salt());
}

TEST_F(SrtpCallTest, KeepsExtensionsCsrcsMarkerAndPadding) {
  SrtpPeer alice(PeerWith(pb::CRYPTO_SUITE_AEAD_AES_128_GCM, 1));
  SrtpPeer bob(PeerWith(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, 2));
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");

  const Bytes audio_level = {0x85};
  const Bytes transport_sequence = {0x12, 0x34};
  RtpPacketBuilder builder;
  builder.WithSsrc(kAliceSsrc).WithPayloadType(96).WithMarker().WithPayloadSize(1100);
  builder.WithCsrcs({1, 2, 3}).WithPadding(8);
  builder.AddOneByteExtension(1, audio_level).AddOneByteExtension(5, transport_sequence);
  ExpectRtpArrives(alice, bob, {builder.WithSequence(7).Build(), builder.WithSequence(8).Build()});
}

// IPv6 is offered when an address is configured for it.
class Ipv6CallTest : public GatewayFixture {
 protected:
  Ipv6CallTest() : GatewayFixture({.config = "media { ipv4: \"127.0.0.1\" ipv6: \"::1\" }"}) {}
};

TEST_F(Ipv6CallTest, CarriesIpv6ToIpv4AndBack) {
  SrtpPeer alice(PeerWith(pb::CRYPTO_SUITE_AEAD_AES_128_GCM, 1, "::1"));
  PlainPeer bob;
  control().CreateSession("call");
  const pb::AddLegResponse answer = alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");

  EXPECT_EQ(answer.leg().local_rtp().ip(), "::1")
      << "the family follows that of the remote address";
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 50));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 50));
  ExpectRtcpArrives(alice, bob, {RtcpPacket(kAliceSsrc)});
  ExpectRtcpArrives(bob, alice, {RtcpPacket(kBobSsrc)});
}

TEST_F(Ipv6CallTest, CarriesIpv6ToIpv6) {
  SrtpPeer alice(PeerWith(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, 1, "::1"));
  SrtpPeer bob(PeerWith(pb::CRYPTO_SUITE_AEAD_AES_256_GCM, 2, "::1"));
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");

  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 50));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 50));
}

TEST_F(Ipv6CallTest, BindsTheFamilyAskedForBeforeAnAddressIsKnown) {
  control().CreateSession("call");
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_SRTP);
  config.set_ip_family(pb::IP_FAMILY_IPV6);
  const pb::AddLegResponse answer = control().AddLeg("call", "alice", config);
  EXPECT_EQ(answer.leg().local_rtp().ip(), "::1");
  EXPECT_EQ(answer.leg().local_rtcp().ip(), "::1");
}

}  // namespace
}  // namespace sluice
