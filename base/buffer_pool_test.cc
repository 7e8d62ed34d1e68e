#include "base/buffer_pool.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr size_t kSize = 100;

TEST(BufferPoolTest, LendsWhatItHasAndGetsItBack) {
  BufferPool pool(2, kSize);
  BufferShare share(pool, 5);
  {
    const LentBuffer a = share.Take();
    const LentBuffer b = share.Take();
    EXPECT_EQ(a.bytes().size(), kSize);
    EXPECT_NE(a.bytes().data(), b.bytes().data());
    EXPECT_EQ(pool.free(), 0u);
    EXPECT_TRUE(share.Take().empty());
    EXPECT_EQ(pool.exhausted(), 1u);
    EXPECT_EQ(share.exhausted(), 0u);
  }
  EXPECT_EQ(pool.free(), 2u);
  EXPECT_EQ(share.taken(), 0u);
}

TEST(BufferPoolTest, AShareLeavesTheRestToOthers) {
  BufferPool pool(3, kSize);
  BufferShare greedy(pool, 2);
  BufferShare other(pool, 2);
  const LentBuffer a = greedy.Take();
  const LentBuffer b = greedy.Take();
  EXPECT_TRUE(greedy.Take().empty());
  EXPECT_EQ(greedy.exhausted(), 1u);
  EXPECT_FALSE(other.Take().empty());
}

TEST(BufferPoolTest, ABufferThatMovedIsGivenBackOnce) {
  BufferPool pool(2, kSize);
  BufferShare share(pool, 2);
  LentBuffer a = share.Take();
  LentBuffer b = std::move(a);
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(a.bytes().empty());
  b = share.Take();
  EXPECT_EQ(share.taken(), 1u);
  b.GiveBack();
  b.GiveBack();
  EXPECT_EQ(share.taken(), 0u);
  EXPECT_EQ(pool.free(), 2u);
}

TEST(BufferPoolTest, ASourceHasAQuarterHoweverManySharesItHas) {
  BufferPool pool(8, kSize);
  ASSERT_EQ(pool.source_limit(), 2u);
  BufferShare first(pool, 8, BufferSource(1));
  BufferShare second(pool, 8, BufferSource(1));
  BufferShare third(pool, 8, BufferSource(1));
  LentBuffer a = first.Take();
  const LentBuffer b = second.Take();
  EXPECT_TRUE(third.Take().empty());
  EXPECT_EQ(pool.source_exhausted(), 1u);
  EXPECT_EQ(pool.exhausted(), 0u);
  EXPECT_EQ(third.exhausted(), 0u);
  BufferShare other(pool, 8, BufferSource(2));
  EXPECT_FALSE(other.Take().empty());
  // What one share gives back another one may have.
  a.GiveBack();
  EXPECT_FALSE(third.Take().empty());
}

TEST(BufferPoolTest, NobodyInParticularMayHaveAllOfThePool) {
  BufferPool pool(8, kSize);
  BufferShare share(pool, 8);
  std::vector<LentBuffer> taken;
  for (int i = 0; i < 8; ++i) taken.push_back(share.Take());
  EXPECT_EQ(pool.free(), 0u);
  EXPECT_EQ(pool.source_exhausted(), 0u);
  BufferShare other(pool, 8, BufferSource(1));
  EXPECT_TRUE(other.Take().empty());
  EXPECT_EQ(pool.exhausted(), 1u);
}

TEST(BufferPoolTest, SourcesWithACommonCountHaveOnePartAndGiveBackTheirOwn) {
  BufferPool pool(8, kSize);
  BufferShare one(pool, 8, BufferSource(7));
  BufferShare other(pool, 8, BufferSource(7 + BufferPool::kSourceCounts));
  {
    const LentBuffer a = one.Take();
    const LentBuffer b = other.Take();
    EXPECT_TRUE(one.Take().empty());
  }
  const LentBuffer a = other.Take();
  const LentBuffer b = other.Take();
  EXPECT_EQ(pool.source_exhausted(), 1u);
}

