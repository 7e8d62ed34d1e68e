// A batch has the result of its packets one by one (docs/decisions/0009), here on the way out: the
// same packets of many senders, once in batches of any size and once each by itself, on any two
// engines. Verdicts, bytes and all that is known of streams afterwards are the same.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/cryptex.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/key_id.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMaxBatch = 200;
// More than a sender here has places for.
constexpr uint32_t kSsrcs = 6;

struct Packet {
  PacketKind kind;
  Bytes bytes;
  // How many bytes of the slot are left in front of and behind the packet, at most.
  size_t headroom;
  size_t tailroom;
};

// A leg's sender twice, with options drawn at random, and what is to be sent with it.
class Leg {
 public:
  Leg(SeededRandom& random, CryptoEngine& batch_engine, CryptoEngine& single_engine)
      : random_(random), suite_(kCipherSuites[random.Below(std::size(kCipherSuites))].id) {
    SrtpSenderOptions options;
    options.max_streams = 2 + random_.Below(kSsrcs);
    options.remembered_streams = 1 + random_.Below(3);
    options.replay_window = size_t{64} << random_.Below(3);
    options.encrypt_rtcp = random_.Below(3) != 0;
    if (random_.Below(3) == 0) options.mki = MkiOf(0);
    SrtpPolicy& policy = options.policy;
    if (random_.Below(3) == 0) policy.key_derivation_rate = *KeyDerivationRate::Create(8);
    if (random_.Below(2) == 0) {
      policy.cryptex = random_.Below(2) == 0 ? CryptexPolicy::kOn : CryptexPolicy::kRequired;
    } else if (random_.Below(2) == 0) {
      policy.encrypted_extensions.set(1);
    }
    if (random_.Below(3) == 0) {
      policy.rtp_lifetime = {30, 30 + random_.Below(90)};
      policy.rtcp_lifetime = {8, 8 + random_.Below(30)};
    }
    const MasterKey key = MasterKey::Generate(suite_, random_);
    has_mki_ = !options.mki.empty();
    mkis_ = {options.mki};
    batched_ = *SrtpSender::Create(key, options, batch_engine);
    single_ = *SrtpSender::Create(key, options, single_engine);
    for (uint16_t& sequence : next_sequence_) {
      sequence = static_cast<uint16_t>(65536 - random_.Below(40));
    }
    if (random_.Below(4) == 0) BeginCloseToTheEnd(IdOf(key));
  }

  SrtpSender& batched() { return *batched_; }
  SrtpSender& single() { return *single_; }

  Packet NextPacket() {
    const auto ssrc = static_cast<uint32_t>(random_.Below(random_.Below(4) == 0 ? kSsrcs : 2));
    Packet packet = {PacketKind::kRtp, {}, kPacketHeadroom, kPacketTailroom};
    if (random_.Below(5) == 0) {
      packet.kind = PacketKind::kRtcp;
      RtcpPacketBuilder builder;
      builder.AddReceiverReport(ssrc);
      if (random_.Below(2) == 0) builder.AddSourceDescription(ssrc, "someone");
      packet.bytes = builder.Build();
    } else {
      packet.bytes = PlainRtp(ssrc);
    }
    switch (random_.Below(40)) {
      case 0:
        packet.bytes.resize(random_.Below(packet.bytes.size()));
        break;
      case 1:
        packet.bytes[0] ^= static_cast<uint8_t>(1 << random_.Below(8));
        break;
      case 2:
        packet.headroom = random_.Below(5);
        break;
      case 3:
        packet.tailroom = random_.Below(20);
        break;
      default:
        break;
    }
    return packet;
  }

  void Change() {
    switch (random_.Below(6)) {
      case 0:
        return ChangeKey();
      case 1:
        if (mkis_.size() > 1) {
          ASSERT_EQ(batched_->RetireKey(mkis_.front()), absl::OkStatus());
          ASSERT_EQ(single_->RetireKey(mkis_.front()), absl::OkStatus());
          mkis_.erase(mkis_.begin());
        }
        return;
      default:
        return;
    }
  }

