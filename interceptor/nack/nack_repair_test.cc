// Generator and responder against each other: any losses, and nothing is allocated.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr Ssrc kMedia(0xB0);
constexpr Ssrc kRtx(0xB1);

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = kMedia;
  info.retransmission_ssrc = kRtx;
  info.feedback.nack = true;
  info.video = true;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(97),
                              .role = PayloadRole::kRetransmission,
                              .associated = PayloadType(96)}));
  return info;
}

std::unique_ptr<Interceptor> Generator(const NackGeneratorOptions& options = {}) {
  auto made = NackGenerator::Create(options);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

std::unique_ptr<Interceptor> Responder(SeededRandom& random,
                                       const NackResponderOptions& options = {}) {
  auto made = NackResponder::Create(options, random);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// A sender and a receiver, milliseconds apart, on a path that loses 8 % both ways, doubles and
// reorders.
class LossyCall {
 public:
  explicit LossyCall(SeededRandom& random)
      : random_(random), sender_(Responder(random)), receiver_(Generator()) {
    EXPECT_EQ(sender_.chain().AddStream(Timestamp::Zero(), PacketDirection::kOutgoing, Video()),
              AddStreamVerdict::kOk);
    EXPECT_EQ(receiver_.chain().AddStream(Timestamp::Zero(), PacketDirection::kIncoming, Video()),
              AddStreamVerdict::kOk);
  }

  // One millisecond; a packet of random content is sent in it, or none.
  void Step(bool send, bool lossless) {
    const Timestamp now = Timestamp::Millis(ms_);
    if (send) {
      Send(now, lossless);
    }
    for (; !back_.empty() && back_.begin()->first <= ms_; back_.erase(back_.begin())) {
      for (const Bytes& packet : sender_.IncomingRtcp(now, {back_.begin()->second}).sent) {
        CheckNumber(packet);
        if (!Happens(80)) {
          forward_.emplace(ms_ + 20, packet);
        }
      }
    }
    for (; !forward_.empty() && forward_.begin()->first <= ms_; forward_.erase(forward_.begin())) {
      for (const Bytes& packet : receiver_.IncomingRtp(now, {forward_.begin()->second}).passed) {
        received_.insert(packet);
      }
    }
    if (receiver_.chain().NextTimeout() <= now) {
      for (const Bytes& datagram : receiver_.Timeout(now).rtcp) {
        if (!Happens(80)) {
          back_.emplace(ms_ + 20, datagram);
        }
      }
    }
    ++ms_;
  }

  const std::set<Bytes>& sent() const { return sent_; }
  const std::set<Bytes>& received() const { return received_; }
  ChainHarness& sender() { return sender_; }
  ChainHarness& receiver() { return receiver_; }

 private:
  bool Happens(uint64_t permille) { return random_.Below(1000) < permille; }
  void Send(Timestamp now, bool lossless) {
    Bytes payload(20 + random_.Below(100));
    random_.Fill(absl::MakeSpan(payload));
    const Bytes packet = RtpPacketBuilder()
                             .WithSsrc(kMedia.value())
                             .WithSequence(next_++)
                             .WithPayload(payload)
                             .Build();
    sent_.insert(packet);
    EXPECT_EQ(sender_.OutgoingRtp(now, {packet}).passed.size(), 1u);
    if (lossless || !Happens(80)) {
      // Sometimes overtaken by the next ones.
      forward_.emplace(ms_ + 20 + (Happens(50) ? 9 : 0), packet);
    }
    if (Happens(10)) {
      forward_.emplace(ms_ + 25, packet);
    }
  }
  // Retransmissions count on.
  void CheckNumber(const Bytes& packet) {
    const uint16_t number = RtpPacketView::Parse(packet)->sequence_number().value();
    EXPECT_TRUE(!last_rtx_.has_value() || number == static_cast<uint16_t>(*last_rtx_ + 1));
    last_rtx_ = number;
  }

  SeededRandom& random_;
  ChainHarness sender_;
  ChainHarness receiver_;
  int64_t ms_ = 0;
  uint16_t next_ = 65'000;
  std::set<Bytes> sent_;
  std::set<Bytes> received_;
  std::optional<uint16_t> last_rtx_;
  // Under way, by time of arrival.
  std::multimap<int64_t, Bytes> forward_;
  std::multimap<int64_t, Bytes> back_;
};

TEST(NackRepairTest, WhatArrivesIsAllOfWhatWasSentAndNothingElse) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(6);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  LossyCall call(random);
  for (int ms = 0; ms < 20'000; ++ms) {
    // The first and the last ones are not lost: without a packet on either side nothing is missing.
    call.Step(ms < 18'000 && ms % 4 == 0, ms == 0 || ms > 17'900);
  }
  // Ten attempts, each with two chances to get lost.
  EXPECT_EQ(call.sent().size(), 4500u);
  EXPECT_TRUE(call.received() == call.sent());
  EXPECT_EQ(call.sender().slots_held(), 0u);
  EXPECT_EQ(call.receiver().slots_held(), 0u);
  EXPECT_EQ(call.receiver().chain().NextTimeout(), Timestamp::PlusInfinity());
}

// One chain with both mechanisms, and everything that is needed to call it without a test's own
// allocations.
class Leg {
 public:
  explicit Leg(SeededRandom& random)
      : packets_(512), attributes_(64), out_({}, packets_, attributes_) {
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(Generator());
    list.push_back(Responder(random));
    chain_ = *InterceptorChain::Create(std::move(list),
                                       {.rtcp = {.mode = RtcpMode::kReducedSize, .cname = "leg"}});
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      EXPECT_EQ(chain_->AddStream(Timestamp::Zero(), direction, Video()), AddStreamVerdict::kOk);
    }
    rtp_.reserve(64);
  }

  InterceptorChain& chain() { return *chain_; }
  InterceptorOutbox& out() { return out_; }

  // A loan with these bytes.
  PacketLoan Copy(absl::Span<const uint8_t> bytes) {
    PacketLoan loan = packets_.Lend();
    EXPECT_TRUE(loan && loan.Resize(bytes.size()));
    CopyBytes(loan.bytes(), bytes);
    return loan;
  }
  void OutgoingRtp(Timestamp now, PacketLoan& packet) {
    rtp_.assign(1, *InterceptedRtp::Of(packet));
    chain_->OnOutgoingRtp(now, absl::MakeSpan(rtp_), out_);
  }
  void IncomingRtp(Timestamp now, PacketLoan& packet) {
    rtp_.assign(1, *InterceptedRtp::Of(packet));
    chain_->OnIncomingRtp(now, absl::MakeSpan(rtp_), out_);
  }
  void IncomingRtcp(Timestamp now, PacketLoan& packet) {
    InterceptedRtcp row = *InterceptedRtcp::Of(packet);
    chain_->OnIncomingRtcp(now, absl::MakeSpan(&row, 1), out_);
  }

 private:
  PacketArena packets_;
  AttributesArena attributes_;
  InterceptorOutbox out_;
  std::unique_ptr<InterceptorChain> chain_;
  std::vector<InterceptedRtp> rtp_;
};

