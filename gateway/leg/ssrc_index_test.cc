#include "gateway/leg/ssrc_index.h"

#include <list>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using Outcome = SsrcIndex::Outcome;

TEST(SsrcIndexTest, GivesSlotsInOrderAndFindsThemAgain) {
  SsrcIndex index(3);
  EXPECT_EQ(index.Touch(Ssrc(10)).slot, 0u);
  EXPECT_EQ(index.Touch(Ssrc(20)).slot, 1u);
  EXPECT_EQ(index.Touch(Ssrc(10)).outcome, Outcome::kFound);
  EXPECT_EQ(index.Touch(Ssrc(10)).slot, 0u);
  EXPECT_EQ(index.size(), 2u);
  EXPECT_EQ(index.ssrc(1), Ssrc(20));
}

TEST(SsrcIndexTest, TheLeastRecentlyUsedMakesRoom) {
  SsrcIndex index(2);
  index.Touch(Ssrc(10));
  index.Touch(Ssrc(20));
  index.Touch(Ssrc(10));
  const SsrcIndex::Result added = index.Touch(Ssrc(30));
  EXPECT_EQ(added.slot, 1u);
  EXPECT_EQ(added.outcome, Outcome::kReplaced);
  EXPECT_EQ(index.Touch(Ssrc(10)).outcome, Outcome::kFound);
  EXPECT_EQ(index.Touch(Ssrc(20)).outcome, Outcome::kReplaced);
}

TEST(SsrcIndexTest, OneSlotIsEnough) {
  SsrcIndex index(1);
  EXPECT_EQ(index.Touch(Ssrc(0)).outcome, Outcome::kAdded);
  EXPECT_EQ(index.Touch(Ssrc(0)).outcome, Outcome::kFound);
  EXPECT_EQ(index.Touch(Ssrc(UINT32_MAX)).outcome, Outcome::kReplaced);
  EXPECT_EQ(index.Touch(Ssrc(0)).outcome, Outcome::kReplaced);
}

// The same index as a list that is searched from end to end.
class ListModel {
 public:
  explicit ListModel(size_t capacity) : capacity_(capacity) {}

  SsrcIndex::Result Touch(uint32_t ssrc) {
    if (slots_.contains(ssrc)) {
      order_.remove(ssrc);
      order_.push_front(ssrc);
      return {slots_[ssrc], Outcome::kFound};
    }
    size_t slot = slots_.size();
    const bool full = slot == capacity_;
    if (full) {
      slot = slots_[order_.back()];
      slots_.erase(order_.back());
      order_.pop_back();
    }
    slots_[ssrc] = slot;
    order_.push_front(ssrc);
    return {slot, full ? Outcome::kReplaced : Outcome::kAdded};
  }

 private:
  size_t capacity_;
  std::map<uint32_t, size_t> slots_;
  std::list<uint32_t> order_;
};

TEST(SsrcIndexTest, AgreesWithAList) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (const size_t capacity : {1, 2, 7, 64}) {
    SsrcIndex index(capacity);
    ListModel model(capacity);
    for (int i = 0; i < 20'000; ++i) {
      const auto ssrc = static_cast<uint32_t>(random.Below(capacity * 2 + 1));
      const SsrcIndex::Result got = index.Touch(Ssrc(ssrc));
      const SsrcIndex::Result want = model.Touch(ssrc);
      ASSERT_EQ(got.slot, want.slot) << "capacity " << capacity << " step " << i;
      ASSERT_EQ(got.outcome, want.outcome) << "capacity " << capacity << " step " << i;
      ASSERT_EQ(index.ssrc(got.slot), Ssrc(ssrc));
    }
  }
}

}  // namespace
}  // namespace sluice
