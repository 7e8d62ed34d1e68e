#include "interceptor/rtcp/xr.h"

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

// Every field another value.
VoipMetrics Metrics() {
  return {.ssrc = Ssrc(0xa0a1a2a3),
          .loss_rate = 1,
          .discard_rate = 2,
          .burst_density = 3,
          .gap_density = 4,
          .burst_duration = 0x0506,
          .gap_duration = 0x0708,
          .round_trip_delay = 0x090a,
          .end_system_delay = 0x0b0c,
          .signal_level = -20,
          .noise_level = -70,
          .residual_echo_return_loss = 0x0d,
          .gap_threshold = 16,
          .r_factor = 93,
          .external_r_factor = 127,
          .mos_listening = 41,
          .mos_conversational = 40,
          .receiver_configuration = 0xe1,
          .jitter_buffer_nominal = 0x1112,
          .jitter_buffer_maximum = 0x1314,
          .jitter_buffer_absolute_maximum = 0x1516};
}

struct Read {
  std::vector<ReceiverReferenceTime> times;
  std::vector<ReferenceTimeAnswer> answers;
  std::vector<VoipMetrics> metrics;
  XrBlockCounts counts;
};

Read ReadAll(absl::Span<const uint8_t> packet) {
  Read read;
  const std::optional<XrView> xr = XrView::Parse(packet);
  if (!xr.has_value()) {
    ADD_FAILURE() << "not parsed: " << ToHex(packet);
    return read;
  }
  read.counts = xr->ForEachBlock(
      RtcpReader{[&](const ReceiverReferenceTime& time) { read.times.push_back(time); },
                 [&](const ReferenceTimeAnswers& answers) {
                   for (size_t i = 0; i < answers.count(); ++i) {
                     read.answers.push_back(answers.answer(i));
                   }
                 },
                 [&](const VoipMetrics& metrics) { read.metrics.push_back(metrics); }});
  return read;
}

TEST(XrTest, IsWrittenAsRfc3611Draws) {
  Bytes buffer(200);
  XrWriter writer(Ssrc(1), absl::MakeSpan(buffer));
  writer.Add(ReceiverReferenceTime{0x0102030405060708});
  writer.Add(std::vector<ReferenceTimeAnswer>{{Ssrc(2), 3, 4}, {Ssrc(5), 6, 7}});
  writer.Add(Metrics());
  buffer.resize(writer.Finish());
  EXPECT_EQ(ToHex(buffer),
            "80cf0014"
            "00000001"
            // Section 4.4.
            "04000002"
            "0102030405060708"
            // Section 4.5.
            "05000006"
            "000000020000000300000004"
            "000000050000000600000007"
            // Section 4.7.
            "07000008"
            "a0a1a2a3"
            "01020304"
            "05060708"
            "090a0b0c"
            "ecba0d10"
            "5d7f2928"
            "e1001112"
            "13141516");
  const Read read = ReadAll(buffer);
  EXPECT_THAT(read.times, ElementsAre(ReceiverReferenceTime{0x0102030405060708}));
  EXPECT_THAT(read.answers,
              ElementsAre(ReferenceTimeAnswer{Ssrc(2), 3, 4}, ReferenceTimeAnswer{Ssrc(5), 6, 7}));
  EXPECT_THAT(read.metrics, ElementsAre(Metrics()));
  EXPECT_EQ(read.counts.read, 3u);
  EXPECT_EQ(read.counts.skipped + read.counts.malformed, 0u);
}

TEST(XrTest, UnknownBlocksAreSkippedAndThoseBehindThemRead) {
  const Read read =
      ReadAll(HexBytes("80cf0007 00000001 09000000 ff000001 01020304 04000002 0000000000000009"));
  EXPECT_THAT(read.times, ElementsAre(ReceiverReferenceTime{9}));
  EXPECT_EQ(read.counts.skipped, 2u);
  EXPECT_EQ(read.counts.read, 1u);
}

TEST(XrTest, BlocksThatNobodyWantsAreSkipped) {
  const Bytes packet = HexBytes("80cf0004 00000001 04000002 0000000000000009");
  const XrBlockCounts counts = XrView::Parse(packet)->ForEachBlock([](const VoipMetrics&) {});
  EXPECT_EQ(counts.skipped, 1u);
  EXPECT_EQ(counts.read, 0u);
}

TEST(XrTest, ABlockOfTheWrongLengthIsCountedAndThoseBehindItRead) {
  // A reference time of 12 bytes, an answer of 8, metrics of 4; then a good one.
  const Read read =
      ReadAll(HexBytes("80cf000e 00000001"
                       "04000003 000000000000000900000000"
                       "05000002 0000000100000002"
                       "07000001 00000001"
                       "05000003 000000020000000300000004"));
  EXPECT_THAT(read.times, IsEmpty());
  EXPECT_THAT(read.metrics, IsEmpty());
  EXPECT_THAT(read.answers, ElementsAre(ReferenceTimeAnswer{Ssrc(2), 3, 4}));
  EXPECT_EQ(read.counts.malformed, 3u);
  EXPECT_EQ(read.counts.read, 1u);
}

TEST(XrTest, ABlockPastThePacketEndsItAndTheEarlierOnesStand) {
  for (const char* length : {"0003", "ffff"}) {
    Bytes packet =
        HexBytes("80cf0007 00000001 04000002 0000000000000009 04000000 0102030405060708");
    const Bytes field = HexBytes(length);
    std::copy(field.begin(), field.end(), packet.begin() + 22);
    const Read read = ReadAll(packet);
    EXPECT_THAT(read.times, ElementsAre(ReceiverReferenceTime{9})) << length;
    EXPECT_EQ(read.counts.malformed, 1u) << length;
  }
}

TEST(XrTest, NoAnswersAreLegal) {
  const Read read = ReadAll(HexBytes("80cf0002 00000001 05000000"));
  EXPECT_THAT(read.answers, IsEmpty());
  EXPECT_EQ(read.counts.read, 1u);
}

TEST(XrTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  Bytes buffer(200);
  XrWriter writer(Ssrc(1), absl::MakeSpan(buffer));
  writer.Add(ReceiverReferenceTime{1});
  writer.Add(std::vector<ReferenceTimeAnswer>(2));
  writer.Add(Metrics());
  buffer.resize(writer.Finish());
  ForEachSpoiltPacket(buffer, [](absl::Span<const uint8_t> packet) {
    if (!XrView::Parse(packet).has_value()) return;
    const Read read = ReadAll(packet);
    ASSERT_LE(8 + 12 * read.times.size() + 12 * read.answers.size() + 36 * read.metrics.size(),
              packet.size());
  });
}

TEST(XrTest, DoesNotFitIsZero) {
  for (size_t room = 0; room < 44; ++room) {
    Bytes memory(60, 0xEE);
    XrWriter writer(Ssrc(1), absl::MakeSpan(memory).first(room));
    writer.Add(Metrics());
    EXPECT_EQ(writer.Finish(), 0u) << room;
    for (size_t i = room; i < memory.size(); ++i) EXPECT_EQ(memory[i], 0xEE);
  }
}

}  // namespace
}  // namespace sluice
