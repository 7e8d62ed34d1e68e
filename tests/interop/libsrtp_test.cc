// Our SRTP against libsrtp: the same random list of operations for both, and the same verdict and
// bytes for each. What the two do differently on purpose is in libsrtp_differences_test.cc.

#include <srtp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"
#include "tests/interop/libsrtp_session.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSources = 3;
// Live at the same time, where packets carry an MKI.
constexpr size_t kKeys = 3;

struct Tested {
  SuiteOnEngine suite;
  bool has_mki;
  bool encrypts_extensions;
};

std::vector<Tested> AllTested() {
  std::vector<Tested> all;
  for (const SuiteOnEngine& suite : AllSuitesOnAllEngines()) {
    // libsrtp derives AES-192 keys as no RFC says: libsrtp_differences_test.cc.
    if (GetCipherSuite(suite.suite).key_size == 24) continue;
    for (const bool has_mki : {false, true}) {
      for (const bool encrypts_extensions : {false, true}) {
        all.push_back({suite, has_mki, encrypts_extensions});
      }
    }
  }
  return all;
}

class LibsrtpTest : public testing::TestWithParam<Tested> {
 protected:
  static void SetUpTestSuite() { SetUpLibsrtp(); }
  static void TearDownTestSuite() { TearDownLibsrtp(); }

  LibsrtpTest() {
    if (GetParam().encrypts_extensions) {
      policy_.encrypted_extensions.set(1).set(3).set(14);
      their_options_.encrypted_extensions = {1, 3, 14};
    }
    their_options_.rtp_window = window_;
    NewKeys();
    their_sender_ =
        std::make_unique<LibsrtpSession>(TheirKeys(), ssrc_any_outbound, their_options_);
    their_receiver_ =
        std::make_unique<LibsrtpSession>(TheirKeys(), ssrc_any_inbound, their_options_);
    sender_ = *SrtpSender::Create(
        keys_[0], {.replay_window = window_, .mki = MkiOf(0), .policy = policy_}, pipe_.engine());
    receiver_ = *SrtpReceiver::Create(keys_[0],
                                      {.rtp_replay_window = window_,
                                       .rtcp_replay_window = kLibsrtpRtcpWindow,
                                       .mki = MkiOf(0),
                                       .policy = policy_},
                                      pipe_.engine());
    AddOtherKeys();
    // libsrtp gives its first SRTCP packet the index 1; RFC 3711 section 3.4 begins with 0.
    for (uint32_t ssrc = 0; ssrc < kSources; ++ssrc) {
      EXPECT_EQ(pipe_.Send(*sender_, PacketKind::kRtcp, PlainRtcp(ssrc)).verdict,
                ProtectVerdict::kOk);
    }
  }

  void NewKeys() {
    keys_.clear();
    ++generation_;
    for (size_t i = 0; i < (GetParam().has_mki ? kKeys : 1); ++i) {
      keys_.push_back(MasterKey::Generate(GetParam().suite.suite, random_));
    }
    sending_key_ = 0;
  }
  Mki MkiOf(size_t key) const {
    return GetParam().has_mki
               ? *Mki::Create({static_cast<uint8_t>(generation_), 9, static_cast<uint8_t>(key)})
               : Mki();
  }
  std::vector<LibsrtpKey> TheirKeys() const {
    std::vector<LibsrtpKey> keys;
    for (size_t i = 0; i < keys_.size(); ++i) {
      keys.push_back({&keys_[i], MkiOf(i)});
    }
    return keys;
  }
  void AddOtherKeys() {
    for (size_t i = 1; i < keys_.size(); ++i) {
      EXPECT_TRUE(sender_->AddKey(keys_[i], MkiOf(i)).ok());
      EXPECT_TRUE(receiver_->AddKey(keys_[i], MkiOf(i)).ok());
    }
  }

  Bytes PlainRtp(uint16_t sequence, uint32_t ssrc) {
    RtpPacketBuilder builder;
    builder.WithSsrc(ssrc).WithSequence(sequence).WithTimestamp(random_.NextU32());
    builder.WithPayloadSize(random_.Below(random_.Below(4) == 0 ? 1300 : 200));
    if (random_.Below(3) == 0) builder.WithCsrcs({7, 8, 9});
    if (random_.Below(3) == 0) builder.WithPadding(4);
    // No padding between elements, where the keystreams of the two part.
    const uint64_t elements = random_.Below(4);
    for (uint64_t i = 0; i < elements; ++i) {
      const Bytes data(1 + random_.Below(16), static_cast<uint8_t>(0x40 + i));
      const auto id = static_cast<uint8_t>(1 + random_.Below(14));
      if (sequence % 2 == 0) {
        builder.AddOneByteExtension(id, data);
      } else {
        builder.AddTwoByteExtension(id, data, static_cast<uint8_t>(sequence % 16));
      }
    }
    return builder.Build();
  }
  Bytes PlainRtcp(uint32_t ssrc) {
    RtcpPacketBuilder builder;
    builder.AddSenderReport(ssrc, random_.NextU64(), 1, 2, 3);
    if (random_.Below(2) == 0) builder.AddSourceDescription(ssrc, "someone@somewhere");
    return builder.Build();
  }

