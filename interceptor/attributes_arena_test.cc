#include "interceptor/attributes_arena.h"

#include <optional>

#include "absl/base/config.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/packet_attributes.h"

namespace sluice {
namespace {

constexpr Timestamp kNow = Timestamp::Millis(5);

TEST(AttributesRefTest, StartsNullAndReadsAsAbsent) {
  const AttributesRef attributes;
  EXPECT_EQ(attributes.get(), nullptr);
  EXPECT_FALSE(attributes.Get(&PacketAttributes::arrival).has_value());
  EXPECT_FALSE(attributes.Get(&PacketAttributes::feedback).has_value());
}

TEST(AttributesRefTest, TakesAnObjectWhenAFactIsSetAndNotBefore) {
  AttributesArena arena(2);
  AttributesRef attributes;
  static_cast<void>(attributes.Get(&PacketAttributes::arrival));
  EXPECT_EQ(arena.lent(), 0u);
  EXPECT_TRUE(attributes.Set(arena, &PacketAttributes::arrival, kNow));
  EXPECT_TRUE(attributes.Set(arena, &PacketAttributes::probe_cluster, 3u));
  EXPECT_EQ(arena.lent(), 1u);
  EXPECT_EQ(attributes.Get(&PacketAttributes::arrival), kNow);
  EXPECT_EQ(attributes.Get(&PacketAttributes::probe_cluster), 3u);
  EXPECT_FALSE(attributes.Get(&PacketAttributes::mid).has_value());
}

TEST(AttributesRefTest, CopiesShareTheObject) {
  AttributesArena arena(2);
  AttributesRef attributes;
  ASSERT_NE(attributes.Ensure(arena), nullptr);
  const AttributesRef copy = attributes;
  attributes.Set(arena, &PacketAttributes::arrival, kNow);
  EXPECT_EQ(copy.Get(&PacketAttributes::arrival), kNow);
}

TEST(AttributesArenaTest, ExhaustionLeavesTheFactAbsentAndCounts) {
  AttributesArena arena(1);
  AttributesRef first, second;
  EXPECT_TRUE(first.Set(arena, &PacketAttributes::arrival, kNow));
  EXPECT_FALSE(second.Set(arena, &PacketAttributes::arrival, kNow));
  EXPECT_EQ(second.Ensure(arena), nullptr);
  EXPECT_EQ(second.get(), nullptr);
  EXPECT_FALSE(second.Get(&PacketAttributes::arrival).has_value());
  EXPECT_EQ(arena.exhausted(), 2u);
  // Who has an object goes on with it.
  EXPECT_TRUE(first.Set(arena, &PacketAttributes::probe_cluster, 1u));
  EXPECT_EQ(arena.exhausted(), 2u);
}

TEST(AttributesArenaTest, AnObjectUsedBeforeKnowsNothing) {
  AttributesArena arena(1);
  AttributesRef before;
  PacketAttributes* object = before.Ensure(arena);
  ASSERT_NE(object, nullptr);
  object->arrival = kNow;
  object->audio_level = AudioLevel{1, true};
  arena.ReturnAll();
  EXPECT_EQ(arena.lent(), 0u);
  AttributesRef after;
  ASSERT_EQ(after.Ensure(arena), object);
  EXPECT_FALSE(after.Get(&PacketAttributes::arrival).has_value());
  EXPECT_FALSE(after.Get(&PacketAttributes::audio_level).has_value());
}

TEST(AttributesArenaTest, OneWithoutObjectsOnlyCounts) {
  AttributesArena arena(0);
  EXPECT_EQ(arena.Lend(), nullptr);
  arena.ReturnAll();
  EXPECT_EQ(arena.Lend(), nullptr);
  EXPECT_EQ(arena.exhausted(), 2u);
}

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
TEST(AttributesArenaDeathTest, KeepingAttributesPastTheBatchIsFound) {
  AttributesArena arena(1);
  AttributesRef kept;
  kept.Set(arena, &PacketAttributes::arrival, kNow);
  arena.ReturnAll();
  volatile bool known = false;
  EXPECT_DEATH(known = kept.Get(&PacketAttributes::arrival).has_value(), "use-after-poison");
  EXPECT_FALSE(known);
}
#endif

}  // namespace
}  // namespace sluice
