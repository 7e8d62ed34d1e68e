#include "interceptor/packet_log/packet_log.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

constexpr auto kIn = PacketDirection::kIncoming;
constexpr auto kOut = PacketDirection::kOutgoing;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

Bytes Rtp(uint16_t sequence) {
  return RtpPacketBuilder().WithSsrc(1).WithSequence(sequence).WithPayloadSize(20).Build();
}
Bytes Rtcp(uint32_t ssrc) { return RtcpPacketBuilder().AddReceiverReport(ssrc).Build(); }

std::unique_ptr<PacketLogRing> Ring(size_t records) {
  return *PacketLogRing::Create({.records = records});
}

struct Entry {
  PacketDirection direction;
  PacketKind kind;
  int64_t ms;
  Bytes packet;
  friend bool operator==(const Entry&, const Entry&) = default;
};

std::vector<Entry> TakeAll(PacketLogRing& ring) {
  std::vector<Entry> entries;
  while (const std::optional<PacketLogRecord> record = ring.Front()) {
    entries.push_back({record->direction, record->kind, (record->time - Timestamp::Zero()).ms(),
                       Bytes(record->bytes.begin(), record->bytes.end())});
    ring.Pop();
  }
  return entries;
}

TEST(PacketLogTest, LogsBothKindsInBothDirectionsAndLetsThemPass) {
  const std::unique_ptr<PacketLogRing> ring = Ring(16);
  ChainHarness harness(std::make_unique<PacketLog>(*ring));
  EXPECT_THAT(harness.IncomingRtp(Ms(1), {Rtp(1), Rtp(2)}).passed, ElementsAre(Rtp(1), Rtp(2)));
  EXPECT_THAT(harness.OutgoingRtp(Ms(2), {Rtp(3)}).passed, ElementsAre(Rtp(3)));
  EXPECT_THAT(harness.IncomingRtcp(Ms(3), {Rtcp(4)}).passed, ElementsAre(Rtcp(4)));
  EXPECT_THAT(harness.OutgoingRtcp(Ms(4), {Rtcp(5)}).passed, ElementsAre(Rtcp(5)));
  EXPECT_THAT(TakeAll(*ring), ElementsAre(Entry{kIn, PacketKind::kRtp, 1, Rtp(1)},
                                          Entry{kIn, PacketKind::kRtp, 1, Rtp(2)},
                                          Entry{kOut, PacketKind::kRtp, 2, Rtp(3)},
                                          Entry{kIn, PacketKind::kRtcp, 3, Rtcp(4)},
                                          Entry{kOut, PacketKind::kRtcp, 4, Rtcp(5)}));
}

// A packet logger that waits for whoever reads it holds up the call (media.md section 1.1).
TEST(PacketLogTest, PacketsPassWhenNobodyEmptiesTheRing) {
  const std::unique_ptr<PacketLogRing> ring = Ring(1);
  ChainHarness harness(std::make_unique<PacketLog>(*ring));
  for (uint16_t i = 0; i < 100; ++i) {
    ASSERT_EQ(harness.IncomingRtp(Ms(i), {Rtp(i)}).passed.size(), 1u);
    ASSERT_EQ(harness.OutgoingRtcp(Ms(i), {Rtcp(i)}).passed.size(), 1u);
  }
  EXPECT_EQ(ring->counters(kIn).logged, 1u);
  EXPECT_EQ(ring->counters(kIn).dropped, 99u);
  EXPECT_EQ(ring->counters(kOut).dropped, 100u);
}

// Answers each packet with one of its own and a picture loss indication.
class Answerer : public Interceptor {
 public:
  InterceptorKind kind() const override { return InterceptorKind::kNackGenerator; }
  InterceptorHooks hooks() const override { return {.incoming_rtp = true}; }
  void OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp>, InterceptorOutbox& out) override {
    out.SendRtp(RtpPacketBuilder().WithSequence(9).BuildInto(out.packets()),
                PacketSource::kRetransmission);
    CopyBytes(out.ReserveRtcp(kPli.size()), kPli);
    out.CommitRtcp(kPli.size());
  }

  static const Bytes kPli;
};
const Bytes Answerer::kPli = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};

