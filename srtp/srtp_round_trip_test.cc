// Sender and receiver against a model that knows the true index and key of every packet: a random
// list of operations, and for each the one verdict and the bytes that must come out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/testing/srtp_model.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kWindow = 64;
constexpr size_t kRtcpWindow = 128;
constexpr uint32_t kSsrcs = 7;
constexpr size_t kSenderStreams = 5;
constexpr size_t kReceiverStreams = 3;
// One fewer than SSRCs without a place, so that some are forgotten.
constexpr size_t kRemembered = 2;
constexpr size_t kMaxInFlight = 100;
constexpr size_t kMaxKeys = 4;
constexpr int kOperations = 12000;

ModelOptions OptionsOf(size_t max_streams, const SrtpPolicy& policy) {
  return {max_streams, kRemembered, kWindow, kRtcpWindow, policy};
}

// Small enough to be met, large enough to send a while.
SrtpPolicy Lifetimes(uint64_t rtp, uint64_t rtcp) {
  SrtpPolicy policy;
  policy.rtp_lifetime = {rtp / 2, rtp};
  policy.rtcp_lifetime = {rtcp / 2, rtcp};
  return policy;
}

class Scenario {
 public:
  Scenario(SuiteOnEngine tested, bool has_mki, uint64_t seed)
      : suite_(tested.suite), has_mki_(has_mki), random_(seed), pipe_(tested.engine) {
    const MasterKey key = MasterKey::Generate(suite_, random_);
    sender_ = *SrtpSender::Create(key,
                                  {.max_streams = kSenderStreams,
                                   .replay_window = kWindow,
                                   .remembered_streams = kRemembered,
                                   .mki = MkiOf(0),
                                   .policy = sender_policy_},
                                  pipe_.engine());
    receiver_ = *SrtpReceiver::Create(key,
                                      {.max_streams = kReceiverStreams,
                                       .rtp_replay_window = kWindow,
                                       .rtcp_replay_window = kRtcpWindow,
                                       .remembered_streams = kRemembered,
                                       .mki = MkiOf(0),
                                       .policy = receiver_policy_},
                                      pipe_.engine());
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
        return random_.Below(has_mki_ ? 5 : 20) == 0 ? ChangeKeys() : Deliver(/*keep=*/true);
      default:
        return Deliver(/*keep=*/random_.Below(8) == 0);
    }
  }

  // That nothing is known beside what the model says.
  void ExpectSameStreams() {
    std::vector<uint32_t> ssrcs;
    for (const SenderStreamState& state : sender_->ExportStreams()) {
      ssrcs.push_back(state.ssrc.value());
      ASSERT_EQ(state.rtp.has_value() ? std::optional<uint64_t>(state.rtp->highest) : std::nullopt,
                sender_model_.HighestRtp(state.ssrc.value()));
    }
    ASSERT_EQ(ssrcs, sender_model_.Ssrcs());
    ssrcs.clear();
    for (const ReceiverStreamState& state : receiver_->ExportStreams()) {
      ssrcs.push_back(state.ssrc.value());
      ASSERT_EQ(state.rtp.has_value() ? std::optional<uint64_t>(state.rtp->highest) : std::nullopt,
                receiver_model_.HighestRtp(state.ssrc.value()));
    }
    ASSERT_EQ(ssrcs, receiver_model_.Ssrcs());
    ASSERT_EQ(sender_->rekey_due(), sender_model_.rekey_due());
    ASSERT_EQ(receiver_->rekey_due(), receiver_model_.rekey_due());
    ASSERT_EQ(sender_->forgotten_streams(), sender_model_.forgotten());
    ASSERT_EQ(receiver_->forgotten_streams(), receiver_model_.forgotten());
  }

  // Which verdicts were met, to prove that the list of operations reaches all.
  const std::set<std::string>& seen() const { return seen_; }
  uint64_t forgotten() const { return receiver_->forgotten_streams(); }

 private:
  // A protected packet on its way.
  struct InFlight {
    ModelPacket truth;
    Bytes plain;
    Bytes bytes;
  };

  Mki MkiOf(int key) const {
    return has_mki_ ? *Mki::Create({static_cast<uint8_t>(key), static_cast<uint8_t>(key >> 8)})
                    : Mki();
  }

  uint32_t PickSsrc() {
    // Mostly the first few, so that all of them keep their places for a while.
    return static_cast<uint32_t>(random_.Below(random_.Below(6) == 0 ? kSsrcs : 3));
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
    Send({{PacketKind::kRtp, ssrc, sequence, 0, 0}, builder.Build(), {}});
  }

  void SendRtcp() {
    const uint32_t ssrc = PickSsrc();
    RtcpPacketBuilder builder;
    builder.AddSenderReport(ssrc, random_.NextU64(), 1, 2, 3);
    if (random_.Below(2) == 0) builder.AddSourceDescription(ssrc, "someone");
    Send({{PacketKind::kRtcp, ssrc, 0, 0, 0}, builder.Build(), {}});
  }

  void Send(InFlight packet) {
    const ProtectVerdict expected = sender_model_.Send(packet.truth);
    Sent sent = pipe_.Send(*sender_, packet.truth.kind, packet.plain);
    ASSERT_EQ(sent.verdict, expected);
    seen_.insert(absl::StrCat("protect ", VerdictName(sent.verdict)));
    if (sent.verdict != ProtectVerdict::kOk) {
      ASSERT_EQ(sent.bytes, packet.plain);
      return;
    }
    packet.bytes = std::move(sent.bytes);
    if (in_flight_.size() == kMaxInFlight) {
      in_flight_.erase(in_flight_.begin());
    }
    in_flight_.push_back(std::move(packet));
  }

  void Deliver(bool keep) {
    if (in_flight_.empty()) return;
    const size_t i = PickInFlight();
    const InFlight& packet = in_flight_[i];
    const UnprotectVerdict expected = receiver_model_.Receive(packet.truth);
    const Received received = pipe_.Receive(*receiver_, packet.truth.kind, packet.bytes);
    ASSERT_EQ(received.verdict, expected);
    seen_.insert(absl::StrCat("unprotect ", VerdictName(expected)));
    if (expected == UnprotectVerdict::kOk) {
      ASSERT_EQ(received.bytes, packet.plain);
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
    ASSERT_NE(pipe_.Receive(*receiver_, packet.truth.kind, forged).verdict, UnprotectVerdict::kOk);
  }

  void Lose() {
    if (!in_flight_.empty()) {
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(PickInFlight()));
    }
  }

  void ChangeKeys() {
    std::list<int>& live = receiver_model_.keys();
    if (!has_mki_) {
      if (live.size() == 2 && random_.Below(2) == 0) {
        receiver_->RetirePreviousKey();
        live.pop_back();
        return;
      }
      const MasterKey key = MasterKey::Generate(suite_, random_);
      ASSERT_TRUE(receiver_->Rekey(key).ok());
      ASSERT_TRUE(sender_->Rekey(key).ok());
      sender_model_.Retire(last_key_);
      sender_model_.SendWith(++last_key_);
      live.push_front(last_key_);
      live.resize(std::min<size_t>(live.size(), 2));
      return;
    }
    if (live.size() < kMaxKeys) {
      const MasterKey key = MasterKey::Generate(suite_, random_);
      live.push_back(++last_key_);
      ASSERT_TRUE(receiver_->AddKey(key, MkiOf(last_key_)).ok());
      ASSERT_TRUE(sender_->AddKey(key, MkiOf(last_key_)).ok());
    } else {
      // The oldest one goes, on its way packets or not.
      const int oldest = live.front();
      live.pop_front();
      Choose(live.back());
      ASSERT_TRUE(receiver_->RetireKey(MkiOf(oldest)).ok());
      ASSERT_TRUE(sender_->RetireKey(MkiOf(oldest)).ok());
      sender_model_.Retire(oldest);
    }
    // Mostly the newest, but also an older one again.
    const uint64_t back = random_.Below(3) != 0 ? live.size() - 1 : random_.Below(live.size());
    Choose(*std::next(live.begin(), static_cast<std::ptrdiff_t>(back)));
  }
  void Choose(int key) {
    ASSERT_TRUE(sender_->SendWith(MkiOf(key)).ok());
    sender_model_.SendWith(key);
  }

  // Mostly in order.
  size_t PickInFlight() {
    return random_.Below(3) == 0 ? random_.Below(in_flight_.size())
                                 : random_.Below(std::min<size_t>(in_flight_.size(), 3));
  }

  const SuiteId suite_;
  const bool has_mki_;
  SeededRandom random_;
  PacketPipe pipe_;
  const SrtpPolicy sender_policy_ = Lifetimes(150, 60);
  const SrtpPolicy receiver_policy_ = Lifetimes(120, 50);
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;

  // Keys are numbered as they come.
  int last_key_ = 0;
  SenderModel sender_model_{OptionsOf(kSenderStreams, sender_policy_), 0};
  ReceiverModel receiver_model_{OptionsOf(kReceiverStreams, receiver_policy_), has_mki_, 0};
  uint16_t next_sequence_[kSsrcs] = {};
  std::vector<InFlight> in_flight_;
  std::set<std::string> seen_;
};

