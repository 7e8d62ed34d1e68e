// Everything that we do and libsrtp 2.7.0 does not, or the other way round, each with its reason
// and shown on both. Whatever is not in this table is the same: libsrtp_test.cc.

#include <srtp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/key_id.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"
#include "tests/interop/libsrtp_session.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kSsrc = 0x12345678;

// A key, and what both implementations make of it.
class Both {
 public:
  explicit Both(SuiteId suite) : key_(MasterKey::Generate(suite, random_)) {}

  std::unique_ptr<SrtpSender> Sender(const SrtpSenderOptions& options = {}) {
    return *SrtpSender::Create(key_, options, pipe_.engine());
  }
  std::unique_ptr<SrtpReceiver> Receiver(const SrtpReceiverOptions& options = {}) {
    return *SrtpReceiver::Create(key_, options, pipe_.engine());
  }
  std::unique_ptr<LibsrtpSession> TheirSender(const LibsrtpOptions& options = {}) {
    return std::make_unique<LibsrtpSession>(keys(), ssrc_any_outbound, options);
  }
  std::unique_ptr<LibsrtpSession> TheirReceiver(const LibsrtpOptions& options = {}) {
    return std::make_unique<LibsrtpSession>(keys(), ssrc_any_inbound, options);
  }

  Bytes Protected(SrtpSender& sender, PacketKind kind, const Bytes& plain) {
    const Sent sent = pipe_.Send(sender, kind, plain);
    EXPECT_EQ(sent.verdict, ProtectVerdict::kOk);
    return sent.bytes;
  }
  Bytes Protected(LibsrtpSession& sender, PacketKind kind, Bytes plain) {
    EXPECT_EQ(sender.Protect(plain, kind), srtp_err_status_ok);
    return plain;
  }
  UnprotectVerdict Open(SrtpReceiver& receiver, PacketKind kind, const Bytes& packet) {
    return pipe_.Receive(receiver, kind, packet).verdict;
  }
  srtp_err_status_t Open(LibsrtpSession& receiver, PacketKind kind, Bytes packet) {
    return receiver.Unprotect(packet, kind);
  }
  PacketPipe& pipe() { return pipe_; }
  const MasterKey& key() const { return key_; }
  MasterKey NewKey() { return MasterKey::Generate(key_.suite().id, random_); }
  bool aead() const { return key_.suite().aead(); }
  std::vector<LibsrtpKey> keys() const { return {{&key_, Mki()}}; }

 private:
  SeededRandom random_{7};
  PacketPipe pipe_{EngineKind::kBoringSsl};
  const MasterKey key_;
};

Bytes Rtp(uint16_t sequence, uint32_t ssrc = kSsrc) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(40).Build();
}
Bytes Rtcp() {
  return RtcpPacketBuilder().AddReceiverReport(kSsrc).AddSourceDescription(kSsrc, "x").Build();
}
constexpr PacketKind kRtp = PacketKind::kRtp;
constexpr PacketKind kRtcp = PacketKind::kRtcp;

void TheFirstSrtcpIndex(Both& both) {
  const Bytes zero = both.Protected(*both.Sender(), kRtcp, Rtcp());
  const std::unique_ptr<SrtpSender> sender = both.Sender();
  both.Protected(*sender, kRtcp, Rtcp());
  const Bytes one = both.Protected(*sender, kRtcp, Rtcp());
  const Bytes theirs = both.Protected(*both.TheirSender(), kRtcp, Rtcp());
  EXPECT_NE(theirs, zero);
  EXPECT_EQ(theirs, one);
  EXPECT_EQ(both.Open(*both.TheirReceiver(), kRtcp, zero), srtp_err_status_ok);
}

void NeighbouringRollovers(Both& both) {
  const std::unique_ptr<SrtpSender> sender = both.Sender();
  both.Protected(*sender, kRtp, Rtp(65535));
  const Bytes after_wrap = both.Protected(*sender, kRtp, Rtp(0));
  EXPECT_EQ(both.Open(*both.Receiver(), kRtp, after_wrap), UnprotectVerdict::kOk);
  EXPECT_EQ(VerdictOf(both.Open(*both.TheirReceiver(), kRtp, after_wrap)),
            UnprotectVerdict::kAuthFailed);
}

