#include "interceptor/rtcp/remb.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/data_rate.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Write(DataRate limit, absl::Span<const Ssrc> ssrcs) {
  Bytes buffer(2048);
  buffer.resize(WriteRemb(Ssrc(1), limit, ssrcs, absl::MakeSpan(buffer)));
  return buffer;
}

DataRate RoundTrip(DataRate limit) {
  const Bytes packet = Write(limit, {Ssrc(2)});
  const std::optional<RembView> remb = RembView::Parse(packet);
  return remb.has_value() ? remb->limit() : DataRate::BitsPerSec(-1);
}

TEST(RembTest, IsWrittenAsItsDraftDrawsAndRead) {
  // 2 Mbit/s is 250000 * 2^3.
  const Bytes packet = Write(DataRate::KilobitsPerSec(2000), {Ssrc(2), Ssrc(3)});
  EXPECT_EQ(ToHex(packet),
            "8fce0006"
            "00000001"
            "00000000"
            "52454d42"
            "020fd090"
            "00000002"
            "00000003");
  EXPECT_TRUE(RembView::IsRemb(packet));
  const std::optional<RembView> remb = RembView::Parse(packet);
  ASSERT_TRUE(remb.has_value());
  EXPECT_EQ(remb->sender(), Ssrc(1));
  EXPECT_EQ(remb->limit(), DataRate::KilobitsPerSec(2000));
  ASSERT_EQ(remb->ssrc_count(), 2u);
  EXPECT_EQ(remb->ssrc(1), Ssrc(3));
}

TEST(RembTest, RatesOfEighteenBitsAreExactAndOthersRoundedDown) {
  for (const int64_t bps : {0, 1, 262143}) {
    EXPECT_EQ(RoundTrip(DataRate::BitsPerSec(bps)), DataRate::BitsPerSec(bps));
  }
  EXPECT_EQ(RoundTrip(DataRate::BitsPerSec(262145)), DataRate::BitsPerSec(262144));
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int i = 0; i < 10000; ++i) {
    const auto bps = static_cast<int64_t>(random.NextU64() >> (1 + random.Below(63)));
    const int64_t read = RoundTrip(DataRate::BitsPerSec(bps)).bps();
    ASSERT_LE(read, bps);
    ASSERT_LE(bps - read, bps >> 17);
  }
}

TEST(RembTest, RatesTooLargeToCountAreInfinite) {
  EXPECT_GT(RoundTrip(DataRate::PlusInfinity()), DataRate::BitsPerSec(int64_t{1} << 62));
  // Exponent 63.
  const Bytes largest = HexBytes("8fce0004 00000001 00000000 52454d42 00ffffff");
  ASSERT_TRUE(RembView::Parse(largest).has_value());
  EXPECT_EQ(RembView::Parse(largest)->limit(), DataRate::PlusInfinity());
  const Bytes nothing = HexBytes("8fce0004 00000001 00000000 52454d42 00fc0000");
  ASSERT_TRUE(RembView::Parse(nothing).has_value());
  EXPECT_EQ(RembView::Parse(nothing)->limit(), DataRate::Zero());
}

TEST(RembTest, CountsNoMoreSsrcsThanThereAre) {
  EXPECT_FALSE(RembView::Parse(HexBytes("8fce0005 00000001 00000000 52454d42 ff0fd090 00000002"))
                   .has_value());
  EXPECT_FALSE(RembView::Parse(HexBytes("8fce0005 00000001 00000000 52454d42 020fd090 00000002"))
                   .has_value());
}

TEST(RembTest, OtherApplicationsFeedbackIsNone) {
  const Bytes other = HexBytes("8fce0004 00000001 00000000 52454d43 00000000");
  EXPECT_FALSE(RembView::IsRemb(other));
  EXPECT_FALSE(RembView::Parse(other).has_value());
  EXPECT_FALSE(RembView::IsRemb(HexBytes("8fce0002 00000001 00000000")));
}

TEST(RembTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(Write(DataRate::KilobitsPerSec(1), {Ssrc(2), Ssrc(3)}),
                      [](absl::Span<const uint8_t> packet) {
                        static_cast<void>(RembView::IsRemb(packet));
                        const std::optional<RembView> remb = RembView::Parse(packet);
                        if (!remb.has_value()) return;
                        ASSERT_LE(20 + 4 * remb->ssrc_count(), packet.size());
                        for (size_t i = 0; i < remb->ssrc_count(); ++i) {
                          static_cast<void>(remb->ssrc(i));
                        }
                        ASSERT_GE(remb->limit(), DataRate::Zero());
                      });
}

TEST(RembTest, DoesNotFitIsZero) {
  Bytes buffer(2048);
  const DataRate rate = DataRate::KilobitsPerSec(1);
  EXPECT_EQ(WriteRemb(Ssrc(1), rate, {Ssrc(2)}, absl::MakeSpan(buffer).first(23)), 0u);
  EXPECT_EQ(WriteRemb(Ssrc(1), DataRate::BitsPerSec(-1), {}, absl::MakeSpan(buffer)), 0u);
  EXPECT_EQ(WriteRemb(Ssrc(1), rate, std::vector<Ssrc>(256, Ssrc(2)), absl::MakeSpan(buffer)), 0u);
  EXPECT_EQ(WriteRemb(Ssrc(1), rate, std::vector<Ssrc>(255, Ssrc(2)), absl::MakeSpan(buffer)),
            20u + 4 * 255);
}

}  // namespace
}  // namespace sluice
