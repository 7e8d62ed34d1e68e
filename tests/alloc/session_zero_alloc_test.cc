// Every path of a packet through the session table, good and bad: nothing is allocated.

#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/srtp_options.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// Per path. More than a sequence number has values, so that every RTP path also wraps.
constexpr int kPackets = 100'000;
constexpr int kBatch = 32;
// Between batches. All of a path is then over before an old key is retired, a learning window
// closes or a session whose packets are all bad is idle.
constexpr TimeDelta kBatchTime = TimeDelta::Micros(500);

// A bridged call that counts what the table allocates while packets go through it.
class Path {
 public:
  struct Packet {
    Bytes bytes;
    TransportAddress source;
    Component component = Component::kRtp;
    bool truncated = false;
  };
  // The i-th packet to leg a.
  using Make = std::function<Packet(TestPeer& peer, int i)>;

  Path(const TestPeerOptions& a, const TestPeerOptions& b,
       const SessionHarness::Options& options = {})
      : harness_(options), a_(a), b_(b) {
    harness_.CreateSession("call");
    a_leg_ = harness_.AddLeg("call", "a", a_);
    harness_.AddLeg("call", "b", b_);
  }

  // Sends kPackets to leg a and expects this verdict for all but a few of them, which may set the
  // stage.
  void Expect(PacketVerdict verdict, const Make& make) {
    const uint64_t before = VerdictCount(harness_.Leg("call", "a"), verdict);
    uint64_t allocations = 0;
    for (int i = 0; i < kPackets; i += kBatch) {
      for (int j = 0; j < kBatch; ++j) {
        const Packet packet = make(a_, i + j);
        harness_.Queue(a_leg_, packet.component, packet.source, packet.bytes, packet.truncated);
      }
      allocations += DeliverAndSend();
      harness_.Advance(kBatchTime);
    }
    EXPECT_EQ(allocations, 0u);
    const uint64_t after = VerdictCount(harness_.Leg("call", "a"), verdict);
    EXPECT_GE(after - before, uint64_t{kPackets} - 2 * kBatch) << VerdictName(verdict);
    EXPECT_EQ(harness_.arena().free(), harness_.arena().capacity());
  }

  SessionHarness& harness() { return harness_; }
  TestPeer& a() { return a_; }

 private:
  // What a worker does with a batch. How often that allocated.
  uint64_t DeliverAndSend() {
    const uint64_t before = ThreadAllocations();
    harness_.Deliver();
    for (const OutgoingDatagram& datagram : harness_.outbox().packets()) {
      harness_.table().HandleSendResult(datagram.leg, datagram.packet.size() % 2 == 0,
                                        datagram.packet.size());
    }
    harness_.outbox().ClearPackets();
    while (!harness_.outbox().events().empty()) {
      harness_.outbox().events().PopFront();
    }
    return ThreadAllocations() - before;
  }

  SessionHarness harness_;
  TestPeer a_;
  TestPeer b_;
  LegHandle a_leg_;
};

class SessionZeroAllocTest : public testing::TestWithParam<std::tuple<SuiteId, EngineKind>> {
 protected:
  static TestPeerOptions Secure(uint8_t host) {
    return {.host = host, .suite = std::get<0>(GetParam())};
  }
  static TestPeerOptions Plain(uint8_t host) { return {.host = host}; }
  static SessionHarness::Options Engine() {
    SessionHarness::Options options;
    options.engine = std::get<1>(GetParam());
    return options;
  }

  static Path::Packet NextRtp(TestPeer& peer, int) { return {peer.NextRtp(), peer.rtp}; }
};

TEST_P(SessionZeroAllocTest, SecureToPlain) {
  Path(Secure(1), Plain(2), Engine()).Expect(PacketVerdict::kForwarded, NextRtp);
}

TEST_P(SessionZeroAllocTest, PlainToSecure) {
  Path(Plain(1), Secure(2), Engine()).Expect(PacketVerdict::kForwarded, NextRtp);
}

TEST_P(SessionZeroAllocTest, SecureToSecure) {
  Path(Secure(1), Secure(2), Engine()).Expect(PacketVerdict::kForwarded, NextRtp);
}

