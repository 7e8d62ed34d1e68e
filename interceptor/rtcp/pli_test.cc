#include "interceptor/rtcp/pli.h"

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

TEST(PictureLossTest, IsWrittenAsRfc4585Section631DrawsAndRead) {
  Bytes buffer(12);
  ASSERT_EQ(WritePictureLoss({Ssrc(1), Ssrc(2)}, absl::MakeSpan(buffer)), 12u);
  EXPECT_EQ(ToHex(buffer),
            "81ce0002"
            "00000001"
            "00000002");
  EXPECT_EQ(PictureLoss::Parse(buffer), (PictureLoss{Ssrc(1), Ssrc(2)}));
  EXPECT_EQ(WritePictureLoss({Ssrc(1), Ssrc(2)}, absl::MakeSpan(buffer).first(11)), 0u);
}

TEST(PictureLossTest, NeedsBothSsrcsAndItsFormat) {
  EXPECT_FALSE(PictureLoss::Parse(HexBytes("81ce0001 00000001")).has_value());
  EXPECT_FALSE(PictureLoss::Parse(HexBytes("82ce0002 00000001 00000002")).has_value());
  EXPECT_FALSE(PictureLoss::Parse(HexBytes("81cd0002 00000001 00000002")).has_value());
  EXPECT_TRUE(PictureLoss::Parse(HexBytes("81ce0003 00000001 00000002 00000003")).has_value());
}

TEST(PictureLossTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(HexBytes("81ce0002 00000001 00000002"), [](absl::Span<const uint8_t> packet) {
    if (PictureLoss::Parse(packet).has_value()) {
      ASSERT_GE(packet.size(), 12u);
    }
  });
}

}  // namespace
}  // namespace sluice
