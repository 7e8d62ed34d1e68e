#include "base/slot_map.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::Pointee;

using Names = SlotMap<std::string, struct NameTag>;

// Counts its living instances; neither default constructible nor movable.
class Pinned {
 public:
  Pinned(int value, int* alive) : value_(value), alive_(alive) { ++*alive_; }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { --*alive_; }

  int value() const { return value_; }

 private:
  int value_;
  int* alive_;
};

TEST(SlotHandleTest, RoundTripsThroughOneNumber) {
  using Handle = Names::Handle;
  const Handle handle{.index = 0xFEDCBA98, .generation = 0x89ABCDEF};
  EXPECT_EQ(handle.ToUint64(), 0x89ABCDEFFEDCBA98);
  EXPECT_EQ(Handle::FromUint64(handle.ToUint64()), handle);
  EXPECT_EQ(Handle::FromUint64(0), Handle());
  EXPECT_EQ(absl::StrCat(Handle{.index = 3, .generation = 9}), "3.9");
}

TEST(SlotHandleTest, HashesAndComparesBothParts) {
  using Handle = Names::Handle;
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {Handle(), Handle{1, 1}, Handle{1, 2}, Handle{2, 1}}));
  EXPECT_NE((Handle{1, 2}), (Handle{2, 1}));
  static_assert(!std::is_convertible_v<Handle, SlotHandle<struct OtherTag>>);
}

TEST(SlotMapTest, FindsWhatWasInserted) {
  Names names(2);
  EXPECT_TRUE(names.empty());
  const std::optional<Names::Handle> ann = names.Insert("ann");
  const std::optional<Names::Handle> bob = names.Emplace(3, 'b');
  ASSERT_TRUE(ann.has_value() && bob.has_value());
  EXPECT_THAT(names.Find(*ann), Pointee(std::string("ann")));
  EXPECT_THAT(std::as_const(names).Find(*bob), Pointee(std::string("bbb")));
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names.capacity(), 2u);
  EXPECT_TRUE(names.full());
}

TEST(SlotMapTest, RefusesWhenFullAndRecovers) {
  Names names(1);
  const std::optional<Names::Handle> first = names.Insert("first");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(names.Insert("second"), std::nullopt);
  EXPECT_EQ(names.size(), 1u);
  ASSERT_TRUE(names.Erase(*first));
  EXPECT_TRUE(names.Insert("third").has_value());
}

TEST(SlotMapTest, ADefaultHandleIsNeverValid) {
  Names names(1);
  EXPECT_EQ(names.Find(Names::Handle()), nullptr);
  ASSERT_TRUE(names.Insert("somebody").has_value());
  EXPECT_EQ(names.Find(Names::Handle()), nullptr);
  EXPECT_FALSE(names.Erase(Names::Handle()));
}

TEST(SlotMapTest, AStaleHandleFindsNothingEvenWhenTheSlotIsReused) {
  Names names(1);
  const Names::Handle old = *names.Insert("old");
  ASSERT_TRUE(names.Erase(old));
  EXPECT_EQ(names.Find(old), nullptr);
  EXPECT_FALSE(names.Erase(old));
  const Names::Handle fresh = *names.Insert("fresh");
  EXPECT_EQ(fresh.index, old.index);
  EXPECT_EQ(names.Find(old), nullptr);
  EXPECT_FALSE(names.Erase(old));
  EXPECT_THAT(names.Find(fresh), Pointee(std::string("fresh")));
}

TEST(SlotMapTest, AHandleFromElsewhereFindsNothing) {
  Names names(2);
  const Names::Handle handle = *names.Insert("x");
  EXPECT_EQ(names.Find({.index = 2, .generation = 1}), nullptr);
  EXPECT_EQ(names.Find({.index = 0xFFFFFFFF, .generation = 0xFFFFFFFF}), nullptr);
  EXPECT_EQ(names.Find({.index = 1, .generation = 1}), nullptr) << "a slot not yet used";
  EXPECT_EQ(names.Find({.index = handle.index, .generation = handle.generation + 1}), nullptr);
}

TEST(SlotMapTest, ReusesTheSlotThatIsFreeForLongest) {
  Names names(3);
  const Names::Handle a = *names.Insert("a");
  const Names::Handle b = *names.Insert("b");
  names.Erase(b);
  names.Erase(a);
  EXPECT_EQ(names.Insert("c")->index, 2u);
  EXPECT_EQ(names.Insert("d")->index, b.index);
  EXPECT_EQ(names.Insert("e")->index, a.index);
}

TEST(SlotMapTest, ACapacityOfZeroHoldsNothing) {
  Names names(0);
  EXPECT_EQ(names.Insert("x"), std::nullopt);
  EXPECT_TRUE(names.full());
  EXPECT_EQ(names.Find({.index = 0, .generation = 1}), nullptr);
}

TEST(SlotMapDeathTest, ACapacityBeyondTheIndexIsOurMistake) {
  EXPECT_DEATH(Names(uint64_t{1} << 32), "slot map of 4294967296 slots");
}

