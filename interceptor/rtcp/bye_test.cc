#include "interceptor/rtcp/bye.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Write(absl::Span<const Ssrc> sources, absl::string_view reason) {
  Bytes buffer(1024);
  buffer.resize(WriteBye(sources, reason, absl::MakeSpan(buffer)));
  return buffer;
}

std::string ReasonOf(const ByeView& bye) {
  return std::string(bye.reason().begin(), bye.reason().end());
}

TEST(ByeTest, IsWrittenAsRfc3550Section66Draws) {
  EXPECT_EQ(ToHex(Write({Ssrc(1), Ssrc(2)}, "")),
            "82cb0002"
            "00000001"
            "00000002");
  EXPECT_EQ(ToHex(Write({Ssrc(1)}, "done")),
            "81cb0003"
            "00000001"
            "04646f6e"
            "65000000");
}

TEST(ByeTest, ReadsWhatWasWritten) {
  for (size_t count = 0; count <= kMaxByeSources; ++count) {
    for (const size_t size : {0, 1, 2, 3, 4, 255}) {
      std::vector<Ssrc> sources;
      for (size_t i = 0; i < count; ++i) sources.push_back(Ssrc(static_cast<uint32_t>(i)));
      const std::string reason(size, 'r');
      const Bytes packet = Write(sources, reason);
      const std::optional<ByeView> bye = ByeView::Parse(packet);
      ASSERT_TRUE(bye.has_value());
      ASSERT_EQ(bye->source_count(), count);
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(bye->source(i), sources[i]);
      EXPECT_EQ(ReasonOf(*bye), reason);
    }
  }
}

TEST(ByeTest, WhoLeavesIsKnownAlthoughTheReasonLiesAboutItsLength) {
  const Bytes packet = HexBytes("81cb0002 00000009 ff616263");
  const std::optional<ByeView> bye = ByeView::Parse(packet);
  ASSERT_TRUE(bye.has_value());
  EXPECT_EQ(bye->source(0), Ssrc(9));
  EXPECT_EQ(ReasonOf(*bye), "");
}

TEST(ByeTest, CountsNoMoreSourcesThanThereAre) {
  EXPECT_FALSE(ByeView::Parse(HexBytes("82cb0001 00000009")).has_value());
  EXPECT_FALSE(ByeView::Parse(HexBytes("9fcb0001 00000009")).has_value());
  EXPECT_FALSE(ByeView::Parse(HexBytes("a1cb0001 00000004")).has_value()) << "padding";
}

TEST(ByeTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(Write({Ssrc(1), Ssrc(2)}, "going"), [](absl::Span<const uint8_t> packet) {
    const std::optional<ByeView> bye = ByeView::Parse(packet);
    if (!bye.has_value()) return;
    for (size_t i = 0; i < bye->source_count(); ++i) static_cast<void>(bye->source(i));
    ASSERT_LE(4 + 4 * bye->source_count() + bye->reason().size(), packet.size());
  });
}

TEST(ByeTest, DoesNotFitIsZero) {
  Bytes buffer(1024);
  EXPECT_EQ(WriteBye({Ssrc(1)}, "", absl::MakeSpan(buffer).first(7)), 0u);
  EXPECT_EQ(WriteBye({Ssrc(1)}, "a", absl::MakeSpan(buffer).first(11)), 0u);
  EXPECT_EQ(WriteBye({Ssrc(1)}, std::string(256, 'a'), absl::MakeSpan(buffer)), 0u);
  EXPECT_EQ(WriteBye(std::vector<Ssrc>(32, Ssrc(1)), "", absl::MakeSpan(buffer)), 0u);
}

}  // namespace
}  // namespace sluice
