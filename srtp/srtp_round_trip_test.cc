// Sender and receiver against a model that knows the true index of every packet: a random list of
// operations, and for each the one verdict and the bytes that must come out.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// What a window must know, as a set of all numbers ever taken.
class ModelWindow {
 public:
  explicit ModelWindow(uint64_t size) : size_(size) {}

  enum class Answer { kFresh, kTaken, kTooOld };
  Answer Ask(uint64_t index) const {
    if (taken_.empty() || index > *taken_.rbegin()) return Answer::kFresh;
    if (*taken_.rbegin() - index >= size_) return Answer::kTooOld;
    return taken_.count(index) != 0 ? Answer::kTaken : Answer::kFresh;
  }
  void Take(uint64_t index) { taken_.insert(index); }

  // The index of that sequence number nearest to the highest, the same rollover at a tie.
  uint64_t Nearest(uint16_t sequence) const {
    if (taken_.empty()) return sequence;
    const auto highest = static_cast<int64_t>(*taken_.rbegin());
    const int64_t same = (highest & ~int64_t{0xFFFF}) | sequence;
    int64_t nearest = same;
    for (const int64_t other : {same - 0x10000, same + 0x10000}) {
      if (other >= 0 && std::abs(other - highest) < std::abs(nearest - highest)) nearest = other;
    }
    return static_cast<uint64_t>(nearest);
  }

 private:
  uint64_t size_;
  std::set<uint64_t> taken_;
};

// SSRCs in the order of their use.
template <typename Stream>
class ModelTable {
 public:
  explicit ModelTable(size_t capacity) : capacity_(capacity) {}

  Stream* Find(uint32_t ssrc) {
    const auto found = streams_.find(ssrc);
    return found == streams_.end() ? nullptr : &found->second;
  }
  void Touch(uint32_t ssrc) {
    newest_first_.remove(ssrc);
    newest_first_.push_front(ssrc);
  }
  Stream& Add(uint32_t ssrc, Stream stream) {
    Touch(ssrc);
    return streams_.emplace(ssrc, std::move(stream)).first->second;
  }
  Stream& Oldest() { return streams_.at(newest_first_.back()); }
  void RemoveOldest() {
    streams_.erase(newest_first_.back());
    newest_first_.pop_back();
  }
  bool full() const { return streams_.size() == capacity_; }

 private:
  size_t capacity_;
  std::map<uint32_t, Stream> streams_;
  std::list<uint32_t> newest_first_;
};

struct ModelSenderStream {
  ModelWindow taken;
  uint64_t next_rtcp = 0;
  int key = 0;
};

struct ModelReceiverStream {
  ModelWindow rtp;
  ModelWindow rtcp;
};

// A protected packet on its way.
struct InFlight {
  PacketKind kind;
  uint32_t ssrc;
  uint16_t sequence;
  // True index of either kind.
  uint64_t index;
  int key;
  Bytes plain;
  Bytes bytes;
};

constexpr size_t kWindow = 64;
constexpr size_t kRtcpWindow = 128;
constexpr uint32_t kSsrcs = 6;
constexpr size_t kSenderStreams = 5;
constexpr size_t kReceiverStreams = 4;
constexpr size_t kMaxInFlight = 100;
constexpr int kOperations = 15000;

class Scenario {
 public:
  Scenario(SuiteId suite, uint64_t seed) : suite_(suite), random_(seed) {
    const MasterKey key = MasterKey::Generate(suite, random_);
    SrtpSenderOptions sender_options;
    sender_options.max_streams = kSenderStreams;
    sender_options.replay_window = kWindow;
    sender_ = *SrtpSender::Create(key, sender_options, engine_);
    SrtpReceiverOptions receiver_options;
    receiver_options.max_streams = kReceiverStreams;
    receiver_options.rtp_replay_window = kWindow;
    receiver_options.rtcp_replay_window = kRtcpWindow;
    receiver_ = *SrtpReceiver::Create(key, receiver_options, engine_);
    for (uint16_t& sequence : next_sequence_) {
      sequence = static_cast<uint16_t>(random_.NextU32());
    }
  }

  void Step() {
    switch (random_.Below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return SendRtp();
      case 5:
        return SendRtcp();
      case 6:
        return Lose();
      case 7:
        return Forge();
      case 8:
        return random_.Below(40) == 0 ? Rekey() : Deliver(/*keep=*/true);
      default:
        return Deliver(/*keep=*/random_.Below(8) == 0);
    }
  }

  // How often each verdict was met, to prove that the list of operations reaches all.
  const std::set<std::string>& seen() const { return seen_; }

