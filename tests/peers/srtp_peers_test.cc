// What a benchmark compares does the same work: every peer and ours open what the other protected.

#include "tests/peers/srtp_peers.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr SuiteId kSuites[] = {SuiteId::kAesCm128HmacSha1_80, SuiteId::kAes256CmHmacSha1_80,
                               SuiteId::kAeadAes128Gcm, SuiteId::kAeadAes256Gcm};
// One, few and many packets per call; of a size that leaves AES and SHA-1 blocks part empty.
constexpr size_t kBatches[] = {1, 4, 32};
constexpr size_t kPayloadSize = 101;
// More packets than one rollover counter lasts, so that the peers agree on ROC 1 as well.
constexpr size_t kLaps = 65536 / PacketRing::kSlots + 2;

MasterKey KeyOf(SuiteId suite) {
  SeededRandom random(1);
  return MasterKey::Generate(suite, random);
}

class SrtpPeersTest : public testing::TestWithParam<SuiteId> {};

// `sending` to `receiving`, across a rollover.
void Transfer(const SrtpPeerKind& sending, const SrtpPeerKind& receiving, SuiteId suite) {
  SCOPED_TRACE(absl::StrCat(sending.name, " to ", receiving.name));
  const MasterKey key = KeyOf(suite);
  PacketRing ring(kPayloadSize);
  const std::unique_ptr<SrtpPeer> sender = sending.make(key, ring);
  const std::unique_ptr<SrtpPeer> receiver = receiving.make(key, ring);
  ASSERT_NE(sender, nullptr);
  ASSERT_NE(receiver, nullptr);
  for (size_t lap = 0; lap < kLaps; ++lap) {
    const size_t batch = kBatches[lap % std::size(kBatches)];
    sender->BeforeProtect();
    for (size_t slot = 0; slot < PacketRing::kSlots; slot += batch) {
      ASSERT_TRUE(sender->Protect(slot, batch)) << "lap " << lap << ", slot " << slot;
    }
    receiver->BeforeUnprotect();
    for (size_t slot = 0; slot < PacketRing::kSlots; slot += batch) {
      ASSERT_TRUE(receiver->Unprotect(slot, batch)) << "lap " << lap << ", slot " << slot;
      // The builder's payload, which went through all laps.
      ASSERT_EQ(ring.packet(slot).size(), ring.plain_size());
      ASSERT_EQ(ring.packet(slot).bytes()[PacketRing::kHeaderSize + 5],
                static_cast<uint8_t>(slot + 5));
    }
    ring.NextLap();
  }
}

TEST_P(SrtpPeersTest, OpenWhatTheOthersProtected) {
  const std::vector<SrtpPeerKind> kinds = SrtpPeerKinds();
  // The first one is ours on BoringSSL.
  for (const SrtpPeerKind& kind : kinds) {
    Transfer(kind, kinds[0], GetParam());
    Transfer(kinds[0], kind, GetParam());
  }
}

TEST_P(SrtpPeersTest, RefuseOneDamagedPacketOfABatch) {
  const MasterKey key = KeyOf(GetParam());
  for (const SrtpPeerKind& kind : SrtpPeerKinds()) {
    SCOPED_TRACE(kind.name);
    PacketRing ring(kPayloadSize);
    const std::unique_ptr<SrtpPeer> peer = kind.make(key, ring);
    peer->BeforeProtect();
    ASSERT_TRUE(peer->Protect(0, PacketRing::kSlots));
    ring.packet(17).bytes().back() ^= 1;
    peer->BeforeUnprotect();
    EXPECT_TRUE(peer->Unprotect(0, 16));
    EXPECT_FALSE(peer->Unprotect(16, 16));
  }
}

TEST_P(SrtpPeersTest, PayloadIsEncrypted) {
  const MasterKey key = KeyOf(GetParam());
  for (const SrtpPeerKind& kind : SrtpPeerKinds()) {
    SCOPED_TRACE(kind.name);
    PacketRing ring(kPayloadSize);
    const std::string before(ring.packet(3).bytes().begin(), ring.packet(3).bytes().end());
    const std::unique_ptr<SrtpPeer> peer = kind.make(key, ring);
    peer->BeforeProtect();
    ASSERT_TRUE(peer->Protect(0, PacketRing::kSlots));
    const std::string after(ring.packet(3).bytes().begin(), ring.packet(3).bytes().end());
    EXPECT_EQ(after.substr(0, PacketRing::kHeaderSize), before.substr(0, PacketRing::kHeaderSize));
    EXPECT_NE(after.substr(PacketRing::kHeaderSize, kPayloadSize),
              before.substr(PacketRing::kHeaderSize));
  }
}

TEST_P(SrtpPeersTest, OursAllocateNothing) {
  const MasterKey key = KeyOf(GetParam());
  for (const SrtpPeerKind& kind : SrtpPeerKinds()) {
    if (!kind.ours) continue;
    SCOPED_TRACE(kind.name);
    PacketRing ring(kPayloadSize);
    const std::unique_ptr<SrtpPeer> peer = kind.make(key, ring);
    const uint64_t before = ThreadAllocations();
    ASSERT_TRUE(peer->Protect(0, PacketRing::kSlots));
    ASSERT_TRUE(peer->Unprotect(0, PacketRing::kSlots));
    EXPECT_EQ(ThreadAllocations(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(, SrtpPeersTest, testing::ValuesIn(kSuites), [](const auto& suite) {
  return std::string(GetCipherSuite(suite.param).name);
});

}  // namespace
}  // namespace sluice
