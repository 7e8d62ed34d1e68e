#include "gateway/session/inline_id.h"

#include <string>

#include "gateway/session/session_spec.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(InlineIdTest, HoldsAnIdOfAnySizeUpToTheLargest) {
  for (size_t size = 0; size <= kMaxIdSize; ++size) {
    const std::string id(size, 'x');
    EXPECT_EQ(InlineId(id).view(), id);
    EXPECT_EQ(InlineId(id).empty(), size == 0);
  }
  EXPECT_TRUE(InlineId().empty());
}

TEST(InlineIdTest, CutsWhatIsLonger) {
  EXPECT_EQ(InlineId(std::string(kMaxIdSize + 1, 'x')).view(), std::string(kMaxIdSize, 'x'));
  EXPECT_EQ(InlineId(std::string(10'000, 'x')).view().size(), kMaxIdSize);
}

TEST(InlineIdTest, IsAValue) {
  InlineId a("call-1");
  const InlineId b = a;
  a = InlineId("other");
  EXPECT_EQ(b.view(), "call-1");
}

}  // namespace
}  // namespace sluice
