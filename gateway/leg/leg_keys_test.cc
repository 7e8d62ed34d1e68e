// Keys of a leg: what arrives, what is sent, and what a change of either does.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/address_learner.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/testing/leg_fixture.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"

namespace sluice {
namespace {

using LegKeysTest = LegFixture;

TEST_F(LegKeysTest, PlainLegsHaveNoKeysToChange) {
  Leg leg = Make(PlainSpec());
  LegUpdate remote_key;
  remote_key.remote_key = NewKey();
  remote_key.hold = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(remote_key))), "config.remote_key");
  LegUpdate prepare;
  prepare.prepare_local_key = NewKey();
  EXPECT_EQ(Subject(leg.Update(now_, std::move(prepare))), "local_key_change");
  LegUpdate activate;
  activate.activate_local_key = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(activate))), "local_key_change");
  EXPECT_FALSE(leg.hold()) << "a refused update changes nothing";
}

TEST_F(LegKeysTest, WithoutARemoteKeyNothingIsTakenUntilItComes) {
  LegSpec spec = SecureSpec();
  spec.remote_key.reset();
  Leg leg = Make(std::move(spec));
  const auto peer = Sender(remote_key_);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1))), PacketVerdict::kNoKey);
  LegUpdate update;
  update.remote_key = remote_key_.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(2))), std::nullopt);
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
}

TEST_F(LegKeysTest, ANewRemoteKeyKeepsTheRolloverCounterAndRetiresTheOldOne) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  // Over the wrap, so that the rollover counter is 1.
  for (const uint16_t sequence : {65'534, 65'535, 0, 1}) {
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(sequence))), std::nullopt);
  }
  const Bytes late = Protected(*peer, Plain(2));
  const Bytes too_late = Protected(*peer, Plain(3));
  const MasterKey new_key = NewKey();
  LegUpdate update;
  update.remote_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  ASSERT_TRUE(peer->Rekey(new_key).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(4))), std::nullopt);
  EXPECT_EQ(Receive(leg, late), std::nullopt);
  EXPECT_EQ(Receive(leg, late), PacketVerdict::kReplayed);

  EXPECT_EQ(leg.NextTimeout(), kStart + kKeyRetireDelay);
  leg.HandleTimeout(leg.NextTimeout() - TimeDelta::Micros(1));
  EXPECT_EQ(leg.NextTimeout(), kStart + kKeyRetireDelay);
  leg.HandleTimeout(leg.NextTimeout());
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_EQ(Receive(leg, too_late), PacketVerdict::kAuthFailed);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(5))), std::nullopt);
}

TEST_F(LegKeysTest, TheSameRemoteKeyAgainChangesNothing) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  const Bytes first = Protected(*peer, Plain(1));
  ASSERT_EQ(Receive(leg, first), std::nullopt);
  LegUpdate update;
  update.remote_key = remote_key_.Clone();
  update.remote = Remote(kElsewhere, kElsewhere);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
  // The replay window still knows it.
  EXPECT_EQ(Receive(leg, first, kElsewhere), PacketVerdict::kReplayed);
}

TEST_F(LegKeysTest, ANewRemoteKeyWithANewAddressStartsAtRolloverZero) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  for (const uint16_t sequence : {65'535, 0, 1}) {
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(sequence))), std::nullopt);
  }
  const Bytes old = Protected(*peer, Plain(2));
  const MasterKey new_key = NewKey();
  LegUpdate update;
  update.remote_key = new_key.Clone();
  update.remote = Remote(kElsewhere, kElsewhere);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  const auto new_endpoint = Sender(new_key);
  EXPECT_EQ(Receive(leg, Protected(*new_endpoint, Plain(40'000)), kElsewhere), std::nullopt);
  EXPECT_EQ(Receive(leg, old, kElsewhere), PacketVerdict::kAuthFailed);
}

TEST_F(LegKeysTest, AnotherSuiteStartsANewReceiver) {
  Leg leg = Make(SecureSpec());
  const MasterKey new_key = NewKey(SuiteId::kAesCm128HmacSha1_80);
  LegUpdate update;
  update.remote_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  const auto peer = Sender(new_key);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1))), std::nullopt);
  EXPECT_EQ(leg.Snapshot().remote_suite, SuiteId::kAesCm128HmacSha1_80);
}

TEST_F(LegKeysTest, ALocalKeyIsUsedFromItsActivationOn) {
  Leg leg = Make(SecureSpec());
  const auto peer = Receiver(local_key_);
  const MasterKey new_key = NewKey();
  for (const uint16_t sequence : {65'535, 0}) {
    ASSERT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(sequence))));
  }
  LegUpdate prepare;
  prepare.prepare_local_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(prepare)).ok());
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(1))));
  LegUpdate activate;
  activate.activate_local_key = true;
  ASSERT_TRUE(leg.Update(now_, std::move(activate)).ok());
  const Bytes with_new_key = Protected(*leg.sender(), Plain(2));
  EXPECT_FALSE(Opens(*peer, with_new_key));
  ASSERT_TRUE(peer->Rekey(new_key).ok());
  EXPECT_TRUE(Opens(*peer, with_new_key)) << "the rollover counter went on";
}