  // Both senders at once: the same verdict and the same bytes.
  Sent ProtectBoth(PacketKind kind, const Bytes& plain) {
    Sent ours = pipe_.Send(*sender_, kind, plain);
    Bytes theirs = plain;
    const srtp_err_status_t status =
        their_sender_->Protect(theirs, kind, static_cast<unsigned>(sending_key_));
    if (ours.verdict == ProtectVerdict::kIndexReused) {
      EXPECT_TRUE(status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old)
          << status;
    } else {
      EXPECT_EQ(ours.verdict, ProtectVerdict::kOk);
      EXPECT_EQ(status, srtp_err_status_ok);
    }
    EXPECT_EQ(ours.bytes, theirs);
    ++seen_[absl::StrCat("protect ", VerdictName(ours.verdict))];
    return ours;
  }

  // Both receivers at once.
  void UnprotectBoth(PacketKind kind, const Bytes& packet, bool forged = false) {
    const Received ours = pipe_.Receive(*receiver_, kind, packet);
    Bytes theirs = packet;
    const srtp_err_status_t status = their_receiver_->Unprotect(theirs, kind);
    switch (ours.verdict) {
      case UnprotectVerdict::kMalformed:
      case UnprotectVerdict::kUnencrypted:
      case UnprotectVerdict::kUnknownMki:
        // We look at version, RTCP type, lengths, E flag and MKI first; libsrtp meets the same
        // packets with one or another error later, after the replay check or the tag.
        ASSERT_NE(status, srtp_err_status_ok) << VerdictName(ours.verdict);
        break;
      case UnprotectVerdict::kReplayed:
        // WindowsAfterARekey of libsrtp_differences_test.cc: it forgot the indices of the keys
        // before, which only a forged sequence number can come back to.
        if (forged && generation_ > 1 && kind == PacketKind::kRtp &&
            VerdictOf(status) == UnprotectVerdict::kAuthFailed) {
          break;
        }
        [[fallthrough]];
      default:
        ASSERT_EQ(ours.verdict, VerdictOf(status)) << "libsrtp status " << status;
        break;
    }
    if (ours.verdict == UnprotectVerdict::kOk) {
      ASSERT_EQ(ours.bytes, theirs);
    }
    ++seen_[std::string(VerdictName(ours.verdict))];
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(270)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  // One in which many packets become too old, and the default.
  const size_t window_ = GetParam().has_mki ? 128 : 1024;
  PacketPipe pipe_{GetParam().suite.engine};
  SrtpPolicy policy_;
  LibsrtpOptions their_options_;
  int generation_ = 0;
  std::vector<MasterKey> keys_;
  size_t sending_key_ = 0;
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;
  std::unique_ptr<LibsrtpSession> their_sender_;
  std::unique_ptr<LibsrtpSession> their_receiver_;
  std::map<std::string, int> seen_;
};

std::string TestedName(const testing::TestParamInfo<Tested>& tested) {
  return absl::StrCat(GetCipherSuite(tested.param.suite.suite).name, "_on_",
                      EngineName(tested.param.suite.engine), tested.param.has_mki ? "_mki" : "",
                      tested.param.encrypts_extensions ? "_extensions" : "");
}

INSTANTIATE_TEST_SUITE_P(All, LibsrtpTest, testing::ValuesIn(AllTested()), TestedName);

TEST_P(LibsrtpTest, EachOpensWhatTheOtherProtectedAcrossWraps) {
  std::array<uint64_t, kSources> index = {65500, 0, 40000};
  for (int i = 0; i < 500; ++i) {
    for (uint32_t ssrc = 0; ssrc < kSources; ++ssrc) {
      const bool rtcp = random_.Below(8) == 0;
      const PacketKind kind = rtcp ? PacketKind::kRtcp : PacketKind::kRtp;
      const Bytes plain =
          rtcp ? PlainRtcp(ssrc) : PlainRtp(static_cast<uint16_t>(index[ssrc]++), ssrc);
      // Some are lost.
      if (random_.Below(10) == 0) index[ssrc] += random_.Below(9000);
      // The bytes of both being the same, it does not matter whose packet is opened.
      const Bytes packet = ProtectBoth(kind, plain).bytes;
      Bytes theirs = packet;
      ASSERT_EQ(their_receiver_->Unprotect(theirs, kind), srtp_err_status_ok);
      ASSERT_EQ(theirs, plain);
      const Received ours = pipe_.Receive(*receiver_, kind, packet);
      ASSERT_EQ(ours.verdict, UnprotectVerdict::kOk);
      ASSERT_EQ(ours.bytes, plain);
    }
  }
  for (const uint64_t next : index) {
    EXPECT_GT(next, 2 * 65536u) << "too few packets to wrap";
  }
}

// Gives the same packets, lost, late, twice, forged, cut and under new keys, to both.
class LibsrtpJudgesTest : public LibsrtpTest {
 protected:
  struct InFlight {
    PacketKind kind;
    Bytes bytes;
  };
  // Enough for some to become too old.
  static constexpr size_t kMaxInFlight = 1500;