 private:
  uint32_t PickSsrc() {
    // Mostly the first few, so that all of them keep their places for a while.
    return static_cast<uint32_t>(random_.Below(random_.Below(10) == 0 ? kSsrcs : 3));
  }

  void SendRtp() {
    const uint32_t ssrc = PickSsrc();
    uint16_t sequence = next_sequence_[ssrc];
    switch (random_.Below(20)) {
      case 0:
        // Late or repeated.
        sequence = static_cast<uint16_t>(sequence - 1 - random_.Below(kWindow + 20));
        break;
      case 1:
        sequence = static_cast<uint16_t>(sequence + random_.Below(20000));
        next_sequence_[ssrc] = static_cast<uint16_t>(sequence + 1);
        break;
      default:
        next_sequence_[ssrc] = static_cast<uint16_t>(sequence + 1);
        break;
    }
    RtpPacketBuilder builder;
    builder.WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(random_.Below(40));
    if (random_.Below(3) == 0) builder.AddOneByteExtension(1, {1, 2, 3});
    if (random_.Below(3) == 0) builder.WithCsrcs({5, 6});
    Send({PacketKind::kRtp, ssrc, sequence, 0, key_, builder.Build(), {}});
  }

  void SendRtcp() {
    const uint32_t ssrc = PickSsrc();
    RtcpPacketBuilder builder;
    builder.AddSenderReport(ssrc, random_.NextU64(), 1, 2, 3);
    if (random_.Below(2) == 0) builder.AddSourceDescription(ssrc, "someone");
    Send({PacketKind::kRtcp, ssrc, 0, 0, key_, builder.Build(), {}});
  }

  ProtectVerdict ExpectedOfSender(InFlight& packet) {
    ModelSenderStream* stream = sender_model_.Find(packet.ssrc);
    if (stream == nullptr) {
      if (sender_model_.full()) {
        if (sender_model_.Oldest().key == key_) return ProtectVerdict::kTooManyStreams;
        sender_model_.RemoveOldest();
      }
      stream = &sender_model_.Add(packet.ssrc, {ModelWindow(kWindow)});
    }
    sender_model_.Touch(packet.ssrc);
    stream->key = key_;
    if (packet.kind == PacketKind::kRtcp) {
      packet.index = stream->next_rtcp++;
      return ProtectVerdict::kOk;
    }
    packet.index = stream->taken.Nearest(packet.sequence);
    if (stream->taken.Ask(packet.index) != ModelWindow::Answer::kFresh) {
      return ProtectVerdict::kIndexReused;
    }
    stream->taken.Take(packet.index);
    return ProtectVerdict::kOk;
  }

  void Send(InFlight packet) {
    const ProtectVerdict expected = ExpectedOfSender(packet);
    PacketLoan loan = Load(packet.plain);
    ProtectJob job{sender_.get(), &loan, packet.kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine_);
    ASSERT_EQ(VerdictName(job.verdict), VerdictName(expected));
    seen_.insert(absl::StrCat("protect ", VerdictName(job.verdict)));
    if (job.verdict != ProtectVerdict::kOk) {
      ASSERT_EQ(loan.bytes(), absl::MakeConstSpan(packet.plain));
      return;
    }
    packet.bytes.assign(loan.bytes().begin(), loan.bytes().end());
    if (in_flight_.size() == kMaxInFlight) {
      in_flight_.erase(in_flight_.begin());
    }
    in_flight_.push_back(std::move(packet));
  }

  UnprotectVerdict ExpectedOfReceiver(const InFlight& packet) {
    ModelReceiverStream* stream = receiver_model_.Find(packet.ssrc);
    const ModelReceiverStream unknown = NewReceiverStream();
    const ModelReceiverStream& known = stream != nullptr ? *stream : unknown;
    const bool rtp = packet.kind == PacketKind::kRtp;
    const ModelWindow& window = rtp ? known.rtp : known.rtcp;
    // An SRTCP packet says its index; an SRTP packet leaves it to be guessed.
    const uint64_t guessed = rtp ? window.Nearest(packet.sequence) : packet.index;
    switch (window.Ask(guessed)) {
      case ModelWindow::Answer::kTaken:
        return UnprotectVerdict::kReplayed;
      case ModelWindow::Answer::kTooOld:
        return UnprotectVerdict::kTooOld;
      case ModelWindow::Answer::kFresh:
        break;
    }
    const bool key_is_live = packet.key == key_ || packet.key == previous_key_;
    if (guessed != packet.index || !key_is_live) {
      return UnprotectVerdict::kAuthFailed;
    }
    if (stream == nullptr) {
      if (receiver_model_.full()) receiver_model_.RemoveOldest();
      stream = &receiver_model_.Add(packet.ssrc, NewReceiverStream());
    }
    receiver_model_.Touch(packet.ssrc);
    (rtp ? stream->rtp : stream->rtcp).Take(packet.index);
    return UnprotectVerdict::kOk;
  }
  static ModelReceiverStream NewReceiverStream() {
    return {ModelWindow(kWindow), ModelWindow(kRtcpWindow)};
  }

