// Goes through the door of the room, as a session would.
#include "gateway/leg/receive_keys.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/srtp_memory.h"
#include "gateway/leg/testing/leg_fixture.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/srtp_sender.h"

namespace sluice {
namespace {

Mki MkiOf(uint8_t last_byte, size_t size = 2) {
  std::vector<uint8_t> bytes(size, 0);
  bytes.back() = last_byte;
  return *Mki::Create(bytes);
}

class ReceiveKeysTest : public LegFixture {
 protected:
  // Both directions begin with MKI 1.
  LegSpec MkiSpec() {
    LegSpec spec = SecureSpec();
    spec.local_mki = MkiOf(1);
    spec.remote_mki = MkiOf(1);
    return spec;
  }

  std::unique_ptr<SrtpSender> MkiSender(const MasterKey& key) {
    SrtpSenderOptions options;
    options.mki = MkiOf(1);
    return Sender(key, options);
  }

  absl::Status AddRemote(Leg& leg, const MasterKey& key, const Mki& mki) {
    LegUpdate update;
    update.remote_key = key.Clone();
    update.remote_mki = mki;
    return leg.Update(now_, std::move(update));
  }
  absl::Status RetireRemote(Leg& leg, const std::vector<Mki>& mkis) {
    LegUpdate update;
    update.retire_remote_keys = mkis;
    return leg.Update(now_, std::move(update));
  }
};

TEST_F(ReceiveKeysTest, AllRemoteKeysOpenUntilTheyAreRetired) {
  Leg leg = Make(MkiSpec());
  const auto peer = MkiSender(remote_key_);
  const MasterKey second = NewKey();
  ASSERT_TRUE(peer->AddKey(second, MkiOf(2)).ok());
  ASSERT_TRUE(AddRemote(leg, second, MkiOf(2)).ok());
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
  uint16_t sequence = 0;
  for (const uint8_t key : {1, 2, 1, 2}) {
    ASSERT_TRUE(peer->SendWith(MkiOf(key)).ok());
    const Bytes packet = Protected(*peer, Plain(++sequence));
    EXPECT_EQ(Receive(leg, packet), std::nullopt) << int{key};
    EXPECT_EQ(Receive(leg, packet), PacketVerdict::kReplayed) << int{key};
  }
  now_ = now_ + 10 * kKeyRetireDelay;
  leg.HandleTimeout(now_);
  ASSERT_TRUE(peer->SendWith(MkiOf(1)).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(++sequence))), std::nullopt);

  ASSERT_TRUE(RetireRemote(leg, {MkiOf(1)}).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(++sequence))), PacketVerdict::kUnknownMki);
  ASSERT_TRUE(peer->SendWith(MkiOf(2)).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(++sequence))), std::nullopt);
}

TEST_F(ReceiveKeysTest, OneUpdateMayAddAKeyAndRetireAnother) {
  Leg leg = Make(MkiSpec());
  LegUpdate update;
  update.remote_key = NewKey();
  update.remote_mki = MkiOf(2);
  update.retire_remote_keys = {MkiOf(1)};
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  ASSERT_EQ(leg.Snapshot().remote_keys.size(), 1u);
  EXPECT_EQ(leg.Snapshot().remote_keys[0].mki, MkiOf(2));
}

TEST_F(ReceiveKeysTest, WrongNamesOfRemoteKeysAreRefusedAndChangeNothing) {
  Leg leg = Make(MkiSpec());
  EXPECT_EQ(Subject(AddRemote(leg, NewKey(), Mki())), "config.remote_key.mki");
  EXPECT_EQ(Subject(AddRemote(leg, NewKey(), MkiOf(2, 4))), "config.remote_key.mki");
  EXPECT_EQ(Subject(AddRemote(leg, NewKey(), MkiOf(1))), "config.remote_key.mki");
  EXPECT_EQ(Subject(AddRemote(leg, remote_key_, MkiOf(2))), "config.remote_key.mki")
      << "one key has one name";
  EXPECT_TRUE(AddRemote(leg, remote_key_, MkiOf(1)).ok()) << "the same again";
  EXPECT_EQ(Subject(RetireRemote(leg, {MkiOf(9)})), "retire_remote_mkis[0]");
  EXPECT_EQ(Subject(RetireRemote(leg, {MkiOf(1)})), "retire_remote_mkis[0]") << "the only one";
  ASSERT_TRUE(AddRemote(leg, NewKey(), MkiOf(2)).ok());
  EXPECT_EQ(Subject(RetireRemote(leg, {MkiOf(1), MkiOf(1)})), "retire_remote_mkis[1]");
  EXPECT_EQ(Subject(RetireRemote(leg, {MkiOf(1), MkiOf(2)})), "retire_remote_mkis[1]");
  EXPECT_EQ(leg.Snapshot().remote_keys.size(), 2u);

  Leg without = Make(SecureSpec());
  EXPECT_EQ(Subject(AddRemote(without, NewKey(), MkiOf(1))), "config.remote_key.mki");
  EXPECT_EQ(Subject(RetireRemote(without, {Mki()})), "retire_remote_mkis[0]");
}

TEST_F(ReceiveKeysTest, ANewRemoteEndpointBringsItsOwnKeysAndNames) {
  Leg leg = Make(MkiSpec());
  const MasterKey key = NewKey(SuiteId::kAes256CmHmacSha1_80);
  LegUpdate update;
  update.remote = Remote(kElsewhere, kElsewhere);
  update.remote_key = key.Clone();
  update.remote_mki = MkiOf(5, 4);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  SrtpSenderOptions options;
  options.mki = MkiOf(5, 4);
  const auto peer = Sender(key, options);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1)), kElsewhere), std::nullopt);
  EXPECT_EQ(leg.Snapshot().remote_keys.size(), 1u);
}

TEST_F(ReceiveKeysTest, TheNumberOfKeysIsBounded) {
  Leg leg = Make(MkiSpec());
  for (uint8_t i = 2; i <= kMaxKeysPerDirection; ++i) {
    ASSERT_TRUE(AddRemote(leg, NewKey(), MkiOf(i)).ok()) << int{i};
  }
  EXPECT_EQ(Subject(AddRemote(leg, NewKey(), MkiOf(99))), "keys_per_direction");
  EXPECT_EQ(leg.Snapshot().remote_keys.size(), kMaxKeysPerDirection);
  EXPECT_EQ(leg.ExtraBytes(), (kMaxKeysPerDirection + 1 - kKeysOfEveryLeg) * kLiveKeyBytes);
  ASSERT_TRUE(RetireRemote(leg, {MkiOf(2)}).ok());
  EXPECT_TRUE(AddRemote(leg, NewKey(), MkiOf(99)).ok());
}

}  // namespace
}  // namespace sluice
