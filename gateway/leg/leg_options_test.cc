// What both ends of one direction agreed on beside keys: windows, lifetimes, derivation rate,
// header extensions, SRTCP that is readable.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/srtp_options.h"
#include "gateway/leg/testing/leg_fixture.h"
#include "gtest/gtest.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

class LegOptionsTest : public LegFixture {
 protected:
  // A packet with an extension that nobody but the other end is to read.
  static Bytes WithExtension(uint16_t sequence) {
    const std::vector<uint8_t> level = {0x85, 0x42};
    return RtpPacketBuilder()
        .WithSsrc(1)
        .WithSequence(sequence)
        .WithPayloadSize(20)
        .AddOneByteExtension(3, level)
        .Build();
  }
  static bool Holds(const Bytes& bytes, const Bytes& piece) {
    return std::search(bytes.begin(), bytes.end(), piece.begin(), piece.end()) != bytes.end();
  }

  PacketLoan Lend(const Bytes& bytes) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), packet.bytes().begin());
    return packet;
  }
  // What becomes of a packet that the leg is to send.
  ProtectVerdict Send(Leg& leg, const Bytes& plain, PacketKind kind = PacketKind::kRtp) {
    PacketLoan packet = Lend(plain);
    ProtectJob job{leg.sender(), &packet, kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine_);
    sent_.assign(packet.bytes().begin(), packet.bytes().end());
    return job.verdict;
  }
  UnprotectVerdict Open(Leg& leg, SrtpSender& peer, const Bytes& plain, PacketKind kind) {
    PacketLoan packet = Lend(plain);
    ProtectJob protect{&peer, &packet, kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&protect, 1), engine_);
    EXPECT_EQ(protect.verdict, ProtectVerdict::kOk);
    UnprotectJob job{leg.receiver(), &packet, kind, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_, engine_);
    return job.verdict;
  }
  std::unique_ptr<SrtpSender> PeerWith(const SrtpPolicy& policy) {
    SrtpSenderOptions options;
    options.policy = policy;
    return Sender(remote_key_, options);
  }

  Bytes sent_;
};

TEST_F(LegOptionsTest, PlainLegsHaveNone) {
  Leg leg = Make(PlainSpec());
  LegUpdate local;
  local.local_options.emplace();
  EXPECT_EQ(Subject(leg.Update(now_, std::move(local))), "config.local_options");
  LegUpdate remote;
  remote.remote_options.emplace();
  EXPECT_EQ(Subject(leg.Update(now_, std::move(remote))), "config.remote_options");
  EXPECT_FALSE(leg.Snapshot().local_options.has_value());
  EXPECT_FALSE(leg.Snapshot().remote_options.has_value());
}

TEST_F(LegOptionsTest, OptionsThatContradictThemselvesAreRefused) {
  LegSpec spec = SecureSpec();
  spec.local_options.policy.cryptex = CryptexPolicy::kOn;
  spec.local_options.policy.encrypted_extensions.set(3);
  EXPECT_EQ(Subject(Leg::Create(now_, std::move(spec), Local(), kMaxStreams, engine_, {&random_, 0})
                        .status()),
            "config.local_options");
  spec = SecureSpec();
  spec.remote_options.rtp_replay_window = 100;
  EXPECT_EQ(Subject(Leg::Create(now_, std::move(spec), Local(), kMaxStreams, engine_, {&random_, 0})
                        .status()),
            "config.remote_options");
}

