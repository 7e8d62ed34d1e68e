// A batch has the result of its packets one by one (docs/decisions/0009): the same packets, on
// their way to many receivers, once in batches of any size and once each by itself. Verdicts, bytes
// and all that is known of streams afterwards are the same, whatever the packets do to each other:
// duplicates, wraps, new SSRCs that push out others, forgeries, ends of keys.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
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
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMaxBatch = 200;
// More than a receiver here has places for.
constexpr uint32_t kSsrcs = 6;
constexpr size_t kMaxInFlight = 150;

struct Packet {
  PacketKind kind;
  Bytes bytes;
};

// A leg's receiver twice, and the peer that sends to it, with options drawn at random.
class Leg {
 public:
  Leg(SeededRandom& random, CryptoEngine& batch_engine, CryptoEngine& single_engine)
      : random_(random),
        batch_engine_(batch_engine),
        single_engine_(single_engine),
        suite_(kCipherSuites[random.Below(std::size(kCipherSuites))].id),
        options_(DrawOptions()) {
    keys_.push_back({options_.mki, MasterKey::Generate(suite_, random_)});
    batched_ = MakeReceiver(batch_engine_);
    single_ = MakeReceiver(single_engine_);
    sender_ = MakeSender(options_.policy.cryptex, true);
    // Sends what policy forbids, under the same key.
    deviant_ = MakeSender(
        options_.policy.cryptex == CryptexPolicy::kOff ? CryptexPolicy::kOn : CryptexPolicy::kOff,
        false);
    for (uint16_t& sequence : next_sequence_) {
      // Close to a wrap, mostly.
      sequence = static_cast<uint16_t>(random_.Below(4) == 0 ? random_.NextU32()
                                                             : 65536 - random_.Below(40));
    }
    if (random_.Below(5) == 0) BeginCloseToTheEnd();
  }

  SrtpReceiver& batched() { return *batched_; }
  SrtpReceiver& single() { return *single_; }

  Packet NextPacket() {
    const uint64_t draw = random_.Below(10);
    if (draw < 6 || in_flight_.empty()) {
      Packet packet = Send();
      // Some are late.
      if (random_.Below(4) != 0) return Damage(packet);
    }
    return Damage(in_flight_[random_.Below(in_flight_.size())]);
  }