void TheEndOfTheIndex(Both& both) {
  const std::unique_ptr<SrtpSender> sender = both.Sender();
  const uint64_t before_last = (uint64_t{1} << 48) - 3;
  ASSERT_TRUE(
      sender
          ->RestoreStreams({{Ssrc(kSsrc), IdOf(both.key()), WindowState{before_last, {}}, 0}},
                           {.rtp = 0, .rtcp = 0})
          .ok());
  EXPECT_EQ(both.pipe().Send(*sender, kRtp, Rtp(65534)).verdict, ProtectVerdict::kOk);
  EXPECT_EQ(both.pipe().Send(*sender, kRtp, Rtp(65535)).verdict, ProtectVerdict::kKeyExhausted);
  EXPECT_EQ(both.pipe().Send(*sender, kRtp, Rtp(0)).verdict, ProtectVerdict::kKeyExhausted);

  const std::unique_ptr<LibsrtpSession> theirs = both.TheirSender();
  both.Protected(*theirs, kRtp, Rtp(65533));
  ASSERT_EQ(srtp_set_stream_roc(theirs->session(), kSsrc, UINT32_MAX), srtp_err_status_ok);
  both.Protected(*theirs, kRtp, Rtp(65535));
  // It wraps: the packet is the very first one again.
  EXPECT_EQ(both.Protected(*theirs, kRtp, Rtp(0)), both.Protected(*both.Sender(), kRtp, Rtp(0)));
}

void WindowsAfterARekey(Both& both) {
  const MasterKey next = both.NewKey();
  const std::unique_ptr<SrtpSender> sender = both.Sender();
  const std::unique_ptr<LibsrtpSession> their_sender = both.TheirSender();
  both.Protected(*sender, kRtp, Rtp(7));
  const Bytes first = both.Protected(*their_sender, kRtp, Rtp(7));
  const std::unique_ptr<SrtpReceiver> receiver = both.Receiver();
  const std::unique_ptr<LibsrtpSession> their_receiver = both.TheirReceiver();
  ASSERT_EQ(both.Open(*receiver, kRtp, first), UnprotectVerdict::kOk);
  ASSERT_EQ(both.Open(*their_receiver, kRtp, first), srtp_err_status_ok);
  ASSERT_TRUE(sender->Rekey(next).ok());
  ASSERT_TRUE(receiver->Rekey(next).ok());
  their_sender->Rekey({{&next, Mki()}});
  their_receiver->Rekey({{&next, Mki()}});
  EXPECT_EQ(both.pipe().Send(*sender, kRtp, Rtp(7)).verdict, ProtectVerdict::kIndexReused);
  const Bytes again = both.Protected(*their_sender, kRtp, Rtp(7));
  EXPECT_EQ(both.Open(*receiver, kRtp, again), UnprotectVerdict::kReplayed);
  EXPECT_EQ(both.Open(*their_receiver, kRtp, again), srtp_err_status_ok);
}

void PacketsOnTheirWayOverARekey(Both& both) {
  const MasterKey next = both.NewKey();
  const Bytes late = both.Protected(*both.Sender(), kRtp, Rtp(7));
  const std::unique_ptr<SrtpReceiver> receiver = both.Receiver();
  const std::unique_ptr<LibsrtpSession> their_receiver = both.TheirReceiver();
  ASSERT_TRUE(receiver->Rekey(next).ok());
  their_receiver->Rekey({{&next, Mki()}});
  EXPECT_EQ(both.Open(*receiver, kRtp, late), UnprotectVerdict::kOk);
  EXPECT_EQ(VerdictOf(both.Open(*their_receiver, kRtp, late)), UnprotectVerdict::kAuthFailed);
}

void TheLargestWindow(Both& both) {
  EXPECT_NE(both.Receiver({.rtp_replay_window = 32768}), nullptr);
  EXPECT_EQ(LibsrtpSession::Try(both.keys(), {.rtp_window = 32768}), srtp_err_status_bad_param);
  EXPECT_EQ(LibsrtpSession::Try(both.keys(), {.rtp_window = 16384}), srtp_err_status_ok);
}

