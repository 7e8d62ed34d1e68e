#include "gateway/leg/packet_verdict.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(PacketVerdictTest, EveryVerdictHasItsOwnName) {
  std::set<std::string> names;
  for (size_t i = 0; i < kPacketVerdictCount; ++i) {
    const std::string name(VerdictName(static_cast<PacketVerdict>(i)));
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << name;
    EXPECT_FALSE(name.empty()) << i;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), kPacketVerdictCount);
}

TEST(PacketVerdictTest, NamesAreThoseOfTheVerdicts) {
  EXPECT_EQ(VerdictName(PacketVerdict::kForwarded), "forwarded");
  EXPECT_EQ(VerdictName(PacketVerdict::kAuthFailed), "auth_failed");
  EXPECT_EQ(VerdictName(PacketVerdict::kReceiveKeyExhausted), "receive_key_exhausted");
  EXPECT_EQ(VerdictName(PacketVerdict::kUnknownMki), "unknown_mki");
  EXPECT_EQ(VerdictName(PacketVerdict::kReceiveRekeyNeeded), "receive_rekey_needed");
  EXPECT_EQ(VerdictName(PacketVerdict::kCryptexRefused), "cryptex_refused");
  EXPECT_EQ(VerdictName(PacketVerdict::kNoPacketSlot), "no_packet_slot");
  EXPECT_EQ(VerdictName(PacketVerdict::kSent), "sent");
  EXPECT_EQ(VerdictName(PacketVerdict::kOutboxFull), "outbox_full");
  EXPECT_EQ(VerdictName(PacketVerdict::kSendRekeyNeeded), "send_rekey_needed");
  EXPECT_EQ(VerdictName(PacketVerdict::kCryptexImpossible), "cryptex_impossible");
  EXPECT_EQ(VerdictName(PacketVerdict::kTooManyStreams), "too_many_streams");
  EXPECT_EQ(VerdictName(PacketVerdict::kNoCopySlot), "no_copy_slot");
}

TEST(PacketVerdictTest, VerdictsOfTheReceiverAreReceivedOnes) {
  for (size_t i = 0; i < kUnprotectVerdictCount; ++i) {
    EXPECT_TRUE(IsReceivedVerdict(ToPacketVerdict(static_cast<UnprotectVerdict>(i)))) << i;
  }
  EXPECT_EQ(ToPacketVerdict(UnprotectVerdict::kAuthFailed), PacketVerdict::kAuthFailed);
  EXPECT_EQ(ToPacketVerdict(UnprotectVerdict::kKeyExhausted), PacketVerdict::kReceiveKeyExhausted);
  EXPECT_EQ(ToPacketVerdict(UnprotectVerdict::kNoScratch), PacketVerdict::kNoPacketSlot);
  EXPECT_EQ(ToPacketVerdict(UnprotectVerdict::kUnknownMki), PacketVerdict::kUnknownMki);
  EXPECT_EQ(ToPacketVerdict(UnprotectVerdict::kRekeyNeeded), PacketVerdict::kReceiveRekeyNeeded);
  EXPECT_EQ(ToPacketVerdict(UnprotectVerdict::kCryptexRefused), PacketVerdict::kCryptexRefused);
}

TEST(PacketVerdictTest, VerdictsOfTheSenderAreSentOnes) {
  for (size_t i = 0; i < kProtectVerdictCount; ++i) {
    EXPECT_FALSE(IsReceivedVerdict(ToPacketVerdict(static_cast<ProtectVerdict>(i)))) << i;
  }
  EXPECT_EQ(ToPacketVerdict(ProtectVerdict::kIndexReused), PacketVerdict::kIndexReused);
  EXPECT_EQ(ToPacketVerdict(ProtectVerdict::kKeyExhausted), PacketVerdict::kSendKeyExhausted);
  EXPECT_EQ(ToPacketVerdict(ProtectVerdict::kRekeyNeeded), PacketVerdict::kSendRekeyNeeded);
  EXPECT_EQ(ToPacketVerdict(ProtectVerdict::kCryptexImpossible), PacketVerdict::kCryptexImpossible);
}

TEST(VerdictCountersTest, CountsEachVerdictForItself) {
  VerdictCounters counters;
  counters.Count(PacketVerdict::kReplayed);
  counters.Count(PacketVerdict::kReplayed);
  counters.Count(PacketVerdict::kSent);
  EXPECT_EQ(counters.count(PacketVerdict::kReplayed), 2u);
  EXPECT_EQ(counters.count(PacketVerdict::kSent), 1u);
  EXPECT_EQ(counters.count(PacketVerdict::kForwarded), 0u);
  EXPECT_EQ(counters.counts()[static_cast<size_t>(PacketVerdict::kReplayed)], 2u);
}

}  // namespace
}  // namespace sluice
