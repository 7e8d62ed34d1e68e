#ifndef TESTS_ALLOC_SRTP_PATH_H_
#define TESTS_ALLOC_SRTP_PATH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {

// Which packets a test is about.
struct SrtpPathCase {
  SuiteOnEngine suite;
  PacketKind kind;
};
// RTP and RTCP of every suite on every engine that this machine can run.
std::vector<SrtpPathCase> AllSrtpPathCases();
// For INSTANTIATE_TEST_SUITE_P.
std::string SrtpPathCaseName(const testing::TestParamInfo<SrtpPathCase>& tested);

// One leg that sends to another, and one packet on its way. The object's own steps allocate nothing
// either once it is made, so that all of a path may be counted.
class SrtpPath {
 public:
  static constexpr uint32_t kSsrc = 0x11223344;

  explicit SrtpPath(SrtpPathCase tested, const SrtpSenderOptions& sender = {},
                    const SrtpReceiverOptions& receiver = {});

  // What Write writes from now on, but for SSRC and sequence number.
  void UsePlain(const std::vector<uint8_t>& plain) { plain_ = plain; }

  // The next plain packet of the SSRC.
  void Write(uint32_t ssrc = kSsrc) { Write(ssrc, sequence_++); }
  void Write(uint32_t ssrc, uint16_t sequence);
  ProtectVerdict Send();
  UnprotectVerdict Receive();
  // Writes, sends and receives; whether that went well.
  bool Deliver(uint32_t ssrc = kSsrc);

  void Save() { saved_.assign(packet_.bytes().begin(), packet_.bytes().end()); }
  void Restore() { Load(saved_); }
  void Damage(size_t i) { bytes()[i % packet_.size()] ^= 0x40; }
  void Cut(size_t size) { EXPECT_TRUE(packet_.Resize(size)); }

  uint8_t* bytes() { return packet_.bytes().data(); }
  size_t size() const { return packet_.size(); }
  SrtpSender& sender() { return *sender_; }
  SrtpReceiver& receiver() { return *receiver_; }
  CryptoEngine& engine() { return *engine_; }
  // Two slots: the packet's, and one to copy to.
  PacketArena& arena() { return arena_; }
  PacketLoan& packet() { return packet_; }
  const MasterKey& key() const { return key_; }
  MasterKey NewKey() { return MasterKey::Generate(key_.suite().id, random_); }
  PacketLayout layout(size_t mki_size = 0) const { return LayoutOf(key_.suite(), kind_, mki_size); }

 private:
  void Load(absl::Span<const uint8_t> content);

  const PacketKind kind_;
  const std::unique_ptr<CryptoEngine> engine_;
  SeededRandom random_{1};
  const MasterKey key_;
  PacketArena arena_{2};
  PacketLoan packet_;
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;
  std::vector<uint8_t> plain_;
  std::vector<uint8_t> saved_;
  uint16_t sequence_ = 65000;
};

// Runs `step(i)` for every packet; it gives whether the packet went as it should.
template <typename Step>
void ExpectNoAllocation(int packets, Step step) {
  int wrong = 0;
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < packets; ++i) {
    wrong += step(i) ? 0 : 1;
  }
  const uint64_t allocations = ThreadAllocations() - before;
  EXPECT_EQ(wrong, 0) << "packets that went another way";
  EXPECT_EQ(allocations, 0u);
}

}  // namespace sluice

#endif  // TESTS_ALLOC_SRTP_PATH_H_
