#include "interceptor/rtcp/fir.h"

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(FullIntraRequestTest, IsWrittenAsRfc5104Section431DrawsAndRead) {
  const std::vector<FullIntraTarget> targets = {{Ssrc(2), 3}, {Ssrc(4), 255}};
  Bytes buffer(64);
  buffer.resize(WriteFullIntraRequest(Ssrc(1), targets, absl::MakeSpan(buffer)));
  // The media SSRC is 0 (section 4.3.1.2).
  EXPECT_EQ(ToHex(buffer),
            "84ce0006"
            "00000001"
            "00000000"
            "00000002"
            "03000000"
            "00000004"
            "ff000000");
  const std::optional<FullIntraRequestView> request = FullIntraRequestView::Parse(buffer);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->sender(), Ssrc(1));
  ASSERT_EQ(request->target_count(), 2u);
  EXPECT_EQ(request->target(0), targets[0]);
  EXPECT_EQ(request->target(1), targets[1]);
}

TEST(FullIntraRequestTest, IsNothingWithoutTargetsOrWithPartOfOne) {
  EXPECT_FALSE(FullIntraRequestView::Parse(HexBytes("84ce0002 00000001 00000000")).has_value());
  EXPECT_FALSE(
      FullIntraRequestView::Parse(HexBytes("84ce0003 00000001 00000000 00000002")).has_value());
}

TEST(FullIntraRequestTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(HexBytes("84ce0006 00000001 00000000 00000002 03000000 00000004 ff000000"),
                      [](absl::Span<const uint8_t> packet) {
                        const std::optional<FullIntraRequestView> request =
                            FullIntraRequestView::Parse(packet);
                        if (!request.has_value()) return;
                        ASSERT_LE(12 + 8 * request->target_count(), packet.size());
                        for (size_t i = 0; i < request->target_count(); ++i) {
                          static_cast<void>(request->target(i));
                        }
                      });
}

TEST(FullIntraRequestTest, DoesNotFitIsZero) {
  Bytes buffer(20);
  const std::vector<FullIntraTarget> one(1);
  EXPECT_EQ(WriteFullIntraRequest(Ssrc(1), one, absl::MakeSpan(buffer)), 20u);
  EXPECT_EQ(WriteFullIntraRequest(Ssrc(1), one, absl::MakeSpan(buffer).first(19)), 0u);
  EXPECT_EQ(WriteFullIntraRequest(Ssrc(1), {}, absl::MakeSpan(buffer)), 0u);
}

}  // namespace
}  // namespace sluice
