#include "interceptor/rtcp/compound.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

// One of each, as hex.
constexpr const char* kSenderReport =
    "80c80006 00000001 0000000000000002 00000003 00000004 00000005";
constexpr const char* kReceiverReport = "80c90001 00000001";
constexpr const char* kSdes = "81ca0002 00000001 01016100";
constexpr const char* kBye = "81cb0001 00000001";
constexpr const char* kApp = "80cc0002 00000001 41424344";
constexpr const char* kNack = "81cd0003 00000001 00000002 00030000";
constexpr const char* kCcfb = "8bcd0002 00000001 0a0b0c0d";
constexpr const char* kTransportFeedback = "8fcd0005 00000001 00000002 00010001 00000000 20010100";
constexpr const char* kPli = "81ce0002 00000001 00000002";
constexpr const char* kFir = "84ce0004 00000001 00000000 00000002 03000000";
constexpr const char* kRemb = "8fce0004 00000001 00000000 52454d42 00000001";
constexpr const char* kXr = "80cf0001 00000001";

struct Read {
  std::vector<std::string> names;
  RtcpReadCounts counts;
};

Read ReadAll(const Bytes& bytes) {
  Read read;
  const std::optional<RtcpPacketView> datagram = RtcpPacketView::Parse(bytes);
  if (!datagram.has_value()) {
    ADD_FAILURE() << "not parsed: " << ToHex(bytes);
    return read;
  }
  const auto note = [&](const char* name) { read.names.push_back(name); };
  read.counts = ReadCompound(
      *datagram,
      RtcpReader{[&](const SenderReportView&) { note("sr"); },
                 [&](const ReceiverReportView&) { note("rr"); },
                 [&](const SdesView&) { note("sdes"); }, [&](const ByeView&) { note("bye"); },
                 [&](const AppView&) { note("app"); }, [&](const NackView&) { note("nack"); },
                 [&](const CcfbView&) { note("ccfb"); },
                 [&](const TransportFeedbackView&) { note("transport"); },
                 [&](const PictureLoss&) { note("pli"); },
                 [&](const FullIntraRequestView&) { note("fir"); },
                 [&](const RembView&) { note("remb"); }, [&](const XrView&) { note("xr"); }});
  return read;
}

Bytes Join(const std::vector<const char*>& packets) {
  std::string hex;
  for (const char* packet : packets) hex += packet;
  return HexBytes(hex);
}

TEST(ReadCompoundTest, ReadsEveryTypeInOrder) {
  const Read read = ReadAll(Join({kSenderReport, kReceiverReport, kSdes, kBye, kApp, kNack, kCcfb,
                                  kTransportFeedback, kPli, kFir, kRemb, kXr}));
  EXPECT_THAT(read.names, ElementsAre("sr", "rr", "sdes", "bye", "app", "nack", "ccfb", "transport",
                                      "pli", "fir", "remb", "xr"));
  EXPECT_EQ(read.counts.read, 12u);
  EXPECT_EQ(read.counts.skipped, 0u);
  EXPECT_EQ(read.counts.malformed, 0u);
}

TEST(ReadCompoundTest, WhatIsNotWantedIsSkippedEvenIfItIsBroken) {
  Bytes bytes = Join({kReceiverReport, kNack, kPli});
  bytes[0] |= 0x1F;
  size_t nacks = 0;
  const RtcpReadCounts counts =
      ReadCompound(*RtcpPacketView::Parse(bytes), [&](const NackView&) { ++nacks; });
  EXPECT_EQ(nacks, 1u);
  EXPECT_EQ(counts.read, 1u);
  EXPECT_EQ(counts.skipped, 2u);
  EXPECT_EQ(counts.malformed, 0u);
}

TEST(ReadCompoundTest, UnknownTypesAndFormatsAreSkipped) {
  const Read read =
      ReadAll(Join({"80c00001 00000001", "9fcd0002 00000001 00000002", "82ce0002 00000001 00000002",
                    // Application layer feedback that is no REMB.
                    "8fce0003 00000001 00000002 00000003", kPli}));
  EXPECT_THAT(read.names, ElementsAre("pli"));
  EXPECT_EQ(read.counts.skipped, 4u);
  EXPECT_EQ(read.counts.malformed, 0u);
}

// An XR used to end the walk elsewhere, and a bad packet to spoil the whole compound.
TEST(ReadCompoundTest, ABadPacketIsCountedAndThoseAroundItAreRead) {
  Bytes bytes = Join({kReceiverReport, "9fcb0001 00000001", "82c90001 00000001", kXr, kPli});
  const Read read = ReadAll(bytes);
  EXPECT_THAT(read.names, ElementsAre("rr", "xr", "pli"));
  EXPECT_EQ(read.counts.malformed, 2u);
}

TEST(ReadCompoundTest, ALengthPastTheDatagramEndsItAndTheEarlierPacketsStand) {
  for (const char* bad : {"81ceffff 00000001 00000002", "81ce0003 00000001 00000002",
                          "41ce0002 00000001 00000002", "a1ce0002 00000001 00000000", "81ce"}) {
    const Read read = ReadAll(Join({kReceiverReport, kBye, bad}));
    EXPECT_THAT(read.names, ElementsAre("rr", "bye")) << bad;
    EXPECT_EQ(read.counts.malformed, 1u) << bad;
  }
}

