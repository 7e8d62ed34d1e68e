#include "quic/codec/testing/ngtcp2_codec.h"

#include <optional>

#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "quic/codec/testing/benchmark_parameters.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

TEST(Ngtcp2CodecTest, EncodesSmallParametersAsLongAsWeDo) {
  EXPECT_EQ(EncodeWithNgtcp2(SmallParameters()).size(), 95u);
}

TEST(Ngtcp2CodecTest, GivesBackWhatItEncoded) {
  const TransportParameters parameters = SmallParameters();
  EXPECT_EQ(DecodeWithNgtcp2(EncodeWithNgtcp2(parameters), Endpoint::kServer), parameters);
}

TEST(Ngtcp2CodecTest, AsksWhatAConnectionAsks) {
  const auto accepts = [](const char* block, Endpoint sender) {
    return DecodeWithNgtcp2(HexBytes(block), sender).has_value();
  };
  EXPECT_TRUE(accepts("0f00", Endpoint::kClient));
  EXPECT_TRUE(accepts("0000 0f00", Endpoint::kServer));
  EXPECT_FALSE(accepts("", Endpoint::kClient));
  EXPECT_FALSE(accepts("0f00", Endpoint::kServer));
  EXPECT_FALSE(accepts("0000 0f00", Endpoint::kClient));
  EXPECT_FALSE(accepts("0f00 0e0101", Endpoint::kClient));
  EXPECT_FALSE(accepts("0f00 030244af", Endpoint::kClient));
  EXPECT_FALSE(accepts("0f00 1108 00000001 6b3343cf", Endpoint::kClient));
  EXPECT_TRUE(accepts("0f00 1108 00000001 00000001", Endpoint::kClient));
}

TEST(Ngtcp2CodecTest, FindsNoDifferenceWhereThereIsNone) {
  EXPECT_EQ(UnintendedDifference(EncodeWithNgtcp2(SmallParameters()), Endpoint::kServer), "");
  EXPECT_EQ(UnintendedDifference(EncodeWithNgtcp2(SmallParameters()), Endpoint::kClient), "");
  EXPECT_EQ(UnintendedDifference({}, Endpoint::kClient), "");
}

}  // namespace
}  // namespace sluice