TEST_F(LegKeysTest, ALocalKeyIsActivatedOnceAndOnlyWhenPrepared) {
  Leg leg = Make(SecureSpec());
  const auto activate = [&] {
    LegUpdate update;
    update.activate_local_key = true;
    update.hold = true;
    return leg.Update(now_, std::move(update));
  };
  EXPECT_EQ(activate().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Subject(activate()), "NO_PREPARED_KEY");
  EXPECT_FALSE(leg.hold());
  LegUpdate prepare;
  prepare.prepare_local_key = NewKey();
  ASSERT_TRUE(leg.Update(now_, std::move(prepare)).ok());
  EXPECT_TRUE(activate().ok());
  EXPECT_EQ(activate().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(LegKeysTest, TheKeyPreparedLastIsTheOneActivated) {
  Leg leg = Make(SecureSpec());
  MasterKey last = NewKey();
  for (int i = 0; i < 2; ++i) {
    last = NewKey();
    LegUpdate prepare;
    prepare.prepare_local_key = last.Clone();
    ASSERT_TRUE(leg.Update(now_, std::move(prepare)).ok());
  }
  LegUpdate activate;
  activate.activate_local_key = true;
  ASSERT_TRUE(leg.Update(now_, std::move(activate)).ok());
  const auto peer = Receiver(last);
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(1))));
}

TEST_F(LegKeysTest, ALocalKeyForANewEndpointStartsAtRolloverZero) {
  // Whether the address comes with the preparation, between, or with the activation.
  for (int when = 0; when < 3; ++when) {
    Leg leg = Make(SecureSpec());
    for (const uint16_t sequence : {65'535, 0}) {
      Protected(*leg.sender(), Plain(sequence));
    }
    const SrtpSender* const before = leg.sender();
    const MasterKey new_key = NewKey();
    for (int step = 0; step < 3; ++step) {
      LegUpdate update;
      if (step == 0) {
        update.prepare_local_key = new_key.Clone();
      }
      if (step == when) {
        update.remote = Remote(kElsewhere, kElsewhere);
      }
      update.activate_local_key = step == 2;
      ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
    }
    EXPECT_NE(leg.sender(), before) << when;
    // Somebody who never heard of the first rollover.
    const auto new_endpoint = Receiver(new_key);
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(1)))) << when;
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(30'000)))) << when;
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(60'000)))) << when;
  }
}

TEST_F(LegKeysTest, ASenderIsNeverStartedAgainUnderItsKey) {
  Leg leg = Make(SecureSpec());
  Protected(*leg.sender(), Plain(100));
  SrtpSender* const before = leg.sender();
  // The same key for a new endpoint: the context goes on.
  LegUpdate update;
  update.prepare_local_key = local_key_.Clone();
  update.activate_local_key = true;
  update.remote = Remote(kElsewhere, kElsewhere);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  EXPECT_EQ(leg.sender(), before);
  PacketLoan packet = arena_.Lend();
  const Bytes again = Plain(100);
  ASSERT_TRUE(packet.Resize(again.size()));
  std::copy(again.begin(), again.end(), packet.bytes().begin());
  ProtectJob job{leg.sender(), &packet, PacketKind::kRtp, ProtectVerdict::kOk};
  Protect(absl::MakeSpan(&job, 1), engine_);
  EXPECT_EQ(job.verdict, ProtectVerdict::kIndexReused);
}

TEST_F(LegKeysTest, TheSameKeyBytesUnderAnotherSuiteAreRefused) {
  LegSpec spec = SecureSpec();
  spec.local_key = NewKey(SuiteId::kAesCm128HmacSha1_80);
  const MasterKey other_tag =
      *MasterKey::Create(SuiteId::kAesCm128HmacSha1_32, spec.local_key->key_and_salt());
  Leg leg = Make(std::move(spec));
  LegUpdate update;
  update.prepare_local_key = other_tag.Clone();
  const absl::Status status = leg.Update(now_, std::move(update));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Subject(status), "local_key_change");
}

TEST_F(LegKeysTest, SignallingThatCatchesUpWithALearnedAddressIsNoNewEndpoint) {
  LegSpec spec = SecureSpec();
  spec.learning = AddressLearning::kLearn;
  Leg leg = Make(std::move(spec));
  const auto peer = Sender(remote_key_);
  // Rollover 1 before the address is learned.
  ASSERT_EQ(Receive(leg, Protected(*peer, Plain(65'535)), kElsewhere), std::nullopt);
  for (uint16_t sequence = 0; sequence < kPacketsToMove; ++sequence) {
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(sequence)), kElsewhere), std::nullopt);
  }
  ASSERT_EQ(leg.Snapshot().remote_rtp, kElsewhere);
  const MasterKey new_key = NewKey();
  LegUpdate update;
  update.remote = Remote(kElsewhere, kElsewhere);
  update.remote_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  ASSERT_TRUE(peer->Rekey(new_key).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(100)), kElsewhere), std::nullopt);
}

TEST_F(LegKeysTest, AnUpdateWithAnAddressOfTheWrongFamilyChangesNothing) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  LegUpdate update;
  update.remote = Remote({*IpAddress::Parse("2001:db8::1"), 5004}, kRemoteRtcp);
  update.remote_key = NewKey();
  update.hold = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(update))), "config.remote.rtp.ip");
  EXPECT_FALSE(leg.hold());
  EXPECT_EQ(leg.Snapshot().remote_rtp, kRemoteRtp);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1))), std::nullopt);
}

}  // namespace
}  // namespace sluice
