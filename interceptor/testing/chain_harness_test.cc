#include "interceptor/testing/chain_harness.h"

#include <memory>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

// Keeps back what comes in until it is asked, and says so.
class Holder : public Interceptor {
 public:
  InterceptorKind kind() const override { return InterceptorKind::kJitterBuffer; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .timeout = true, .takes_packets = true};
  }
  void OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override {
    held_ = packets[0].Take();
    out.Raise(KeyFrameNeeded{Ssrc(7)});
  }
  void OnTimeout(Timestamp, InterceptorOutbox& out) override {
    out.DeliverRtp(std::move(held_), PacketSource::kForwarded);
  }

 private:
  PacketLoan held_;
};

TEST(ChainHarnessTest, ShowsWhatPassedWhatWasHeldAndWhatWasSaid) {
  ChainHarness harness(std::make_unique<Holder>());
  const Bytes a = RtpPacketBuilder().WithSequence(1).Build();
  const Bytes b = RtpPacketBuilder().WithSequence(2).Build();

  const ChainOutput first = harness.IncomingRtp(Timestamp::Zero(), {a, b});
  EXPECT_THAT(first.passed, ElementsAre(b));
  EXPECT_EQ(first.EventsOf<KeyFrameNeeded>().size(), 1u);
  EXPECT_THAT(first.EventsOf<KeyFrameRequested>(), IsEmpty());
  EXPECT_EQ(harness.slots_held(), 1u);

  const ChainOutput second = harness.Timeout(Timestamp::Zero());
  EXPECT_THAT(second.delivered, ElementsAre(a));
  EXPECT_THAT(second.events, IsEmpty());
  EXPECT_EQ(harness.slots_held(), 0u);
}

}  // namespace
}  // namespace sluice
