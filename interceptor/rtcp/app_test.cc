#include "interceptor/rtcp/app.h"

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

// "ABCD".
constexpr uint32_t kName = 0x41424344;

TEST(AppTest, IsWrittenAsRfc3550Section67DrawsAndRead) {
  Bytes buffer(64);
  buffer.resize(WriteApp(Ssrc(1), 31, kName, Bytes{1, 2, 3, 4}, absl::MakeSpan(buffer)));
  EXPECT_EQ(ToHex(buffer),
            "9fcc0003"
            "00000001"
            "41424344"
            "01020304");
  const std::optional<AppView> app = AppView::Parse(buffer);
  ASSERT_TRUE(app.has_value());
  EXPECT_EQ(app->ssrc(), Ssrc(1));
  EXPECT_EQ(app->subtype(), 31);
  EXPECT_EQ(app->name(), kName);
  EXPECT_THAT(app->data(), ElementsAre(1, 2, 3, 4));
}

TEST(AppTest, NeedsItsName) {
  EXPECT_TRUE(AppView::Parse(HexBytes("80cc0002 00000001 41424344")).has_value());
  EXPECT_FALSE(AppView::Parse(HexBytes("80cc0001 00000001")).has_value());
  EXPECT_FALSE(AppView::Parse(HexBytes("a0cc0002 00000001 41420002")).has_value());
}

TEST(AppTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(HexBytes("81cc0004 00000001 41424344 01020304 05060708"),
                      [](absl::Span<const uint8_t> packet) {
                        const std::optional<AppView> app = AppView::Parse(packet);
                        if (app.has_value()) {
                          ASSERT_LE(12 + app->data().size(), packet.size());
                        }
                      });
}

TEST(AppTest, DoesNotFitIsZero) {
  Bytes buffer(16);
  EXPECT_EQ(WriteApp(Ssrc(1), 0, kName, Bytes(4), absl::MakeSpan(buffer).first(15)), 0u);
  EXPECT_EQ(WriteApp(Ssrc(1), 0, kName, Bytes(3), absl::MakeSpan(buffer)), 0u);
  EXPECT_EQ(WriteApp(Ssrc(1), 32, kName, Bytes(4), absl::MakeSpan(buffer)), 0u);
  EXPECT_EQ(WriteApp(Ssrc(1), 0, kName, Bytes(4), absl::MakeSpan(buffer)), 16u);
}

}  // namespace
}  // namespace sluice