  void ExpectSame() const {
    ASSERT_TRUE(batched_->ExportStreams() == single_->ExportStreams());
    ASSERT_EQ(batched_->rekey_due(), single_->rekey_due());
    ASSERT_EQ(batched_->forgotten_streams(), single_->forgotten_streams());
  }

 private:
  static Mki MkiOf(uint16_t number) {
    Bytes bytes(2);
    StoreBe16(bytes.data(), number);
    return *Mki::Create(bytes);
  }

  Bytes PlainRtp(uint32_t ssrc) {
    uint16_t sequence = next_sequence_[ssrc]++;
    if (random_.Below(8) == 0) sequence = static_cast<uint16_t>(sequence - random_.Below(200));
    if (random_.Below(60) == 0) {
      next_sequence_[ssrc] = static_cast<uint16_t>(sequence + random_.Below(30000));
    }
    RtpPacketBuilder builder;
    builder.WithSsrc(ssrc).WithSequence(sequence);
    builder.WithPayloadSize(random_.Below(random_.Below(8) == 0 ? 1400 : 60));
    if (random_.Below(3) == 0) builder.WithCsrcs({1, 2});
    switch (random_.Below(8)) {
      case 0:
      case 1:
        builder.AddOneByteExtension(1, {7, 8, 9});
        break;
      case 2:
        builder.AddTwoByteExtension(1, {7, 8, 9}, static_cast<uint8_t>(random_.Below(2)));
        break;
      case 3:
        builder.WithRawExtension(random_.Below(2) == 0 ? 0xABCD : kCryptexOneByteProfile, {1, 2});
        break;
      default:
        break;
    }
    return builder.Build();
  }

  void ChangeKey() {
    const MasterKey key = MasterKey::Generate(suite_, random_);
    for (SrtpSender* sender : {batched_.get(), single_.get()}) {
      if (!has_mki_) {
        ASSERT_EQ(sender->Rekey(key), absl::OkStatus());
      } else if (mkis_.size() < 4) {
        ASSERT_EQ(sender->AddKey(key, MkiOf(last_mki_ + 1)), absl::OkStatus());
        ASSERT_EQ(sender->SendWith(MkiOf(last_mki_ + 1)), absl::OkStatus());
      }
    }
    if (has_mki_ && mkis_.size() < 4) mkis_.push_back(MkiOf(++last_mki_));
  }

  // So that the last index of all is met.
  void BeginCloseToTheEnd(KeyId key) {
    std::vector<SenderStreamState> streams;
    for (uint32_t ssrc = 0; ssrc < 2; ++ssrc) {
      const uint64_t highest = kMaxPacketIndex.value() - 200;
      next_sequence_[ssrc] = static_cast<uint16_t>(highest + 1);
      streams.push_back({Ssrc(ssrc), key, WindowState{highest, {}}, kMaxSrtcpIndex.value() - 100});
    }
    ASSERT_TRUE(batched_->RestoreStreams(streams, {.rtp = 0, .rtcp = 0}).ok());
    ASSERT_TRUE(single_->RestoreStreams(streams, {.rtp = 0, .rtcp = 0}).ok());
  }

  SeededRandom& random_;
  const SuiteId suite_;
  bool has_mki_ = false;
  // Oldest first; the last one is sent with.
  std::vector<Mki> mkis_;
  uint16_t last_mki_ = 0;
  std::unique_ptr<SrtpSender> batched_;
  std::unique_ptr<SrtpSender> single_;
  uint16_t next_sequence_[kSsrcs] = {};
};

struct Engines {
  EngineKind batch;
  EngineKind single;
};

