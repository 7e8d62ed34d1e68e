#include "base/byte_order.h"

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// The high bits are set so that a sign extension would show.
constexpr uint8_t kBytes[] = {0xF1, 0xE2, 0xD3, 0xC4, 0xB5, 0xA6, 0x97, 0x88};

TEST(ByteOrderTest, LoadsTheMostSignificantByteFirst) {
  static_assert(LoadBe16(kBytes) == 0xF1E2);
  static_assert(LoadBe24(kBytes) == 0xF1E2D3);
  static_assert(LoadBe32(kBytes) == 0xF1E2D3C4);
  static_assert(LoadBe48(kBytes) == 0xF1E2D3C4B5A6);
  static_assert(LoadBe64(kBytes) == 0xF1E2D3C4B5A69788);
}

TEST(ByteOrderTest, LoadsAtAnyAlignment) {
  EXPECT_EQ(LoadBe32(kBytes + 1), 0xE2D3C4B5u);
  EXPECT_EQ(LoadBe32(kBytes + 3), 0xC4B5A697u);
}

TEST(ByteOrderTest, StoresAsManyBytesAsItSays) {
  std::array<uint8_t, 9> to;
  const auto cleared = [&to] {
    to.fill(0xEE);
    return to.data();
  };
  StoreBe16(cleared(), 0xF1E2);
  EXPECT_THAT(to, ElementsAre(0xF1, 0xE2, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE));
  StoreBe24(cleared(), 0xFFF1E2D3);
  EXPECT_THAT(to, ElementsAre(0xF1, 0xE2, 0xD3, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE));
  StoreBe32(cleared(), 0xF1E2D3C4);
  EXPECT_THAT(to, ElementsAre(0xF1, 0xE2, 0xD3, 0xC4, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE));
  StoreBe48(cleared(), 0xFFFFF1E2D3C4B5A6);
  EXPECT_THAT(to, ElementsAre(0xF1, 0xE2, 0xD3, 0xC4, 0xB5, 0xA6, 0xEE, 0xEE, 0xEE));
  StoreBe64(cleared(), 0xF1E2D3C4B5A69788);
  EXPECT_THAT(to, ElementsAre(0xF1, 0xE2, 0xD3, 0xC4, 0xB5, 0xA6, 0x97, 0x88, 0xEE));
}

TEST(CopyBytesTest, CopiesToTheFrontAndLeavesTheRest) {
  std::array<uint8_t, 10> to{};
  CopyBytes(absl::MakeSpan(to), kBytes);
  EXPECT_THAT(absl::MakeSpan(to).first(8), ElementsAreArray(kBytes));
  EXPECT_THAT(absl::MakeSpan(to).subspan(8), ElementsAre(0, 0));
}

TEST(CopyBytesTest, MayOverlapInBothDirections) {
  std::vector<uint8_t> bytes = {1, 2, 3, 4, 5};
  CopyBytes(absl::MakeSpan(bytes).subspan(1), absl::MakeConstSpan(bytes).first(4));
  EXPECT_THAT(bytes, ElementsAre(1, 1, 2, 3, 4));
  CopyBytes(absl::MakeSpan(bytes), absl::MakeConstSpan(bytes).subspan(1));
  EXPECT_THAT(bytes, ElementsAre(1, 2, 3, 4, 4));
}

TEST(CopyBytesTest, NothingCanBeCopiedToNowhere) { CopyBytes({}, {}); }

TEST(CopyBytesDeathTest, RefusesToWriteBeyondTheEnd) {
  std::array<uint8_t, 7> to{};
  EXPECT_DEATH(CopyBytes(absl::MakeSpan(to), kBytes), "to.size");
}

}  // namespace
}  // namespace sluice