TEST_P(SessionZeroAllocTest, Rtcp) {
  Path(Secure(1), Secure(2), Engine()).Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int) {
    return Path::Packet{peer.NextRtcp(), peer.rtcp, Component::kRtcp};
  });
}

TEST_P(SessionZeroAllocTest, Forged) {
  Path(Secure(1), Plain(2), Engine()).Expect(PacketVerdict::kAuthFailed, [](TestPeer& peer, int) {
    Bytes bytes = peer.NextRtp();
    bytes.back() ^= 1;
    return Path::Packet{bytes, peer.rtp};
  });
}

TEST_P(SessionZeroAllocTest, ForgedWhileTwoKeysAreValid) {
  Path path(Secure(1), Plain(2), Engine());
  LegUpdate update;
  update.remote_key = path.a().Rekey();
  SessionHarness& harness = path.harness();
  ASSERT_TRUE(harness.table().UpdateLeg(harness.now(), "call", "a", std::move(update)).ok());
  path.Expect(PacketVerdict::kAuthFailed, [](TestPeer& peer, int) {
    Bytes bytes = peer.NextRtp();
    bytes.back() ^= 1;
    return Path::Packet{bytes, peer.rtp};
  });
}

TEST_P(SessionZeroAllocTest, Replayed) {
  Bytes bytes;
  Path(Secure(1), Plain(2), Engine())
      .Expect(PacketVerdict::kReplayed, [&bytes](TestPeer& peer, int i) {
        if (i == 0) {
          bytes = peer.NextRtp();
        }
        return Path::Packet{bytes, peer.rtp};
      });
}

TEST_P(SessionZeroAllocTest, Malformed) {
  for (const TestPeerOptions& a : {Secure(1), Plain(1)}) {
    Path(a, Plain(2), Engine()).Expect(PacketVerdict::kMalformed, [](TestPeer& peer, int i) {
      Bytes bytes = peer.NextRtp();
      bytes.resize(static_cast<size_t>(2 + i % 10));
      bytes[0] |= 0x0F;
      return Path::Packet{bytes, peer.rtp};
    });
  }
}

TEST_P(SessionZeroAllocTest, UnexpectedSource) {
  for (const TestPeerOptions& a : {Secure(1), Plain(1)}) {
    Path(a, Plain(2), Engine()).Expect(PacketVerdict::kUnexpectedSource, [](TestPeer& peer, int i) {
      return Path::Packet{peer.NextRtp(), TestAddress(66, static_cast<uint16_t>(i))};
    });
  }
}

TEST_P(SessionZeroAllocTest, AddressesThatMove) {
  TestPeerOptions options = Secure(1);
  options.learning = AddressLearning::kLearn;
  // Ten packets from each address, so that each becomes the destination.
  Path path(options, Plain(2), Engine());
  path.Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int i) {
    return Path::Packet{peer.NextRtp(), TestAddress(9, static_cast<uint16_t>(1 + i / 10 % 1000))};
  });
  EXPECT_TRUE(path.harness().Leg("call", "a").remote_learned);
}

TEST_P(SessionZeroAllocTest, KeysThatExpire) {
  TestPeerOptions a = Secure(1);
  a.peer_options.policy.rtp_lifetime = {kBatch / 2, kBatch};
  Path(a, Plain(2), Engine()).Expect(PacketVerdict::kReceiveRekeyNeeded, NextRtp);
  TestPeerOptions b = Secure(2);
  b.gateway_options.policy.rtp_lifetime = {kBatch / 2, kBatch};
  Path path(Plain(1), b, Engine());
  path.Expect(PacketVerdict::kForwarded, NextRtp);
  EXPECT_EQ(VerdictCount(path.harness().Leg("call", "b"), PacketVerdict::kSendRekeyNeeded),
            uint64_t{kPackets} - kBatch);
}

TEST_P(SessionZeroAllocTest, NamesOfKeys) {
  TestPeerOptions a = Secure(1);
  a.mki = *Mki::Create(Bytes{1, 2, 3, 4});
  Path(a, Plain(2), Engine()).Expect(PacketVerdict::kForwarded, NextRtp);
  Path path(a, Plain(2), Engine());
  path.a().AddKey(*Mki::Create(Bytes{4, 3, 2, 1}));
  path.Expect(PacketVerdict::kUnknownMki, NextRtp);
}

