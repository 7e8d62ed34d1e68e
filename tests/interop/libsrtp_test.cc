#include <srtp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kRtpWindow = 1024;
// Fixed in libsrtp.
constexpr size_t kRtcpWindow = 128;

// One direction of libsrtp: any number of SSRCs under one master key.
class Libsrtp {
 public:
  Libsrtp(const MasterKey& key, srtp_ssrc_type_t direction) : direction_(direction) {
    const Policy policy(key, direction);
    EXPECT_EQ(srtp_create(&session_, &policy.policy), srtp_err_status_ok);
  }
  ~Libsrtp() { EXPECT_EQ(srtp_dealloc(session_), srtp_err_status_ok); }
  Libsrtp(const Libsrtp&) = delete;
  Libsrtp& operator=(const Libsrtp&) = delete;

  void Rekey(const MasterKey& key) {
    const Policy policy(key, direction_);
    EXPECT_EQ(srtp_update(session_, &policy.policy), srtp_err_status_ok);
  }

  // In place; `bytes` becomes longer.
  srtp_err_status_t Protect(Bytes& bytes, PacketKind kind) {
    return Call(bytes, kind == PacketKind::kRtp ? srtp_protect : srtp_protect_rtcp);
  }
  // In place; `bytes` becomes shorter, and is as it was when it does not open.
  srtp_err_status_t Unprotect(Bytes& bytes, PacketKind kind) {
    return Call(bytes, kind == PacketKind::kRtp ? srtp_unprotect : srtp_unprotect_rtcp);
  }

 private:
  struct Policy {
    Policy(const MasterKey& key, srtp_ssrc_type_t direction)
        : bytes(key.key_and_salt().begin(), key.key_and_salt().end()) {
      switch (key.suite().id) {
        case SuiteId::kAesCm128HmacSha1_80:
          srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtp);
          srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kAesCm128HmacSha1_32:
          srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp);
          srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kAeadAes128Gcm:
          srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
          srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
          break;
        case SuiteId::kAeadAes256Gcm:
          srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp);
          srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp);
          break;
        case SuiteId::kAes192CmHmacSha1_80:
          srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80(&policy.rtp);
          srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kAes192CmHmacSha1_32:
          srtp_crypto_policy_set_aes_cm_192_hmac_sha1_32(&policy.rtp);
          srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kAes256CmHmacSha1_80:
          srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtp);
          srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kAes256CmHmacSha1_32:
          srtp_crypto_policy_set_aes_cm_256_hmac_sha1_32(&policy.rtp);
          srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kNullHmacSha1_80:
          srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtp);
          srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtcp);
          break;
        case SuiteId::kNullHmacSha1_32:
          srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtp);
          policy.rtp.auth_tag_len = 4;
          srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtcp);
          break;
      }
      policy.ssrc.type = direction;
      policy.key = bytes.data();
      policy.window_size = kRtpWindow;
    }
    Bytes bytes;
    srtp_policy_t policy = {};
  };

  srtp_err_status_t Call(Bytes& bytes, srtp_err_status_t (*function)(srtp_t, void*, int*)) {
    // libsrtp reads headers as structs of 32-bit words.
    alignas(16) std::array<uint8_t, kPacketSlotSize> buffer;
    CopyBytes(absl::MakeSpan(buffer), bytes);
    int size = static_cast<int>(bytes.size());
    const srtp_err_status_t status = function(session_, buffer.data(), &size);
    if (status == srtp_err_status_ok) {
      bytes.assign(buffer.begin(), buffer.begin() + size);
    }
    return status;
  }

  const srtp_ssrc_type_t direction_;
  srtp_t session_ = nullptr;
};

// Our verdict where libsrtp's status means the same; kMalformed for everything else.
UnprotectVerdict VerdictOf(srtp_err_status_t status) {
  switch (status) {
    case srtp_err_status_ok:
      return UnprotectVerdict::kOk;
    case srtp_err_status_auth_fail:
    // An AEAD tag that is not true.
    case srtp_err_status_cipher_fail:
      return UnprotectVerdict::kAuthFailed;
    case srtp_err_status_replay_fail:
      return UnprotectVerdict::kReplayed;
    case srtp_err_status_replay_old:
      return UnprotectVerdict::kTooOld;
    default:
      return UnprotectVerdict::kMalformed;
  }
}