TEST(SlotMapTest, BuildsInPlaceAndNeverMovesAndDestroysOnce) {
  int alive = 0;
  {
    SlotMap<Pinned, struct PinnedTag> map(3);
    const auto one = *map.Emplace(1, &alive);
    const Pinned* address = map.Find(one);
    const auto two = *map.Emplace(2, &alive);
    ASSERT_TRUE(map.Emplace(3, &alive).has_value());
    EXPECT_EQ(map.Emplace(4, &alive), std::nullopt);
    EXPECT_EQ(alive, 3) << "a full map builds nothing";
    ASSERT_TRUE(map.Erase(two));
    EXPECT_EQ(alive, 2);
    EXPECT_EQ(map.Find(one), address);
    EXPECT_EQ(address->value(), 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(SlotMapTest, HoldsMoveOnlyValues) {
  SlotMap<std::unique_ptr<int>, struct PointerTag> map(1);
  const auto handle = *map.Insert(std::make_unique<int>(5));
  EXPECT_THAT(*map.Find(handle), Pointee(5));
}

TEST(SlotMapTest, ForEachVisitsAllAndMayEraseAnything) {
  SlotMap<int, struct IntTag> map(5);
  std::vector<SlotMap<int, struct IntTag>::Handle> handles;
  for (int i = 0; i < 5; ++i) handles.push_back(*map.Insert(i));
  std::vector<int> seen;
  map.ForEach([&](SlotMap<int, struct IntTag>::Handle handle, int& value) {
    seen.push_back(value);
    if (value == 1) {
      EXPECT_TRUE(map.Erase(handle));
    } else if (value == 2) {
      EXPECT_TRUE(map.Erase(handles[0]));
      EXPECT_TRUE(map.Erase(handles[4]));
    } else {
      value += 10;
    }
  });
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
  std::vector<int> left;
  std::as_const(map).ForEach([&](auto, const int& value) { left.push_back(value); });
  EXPECT_THAT(left, ElementsAre(2, 13));
}

// A value that looks for itself while it dies.
struct Curious {
  using Map = SlotMap<Curious, struct CuriousTag>;

  ~Curious() {
    if (map != nullptr) found_itself = map->Find(self) != nullptr;
  }

  Map* map;
  Map::Handle self;
  bool& found_itself;
};

TEST(SlotMapTest, AHandleIsStaleWhileItsValueDies) {
  Curious::Map map(1);
  bool found_itself = true;
  const Curious::Map::Handle handle =
      *map.Insert(Curious{.map = nullptr, .self = {}, .found_itself = found_itself});
  map.Find(handle)->map = &map;
  map.Find(handle)->self = handle;
  ASSERT_TRUE(map.Erase(handle));
  EXPECT_FALSE(found_itself);
}

// Random operations against a std::map that forgets nothing.
class SlotMapModelTest : public testing::TestWithParam<size_t> {
 protected:
  using Map = SlotMap<std::unique_ptr<uint64_t>, struct ModelTag>;

  void InsertOne() {
    const uint64_t value = random_.NextU64();
    const std::optional<Map::Handle> handle = map_.Insert(std::make_unique<uint64_t>(value));
    ASSERT_EQ(handle.has_value(), model_.size() < map_.capacity());
    if (!handle.has_value()) return;
    ASSERT_TRUE(unique_.insert(handle->ToUint64()).second) << "a handle was given out twice";
    ever_.push_back(handle->ToUint64());
    model_[handle->ToUint64()] = value;
  }

  // Any handle that ever was, fresh or stale.
  Map::Handle AnyHandle() {
    if (ever_.empty()) return Map::Handle();
    return Map::Handle::FromUint64(ever_[random_.Below(ever_.size())]);
  }

  Map::Handle LivingHandle() {
    if (model_.empty()) return Map::Handle();
    auto it = model_.begin();
    for (uint64_t skip = random_.Below(model_.size()); skip > 0; --skip) ++it;
    return Map::Handle::FromUint64(it->first);
  }

  void EraseOne(Map::Handle handle) {
    ASSERT_EQ(map_.Erase(handle), model_.erase(handle.ToUint64()) == 1);
  }

  void FindOne(Map::Handle handle) {
    const auto expected = model_.find(handle.ToUint64());
    const std::unique_ptr<uint64_t>* found = map_.Find(handle);
    ASSERT_EQ(found != nullptr, expected != model_.end());
    if (found != nullptr) {
      ASSERT_EQ(**found, expected->second);
    }
  }

  void CompareAll() {
    ASSERT_EQ(map_.size(), model_.size());
    std::map<uint64_t, uint64_t> all;
    map_.ForEach([&all](Map::Handle handle, std::unique_ptr<uint64_t>& value) {
      all[handle.ToUint64()] = *value;
    });
    ASSERT_EQ(all, model_);
  }

  const uint64_t seed_ = SeededRandom::SeedFromEnvOr(2);
  SeededRandom random_{seed_};
  Map map_{GetParam()};
  std::map<uint64_t, uint64_t> model_;
  std::vector<uint64_t> ever_;
  std::set<uint64_t> unique_;
};

TEST_P(SlotMapModelTest, BehavesAsAMapUnderRandomOperations) {
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed_));
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(absl::StrCat("operation ", i));
    switch (random_.Below(6)) {
      case 0:
      case 1:
        InsertOne();
        break;
      case 2:
        EraseOne(LivingHandle());
        break;
      case 3:
        EraseOne(AnyHandle());
        break;
      case 4:
        FindOne(AnyHandle());
        break;
      default:
        FindOne(LivingHandle());
        break;
    }
    if (i % 100 == 0) CompareAll();
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Capacities, SlotMapModelTest, testing::Values(0, 1, 2, 7, 64));

}  // namespace
}  // namespace sluice