void TheVersion(Both& both) {
  for (const PacketKind kind : {kRtp, kRtcp}) {
    Bytes plain = kind == kRtp ? Rtp(1) : Rtcp();
    plain[0] = static_cast<uint8_t>((plain[0] & 0x3F) | 0x40);
    EXPECT_EQ(both.pipe().Send(*both.Sender(), kind, plain).verdict, ProtectVerdict::kMalformed);
    const Bytes packet = both.Protected(*both.TheirSender(), kind, plain);
    EXPECT_EQ(both.Open(*both.Receiver(), kind, packet), UnprotectVerdict::kMalformed);
    EXPECT_EQ(both.Open(*both.TheirReceiver(), kind, packet), srtp_err_status_ok);
  }
}

void TheRtcpType(Both& both) {
  Bytes plain = Rtcp();
  plain[1] = 72;
  EXPECT_EQ(both.pipe().Send(*both.Sender(), kRtcp, plain).verdict, ProtectVerdict::kMalformed);
  const Bytes packet = both.Protected(*both.TheirSender(), kRtcp, plain);
  EXPECT_EQ(both.Open(*both.Receiver(), kRtcp, packet), UnprotectVerdict::kMalformed);
  EXPECT_EQ(both.Open(*both.TheirReceiver(), kRtcp, packet), srtp_err_status_ok);
}

void ReadableSrtcp(Both& both) {
  const LibsrtpOptions readable = {.encrypt_rtcp = false};
  const Bytes packet = both.Protected(*both.TheirSender(readable), kRtcp, Rtcp());
  EXPECT_EQ(both.Open(*both.Receiver(), kRtcp, packet), UnprotectVerdict::kUnencrypted);
  const std::unique_ptr<SrtpReceiver> tolerant = both.Receiver({.accept_unencrypted_rtcp = true});
  EXPECT_EQ(both.Open(*tolerant, kRtcp, packet), UnprotectVerdict::kOk);
  // By policy, with HMAC; with AEAD whatever the policy.
  EXPECT_EQ(both.Open(*both.TheirReceiver(), kRtcp, packet),
            both.aead() ? srtp_err_status_ok : srtp_err_status_cant_check);
  EXPECT_EQ(both.Open(*both.TheirReceiver(readable), kRtcp, packet), srtp_err_status_ok);
  // Who takes readable SRTCP takes encrypted SRTCP too; libsrtp with HMAC does not.
  const Bytes encrypted = both.Protected(*both.TheirSender(), kRtcp, Rtcp());
  EXPECT_EQ(both.Open(*both.Receiver({.accept_unencrypted_rtcp = true}), kRtcp, encrypted),
            UnprotectVerdict::kOk);
  EXPECT_EQ(both.Open(*both.TheirReceiver(readable), kRtcp, encrypted),
            both.aead() ? srtp_err_status_ok : srtp_err_status_cant_check);
}

void UnknownMkiOfAReplayedPacket(Both& both) {
  const Mki mki = *Mki::Create({1, 2});
  const std::unique_ptr<SrtpSender> sender = both.Sender({.mki = mki});
  const std::unique_ptr<SrtpReceiver> receiver = both.Receiver({.mki = mki});
  LibsrtpSession their_receiver({{&both.key(), mki}}, ssrc_any_inbound);
  Bytes packet = both.Protected(*sender, kRtp, Rtp(5));
  ASSERT_EQ(both.Open(*receiver, kRtp, packet), UnprotectVerdict::kOk);
  ASSERT_EQ(both.Open(their_receiver, kRtp, packet), srtp_err_status_ok);
  const size_t tag_behind = both.aead() ? 0 : both.key().suite().rtp_tag_size;
  packet[packet.size() - tag_behind - 1] ^= 1;
  EXPECT_EQ(both.Open(*receiver, kRtp, packet), UnprotectVerdict::kUnknownMki);
  EXPECT_EQ(both.Open(their_receiver, kRtp, packet), srtp_err_status_replay_fail);
}

// RFC 6904 section 3: the keystream goes with the place in the extension, padding included.
void PaddingBetweenExtensionElements(Both& both) {
  SrtpPolicy policy;
  policy.encrypted_extensions.set(1);
  const LibsrtpOptions theirs = {.encrypted_extensions = {1}};
  RtpPacketBuilder builder;
  builder.WithSsrc(kSsrc).WithSequence(1);
  const Bytes adjacent =
      builder.WithRawExtension(kOneByteExtensionProfile, {0x10, 7, 0x10, 8, 0, 0, 0, 0}).Build();
  const Bytes padded =
      builder.WithRawExtension(kOneByteExtensionProfile, {0x10, 7, 0, 0, 0x10, 8, 0, 0}).Build();
  EXPECT_EQ(both.Protected(*both.Sender({.policy = policy}), kRtp, adjacent),
            both.Protected(*both.TheirSender(theirs), kRtp, adjacent));
  EXPECT_NE(both.Protected(*both.Sender({.policy = policy}), kRtp, padded),
            both.Protected(*both.TheirSender(theirs), kRtp, padded));
}