TEST(PacketLogTest, LogsWhatTheChainSendsItself) {
  const std::unique_ptr<PacketLogRing> ring = Ring(16);
  std::vector<std::unique_ptr<Interceptor>> interceptors;
  interceptors.push_back(std::make_unique<PacketLog>(*ring));
  interceptors.push_back(std::make_unique<Answerer>());
  ChainHarness harness(std::move(interceptors));
  const ChainOutput output = harness.IncomingRtp(Ms(1), {Rtp(1)});
  ASSERT_EQ(output.sent.size(), 1u);
  ASSERT_EQ(output.rtcp.size(), 1u);
  EXPECT_THAT(TakeAll(*ring), ElementsAre(Entry{kIn, PacketKind::kRtp, 1, Rtp(1)},
                                          Entry{kOut, PacketKind::kRtp, 1, output.sent[0]},
                                          Entry{kOut, PacketKind::kRtcp, 1, output.rtcp[0]}));
}

TEST(PacketLogTest, TellsWhenAPacketCameWhereThatIsKnown) {
  const std::unique_ptr<PacketLogRing> ring = Ring(4);
  PacketLog log(*ring);
  PacketArena packets(1);
  AttributesArena attributes(1);
  InterceptorOutbox out({}, packets, attributes);
  PacketLoan loan = RtpPacketBuilder().BuildInto(packets);
  std::optional<InterceptedRtp> row = InterceptedRtp::Of(loan);
  ASSERT_TRUE(row.has_value());
  ASSERT_TRUE(row->attributes.Set(attributes, &PacketAttributes::arrival, Ms(3)));
  log.OnIncomingRtp(Ms(5), absl::MakeSpan(&*row, 1), out);
  log.OnOutgoingRtp(Ms(6), absl::MakeSpan(&*row, 1), out);
  const std::vector<Entry> entries = TakeAll(*ring);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].ms, 3);
  EXPECT_EQ(entries[1].ms, 6) << "when it goes, not when it came to another leg";
}

TEST(PacketLogTest, ClosesTheRingWhenItsLegGoes) {
  const std::unique_ptr<PacketLogRing> ring = Ring(4);
  {
    PacketLog log(*ring);
    EXPECT_FALSE(ring->closed());
  }
  EXPECT_TRUE(ring->closed());
}

TEST(PacketLogTest, AllocatesNothingOnceItIsMade) {
  const std::unique_ptr<PacketLogRing> ring = Ring(8);
  PacketLog log(*ring);
  PacketArena packets(2);
  AttributesArena attributes(1);
  InterceptorOutbox out({}, packets, attributes);
  PacketLoan rtp = RtpPacketBuilder().WithPayloadSize(1000).BuildInto(packets);
  PacketLoan rtcp = RtcpPacketBuilder().AddReceiverReport(1).BuildInto(packets);
  InterceptedRtp rtp_row = *InterceptedRtp::Of(rtp);
  InterceptedRtcp rtcp_row = *InterceptedRtcp::Of(rtcp);
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 1000; ++i) {
    log.OnIncomingRtp(Ms(i), absl::MakeSpan(&rtp_row, 1), out);
    log.OnIncomingRtcp(Ms(i), absl::MakeSpan(&rtcp_row, 1), out);
    log.OnOutgoingRtp(Ms(i), absl::MakeSpan(&rtp_row, 1), out);
    log.OnOutgoingRtcp(Ms(i), absl::MakeSpan(&rtcp_row, 1), out);
    // Every other round: the ring is full in between.
    while (i % 4 == 0 && ring->Front().has_value()) ring->Pop();
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_GT(ring->counters(kOut).dropped, 0u);
}

}  // namespace
}  // namespace sluice