  // What a session does between batches.
  void Change() {
    switch (random_.Below(8)) {
      case 0:
      case 1:
        return AddKey();
      case 2:
        return RetireKey();
      case 3:
        return MoveToAnotherProcess();
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
  struct Key {
    Mki mki;
    MasterKey master;
  };

  SrtpReceiverOptions DrawOptions() {
    SrtpReceiverOptions options;
    options.max_streams = 1 + random_.Below(kSsrcs);
    options.remembered_streams = 1 + random_.Below(3);
    options.rtp_replay_window = size_t{64} << random_.Below(4);
    options.rtcp_replay_window = size_t{64} << random_.Below(2);
    options.accept_unencrypted_rtcp = random_.Below(2) == 0;
    if (random_.Below(3) == 0) options.mki = MkiOf(0);
    SrtpPolicy& policy = options.policy;
    if (random_.Below(4) == 0) policy.key_derivation_rate = *KeyDerivationRate::Create(8);
    if (random_.Below(3) == 0) {
      policy.cryptex = random_.Below(2) == 0 ? CryptexPolicy::kOn : CryptexPolicy::kRequired;
    } else if (random_.Below(3) == 0) {
      policy.encrypted_extensions.set(1);
    }
    if (random_.Below(3) == 0) {
      policy.rtp_lifetime = {20, 20 + random_.Below(60)};
      policy.rtcp_lifetime = {5, 5 + random_.Below(15)};
    }
    return options;
  }
  static Mki MkiOf(uint16_t number) {
    Bytes bytes(2);
    StoreBe16(bytes.data(), number);
    return *Mki::Create(bytes);
  }

  std::unique_ptr<SrtpReceiver> MakeReceiver(CryptoEngine& engine) const {
    std::unique_ptr<SrtpReceiver> receiver;
    for (const Key& key : keys_) {
      if (receiver == nullptr) {
        SrtpReceiverOptions options = options_;
        options.mki = key.mki;
        receiver = *SrtpReceiver::Create(key.master, options, engine);
      } else {
        EXPECT_TRUE(AddTo(*receiver, key).ok());
      }
    }
    return receiver;
  }
  std::unique_ptr<SrtpSender> MakeSender(CryptexPolicy cryptex, bool encrypt_rtcp) {
    SrtpSenderOptions options;
    options.mki = options_.mki;
    options.policy.key_derivation_rate = options_.policy.key_derivation_rate;
    options.policy.cryptex = cryptex;
    if (cryptex == CryptexPolicy::kOff) {
      options.policy.encrypted_extensions = options_.policy.encrypted_extensions;
    }
    options.encrypt_rtcp = encrypt_rtcp;
    return *SrtpSender::Create(keys_.back().master, options, batch_engine_);
  }
  template <typename End>
  static absl::Status AddTo(End& end, const Key& key) {
    return key.mki.empty() ? end.Rekey(key.master) : end.AddKey(key.master, key.mki);
  }

  // So that the last index of all is met.
  void BeginCloseToTheEnd() {
    std::vector<SenderStreamState> sent;
    std::vector<ReceiverStreamState> received;
    const KeyId key = IdOf(keys_.back().master);
    for (uint32_t ssrc = 0; ssrc < kSsrcs; ++ssrc) {
      const uint64_t highest = kMaxPacketIndex.value() - 100 - random_.Below(100);
      next_sequence_[ssrc] = static_cast<uint16_t>(highest + 1);
      sent.push_back({Ssrc(ssrc), key, WindowState{highest, {}}, 0});
      if (received.size() < options_.max_streams) {
        received.push_back({Ssrc(ssrc), key, WindowState{highest, {}}, std::nullopt});
      }
    }
    for (SrtpSender* sender : {sender_.get(), deviant_.get()}) {
      ASSERT_TRUE(sender->RestoreStreams(sent, {.rtp = 0, .rtcp = 0}).ok());
    }
    ASSERT_TRUE(batched_->RestoreStreams(received).ok());
    ASSERT_TRUE(single_->RestoreStreams(received).ok());
  }

  // New packets until the sender takes one; it refuses a few, at the end of an index.
  Packet Send() {
    for (;;) {
      const auto ssrc = static_cast<uint32_t>(random_.Below(random_.Below(3) == 0 ? kSsrcs : 2));
      const PacketKind kind = random_.Below(6) == 0 ? PacketKind::kRtcp : PacketKind::kRtp;
      const Bytes plain = kind == PacketKind::kRtp ? PlainRtp(ssrc) : PlainRtcp(ssrc);
      PacketLoan loan = arena_.Lend();
      EXPECT_TRUE(loan && loan.Resize(plain.size()));
      CopyBytes(loan.bytes(), plain);
      ProtectJob job{random_.Below(12) == 0 ? deviant_.get() : sender_.get(), &loan, kind,
                     ProtectVerdict::kMalformed};
      Protect(absl::MakeSpan(&job, 1), batch_engine_);
      if (job.verdict != ProtectVerdict::kOk) continue;
      if (in_flight_.size() == kMaxInFlight) {
        in_flight_.erase(in_flight_.begin());
      }
      in_flight_.push_back({kind, {loan.bytes().begin(), loan.bytes().end()}});
      return in_flight_.back();
    }
  }
  Bytes PlainRtp(uint32_t ssrc) {
    if (random_.Below(60) == 0) {
      next_sequence_[ssrc] = static_cast<uint16_t>(next_sequence_[ssrc] + random_.Below(30000));
    }
    RtpPacketBuilder builder;
    builder.WithSsrc(ssrc).WithSequence(next_sequence_[ssrc]++);
    builder.WithPayloadSize(random_.Below(random_.Below(8) == 0 ? 1400 : 60));
    if (random_.Below(3) == 0) builder.WithCsrcs({1, 2});
    if (random_.Below(3) == 0) builder.AddOneByteExtension(1, {7, 8, 9});
    return builder.Build();
  }
  Bytes PlainRtcp(uint32_t ssrc) {
    RtcpPacketBuilder builder;
    builder.AddReceiverReport(ssrc);
    if (random_.Below(2) == 0) builder.AddSourceDescription(ssrc, "someone");
    return builder.Build();
  }

  Packet Damage(Packet packet) {
    switch (random_.Below(12)) {
      case 0:
        packet.bytes[random_.Below(packet.bytes.size())] ^=
            static_cast<uint8_t>(1 + random_.Below(255));
        break;
      case 1:
        if (random_.Below(3) == 0) packet.bytes.resize(random_.Below(packet.bytes.size()));
        break;
      case 2:
        // Another sequence number, also far away.
        if (packet.kind == PacketKind::kRtp && random_.Below(3) == 0) {
          StoreBe16(packet.bytes.data() + 2, static_cast<uint16_t>(random_.NextU32()));
        }
        break;
      default:
        break;
    }
    return packet;
  }

  void AddKey() {
    if (!options_.mki.empty() && keys_.size() == 4) return RetireKey();
    keys_.push_back(
        {options_.mki.empty() ? Mki() : MkiOf(++last_mki_), MasterKey::Generate(suite_, random_)});
    const Key& key = keys_.back();
    ASSERT_TRUE(AddTo(*batched_, key).ok());
    ASSERT_TRUE(AddTo(*single_, key).ok());
    for (SrtpSender* sender : {sender_.get(), deviant_.get()}) {
      ASSERT_TRUE(AddTo(*sender, key).ok());
      if (!key.mki.empty()) {
        ASSERT_TRUE(sender->SendWith(key.mki).ok());
      }
    }
    if (key.mki.empty() && keys_.size() == 3) keys_.erase(keys_.begin());
  }

  void RetireKey() {
    if (keys_.size() == 1) return;
    for (SrtpReceiver* receiver : {batched_.get(), single_.get()}) {
      if (options_.mki.empty()) {
        receiver->RetirePreviousKey();
      } else {
        ASSERT_TRUE(receiver->RetireKey(keys_.front().mki).ok());
      }
    }
    if (!options_.mki.empty()) {
      ASSERT_TRUE(sender_->RetireKey(keys_.front().mki).ok());
      ASSERT_TRUE(deviant_->RetireKey(keys_.front().mki).ok());
    }
    keys_.erase(keys_.begin());
  }

  // Streams are known then, but not whether they wrapped meanwhile.
  void MoveToAnotherProcess() {
    for (auto* end : {&batched_, &single_}) {
      const std::vector<ReceiverStreamState> streams = (*end)->ExportStreams();
      *end = MakeReceiver(end == &batched_ ? batch_engine_ : single_engine_);
      ASSERT_TRUE((*end)->RestoreStreams(streams).ok());
    }
  }

  SeededRandom& random_;
  CryptoEngine& batch_engine_;
  CryptoEngine& single_engine_;
  const SuiteId suite_;
  const SrtpReceiverOptions options_;
  PacketArena arena_{1};
  // Oldest first; the last one is sent with.
  std::vector<Key> keys_;
  uint16_t last_mki_ = 0;
  std::unique_ptr<SrtpReceiver> batched_;
  std::unique_ptr<SrtpReceiver> single_;
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpSender> deviant_;
  uint16_t next_sequence_[kSsrcs] = {};
  std::vector<Packet> in_flight_;
};

// Which engine does batches, and which one opens one by one: engines are compared, too.
struct Engines {
  EngineKind batch;
  EngineKind single;
};

class OpenBatchTest : public testing::TestWithParam<Engines> {
 protected:
  void RunOneBatch(std::vector<std::unique_ptr<Leg>>& legs, SeededRandom& random) {
    const size_t count = 1 + random.Below(random.Below(3) == 0 ? 5 : kMaxBatch);
    std::vector<std::pair<Leg*, Packet>> packets;
    // Runs of one stream are what a batch is for; legs among each other are what it may do wrong.
    Leg* leg = legs[0].get();
    const uint64_t stay = random.Below(10);
    while (packets.size() < count) {
      if (random.Below(10) >= stay) leg = legs[random.Below(legs.size())].get();
      packets.emplace_back(leg, leg->NextPacket());
      if (random.Below(20) == 0) packets.push_back(packets[random.Below(packets.size())]);
    }
    // Sometimes there is nothing to copy to.
    PacketLoan batch_taken;
    PacketLoan single_taken;
    if (random.Below(10) == 0) {
      batch_taken = batch_scratch_.Lend();
      single_taken = single_scratch_.Lend();
    }
    Compare(packets);
    ASSERT_EQ(batch_scratch_.free(), batch_taken ? 0u : 1u);
    ASSERT_EQ(batch_scratch_.exhausted(), single_scratch_.exhausted());
  }

  void Compare(const std::vector<std::pair<Leg*, Packet>>& packets) {
    std::vector<PacketLoan> loans;
    std::vector<UnprotectJob> jobs;
    for (const auto& [leg, packet] : packets) {
      loans.push_back(Load(packet.bytes));
    }
    for (size_t i = 0; i < packets.size(); ++i) {
      jobs.push_back({&packets[i].first->batched(), &loans[i], packets[i].second.kind,
                      UnprotectVerdict::kMalformed});
    }
    Unprotect(absl::MakeSpan(jobs), batch_scratch_, *batch_engine_);
    for (size_t i = 0; i < packets.size(); ++i) {
      PacketLoan loan = Load(packets[i].second.bytes);
      UnprotectJob job{&packets[i].first->single(), &loan, packets[i].second.kind,
                       UnprotectVerdict::kMalformed};
      Unprotect(absl::MakeSpan(&job, 1), single_scratch_, *single_engine_);
      ASSERT_EQ(jobs[i].verdict, job.verdict) << "packet " << i << " of " << packets.size();
      ASSERT_EQ(loans[i].bytes(), loan.bytes()) << "packet " << i << " of " << packets.size();
      ++seen_[std::string(VerdictName(job.verdict))];
    }
  }

  PacketLoan Load(const Bytes& bytes) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet && packet.Resize(bytes.size()));
    CopyBytes(packet.bytes(), bytes);
    return packet;
  }

  const std::unique_ptr<CryptoEngine> batch_engine_ = MakeEngine(GetParam().batch);
  const std::unique_ptr<CryptoEngine> single_engine_ = MakeEngine(GetParam().single);
  PacketArena arena_{2 * kMaxBatch};
  PacketArena batch_scratch_{1};
  PacketArena single_scratch_{1};
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

INSTANTIATE_TEST_SUITE_P(Engines, OpenBatchTest, testing::ValuesIn(AllPairs()),
                         [](const testing::TestParamInfo<Engines>& tested) {
                           return absl::StrCat(EngineName(tested.param.batch), "_and_",
                                               EngineName(tested.param.single));
                         });

TEST_P(OpenBatchTest, HasTheResultOfItsPacketsOneByOne) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(64);
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
  for (const char* name :
       {"ok", "malformed", "replayed", "too_old", "auth_failed", "unencrypted", "key_exhausted",
        "no_scratch", "unknown_mki", "rekey_needed", "cryptex_refused"}) {
    EXPECT_GT(seen_[name], 10) << name;
  }
}

}  // namespace
}  // namespace sluice