class SealBatchTest : public testing::TestWithParam<Engines> {
 protected:
  void RunOneBatch(std::vector<std::unique_ptr<Leg>>& legs, SeededRandom& random) {
    const size_t count = 1 + random.Below(random.Below(3) == 0 ? 5 : kMaxBatch);
    std::vector<std::pair<Leg*, Packet>> packets;
    Leg* leg = legs[0].get();
    const uint64_t stay = random.Below(10);
    while (packets.size() < count) {
      if (random.Below(10) >= stay) leg = legs[random.Below(legs.size())].get();
      packets.emplace_back(leg, leg->NextPacket());
      if (random.Below(20) == 0) packets.push_back(packets[random.Below(packets.size())]);
    }
    std::vector<PacketLoan> loans;
    std::vector<ProtectJob> jobs;
    for (const auto& [owner, packet] : packets) {
      loans.push_back(Load(packet));
    }
    for (size_t i = 0; i < packets.size(); ++i) {
      jobs.push_back({&packets[i].first->batched(), &loans[i], packets[i].second.kind,
                      ProtectVerdict::kMalformed});
    }
    Protect(absl::MakeSpan(jobs), *batch_engine_);
    for (size_t i = 0; i < packets.size(); ++i) {
      PacketLoan loan = Load(packets[i].second);
      const Bytes before(loan.bytes().begin(), loan.bytes().end());
      ProtectJob job{&packets[i].first->single(), &loan, packets[i].second.kind,
                     ProtectVerdict::kMalformed};
      Protect(absl::MakeSpan(&job, 1), *single_engine_);
      ASSERT_EQ(jobs[i].verdict, job.verdict) << "packet " << i << " of " << packets.size();
      ASSERT_EQ(loans[i].bytes(), loan.bytes()) << "packet " << i << " of " << packets.size();
      if (job.verdict != ProtectVerdict::kOk) {
        ASSERT_EQ(loan.bytes(), absl::MakeConstSpan(before)) << "not as it was";
      }
      ++seen_[std::string(VerdictName(job.verdict))];
    }
  }

  PacketLoan Load(const Packet& packet) {
    PacketLoan loan = arena_.Lend();
    EXPECT_TRUE(loan);
    if (packet.headroom < loan.headroom()) {
      EXPECT_TRUE(loan.Prepend(loan.headroom() - packet.headroom));
    }
    size_t size = packet.bytes.size();
    EXPECT_TRUE(loan.Resize(size));
    if (packet.tailroom < kPacketTailroom) {
      // The payload is that much longer.
      size += loan.tailroom() - packet.tailroom;
      EXPECT_TRUE(loan.Resize(size));
      for (size_t i = packet.bytes.size(); i < size; ++i) loan.bytes()[i] = 0;
    }
    CopyBytes(loan.bytes(), packet.bytes);
    return loan;
  }

  const std::unique_ptr<CryptoEngine> batch_engine_ = MakeEngine(GetParam().batch);
  const std::unique_ptr<CryptoEngine> single_engine_ = MakeEngine(GetParam().single);
  PacketArena arena_{2 * kMaxBatch};
  std::map<std::string, int> seen_;
};

std::vector<Engines> AllPairs() {
  std::vector<Engines> pairs;
  for (const EngineKind batch : UsableEngines(DetectCpuFeatures())) {
    for (const EngineKind single : UsableEngines(DetectCpuFeatures())) {
      pairs.push_back({batch, single});
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Engines, SealBatchTest, testing::ValuesIn(AllPairs()),
                         [](const testing::TestParamInfo<Engines>& tested) {
                           return absl::StrCat(EngineName(tested.param.batch), "_and_",
                                               EngineName(tested.param.single));
                         });

TEST_P(SealBatchTest, HasTheResultOfItsPacketsOneByOne) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(65);
  for (uint64_t seed = first_seed; seed < first_seed + 40; ++seed) {
    SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
    SeededRandom random(seed);
    std::vector<std::unique_ptr<Leg>> legs;
    for (uint64_t i = 1 + random.Below(5); i > 0; --i) {
      legs.push_back(std::make_unique<Leg>(random, *batch_engine_, *single_engine_));
    }
    for (int batch = 0; batch < 25; ++batch) {
      SCOPED_TRACE(absl::StrCat("batch ", batch));
      RunOneBatch(legs, random);
      for (const std::unique_ptr<Leg>& leg : legs) {
        if (!HasFatalFailure()) leg->ExpectSame();
        if (!HasFatalFailure()) leg->Change();
      }
      if (HasFatalFailure()) return;
    }
  }
  for (const char* name : {"ok", "malformed", "no_tailroom", "index_reused", "key_exhausted",
                           "too_many_streams", "rekey_needed", "cryptex_impossible"}) {
    EXPECT_GT(seen_[name], 10) << name;
  }
}

}  // namespace
}  // namespace sluice