  void Send() {
    const auto source = static_cast<uint32_t>(random_.Below(kSources));
    if (random_.Below(50) == 0) {
      next_index_[source] += random_.Below(9000);
    }
    if (GetParam().has_mki && random_.Below(10) == 0) {
      sending_key_ = random_.Below(kKeys);
      ASSERT_TRUE(sender_->SendWith(MkiOf(sending_key_)).ok());
    }
    if (random_.Below(5) == 0) {
      in_flight_.push_back(
          {PacketKind::kRtcp, ProtectBoth(PacketKind::kRtcp, PlainRtcp(source)).bytes});
    } else {
      uint64_t index = next_index_[source];
      if (random_.Below(8) == 0) {
        // Late or once more, of those since the last rekey.
        index -= random_.Below(std::min<uint64_t>(index - first_index_[source], 1200) + 1);
      }
      next_index_[source] = std::max(next_index_[source], index + 1);
      const Sent sent =
          ProtectBoth(PacketKind::kRtp, PlainRtp(static_cast<uint16_t>(index), source));
      if (sent.verdict != ProtectVerdict::kOk) return;
      in_flight_.push_back({PacketKind::kRtp, sent.bytes});
    }
    if (in_flight_.size() > kMaxInFlight) in_flight_.erase(in_flight_.begin());
  }

  // Mostly in order.
  size_t Pick() {
    const size_t all = in_flight_.size();
    return random_.Below(random_.Below(4) == 0 ? all : std::min<size_t>(all, 4));
  }

  void Deliver() {
    const size_t at = Pick();
    UnprotectBoth(in_flight_[at].kind, in_flight_[at].bytes);
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
    UnprotectBoth(packet.kind, forged, /*forged=*/true);
  }

  // libsrtp opens nothing with the key before and forgets what it saw, so nothing may be on its
  // way.
  void Rekey() {
    const size_t old_keys = keys_.size();
    std::vector<Mki> old_mkis;
    for (size_t i = 0; i < old_keys; ++i) old_mkis.push_back(MkiOf(i));
    NewKeys();
    if (!GetParam().has_mki) {
      ASSERT_TRUE(sender_->Rekey(keys_[0]).ok());
      ASSERT_TRUE(receiver_->Rekey(keys_[0]).ok());
      receiver_->RetirePreviousKey();
    } else {
      ASSERT_TRUE(sender_->AddKey(keys_[0], MkiOf(0)).ok());
      ASSERT_TRUE(receiver_->AddKey(keys_[0], MkiOf(0)).ok());
      AddOtherKeys();
      ASSERT_TRUE(sender_->SendWith(MkiOf(0)).ok());
      for (const Mki& mki : old_mkis) {
        ASSERT_TRUE(sender_->RetireKey(mki).ok());
        ASSERT_TRUE(receiver_->RetireKey(mki).ok());
      }
    }
    their_sender_->Rekey(TheirKeys());
    their_receiver_->Rekey(TheirKeys());
    in_flight_.clear();
    first_index_ = next_index_;
  }

  std::vector<InFlight> in_flight_;
  std::array<uint64_t, kSources> next_index_ = {65000, 10, 33000};
  std::array<uint64_t, kSources> first_index_ = next_index_;
};

INSTANTIATE_TEST_SUITE_P(All, LibsrtpJudgesTest, testing::ValuesIn(AllTested()), TestedName);

TEST_P(LibsrtpJudgesTest, BothSendAndJudgeAlike) {
  // Until an RTP packet authenticated we try what libsrtp does not.
  for (uint32_t source = 0; source < kSources; ++source) {
    const auto sequence = static_cast<uint16_t>(next_index_[source]++);
    UnprotectBoth(PacketKind::kRtp,
                  ProtectBoth(PacketKind::kRtp, PlainRtp(sequence, source)).bytes);
  }
  for (int i = 0; i < 8000; ++i) {
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
    if (HasFailure()) return;
  }
  for (const char* name : {"protect ok", "protect index_reused", "ok", "replayed", "too_old",
                           "auth_failed", "malformed", "unencrypted"}) {
    EXPECT_GT(seen_[name], 5) << name;
  }
  if (GetParam().has_mki) {
    EXPECT_GT(seen_["unknown_mki"], 5);
  }
}

}  // namespace
}  // namespace sluice