TEST_F(LegOptionsTest, TheReplayWindowIsAsWideAsAskedFor) {
  for (const size_t window : {64, 32'768}) {
    LegSpec spec = SecureSpec();
    spec.remote_options.rtp_replay_window = window;
    spec.local_options.rtp_replay_window = window;
    Leg leg = Make(std::move(spec));
    const auto peer = Sender(remote_key_);
    const auto late = static_cast<uint16_t>(30'000 - window + 1);
    const Bytes in_time = Protected(*peer, Plain(window == 64 ? late : 1));
    const Bytes too_late = Protected(*peer, Plain(window == 64 ? late - 1 : 0));
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(30'000))), std::nullopt);
    EXPECT_EQ(Receive(leg, in_time), std::nullopt) << window;
    EXPECT_EQ(Receive(leg, too_late),
              window == 64 ? std::optional<PacketVerdict>(PacketVerdict::kTooOld) : std::nullopt);

    ASSERT_EQ(Send(leg, Plain(30'000)), ProtectVerdict::kOk);
    EXPECT_EQ(Send(leg, Plain(29'900)),
              window == 64 ? ProtectVerdict::kIndexReused : ProtectVerdict::kOk);
  }
}

TEST_F(LegOptionsTest, ReadableRtcpIsSentAndTakenOnlyByPolicy) {
  const Bytes report = RtcpPacketBuilder().AddSenderReport(1, 2, 3, 4, 5).Build();
  const Bytes body(report.begin() + 8, report.end());
  SrtpSenderOptions in_the_clear;
  in_the_clear.encrypt_rtcp = false;
  for (const bool allowed : {false, true}) {
    LegSpec spec = SecureSpec();
    spec.local_options.unencrypted_rtcp = allowed;
    spec.remote_options.unencrypted_rtcp = allowed;
    Leg leg = Make(std::move(spec));
    ASSERT_EQ(Send(leg, report, PacketKind::kRtcp), ProtectVerdict::kOk);
    EXPECT_EQ(Holds(sent_, body), allowed);
    const auto peer = Sender(remote_key_, in_the_clear);
    EXPECT_EQ(Open(leg, *peer, report, PacketKind::kRtcp),
              allowed ? UnprotectVerdict::kOk : UnprotectVerdict::kUnencrypted);
  }
}

TEST_F(LegOptionsTest, RequiredCryptexHidesExtensionsAndTakesNoReadableOnes) {
  LegSpec spec = SecureSpec();
  spec.local_options.policy.cryptex = CryptexPolicy::kRequired;
  spec.remote_options.policy.cryptex = CryptexPolicy::kRequired;
  Leg leg = Make(std::move(spec));
  ASSERT_EQ(Send(leg, WithExtension(1)), ProtectVerdict::kOk);
  EXPECT_FALSE(Holds(sent_, {0x85, 0x42}));
  // Looks like a cryptex packet and is none.
  EXPECT_EQ(Send(leg, RtpPacketBuilder().WithSequence(2).WithRawExtension(0xC0DE, {}).Build()),
            ProtectVerdict::kCryptexImpossible);

  SrtpPolicy cryptex;
  cryptex.cryptex = CryptexPolicy::kOn;
  const auto peer = PeerWith(cryptex);
  EXPECT_EQ(Receive(leg, Protected(*peer, WithExtension(1))), std::nullopt);
  const auto old_fashioned = PeerWith({});
  EXPECT_EQ(Receive(leg, Protected(*old_fashioned, WithExtension(2))),
            PacketVerdict::kCryptexRefused);
}

TEST_F(LegOptionsTest, ExtensionsAreEncryptedById) {
  SrtpPolicy policy;
  policy.encrypted_extensions.set(3);
  LegSpec spec = SecureSpec();
  spec.local_options.policy = policy;
  spec.remote_options.policy = policy;
  Leg leg = Make(std::move(spec));
  ASSERT_EQ(Send(leg, WithExtension(1)), ProtectVerdict::kOk);
  EXPECT_FALSE(Holds(sent_, {0x85, 0x42}));
  SrtpReceiverOptions options;
  options.policy = policy;
  EXPECT_TRUE(Opens(*Receiver(local_key_, options), sent_));
  EXPECT_EQ(Receive(leg, Protected(*PeerWith(policy), WithExtension(1))), std::nullopt);
}

TEST_F(LegOptionsTest, BothEndsDeriveKeysAtTheSameRate) {
  SrtpPolicy policy;
  policy.key_derivation_rate = *KeyDerivationRate::Create(16);
  LegSpec spec = SecureSpec();
  spec.remote_options.policy = policy;
  spec.local_options.policy = policy;
  Leg leg = Make(std::move(spec));
  const auto peer = PeerWith(policy);
  SrtpReceiverOptions options;
  options.policy = policy;
  const auto receiver = Receiver(local_key_, options);
  for (uint16_t sequence = 1; sequence < 40; ++sequence) {
    EXPECT_EQ(Receive(leg, Protected(*peer, Plain(sequence))), std::nullopt) << sequence;
    EXPECT_TRUE(Opens(*receiver, Protected(*leg.sender(), Plain(sequence)))) << sequence;
  }
  // Without the rate the second interval has other keys.
  EXPECT_FALSE(Opens(*Receiver(local_key_), Protected(*leg.sender(), Plain(100))));
}

TEST_F(LegOptionsTest, LimitsOfALocalKeyAreToldOnceAndEndWithIt) {
  LegSpec spec = SecureSpec();
  spec.local_options.policy.rtp_lifetime = {3, 5};
  Leg leg = Make(std::move(spec));
  std::vector<std::optional<KeyLimit>> told;
  for (uint16_t sequence = 1; sequence <= 7; ++sequence) {
    const ProtectVerdict verdict = Send(leg, Plain(sequence));
    EXPECT_EQ(verdict, sequence <= 5 ? ProtectVerdict::kOk : ProtectVerdict::kRekeyNeeded);
    told.push_back(leg.TakeKeyLimit(verdict));
  }
  EXPECT_EQ(told, (std::vector<std::optional<KeyLimit>>{std::nullopt, std::nullopt, KeyLimit::kSoft,
                                                        std::nullopt, std::nullopt, KeyLimit::kHard,
                                                        std::nullopt}));
  LegUpdate update;
  update.prepare_local_key = NewKey();
  update.activate_local_key = true;
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  told.clear();
  for (uint16_t sequence = 8; sequence <= 10; ++sequence) {
    told.push_back(leg.TakeKeyLimit(Send(leg, Plain(sequence))));
  }
  EXPECT_EQ(told,
            (std::vector<std::optional<KeyLimit>>{std::nullopt, std::nullopt, KeyLimit::kSoft}));
}

TEST_F(LegOptionsTest, LimitsOfARemoteKeyAreToldOnceAndEndWithIt) {
  LegSpec spec = SecureSpec();
  spec.remote_options.policy.rtp_lifetime = {2, 3};
  Leg leg = Make(std::move(spec));
  const auto peer = Sender(remote_key_);
  std::vector<std::optional<KeyLimit>> told;
  for (uint16_t sequence = 1; sequence <= 5; ++sequence) {
    const UnprotectVerdict verdict = Open(leg, *peer, Plain(sequence), PacketKind::kRtp);
    EXPECT_EQ(verdict, sequence <= 3 ? UnprotectVerdict::kOk : UnprotectVerdict::kRekeyNeeded);
    told.push_back(leg.TakeKeyLimit(verdict));
  }
  EXPECT_EQ(told, (std::vector<std::optional<KeyLimit>>{std::nullopt, KeyLimit::kSoft, std::nullopt,
                                                        KeyLimit::kHard, std::nullopt}));
  const MasterKey next = NewKey();
  LegUpdate update;
  update.remote_key = next.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  ASSERT_TRUE(peer->Rekey(next).ok());
  told.clear();
  for (uint16_t sequence = 6; sequence <= 7; ++sequence) {
    told.push_back(leg.TakeKeyLimit(Open(leg, *peer, Plain(sequence), PacketKind::kRtp)));
  }
  EXPECT_EQ(told, (std::vector<std::optional<KeyLimit>>{std::nullopt, KeyLimit::kSoft}));
}

TEST_F(LegOptionsTest, OptionsMayComeWithTheAnswerBeforeTheFirstPacket) {
  LegSpec spec = SecureSpec();
  spec.remote_key.reset();
  Leg leg = Make(std::move(spec));
  SrtpPolicy cryptex;
  cryptex.cryptex = CryptexPolicy::kRequired;
  LegUpdate answer;
  answer.remote_key = remote_key_.Clone();
  answer.remote_options = SrtpOptions{.policy = cryptex};
  answer.local_options = SrtpOptions{.policy = cryptex};
  ASSERT_TRUE(leg.Update(now_, std::move(answer)).ok());
  EXPECT_EQ(leg.Snapshot().remote_options->policy.cryptex, CryptexPolicy::kRequired);
  ASSERT_EQ(Send(leg, WithExtension(1)), ProtectVerdict::kOk);
  EXPECT_FALSE(Holds(sent_, {0x85, 0x42}));
  SrtpReceiverOptions options;
  options.policy = cryptex;
  EXPECT_TRUE(Opens(*Receiver(local_key_, options), sent_)) << "under the key that was told";
  EXPECT_EQ(Receive(leg, Protected(*PeerWith(cryptex), WithExtension(1))), std::nullopt);
}

TEST_F(LegOptionsTest, OptionsInUseChangeOnlyWithANewEndpoint) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  ASSERT_EQ(Receive(leg, Protected(*peer, Plain(1))), std::nullopt);
  ASSERT_EQ(Send(leg, Plain(1)), ProtectVerdict::kOk);
  const SrtpOptions narrow = {.policy = {}, .rtp_replay_window = 64};
  LegUpdate local;
  local.local_options = narrow;
  local.hold = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(local))), "OPTIONS_IN_USE");
  LegUpdate remote;
  remote.remote_options = narrow;
  remote.remote_key = NewKey();
  EXPECT_EQ(Subject(leg.Update(now_, std::move(remote))), "OPTIONS_IN_USE")
      << "a new key of the same endpoint goes on in its context";
  EXPECT_FALSE(leg.hold());
  EXPECT_EQ(leg.Snapshot().local_options->rtp_replay_window, 1024u);
  LegUpdate same;
  same.local_options.emplace();
  same.remote_options.emplace();
  const SrtpSender* const sender = leg.sender();
  EXPECT_TRUE(leg.Update(now_, std::move(same)).ok()) << "nothing changes";
  EXPECT_EQ(leg.sender(), sender);

  LegUpdate moved;
  moved.remote = Remote(kElsewhere, kElsewhere);
  moved.remote_key = NewKey();
  moved.remote_options = narrow;
  moved.prepare_local_key = NewKey();
  moved.activate_local_key = true;
  moved.local_options = narrow;
  ASSERT_TRUE(leg.Update(now_, std::move(moved)).ok());
  EXPECT_EQ(leg.Snapshot().local_options->rtp_replay_window, 64u);
  EXPECT_EQ(leg.Snapshot().remote_options->rtp_replay_window, 64u);
}

TEST_F(LegOptionsTest, WhatIsAskedBeyondTheUsualIsCounted) {
  LegSpec spec = SecureSpec();
  EXPECT_EQ(Make(std::move(spec)).ExtraBytes(), 0u);
  spec = SecureSpec();
  spec.remote_options.rtp_replay_window = 32'768;
  Leg leg = Make(std::move(spec));
  EXPECT_GT(leg.ExtraBytes(), 0u);
  LegUpdate routine;
  routine.remote_key = NewKey();
  routine.prepare_local_key = NewKey();
  EXPECT_EQ(leg.ExtraBytesAfter(routine), leg.ExtraBytes()) << "a change of keys is no more";
  LegUpdate narrower;
  narrower.remote_options.emplace();
  EXPECT_EQ(leg.ExtraBytesAfter(narrower), 0u);
  EXPECT_EQ(Make(PlainSpec()).ExtraBytes(), 0u);
}

}  // namespace
}  // namespace sluice
