#ifndef SRTP_TESTING_SRTP_FIXTURE_H_
#define SRTP_TESTING_SRTP_FIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/verdict.h"

namespace sluice {

// GoogleTest prints the names of verdicts.
void PrintTo(ProtectVerdict verdict, std::ostream* out);
void PrintTo(UnprotectVerdict verdict, std::ostream* out);

// What most tests of senders and receivers are parametrized with.
struct SuiteOnEngine {
  SuiteId suite;
  EngineKind engine;
};
// Every suite of the table on every engine that this machine can run.
std::vector<SuiteOnEngine> AllSuitesOnAllEngines();
// For INSTANTIATE_TEST_SUITE_P.
std::string SuiteOnEngineName(const testing::TestParamInfo<SuiteOnEngine>& tested);

// A packet that went through a sender: the verdict, and what the packet is then.
struct Sent {
  ProtectVerdict verdict;
  std::vector<uint8_t> bytes;
};
// ... through a receiver.
struct Received {
  UnprotectVerdict verdict;
  std::vector<uint8_t> bytes;
};

// Packets as bytes through senders and receivers, one at a time, in the slots of an arena. Fails
// the test when a receiver keeps a scratch slot or leaves something in BoringSSL's error queue.
class PacketPipe {
 public:
  explicit PacketPipe(EngineKind engine);

  Sent Send(SrtpSender& sender, PacketKind kind, absl::Span<const uint8_t> plain);
  Received Receive(SrtpReceiver& receiver, PacketKind kind, absl::Span<const uint8_t> bytes);

  // A slot with those bytes.
  PacketLoan Load(absl::Span<const uint8_t> bytes);

  CryptoEngine& engine() { return *engine_; }
  // What Receive lends from: one slot.
  PacketArena& scratch() { return scratch_; }

 private:
  const std::unique_ptr<CryptoEngine> engine_;
  PacketArena packets_{8};
  PacketArena scratch_{1};
};

// A master key of the suite, and what its senders and receivers do with single packets.
class SrtpFixture : public testing::TestWithParam<SuiteOnEngine> {
 protected:
  using Bytes = std::vector<uint8_t>;
  static constexpr uint32_t kSsrc = 0xDECAFBAD;

  const CipherSuite& suite() const { return GetCipherSuite(GetParam().suite); }
  bool aead() const { return suite().aead(); }
  CryptoEngine& engine() { return pipe_.engine(); }

  MasterKey NewKey() { return MasterKey::Generate(GetParam().suite, random_); }
  static Mki MkiOf(std::vector<uint8_t> bytes) { return *Mki::Create(bytes); }

  // With `key_`.
  std::unique_ptr<SrtpSender> MakeSender(const SrtpSenderOptions& options = {});
  std::unique_ptr<SrtpReceiver> MakeReceiver(const SrtpReceiverOptions& options = {});

  // With a CSRC, an extension and 60 bytes of payload.
  static Bytes PlainRtp(uint16_t sequence, uint32_t ssrc = kSsrc);
  static Bytes PlainRtcp(uint32_t ssrc = kSsrc);
  static constexpr size_t kPayloadSize = 60;

  ProtectVerdict SendRtp(SrtpSender& sender, uint16_t sequence, uint32_t ssrc = kSsrc);
  ProtectVerdict SendRtcp(SrtpSender& sender, uint32_t ssrc = kSsrc);
  // Fails the test when the sender refuses.
  Bytes Protected(SrtpSender& sender, PacketKind kind, const Bytes& plain);
  Bytes ProtectedRtp(SrtpSender& sender, uint16_t sequence, uint32_t ssrc = kSsrc);
  Bytes ProtectedRtcp(SrtpSender& sender, uint32_t ssrc = kSsrc);

  UnprotectVerdict ReceiveRtp(SrtpReceiver& receiver, const Bytes& bytes);
  UnprotectVerdict ReceiveRtcp(SrtpReceiver& receiver, const Bytes& bytes);

  SeededRandom random_{100};
  PacketPipe pipe_{GetParam().engine};
  const MasterKey key_ = MasterKey::Generate(GetParam().suite, random_);
  // What is left of the packet last sent or received.
  Bytes sent_;
  Bytes opened_;
};

// Whether two exports say the same.
bool operator==(const WindowState& a, const WindowState& b);
bool operator==(const SenderStreamState& a, const SenderStreamState& b);
bool operator==(const ReceiverStreamState& a, const ReceiverStreamState& b);

}  // namespace sluice

#endif  // SRTP_TESTING_SRTP_FIXTURE_H_