TEST(ReadCompoundTest, NothingAReaderSeesLiesOutsideTheDatagram) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  const Bytes good = Join({kSenderReport, kReceiverReport, kSdes, kBye, kApp, kNack, kCcfb,
                           kTransportFeedback, kPli, kFir, kRemb, kXr});
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = good;
    bytes.resize(random.Below(good.size()) + 1);
    for (uint64_t i = random.Below(6); i > 0; --i) {
      bytes[random.Below(bytes.size())] = static_cast<uint8_t>(random.NextU32());
    }
    if (!RtcpPacketView::Parse(bytes).has_value()) continue;
    const Read read = ReadAll(bytes);
    ASSERT_EQ(read.counts.read, read.names.size());
    ASSERT_LE(4 * (read.counts.read + read.counts.skipped), bytes.size());
  }
}

// RFC 3550 section 6.1.
TEST(IsFullCompoundTest, NeedsAReportInFrontAndACname) {
  const auto full = [](const std::vector<const char*>& packets) {
    return IsFullCompound(*RtcpPacketView::Parse(Join(packets)));
  };
  EXPECT_TRUE(full({kSenderReport, kSdes}));
  EXPECT_TRUE(full({kReceiverReport, kPli, kSdes}));
  EXPECT_FALSE(full({kReceiverReport}));
  EXPECT_FALSE(full({kSdes, kReceiverReport}));
  EXPECT_FALSE(full({kPli}));
  // A name, but no CNAME.
  EXPECT_FALSE(full({kReceiverReport, "81ca0002 00000001 02016100"}));
  EXPECT_FALSE(full({kReceiverReport, kSdes, "81ceffff"}));
}

TEST(CompoundBuilderTest, AFullCompoundBeginsWithAReportAndHasACname) {
  Bytes buffer(100);
  CompoundBuilder builder(RtcpMode::kCompound, absl::MakeSpan(buffer));
  EXPECT_EQ(builder.Add(HexBytes(kPli)), AddRtcpVerdict::kReportMissing);
  EXPECT_EQ(builder.Add(HexBytes(kSdes)), AddRtcpVerdict::kReportMissing);
  EXPECT_EQ(builder.size(), 0u);
  EXPECT_EQ(builder.Add(HexBytes(kReceiverReport)), AddRtcpVerdict::kOk);
  EXPECT_EQ(builder.Add(HexBytes(kPli)), AddRtcpVerdict::kOk);
  EXPECT_EQ(builder.Finish(), 0u) << "without CNAME";
  EXPECT_EQ(builder.Add(HexBytes(kSdes)), AddRtcpVerdict::kOk);
  ASSERT_EQ(builder.Finish(), 8u + 12 + 12);
  buffer.resize(builder.Finish());
  EXPECT_EQ(buffer, Join({kReceiverReport, kPli, kSdes}));
  EXPECT_TRUE(IsFullCompound(*RtcpPacketView::Parse(buffer)));
}

// RFC 5506.
TEST(CompoundBuilderTest, ReducedSizeNeedsNeither) {
  Bytes buffer(100);
  CompoundBuilder builder(RtcpMode::kReducedSize, absl::MakeSpan(buffer));
  EXPECT_EQ(builder.Finish(), 0u) << "nothing is no datagram";
  EXPECT_EQ(builder.Add(HexBytes(kPli)), AddRtcpVerdict::kOk);
  EXPECT_EQ(builder.Finish(), 12u);
}

TEST(CompoundBuilderTest, WritersWriteIntoItsRoom) {
  Bytes buffer(44);
  CompoundBuilder builder(RtcpMode::kCompound, absl::MakeSpan(buffer));
  EXPECT_EQ(builder.Commit(WriteReceiverReport(Ssrc(1), {}, builder.room())), AddRtcpVerdict::kOk);
  EXPECT_EQ(builder.Commit(WriteSdes({{Ssrc(1), "a"}}, builder.room())), AddRtcpVerdict::kOk);
  EXPECT_EQ(builder.Commit(WritePictureLoss({Ssrc(1), Ssrc(2)}, builder.room())),
            AddRtcpVerdict::kOk);
  // 12 bytes are left: what does not fit is said, and a smaller one goes.
  size_t written = 0;
  EXPECT_EQ(
      builder.Commit(WriteNack(Ssrc(1), Ssrc(2), {SequenceNumber(1)}, builder.room(), written)),
      AddRtcpVerdict::kNoRoom);
  EXPECT_EQ(builder.Add(HexBytes(kNack)), AddRtcpVerdict::kNoRoom);
  EXPECT_EQ(builder.Add(HexBytes(kBye)), AddRtcpVerdict::kOk);
  EXPECT_EQ(builder.Finish(), 40u);
  buffer.resize(40);
  EXPECT_TRUE(RtcpPacketView::Parse(buffer)->IsValidCompound());
}

TEST(CompoundBuilderTest, WhatIsNoPacketOfItsOwnLengthIsRefused) {
  Bytes buffer(100);
  CompoundBuilder builder(RtcpMode::kReducedSize, absl::MakeSpan(buffer));
  for (const char* bad :
       {"81ce0001 00000001 00000002", "81ceffff", "41ce0000", "81ce00", "81600000"}) {
    EXPECT_EQ(builder.Add(HexBytes(bad)), AddRtcpVerdict::kMalformed) << bad;
  }
  EXPECT_EQ(builder.Commit(0), AddRtcpVerdict::kNoRoom);
  EXPECT_EQ(builder.Commit(101), AddRtcpVerdict::kNoRoom);
  EXPECT_EQ(builder.Commit(SIZE_MAX), AddRtcpVerdict::kNoRoom);
  EXPECT_EQ(builder.Finish(), 0u);
}

}  // namespace
}  // namespace sluice