  void Deliver(bool keep) {
    if (in_flight_.empty()) return;
    const size_t i = PickInFlight();
    const InFlight& packet = in_flight_[i];
    const UnprotectVerdict expected = ExpectedOfReceiver(packet);
    PacketLoan loan = Load(packet.bytes);
    ASSERT_EQ(VerdictName(Receive(loan, packet.kind)), VerdictName(expected));
    seen_.insert(absl::StrCat("unprotect ", VerdictName(expected)));
    if (expected == UnprotectVerdict::kOk) {
      ASSERT_EQ(loan.bytes(), absl::MakeConstSpan(packet.plain));
    }
    if (!keep) in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  // Whatever the verdict, it is not kOk; that nothing changed shows in all that follows.
  void Forge() {
    if (in_flight_.empty()) return;
    const InFlight& packet = in_flight_[PickInFlight()];
    Bytes forged = packet.bytes;
    for (uint64_t n = 1 + random_.Below(3); n > 0; --n) {
      forged[random_.Below(forged.size())] ^= static_cast<uint8_t>(1 + random_.Below(255));
    }
    if (random_.Below(4) == 0) forged.resize(random_.Below(forged.size()));
    if (forged == packet.bytes) return;
    PacketLoan loan = Load(forged);
    ASSERT_NE(Receive(loan, packet.kind), UnprotectVerdict::kOk);
  }

  void Lose() {
    if (!in_flight_.empty()) {
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(PickInFlight()));
    }
  }

  void Rekey() {
    if (previous_key_.has_value() && random_.Below(2) == 0) {
      receiver_->RetirePreviousKey();
      previous_key_.reset();
      return;
    }
    const MasterKey key = MasterKey::Generate(suite_, random_);
    ASSERT_TRUE(receiver_->Rekey(key).ok());
    ASSERT_TRUE(sender_->Rekey(key).ok());
    previous_key_ = key_++;
  }

  // Mostly in order.
  size_t PickInFlight() {
    return random_.Below(3) == 0 ? random_.Below(in_flight_.size())
                                 : random_.Below(std::min<size_t>(in_flight_.size(), 3));
  }

  PacketLoan Load(absl::Span<const uint8_t> content) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet && packet.Resize(content.size()));
    CopyBytes(packet.bytes(), content);
    return packet;
  }
  UnprotectVerdict Receive(PacketLoan& packet, PacketKind kind) {
    UnprotectJob job{receiver_.get(), &packet, kind, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_, engine_);
    return job.verdict;
  }

  const SuiteId suite_;
  SeededRandom random_;
  BoringSslEngine engine_;
  PacketArena arena_{2};
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;

  ModelTable<ModelSenderStream> sender_model_{kSenderStreams};
  ModelTable<ModelReceiverStream> receiver_model_{kReceiverStreams};
  // Keys are numbered as they come.
  int key_ = 0;
  std::optional<int> previous_key_;
  uint16_t next_sequence_[kSsrcs] = {};
  std::vector<InFlight> in_flight_;
  std::set<std::string> seen_;
};

class SrtpRoundTripTest : public testing::TestWithParam<SuiteId> {};

INSTANTIATE_TEST_SUITE_P(Suites, SrtpRoundTripTest,
                         testing::Values(SuiteId::kAesCm128HmacSha1_80,
                                         SuiteId::kAesCm128HmacSha1_32, SuiteId::kAeadAes128Gcm,
                                         SuiteId::kAeadAes256Gcm),
                         [](const testing::TestParamInfo<SuiteId>& tested) {
                           return std::string(GetCipherSuite(tested.param).name);
                         });

TEST_P(SrtpRoundTripTest, RandomOperationsGoAsTheModelSays) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(2026);
  std::set<std::string> seen;
  for (uint64_t seed = first_seed; seed < first_seed + 4; ++seed) {
    SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
    Scenario scenario(GetParam(), seed);
    for (int i = 0; i < kOperations; ++i) {
      scenario.Step();
      if (HasFatalFailure()) {
        FAIL() << "operation " << i;
      }
    }
    seen.insert(scenario.seen().begin(), scenario.seen().end());
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("protect ok", "protect index_reused",
                                                  "protect too_many_streams", "unprotect ok",
                                                  "unprotect replayed", "unprotect too_old",
                                                  "unprotect auth_failed"));
}

}  // namespace
}  // namespace sluice