class LibsrtpTest : public testing::TestWithParam<SuiteId> {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(srtp_init(), srtp_err_status_ok); }
  static void TearDownTestSuite() { ASSERT_EQ(srtp_shutdown(), srtp_err_status_ok); }

  static std::unique_ptr<SrtpReceiver> MakeReceiver(const MasterKey& key) {
    SrtpReceiverOptions options;
    options.rtp_replay_window = kRtpWindow;
    options.rtcp_replay_window = kRtcpWindow;
    return *SrtpReceiver::Create(key, options);
  }

  PacketLoan Load(absl::Span<const uint8_t> content) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet && packet.Resize(content.size()));
    CopyBytes(packet.bytes(), content);
    return packet;
  }
  // As those of Libsrtp.
  ProtectVerdict OursProtect(Bytes& bytes, PacketKind kind) {
    PacketLoan packet = Load(bytes);
    ProtectJob job{sender_.get(), &packet, kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1));
    bytes.assign(packet.bytes().begin(), packet.bytes().end());
    return job.verdict;
  }
  UnprotectVerdict OursUnprotect(Bytes& bytes, PacketKind kind) {
    PacketLoan packet = Load(bytes);
    UnprotectJob job{receiver_.get(), &packet, kind, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_);
    if (job.verdict == UnprotectVerdict::kOk) {
      bytes.assign(packet.bytes().begin(), packet.bytes().end());
    }
    return job.verdict;
  }

  Bytes PlainRtp(uint16_t sequence, uint32_t ssrc) {
    RtpPacketBuilder builder;
    builder.WithSsrc(ssrc).WithSequence(sequence).WithTimestamp(random_.NextU32());
    builder.WithPayloadSize(random_.Below(random_.Below(4) == 0 ? 1400 : 200));
    if (random_.Below(3) == 0) builder.AddOneByteExtension(3, {1, 2, 3, 4, 5});
    if (random_.Below(3) == 0) builder.WithCsrcs({7, 8, 9});
    if (random_.Below(3) == 0) builder.WithPadding(4);
    return builder.Build();
  }
  Bytes PlainRtcp(uint32_t ssrc) {
    RtcpPacketBuilder builder;
    builder.AddSenderReport(ssrc, random_.NextU64(), 1, 2, 3);
    if (random_.Below(2) == 0) builder.AddSourceDescription(ssrc, "someone@somewhere");
    return builder.Build();
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(270)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  PacketArena arena_{2};
  MasterKey key_ = MasterKey::Generate(GetParam(), random_);
  std::unique_ptr<SrtpSender> sender_ = *SrtpSender::Create(key_, {});
  std::unique_ptr<SrtpReceiver> receiver_ = MakeReceiver(key_);
  Libsrtp their_sender_{key_, ssrc_any_outbound};
  Libsrtp their_receiver_{key_, ssrc_any_inbound};
};

std::string SuiteName(const testing::TestParamInfo<SuiteId>& tested) {
  return std::string(GetCipherSuite(tested.param).name);
}

const auto kAllSuites =
    testing::Values(SuiteId::kAesCm128HmacSha1_80, SuiteId::kAesCm128HmacSha1_32,
                    SuiteId::kAeadAes128Gcm, SuiteId::kAeadAes256Gcm);

INSTANTIATE_TEST_SUITE_P(Suites, LibsrtpTest, kAllSuites, SuiteName);
// Not AES-192, whose keys libsrtp 2.7.0 derives with AES-256 from the master key and salt filled up
// with zeros, and not as RFC 6188 section 3 says.
INSTANTIATE_TEST_SUITE_P(Aes256Suites, LibsrtpTest,
                         testing::Values(SuiteId::kAes256CmHmacSha1_80,
                                         SuiteId::kAes256CmHmacSha1_32),
                         SuiteName);

TEST_P(LibsrtpTest, EachOpensWhatTheOtherProtectedAcrossWraps) {
  std::map<uint32_t, uint64_t> index = {{0x11111111, 65500}, {0xFFFFFFFF, 0}, {0, 40000}};
  for (int i = 0; i < 1500; ++i) {
    for (auto& [ssrc, next] : index) {
      const bool rtcp = random_.Below(8) == 0;
      const PacketKind kind = rtcp ? PacketKind::kRtcp : PacketKind::kRtp;
      const Bytes plain = rtcp ? PlainRtcp(ssrc) : PlainRtp(static_cast<uint16_t>(next++), ssrc);
      // Some are lost.
      if (random_.Below(20) == 0) next += random_.Below(5000);

      Bytes ours = plain;
      ASSERT_EQ(OursProtect(ours, kind), ProtectVerdict::kOk);
      ASSERT_NE(ours, plain);
      ASSERT_EQ(their_receiver_.Unprotect(ours, kind), srtp_err_status_ok);
      ASSERT_EQ(ours, plain);

      Bytes theirs = plain;
      ASSERT_EQ(their_sender_.Protect(theirs, kind), srtp_err_status_ok);
      ASSERT_EQ(OursUnprotect(theirs, kind), UnprotectVerdict::kOk);
      ASSERT_EQ(theirs, plain);
    }
  }
  for (const auto& [ssrc, next] : index) {
    EXPECT_GT(next, 2 * 65536u) << "too few packets to wrap";
  }
}

