// Everything a chain does between Create and its end, counted.

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using enum InterceptorKind;

constexpr Timestamp kNow = Timestamp::Millis(100);

// A picture loss indication about nothing.
void WriteRtcp(InterceptorOutbox& out) {
  constexpr uint8_t kPacket[12] = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  const absl::Span<uint8_t> room = out.ReserveRtcp(sizeof(kPacket));
  ASSERT_EQ(room.size(), sizeof(kPacket));
  CopyBytes(room, kPacket);
  out.CommitRtcp(12);
}

// Takes some, sends some, says something, sets facts: no call allocates.
class Busy : public Interceptor {
 public:
  explicit Busy(InterceptorKind kind) : kind_(kind) {}
  InterceptorKind kind() const override { return kind_; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true,
            .outgoing_rtp = true,
            .events = true,
            .timeout = true,
            .takes_packets = true};
  }
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override {
    for (InterceptedRtp& row : packets) {
      row.attributes.Set(out.attributes(), &PacketAttributes::arrival, now);
    }
    out.DeliverRtp(packets[0].Take(), PacketSource::kRecovered);
    out.Raise(KeyFrameNeeded{Ssrc(1)});
  }
  void OnOutgoingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override {
    out.SendRtp(packets[0].Take(), PacketSource::kForwarded);
  }
  void OnTimeout(Timestamp, InterceptorOutbox& out) override { WriteRtcp(out); }

 private:
  const InterceptorKind kind_;
};

TEST(ChainZeroAllocTest, NothingIsAllocatedOnceItIsMade) {
  PacketArena packets(64);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  std::vector<std::unique_ptr<Interceptor>> list;
  for (const InterceptorKind kind : {kPacketLog, kReports, kPacer, kNackGenerator}) {
    list.push_back(std::make_unique<Busy>(kind));
  }
  const std::unique_ptr<InterceptorChain> chain =
      *InterceptorChain::Create(std::move(list), {.rtcp = {.cname = "name"}});
  std::vector<PacketLoan> loans(8);
  std::vector<InterceptedRtp> rows;
  rows.reserve(loans.size());
  const RtpPacketBuilder builder = RtpPacketBuilder().WithPayloadSize(100);
  StreamInfo info;
  info.ssrc = Ssrc(3);
  uint64_t allocations = 0;
  for (int i = 0; i < 1000; ++i) {
    for (const bool incoming : {true, false}) {
      rows.clear();
      for (PacketLoan& loan : loans) {
        loan = builder.BuildInto(packets);
        rows.push_back(*InterceptedRtp::Of(loan));
      }
      const uint64_t before = ThreadAllocations();
      ASSERT_EQ(chain->AddStream(kNow, PacketDirection::kIncoming, info), AddStreamVerdict::kOk);
      const absl::Span<InterceptedRtp> left =
          incoming ? chain->OnIncomingRtp(kNow, absl::MakeSpan(rows), out)
                   : chain->OnOutgoingRtp(kNow, absl::MakeSpan(rows), out);
      ASSERT_EQ(left.size(), 4u);
      chain->OnTimeout(kNow, out);
      ASSERT_FALSE(out.rtcp().empty());
      out.EndBatch();
      ASSERT_TRUE(chain->RemoveStream(kNow, PacketDirection::kIncoming, info.ssrc));
      allocations += ThreadAllocations() - before;
      for (PacketLoan& loan : loans) loan.Return();
      ASSERT_EQ(packets.free(), packets.capacity());
    }
  }
  EXPECT_EQ(allocations, 0u);
}

}  // namespace
}  // namespace sluice