class SrtpRoundTripTest : public testing::TestWithParam<SuiteOnEngine> {
 protected:
  void Run(bool has_mki) {
    const uint64_t first_seed = SeededRandom::SeedFromEnvOr(2026);
    for (uint64_t seed = first_seed; seed < first_seed + 3; ++seed) {
      SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
      Scenario scenario(GetParam(), has_mki, seed);
      for (int i = 0; i < kOperations; ++i) {
        scenario.Step();
        if (i % 50 == 0 && !HasFatalFailure()) scenario.ExpectSameStreams();
        if (HasFatalFailure()) {
          FAIL() << "operation " << i;
        }
      }
      EXPECT_GT(scenario.forgotten(), 0u);
      seen_.insert(scenario.seen().begin(), scenario.seen().end());
    }
  }

  std::set<std::string> seen_;
};

INSTANTIATE_TEST_SUITE_P(All, SrtpRoundTripTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpRoundTripTest, RandomOperationsGoAsTheModelSays) {
  Run(/*has_mki=*/false);
  EXPECT_THAT(seen_, testing::UnorderedElementsAre(
                         "protect ok", "protect index_reused", "protect too_many_streams",
                         "protect rekey_needed", "unprotect ok", "unprotect replayed",
                         "unprotect too_old", "unprotect auth_failed", "unprotect rekey_needed"));
}

TEST_P(SrtpRoundTripTest, RandomOperationsWithSeveralKeysGoAsTheModelSays) {
  Run(/*has_mki=*/true);
  EXPECT_THAT(seen_,
              testing::UnorderedElementsAre(
                  "protect ok", "protect index_reused", "protect too_many_streams",
                  "protect rekey_needed", "unprotect ok", "unprotect replayed", "unprotect too_old",
                  "unprotect auth_failed", "unprotect rekey_needed", "unprotect unknown_mki"));
}

}  // namespace
}  // namespace sluice