TEST_P(SessionZeroAllocTest, HiddenExtensionsAndKeysThatAreDerivedAnew) {
  SrtpOptions options;
  options.policy.cryptex = CryptexPolicy::kRequired;
  options.policy.key_derivation_rate = *KeyDerivationRate::Create(64);
  TestPeerOptions a = Secure(1);
  TestPeerOptions b = Secure(2);
  a.peer_options = b.gateway_options = options;
  Path(a, b, Engine()).Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int i) {
    const Bytes plain = RtpPacketBuilder()
                            .WithSequence(static_cast<uint16_t>(i))
                            .AddOneByteExtension(1, Bytes{1, 2})
                            .WithPayloadSize(100)
                            .Build();
    return Path::Packet{peer.Protected(plain, PacketKind::kRtp), peer.rtp};
  });
}

INSTANTIATE_TEST_SUITE_P(SuitesAndEngines, SessionZeroAllocTest,
                         testing::Combine(testing::Values(SuiteId::kAesCm128HmacSha1_80,
                                                          SuiteId::kAeadAes128Gcm),
                                          testing::ValuesIn(UsableEngines(DetectCpuFeatures()))),
                         [](const auto& test) {
                           return absl::StrCat(GetCipherSuite(std::get<0>(test.param)).name, "_",
                                               EngineName(std::get<1>(test.param)));
                         });

TEST(SessionZeroAllocPlainTest, BetweenPlainLegs) {
  Path({.host = 1}, {.host = 2}).Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int) {
    return Path::Packet{peer.NextRtp(), peer.rtp};
  });
}

TEST(SessionZeroAllocPlainTest, NotMedia) {
  Path({.host = 1}, {.host = 2}).Expect(PacketVerdict::kNotMedia, [](TestPeer& peer, int i) {
    return Path::Packet{Bytes(static_cast<size_t>(i % 100), 20), peer.rtp};
  });
}

TEST(SessionZeroAllocPlainTest, Truncated) {
  Path({.host = 1}, {.host = 2}).Expect(PacketVerdict::kTruncated, [](TestPeer& peer, int) {
    return Path::Packet{peer.NextRtp(), peer.rtp, Component::kRtp, true};
  });
}

TEST(SessionZeroAllocPlainTest, ANewSsrcForEveryPacket) {
  Path({.host = 1}, {.host = 2}).Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int i) {
    return Path::Packet{RtpPacketBuilder().WithSsrc(static_cast<uint32_t>(i)).Build(), peer.rtp};
  });
}

// More copies than the table protects at once.
TEST(SessionZeroAllocPlainTest, FanOutOfWholeBatches) {
  SessionHarness::Options options;
  options.packet_slots = 4 * kBatch;
  options.outbox_packets = 4 * kBatch;
  Path path({.host = 1}, {.host = 2, .suite = SuiteId::kAeadAes128Gcm}, options);
  const TestPeer c({.host = 3});
  const TestPeer d({.host = 4, .suite = SuiteId::kAesCm128HmacSha1_80});
  path.harness().AddLeg("call", "c", c);
  path.harness().AddLeg("call", "d", d);
  ASSERT_TRUE(path.harness().table().SetForwarding("call", {{"a", {"b", "c", "d"}}}).ok());
  path.Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int) {
    return Path::Packet{peer.NextRtp(), peer.rtp};
  });
  EXPECT_EQ(SentVerdicts(path.harness().Leg("call", "d")), uint64_t{kPackets});
}

TEST(SessionZeroAllocPlainTest, AFullOutboxAndAnEmptyArena) {
  SessionHarness::Options options;
  options.outbox_packets = 3;
  options.outbox_events = 1;
  options.packet_slots = kBatch;
  Path({.host = 1}, {.host = 2}, options)
      .Expect(PacketVerdict::kForwarded, [](TestPeer& peer, int) {
        return Path::Packet{peer.NextRtp(), peer.rtp};
      });
}

}  // namespace
}  // namespace sluice