TEST(NackRepairTest, AllocatesNothing) {
  SeededRandom random(7);
  Leg sender(random);
  Leg receiver(random);
  Bytes bytes = RtpPacketBuilder().WithSsrc(kMedia.value()).WithPayloadSize(1000).Build();
  uint64_t repaired = 0;
  uint64_t nacks = 0;
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 100'000; ++i) {
    const Timestamp now = Timestamp::Millis(i);
    StoreBe16(&bytes[2], static_cast<uint16_t>(i));
    PacketLoan packet = sender.Copy(bytes);
    sender.OutgoingRtp(now, packet);
    sender.out().EndBatch();
    // One in twenty is lost.
    if (i % 20 != 7) {
      receiver.IncomingRtp(now, packet);
    }
    receiver.chain().OnTimeout(now, receiver.out());
    for (PacketLoan& datagram : receiver.out().rtcp()) {
      ++nacks;
      PacketLoan nack = sender.Copy(datagram.bytes());
      sender.IncomingRtcp(now, nack);
    }
    receiver.out().EndBatch();
    for (OutboxRtp& entry : sender.out().sends()) {
      ++repaired;
      PacketLoan rtx = receiver.Copy(entry.packet.bytes());
      receiver.IncomingRtp(now, rtx);
    }
    receiver.out().EndBatch();
    sender.out().EndBatch();
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_EQ(nacks, 5000u);
  EXPECT_EQ(repaired, 5000u);
}

}  // namespace
}  // namespace sluice
