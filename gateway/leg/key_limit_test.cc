#include "gateway/leg/key_limit.h"

#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(KeyLimitWatchTest, TellsEachLimitOnce) {
  KeyLimitWatch watch;
  EXPECT_EQ(watch.Observe(false, false), std::nullopt);
  EXPECT_EQ(watch.Observe(true, false), KeyLimit::kSoft);
  EXPECT_EQ(watch.Observe(true, false), std::nullopt);
  EXPECT_EQ(watch.Observe(true, true), KeyLimit::kHard);
  EXPECT_EQ(watch.Observe(true, true), std::nullopt);
}

TEST(KeyLimitWatchTest, TellsTheHardLimitFirstWhereBothAreReachedAtOnce) {
  KeyLimitWatch watch;
  EXPECT_EQ(watch.Observe(true, true), KeyLimit::kHard);
  EXPECT_EQ(watch.Observe(true, true), KeyLimit::kSoft);
  EXPECT_EQ(watch.Observe(true, true), std::nullopt);
}

}  // namespace
}  // namespace sluice
