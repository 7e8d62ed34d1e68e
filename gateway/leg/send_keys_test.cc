// Goes through the door of the room, as a session would.
#include "gateway/leg/send_keys.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/srtp_memory.h"
#include "gateway/leg/testing/leg_fixture.h"
#include "gtest/gtest.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"

namespace sluice {
namespace {

Mki MkiOf(uint8_t last_byte, size_t size = 2) {
  std::vector<uint8_t> bytes(size, 0);
  bytes.back() = last_byte;
  return *Mki::Create(bytes);
}

class SendKeysTest : public LegFixture {
 protected:
  // Both directions begin with MKI 1.
  LegSpec MkiSpec() {
    LegSpec spec = SecureSpec();
    spec.local_mki = MkiOf(1);
    spec.remote_mki = MkiOf(1);
    return spec;
  }

  std::unique_ptr<SrtpReceiver> MkiReceiver(const MasterKey& key) {
    SrtpReceiverOptions options;
    options.mki = MkiOf(1);
    return Receiver(key, options);
  }

  absl::Status Prepare(Leg& leg, const MasterKey& key, const Mki& mki, bool move = false) {
    LegUpdate update;
    update.prepare_local_key = key.Clone();
    update.local_mki = mki;
    if (move) {
      update.remote = Remote(kElsewhere, kElsewhere);
    }
    return leg.Update(now_, std::move(update));
  }
  absl::Status Activate(Leg& leg, const Mki& mki, bool move = false) {
    LegUpdate update;
    update.activate_local_key = true;
    update.local_mki = mki;
    if (move) {
      update.remote = Remote(kElsewhere, kElsewhere);
    }
    return leg.Update(now_, std::move(update));
  }
  absl::Status Retire(Leg& leg, const Mki& mki) {
    LegUpdate update;
    update.retire_local_key = true;
    update.local_mki = mki;
    return leg.Update(now_, std::move(update));
  }

  ProtectVerdict VerdictOfSending(Leg& leg, const Bytes& plain) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(plain.size()));
    std::copy(plain.begin(), plain.end(), packet.bytes().begin());
    ProtectJob job{leg.sender(), &packet, PacketKind::kRtp, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine_);
    return job.verdict;
  }
};

TEST_F(SendKeysTest, AKeyIsSentWithFromItsActivationOnAndTheOthersStay) {
  Leg leg = Make(MkiSpec());
  const auto peer = MkiReceiver(local_key_);
  for (const uint16_t sequence : {65'535, 0}) {
    ASSERT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(sequence))));
  }
  const MasterKey second = NewKey();
  ASSERT_TRUE(Prepare(leg, second, MkiOf(2)).ok());
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(1)))) << "still with the first";
  ASSERT_TRUE(Activate(leg, MkiOf(2)).ok());
  const Bytes with_second = Protected(*leg.sender(), Plain(2));
  EXPECT_FALSE(Opens(*peer, with_second));
  ASSERT_TRUE(peer->AddKey(second, MkiOf(2)).ok());
  EXPECT_TRUE(Opens(*peer, with_second)) << "the rollover counter went on";

  ASSERT_TRUE(Activate(leg, MkiOf(1)).ok());
  ASSERT_TRUE(peer->RetireKey(MkiOf(2)).ok());
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(3)))) << "back to the first";
  EXPECT_EQ(VerdictOfSending(leg, Plain(1)), ProtectVerdict::kIndexReused)
      << "what was sent with the first key is still known";
}

TEST_F(SendKeysTest, TheSnapshotTellsWhichKeysLiveAndWhichIsSentWith) {
  Leg leg = Make(MkiSpec());
  ASSERT_TRUE(Prepare(leg, NewKey(), MkiOf(2)).ok());
  ASSERT_TRUE(Activate(leg, MkiOf(2)).ok());
  const LegSnapshot snapshot = leg.Snapshot();
  ASSERT_EQ(snapshot.local_keys.size(), 2u);
  EXPECT_EQ(snapshot.local_keys[0].mki, MkiOf(1));
  EXPECT_FALSE(snapshot.local_keys[0].sending);
  EXPECT_EQ(snapshot.local_keys[1].mki, MkiOf(2));
  EXPECT_TRUE(snapshot.local_keys[1].sending);
}

