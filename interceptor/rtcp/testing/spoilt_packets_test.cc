#include "interceptor/rtcp/testing/spoilt_packets.h"

#include <set>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(SpoiltPacketsTest, CutPadAndReplace) {
  const Bytes packet = {0x81, 206, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8};
  std::set<Bytes> seen;
  ForEachSpoiltPacket(packet, [&](absl::Span<const uint8_t> bytes) {
    seen.insert(Bytes(bytes.begin(), bytes.end()));
  });
  EXPECT_TRUE(seen.count({}));
  EXPECT_TRUE(seen.count({0x81, 206, 0, 2, 1, 2, 3, 4})) << "cut";
  EXPECT_TRUE(seen.count({0x81, 206, 0, 1, 1, 2, 3, 4})) << "cut, and says so";
  EXPECT_TRUE(seen.count({0xA1, 206, 0, 2, 1, 2, 3, 4, 5, 6, 7, 9})) << "padded";
  EXPECT_TRUE(seen.count({0x81, 206, 0, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8})) << "long";
  EXPECT_TRUE(seen.count({0x9F, 206, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8})) << "counts 31";
}

}  // namespace
}  // namespace sluice