TEST(BufferPoolTest, ASourceMayHaveOneOfTheSmallestPool) {
  BufferPool pool(1, kSize);
  BufferShare share(pool, 1, BufferSource(1));
  EXPECT_FALSE(share.Take().empty());
  BufferPool none(0, kSize);
  BufferShare nothing(none, 1, BufferSource(1));
  EXPECT_TRUE(nothing.Take().empty());
  EXPECT_EQ(none.exhausted(), 1u);
}

// Shares of some sources, and of nobody, that take, give back and pass on as they like; compared
// with counts of who holds what.
class BufferPoolModel {
 public:
  static constexpr size_t kBuffers = 24;
  static constexpr size_t kSources = 6;
  static constexpr size_t kShares = 20;
  static constexpr size_t kLimit = 5;

  explicit BufferPoolModel(SeededRandom& random) : random_(random) {
    for (size_t i = 0; i < kShares; ++i) {
      // Source 0 is nobody.
      source_of_[i] = random_.Below(kSources);
      const BufferSource source =
          source_of_[i] == 0 ? BufferSource() : BufferSource(source_of_[i] * uint64_t{12'345});
      shares_.push_back(std::make_unique<BufferShare>(pool_, kLimit, source));
    }
  }

  void Step() {
    const size_t share = random_.Below(kShares);
    if (random_.Below(5) < 3) {
      Take(share);
    } else if (!held_.empty()) {
      GiveBack(random_.Below(held_.size()));
    }
    ASSERT_EQ(pool_.free(), kBuffers - held_.size());
    ASSERT_EQ(shares_[share]->taken(), HeldByShare(share));
    ASSERT_EQ(pool_.exhausted(), exhausted_);
    ASSERT_EQ(pool_.source_exhausted(), source_exhausted_);
    ASSERT_EQ(shares_[share]->exhausted(), share_exhausted_[share]);
  }
  bool SawEverything() const {
    uint64_t shares = 0;
    for (const uint64_t count : share_exhausted_) shares += count;
    return exhausted_ > 0 && source_exhausted_ > 0 && shares > 0;
  }

 private:
  struct Held {
    size_t share;
    LentBuffer buffer;
    uint8_t mark;
  };

  void Take(size_t share) {
    const size_t source = source_of_[share];
    LentBuffer buffer = shares_[share]->Take();
    if (HeldByShare(share) == kLimit) {
      ++share_exhausted_[share];
      ASSERT_TRUE(buffer.empty());
    } else if (source != 0 && HeldBySource(source) == kBuffers / BufferPool::kSourcePart) {
      ++source_exhausted_;
      ASSERT_TRUE(buffer.empty());
    } else if (held_.size() == kBuffers) {
      ++exhausted_;
      ASSERT_TRUE(buffer.empty());
    } else {
      ASSERT_FALSE(buffer.empty());
      ASSERT_EQ(buffer.bytes().size(), kSize);
      const auto mark = static_cast<uint8_t>(random_.Below(256));
      for (uint8_t& byte : buffer.bytes()) byte = mark;
      held_.push_back({share, std::move(buffer), mark});
    }
  }

  void GiveBack(size_t index) {
    std::swap(held_[index], held_.back());
    for (const uint8_t byte : held_.back().buffer.bytes()) ASSERT_EQ(byte, held_.back().mark);
    if (random_.Below(2) == 0) held_.back().buffer.GiveBack();
    held_.pop_back();
  }

  size_t HeldByShare(size_t share) const {
    size_t count = 0;
    for (const Held& held : held_) count += held.share == share ? 1 : 0;
    return count;
  }
  size_t HeldBySource(size_t source) const {
    size_t count = 0;
    for (const Held& held : held_) count += source_of_[held.share] == source ? 1 : 0;
    return count;
  }

  SeededRandom& random_;
  BufferPool pool_{kBuffers, kSize};
  size_t source_of_[kShares] = {};
  std::vector<std::unique_ptr<BufferShare>> shares_;
  std::vector<Held> held_;
  uint64_t exhausted_ = 0;
  uint64_t source_exhausted_ = 0;
  uint64_t share_exhausted_[kShares] = {};
};

TEST(BufferPoolTest, CountsAsAModelDoesWhateverTheOrder) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(96));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  BufferPoolModel model(random);
  for (int i = 0; i < 20'000; ++i) {
    model.Step();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_TRUE(model.SawEverything());
}

}  // namespace
}  // namespace sluice
