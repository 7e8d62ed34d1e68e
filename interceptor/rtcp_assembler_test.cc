#include "interceptor/rtcp_assembler.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/rtcp/compound.h"
#include "srtp/packet_arena.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

class RtcpAssemblerTest : public ::testing::Test {
 protected:
  void Stage(const Bytes& packet) {
    const absl::Span<uint8_t> room = outbox_.ReserveRtcp(packet.size());
    ASSERT_EQ(room.size(), packet.size());
    CopyBytes(room, packet);
    outbox_.CommitRtcp(packet.size());
  }
  void StagePli(size_t size = 12) {
    Stage(RtcpPacketBuilder().AddRaw(1, 206, Bytes(size - 4)).Build());
  }
  void StageReport(uint32_t ssrc, size_t blocks = 0) {
    Stage(
        RtcpPacketBuilder().AddReceiverReport(ssrc, std::vector<RtcpReportBlock>(blocks)).Build());
  }

  // For each datagram its packets: "rr<ssrc>", "sdes<ssrc>,<ssrc>" or the type.
  std::vector<std::string> Assemble(RtcpMode mode, const std::string& cname = "name") {
    RtcpAssembler({.mode = mode, .ssrc = Ssrc(99), .cname = cname}).Assemble(outbox_);
    std::vector<std::string> datagrams;
    for (const PacketLoan& loan : outbox_.rtcp()) {
      EXPECT_LE(loan.size(), kMaxRtcpDatagramSize);
      const auto view = RtcpPacketView::Parse(loan.bytes());
      EXPECT_TRUE(view.has_value() && view->IsValidCompound());
      if (mode == RtcpMode::kCompound) {
        EXPECT_TRUE(IsFullCompound(*view));
      }
      datagrams.push_back(Describe(*view, cname));
    }
    return datagrams;
  }

  PacketArena packets_{8};
  AttributesArena attributes_{0};
  InterceptorOutbox outbox_{{}, packets_, attributes_};

 private:
  static std::string Describe(const RtcpPacketView& view, const std::string& cname) {
    std::string text;
    view.ForEachPacket([&](uint8_t type, uint8_t, absl::Span<const uint8_t> packet) {
      absl::StrAppend(&text, text.empty() ? "" : " ");
      if (const auto report = ReceiverReportView::Parse(packet)) {
        absl::StrAppend(&text, "rr", report->ssrc());
      } else if (const auto sdes = SdesView::Parse(packet)) {
        absl::StrAppend(&text, "sdes");
        sdes->ForEachItem([&](Ssrc ssrc, SdesItem item, absl::Span<const uint8_t> value) {
          EXPECT_EQ(item, SdesItem::kCname);
          EXPECT_EQ(std::string(value.begin(), value.end()), cname);
          absl::StrAppend(&text, ",", ssrc);
        });
      } else {
        absl::StrAppend(&text, static_cast<int>(type));
      }
    });
    return text;
  }
};

TEST_F(RtcpAssemblerTest, NothingStagedIsNoDatagram) {
  EXPECT_THAT(Assemble(RtcpMode::kCompound), IsEmpty());
  EXPECT_EQ(packets_.free(), packets_.capacity());
}

TEST_F(RtcpAssemblerTest, ReportsComeFirstAndTheirSourcesAreNamed) {
  StagePli();
  StageReport(1);
  StageReport(2);
  StagePli();
  EXPECT_THAT(Assemble(RtcpMode::kCompound), ElementsAre("rr1 rr2 sdes,1,2 206 206"));
}

// Reports leave in full compounds also where feedback need not.
TEST_F(RtcpAssemblerTest, ReportsAreNamedInReducedSizeToo) {
  StagePli();
  StageReport(1);
  EXPECT_THAT(Assemble(RtcpMode::kReducedSize), ElementsAre("rr1 sdes,1 206"));
}

// RFC 3550 section 6.4.2, RFC 5506.
TEST_F(RtcpAssemblerTest, FeedbackAloneGetsAnEmptyReportUnlessItMayGoWithout) {
  StagePli();
  EXPECT_THAT(Assemble(RtcpMode::kCompound), ElementsAre("rr99 sdes,99 206"));
  outbox_.EndBatch();
  StagePli();
  EXPECT_THAT(Assemble(RtcpMode::kReducedSize), ElementsAre("206"));
}

TEST_F(RtcpAssemblerTest, WhatDoesNotFitBeginsAnotherDatagram) {
  StageReport(1);
  StagePli(600);
  StagePli(600);
  StagePli(12);
  EXPECT_THAT(Assemble(RtcpMode::kCompound), ElementsAre("rr1 sdes,1 206", "rr99 sdes,99 206 206"));
}

TEST_F(RtcpAssemblerTest, ReportsThatDoNotFitAreNamedWhereTheyAre) {
  // 752 bytes each.
  StageReport(1, 31);
  StageReport(2, 31);
  StageReport(1, 1);
  EXPECT_THAT(Assemble(RtcpMode::kCompound), ElementsAre("rr1 sdes,1", "rr2 rr1 sdes,2,1"));
}

TEST_F(RtcpAssemblerTest, AReporterWithManyReportsIsNamedOnce) {
  StageReport(1);
  StageReport(1);
  EXPECT_THAT(Assemble(RtcpMode::kCompound), ElementsAre("rr1 rr1 sdes,1"));
}

TEST_F(RtcpAssemblerTest, MoreReportersThanAnSdesNamesAreSplit) {
  for (uint32_t ssrc = 0; ssrc < kMaxSdesChunks + 1; ++ssrc) {
    StageReport(ssrc);
  }
  const std::vector<std::string> datagrams = Assemble(RtcpMode::kCompound, "n");
  ASSERT_EQ(datagrams.size(), 2u);
  EXPECT_EQ(datagrams[1], "rr31 sdes,31");
}

TEST_F(RtcpAssemblerTest, TheLongestPacketFitsBehindTheLongestName) {
  StagePli(kMaxRtcpPacketSize);
  EXPECT_THAT(Assemble(RtcpMode::kCompound, std::string(kMaxCnameSize, 'x')),
              ElementsAre("rr99 sdes,99 206"));
  EXPECT_EQ(outbox_.rtcp()[0].size(), kMaxRtcpDatagramSize);
}

TEST_F(RtcpAssemblerTest, WithoutSlotsPacketsAreDroppedAndCounted) {
  std::vector<PacketLoan> taken;
  while (packets_.free() > 0) taken.push_back(packets_.Lend());
  StageReport(1);
  StagePli();
  StagePli();
  EXPECT_THAT(Assemble(RtcpMode::kCompound), IsEmpty());
  EXPECT_EQ(outbox_.rtcp_dropped(), 3u);
  // Nothing is left for the next time.
  taken.clear();
  EXPECT_THAT(Assemble(RtcpMode::kCompound), IsEmpty());
}

}  // namespace
}  // namespace sluice