TEST_F(SendKeysTest, ARetiredLocalKeyIsGoneAndItsNameIsFree) {
  Leg leg = Make(MkiSpec());
  ASSERT_TRUE(Prepare(leg, NewKey(), MkiOf(2)).ok());
  EXPECT_EQ(Subject(Retire(leg, MkiOf(1))), "KEY_IN_USE");
  ASSERT_TRUE(Activate(leg, MkiOf(2)).ok());
  ASSERT_TRUE(Retire(leg, MkiOf(1)).ok());
  EXPECT_EQ(Subject(Activate(leg, MkiOf(1))), "local_mki");
  EXPECT_EQ(Subject(Retire(leg, MkiOf(1))), "local_mki");
  EXPECT_EQ(leg.Snapshot().local_keys.size(), 1u);
  const MasterKey third = NewKey();
  ASSERT_TRUE(Prepare(leg, third, MkiOf(1)).ok());
  ASSERT_TRUE(Activate(leg, MkiOf(1)).ok());
  const auto peer = MkiReceiver(third);
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(1))));
}

TEST_F(SendKeysTest, WrongNamesOfLocalKeysAreRefusedAndChangeNothing) {
  Leg leg = Make(MkiSpec());
  const MasterKey key = NewKey();
  EXPECT_EQ(Subject(Prepare(leg, key, Mki())), "local_mki");
  EXPECT_EQ(Subject(Prepare(leg, key, MkiOf(2, 4))), "local_mki");
  EXPECT_EQ(Subject(Prepare(leg, key, MkiOf(1))), "local_mki") << "it is taken";
  EXPECT_EQ(Subject(Prepare(leg, local_key_, MkiOf(2))), "local_key_change");
  const absl::Status unknown = Activate(leg, MkiOf(9));
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(unknown.message(), "local_mki: no key has 0009; there are 0001");
  EXPECT_EQ(Subject(Activate(leg, Mki())), "local_mki");
  EXPECT_EQ(leg.Snapshot().local_keys.size(), 1u);

  Leg without = Make(SecureSpec());
  EXPECT_EQ(Subject(Prepare(without, key, MkiOf(1))), "local_mki");
  ASSERT_TRUE(Prepare(without, key, Mki()).ok());
  EXPECT_EQ(Subject(Activate(without, MkiOf(1))), "local_mki");
  EXPECT_EQ(Subject(Retire(without, Mki())), "local_key_change");
}

TEST_F(SendKeysTest, TheNumberOfKeysIsBounded) {
  Leg leg = Make(MkiSpec());
  for (uint8_t i = 2; i <= kMaxKeysPerDirection; ++i) {
    ASSERT_TRUE(Prepare(leg, NewKey(), MkiOf(i)).ok()) << int{i};
  }
  EXPECT_EQ(Subject(Prepare(leg, NewKey(), MkiOf(99))), "keys_per_direction");
  // The remote direction has one.
  EXPECT_EQ(leg.ExtraBytes(), (kMaxKeysPerDirection + 1 - kKeysOfEveryLeg) * kLiveKeyBytes);
  ASSERT_TRUE(Retire(leg, MkiOf(2)).ok());
  EXPECT_TRUE(Prepare(leg, NewKey(), MkiOf(99)).ok());
}

TEST_F(SendKeysTest, AnUnusedKeyForANewEndpointStartsAtRolloverZeroWithoutTheOldKeys) {
  // Whether the address comes with the preparation or with the activation.
  for (const bool move_first : {true, false}) {
    Leg leg = Make(MkiSpec());
    for (const uint16_t sequence : {65'535, 0}) {
      Protected(*leg.sender(), Plain(sequence));
    }
    const SrtpSender* const before = leg.sender();
    const MasterKey key = NewKey();
    ASSERT_TRUE(Prepare(leg, NewKey(), MkiOf(7)).ok());
    ASSERT_TRUE(Prepare(leg, key, MkiOf(2), move_first).ok());
    ASSERT_TRUE(Activate(leg, MkiOf(2), !move_first).ok());
    EXPECT_NE(leg.sender(), before);
    const auto new_endpoint = MkiReceiver(NewKey());
    ASSERT_TRUE(new_endpoint->AddKey(key, MkiOf(2)).ok());
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(1))));
    // That of the old endpoint is gone, the one that nobody heard of yet is not.
    EXPECT_EQ(Subject(Activate(leg, MkiOf(1))), "local_mki");
    EXPECT_TRUE(Activate(leg, MkiOf(7)).ok());
  }
}

TEST_F(SendKeysTest, AUsedKeyGoesOnInItsContextWhereverThePeerMoves) {
  Leg leg = Make(MkiSpec());
  ASSERT_TRUE(Prepare(leg, NewKey(), MkiOf(2)).ok());
  Protected(*leg.sender(), Plain(100));
  ASSERT_TRUE(Activate(leg, MkiOf(2)).ok());
  SrtpSender* const before = leg.sender();
  ASSERT_TRUE(Activate(leg, MkiOf(1), /*move=*/true).ok());
  EXPECT_EQ(leg.sender(), before);
  EXPECT_EQ(VerdictOfSending(leg, Plain(100)), ProtectVerdict::kIndexReused);
}

}  // namespace
}  // namespace sluice