void ExtensionsOfAnotherKind(Both& both) {
  SrtpPolicy policy;
  policy.encrypted_extensions.set(1);
  const Bytes plain = RtpPacketBuilder().WithRawExtension(0xABCD, {1, 2, 3, 4}).Build();
  const Bytes packet = both.Protected(*both.Sender({.policy = policy}), kRtp, plain);
  EXPECT_EQ(both.Open(*both.Receiver({.policy = policy}), kRtp, packet), UnprotectVerdict::kOk);
  Bytes refused = plain;
  EXPECT_EQ(both.TheirSender({.encrypted_extensions = {1}})->Protect(refused, kRtp),
            srtp_err_status_parse_err);
}

void Cryptex(Both& both) {
  SrtpPolicy policy;
  policy.cryptex = CryptexPolicy::kOn;
  const Bytes plain = RtpPacketBuilder()
                          .WithSsrc(kSsrc)
                          .WithCsrcs({1, 2})
                          .AddOneByteExtension(1, {3})
                          .WithPayloadSize(40)
                          .Build();
  Bytes packet = both.Protected(*both.Sender({.policy = policy}), kRtp, plain);
  EXPECT_EQ(both.Open(*both.Receiver({.policy = policy}), kRtp, packet), UnprotectVerdict::kOk);
  // An HMAC is over the packet as it is, so that is true; what is decrypted is something else.
  const srtp_err_status_t status = both.TheirReceiver()->Unprotect(packet, kRtp);
  EXPECT_EQ(VerdictOf(status), both.aead() ? UnprotectVerdict::kAuthFailed : UnprotectVerdict::kOk);
  EXPECT_NE(packet, plain);
}

void DerivationRates(Both& both) {
  SrtpPolicy policy;
  policy.key_derivation_rate = *KeyDerivationRate::Create(16);
  const std::unique_ptr<SrtpSender> sender = both.Sender({.policy = policy});
  const std::unique_ptr<LibsrtpSession> theirs = both.TheirReceiver();
  for (uint16_t sequence = 0; sequence < 32; ++sequence) {
    EXPECT_EQ(VerdictOf(both.Open(*theirs, kRtp, both.Protected(*sender, kRtp, Rtp(sequence)))),
              sequence < 16 ? UnprotectVerdict::kOk : UnprotectVerdict::kAuthFailed);
  }
}

void LifetimesOfKeys(Both& both) {
  SrtpPolicy policy;
  policy.rtp_lifetime = {1, 2};
  const std::unique_ptr<SrtpSender> sender = both.Sender({.policy = policy});
  const std::unique_ptr<LibsrtpSession> theirs = both.TheirSender();
  for (uint16_t sequence = 0; sequence < 4; ++sequence) {
    EXPECT_EQ(both.pipe().Send(*sender, kRtp, Rtp(sequence)).verdict,
              sequence < 2 ? ProtectVerdict::kOk : ProtectVerdict::kRekeyNeeded);
    both.Protected(*theirs, kRtp, Rtp(sequence));
  }
}

void ManySsrcs(Both& both) {
  const std::unique_ptr<SrtpSender> sender = both.Sender({.max_streams = 2});
  const std::unique_ptr<LibsrtpSession> theirs = both.TheirSender();
  for (uint32_t ssrc = 0; ssrc < 5; ++ssrc) {
    EXPECT_EQ(both.pipe().Send(*sender, kRtp, Rtp(1, ssrc)).verdict,
              ssrc < 2 ? ProtectVerdict::kOk : ProtectVerdict::kTooManyStreams);
    both.Protected(*theirs, kRtp, Rtp(1, ssrc));
  }
}

struct Difference {
  const char* name;
  const char* why;
  void (*show)(Both&);
};

