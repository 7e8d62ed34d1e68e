#include "srtp/stream_history.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

RememberedStream At(uint64_t index) { return {index, std::nullopt}; }

TEST(StreamHistoryTest, GivesBackWhatWasPutOnce) {
  StreamHistory history(2);
  EXPECT_EQ(history.Find(Ssrc(1)), nullptr);
  history.Put(Ssrc(1), {100, 7});
  ASSERT_NE(history.Find(Ssrc(1)), nullptr);
  const std::optional<RememberedStream> taken = history.Take(Ssrc(1));
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->rtp, 100u);
  EXPECT_EQ(taken->rtcp, 7u);
  EXPECT_FALSE(history.Take(Ssrc(1)).has_value());
  EXPECT_EQ(history.size(), 0u);
}

TEST(StreamHistoryTest, TheOldestMakesRoomAndIsCounted) {
  StreamHistory history(2);
  history.Put(Ssrc(1), At(1));
  history.Put(Ssrc(2), At(2));
  EXPECT_EQ(history.forgotten(), 0u);
  history.Put(Ssrc(3), At(3));
  EXPECT_EQ(history.forgotten(), 1u);
  EXPECT_EQ(history.size(), 2u);
  EXPECT_EQ(history.Find(Ssrc(1)), nullptr);
  EXPECT_EQ(history.Find(Ssrc(2))->rtp, 2u);
  EXPECT_EQ(history.Find(Ssrc(3))->rtp, 3u);
}

}  // namespace
}  // namespace sluice