TEST_P(LibsrtpTest, BothMakeTheSameBytes) {
  constexpr uint32_t kSsrc = 0x12345678;
  // libsrtp gives its first SRTCP packet the index 1; RFC 3711 section 3.4 begins with 0.
  Bytes first = PlainRtcp(kSsrc);
  ASSERT_EQ(OursProtect(first, PacketKind::kRtcp), ProtectVerdict::kOk);
  uint16_t sequence = 65000;
  for (int i = 0; i < 3000; ++i) {
    const bool rtcp = random_.Below(4) == 0;
    const PacketKind kind = rtcp ? PacketKind::kRtcp : PacketKind::kRtp;
    Bytes ours = rtcp ? PlainRtcp(kSsrc) : PlainRtp(sequence++, kSsrc);
    Bytes theirs = ours;
    ASSERT_EQ(OursProtect(ours, kind), ProtectVerdict::kOk);
    ASSERT_EQ(their_sender_.Protect(theirs, kind), srtp_err_status_ok);
    ASSERT_EQ(ours, theirs) << i;
  }
}

// Gives the same packets, lost, late, twice, forged, cut and under new keys, to both receivers.
class LibsrtpJudgesTest : public LibsrtpTest {
 protected:
  struct InFlight {
    PacketKind kind;
    Bytes bytes;
  };
  static constexpr uint32_t kSources = 3;
  // Enough for some to become too old.
  static constexpr size_t kMaxInFlight = 1500;

  void Send() {
    const auto source = static_cast<uint32_t>(random_.Below(kSources));
    if (random_.Below(50) == 0) {
      next_sequence_[source] = static_cast<uint16_t>(next_sequence_[source] + random_.Below(9000));
    }
    const PacketKind kind = random_.Below(5) == 0 ? PacketKind::kRtcp : PacketKind::kRtp;
    Bytes bytes =
        kind == PacketKind::kRtcp ? PlainRtcp(source) : PlainRtp(next_sequence_[source]++, source);
    ASSERT_EQ(OursProtect(bytes, kind), ProtectVerdict::kOk);
    in_flight_.push_back({kind, std::move(bytes)});
    if (in_flight_.size() > kMaxInFlight) in_flight_.erase(in_flight_.begin());
  }

  // Mostly in order.
  size_t Pick() {
    const size_t all = in_flight_.size();
    return random_.Below(random_.Below(4) == 0 ? all : std::min<size_t>(all, 4));
  }

  void Deliver() {
    const size_t at = Pick();
    Compare(in_flight_[at].bytes, in_flight_[at].kind);
    if (random_.Below(3) == 0) {
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  void Forge() {
    const InFlight& packet = in_flight_[Pick()];
    Bytes forged = packet.bytes;
    if (random_.Below(4) == 0) {
      forged.resize(random_.Below(forged.size()));
    } else {
      forged[random_.Below(forged.size())] ^= static_cast<uint8_t>(1 << random_.Below(8));
    }
    Compare(std::move(forged), packet.kind);
  }

  // libsrtp has no second key, so nothing may be on its way.
  void Rekey() {
    key_ = MasterKey::Generate(GetParam(), random_);
    ASSERT_TRUE(sender_->Rekey(key_).ok());
    ASSERT_TRUE(receiver_->Rekey(key_).ok());
    receiver_->RetirePreviousKey();
    their_receiver_.Rekey(key_);
    in_flight_.clear();
  }

  void Compare(Bytes ours, PacketKind kind) {
    Bytes theirs = ours;
    const UnprotectVerdict verdict = OursUnprotect(ours, kind);
    const srtp_err_status_t status = their_receiver_.Unprotect(theirs, kind);
    if (verdict == UnprotectVerdict::kMalformed || verdict == UnprotectVerdict::kUnencrypted) {
      // We look at version, RTCP type, lengths and E flag first; libsrtp meets the same packets
      // with one or another error later, after the replay check or the tag.
      ASSERT_NE(status, srtp_err_status_ok) << VerdictName(verdict);
    } else {
      ASSERT_EQ(VerdictName(verdict), VerdictName(VerdictOf(status)))
          << "libsrtp status " << status;
    }
    ASSERT_EQ(ours, theirs);
    ++seen_[std::string(VerdictName(verdict))];
  }

  std::vector<InFlight> in_flight_;
  std::array<uint16_t, kSources> next_sequence_ = {65000, 10, 33000};
  std::map<std::string, int> seen_;
};

INSTANTIATE_TEST_SUITE_P(Suites, LibsrtpJudgesTest, kAllSuites, SuiteName);

TEST_P(LibsrtpJudgesTest, BothReceiversJudgeAlike) {
  for (int i = 0; i < 25000; ++i) {
    SCOPED_TRACE(absl::StrCat("operation ", i));
    const uint64_t operation = random_.Below(1000);
    if (operation < 400 || in_flight_.empty()) {
      Send();
    } else if (operation < 800) {
      Deliver();
    } else if (operation < 999) {
      Forge();
    } else {
      Rekey();
    }
    if (HasFatalFailure()) return;
  }
  for (const char* name :
       {"ok", "replayed", "too_old", "auth_failed", "malformed", "unencrypted"}) {
    EXPECT_GT(seen_[name], 10) << name;
  }
}

}  // namespace
}  // namespace sluice