constexpr Difference kDifferences[] = {
    {"TheFirstSrtcpIndex", "RFC 3711 section 3.4 sets it to zero before the first packet",
     TheFirstSrtcpIndex},
    {"NeighbouringRollovers", "a stream that begins close to a wrap would never open",
     NeighbouringRollovers},
    {"TheEndOfTheIndex", "RFC 3711 section 9.2: an index that wraps repeats the keystream",
     TheEndOfTheIndex},
    {"WindowsAfterARekey", "RFC 3711 section 3.3.1: a rekey resets nothing", WindowsAfterARekey},
    {"PacketsOnTheirWayOverARekey", "they would be lost at each change of keys",
     PacketsOnTheirWayOverARekey},
    {"TheLargestWindow", "RFC 3711 section 3.3.1: 2^15 can still be told apart", TheLargestWindow},
    {"TheVersion", "RFC 3550 section 5.1: other versions are other protocols", TheVersion},
    {"TheRtcpType", "RFC 5761 section 4 tells RTP from RTCP by it", TheRtcpType},
    {"ReadableSrtcp", "policy says what is taken, with every transform", ReadableSrtcp},
    {"UnknownMkiOfAReplayedPacket", "without its key nothing about a packet is worth asking",
     UnknownMkiOfAReplayedPacket},
    {"PaddingBetweenExtensionElements", "RFC 6904 section 3", PaddingBetweenExtensionElements},
    {"ExtensionsOfAnotherKind", "there is nothing in them to encrypt; the packet is fine",
     ExtensionsOfAnotherKind},
    {"Cryptex", "libsrtp 2.7.0 has no RFC 9335; its vectors are in published_vectors_test",
     Cryptex},
    {"DerivationRates", "libsrtp derives once; r is tested in srtp_derivation_rate_test",
     DerivationRates},
    {"LifetimesOfKeys", "RFC 3711 section 9.2 has a limit; libsrtp's cannot be set",
     LifetimesOfKeys},
    {"ManySsrcs", "memory is bounded, and a sender forgets no SSRC", ManySsrcs},
};

struct Tested {
  Difference difference;
  SuiteId suite;
};

std::vector<Tested> AllTested() {
  std::vector<Tested> all;
  for (const Difference& difference : kDifferences) {
    for (const SuiteId suite : {SuiteId::kAesCm128HmacSha1_80, SuiteId::kAes256CmHmacSha1_32,
                                SuiteId::kAeadAes128Gcm, SuiteId::kAeadAes256Gcm}) {
      all.push_back({difference, suite});
    }
  }
  return all;
}

class LibsrtpDifferencesTest : public testing::TestWithParam<Tested> {
 protected:
  static void SetUpTestSuite() { SetUpLibsrtp(); }
  static void TearDownTestSuite() { TearDownLibsrtp(); }
};

INSTANTIATE_TEST_SUITE_P(Table, LibsrtpDifferencesTest, testing::ValuesIn(AllTested()),
                         [](const testing::TestParamInfo<Tested>& tested) {
                           return absl::StrCat(tested.param.difference.name, "_",
                                               GetCipherSuite(tested.param.suite).name);
                         });

TEST_P(LibsrtpDifferencesTest, IsThereAndHasAReason) {
  SCOPED_TRACE(GetParam().difference.why);
  Both both(GetParam().suite);
  GetParam().difference.show(both);
}

class LibsrtpAes192Test : public testing::Test {
 protected:
  static void SetUpTestSuite() { SetUpLibsrtp(); }
  static void TearDownTestSuite() { TearDownLibsrtp(); }
};

// libsrtp derives the keys of AES-192 with AES-256, from a master key filled up with zeros; RFC
// 6188 section 3 says AES-192.
TEST_F(LibsrtpAes192Test, KeysOfAes192AreNotDerivedAsTheRfcSays) {
  for (const SuiteId suite : {SuiteId::kAes192CmHmacSha1_80, SuiteId::kAes192CmHmacSha1_32}) {
    Both both(suite);
    EXPECT_EQ(both.Open(*both.TheirReceiver(), kRtp, both.Protected(*both.Sender(), kRtp, Rtp(1))),
              srtp_err_status_auth_fail);
    EXPECT_EQ(both.Open(*both.Receiver(), kRtp, both.Protected(*both.TheirSender(), kRtp, Rtp(1))),
              UnprotectVerdict::kAuthFailed);
  }
}

}  // namespace
}  // namespace sluice
