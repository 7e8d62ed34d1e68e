#include "base/secret_bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/has_absl_stringify.h"
#include "absl/strings/has_ostream_operator.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::Each;
using testing::ElementsAre;

using Key = SecretBytes<4>;
using Exported = SecretBuffer<6>;

// Bytes of a dead object. Volatile, so that the compiler cannot argue that nobody may look.
std::vector<uint8_t> Autopsy(const unsigned char* storage, size_t size) {
  __asm__ __volatile__("" : : "r"(storage) : "memory");
  const volatile unsigned char* bytes = storage;
  return std::vector<uint8_t>(bytes, bytes + size);
}

template <typename Secret>
constexpr void ExpectNoWayOut() {
  static_assert(!std::is_copy_constructible_v<Secret>);
  static_assert(!std::is_copy_assignable_v<Secret>);
  static_assert(std::is_nothrow_move_constructible_v<Secret>);
  static_assert(std::is_nothrow_move_assignable_v<Secret>);
  static_assert(!absl::HasOstreamOperator<Secret>::value);
  static_assert(!absl::HasAbslStringify<Secret>::value);
}

TEST(SecretBytesTest, CannotBeCopiedOrPrinted) {
  ExpectNoWayOut<Key>();
  ExpectNoWayOut<Exported>();
  static_assert(!std::is_convertible_v<Key, absl::Span<const uint8_t>>);
  static_assert(!std::is_convertible_v<absl::Span<const uint8_t>, Key>);
  static_assert(!std::is_constructible_v<Key, absl::Span<const uint8_t>>);
  static_assert(sizeof(Key) == 4);
}

TEST(SecretBytesTest, BeginsAsZeros) {
  Key key;
  EXPECT_THAT(key.span(), ElementsAre(0, 0, 0, 0));
  key.mutable_span()[2] = 7;
  EXPECT_THAT(key.span(), ElementsAre(0, 0, 7, 0));
  EXPECT_EQ(key.data(), key.span().data());
}

TEST(SecretBytesTest, TakesExactlyItsSize) {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5};
  const absl::Span<const uint8_t> all = bytes;
  EXPECT_FALSE(Key::From({}).has_value());
  EXPECT_FALSE(Key::From(all.first(3)).has_value());
  EXPECT_FALSE(Key::From(all).has_value());
  const std::optional<Key> key = Key::From(all.first(4));
  ASSERT_TRUE(key.has_value());
  EXPECT_THAT(key->span(), ElementsAre(1, 2, 3, 4));
}

TEST(SecretBytesTest, MovingWipesTheSource) {
  Key source = *Key::From({1, 2, 3, 4});
  Key built(std::move(source));
  EXPECT_THAT(built.span(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(source.span(), Each(0));  // The point of the test: what a move leaves behind.
  Key assigned = *Key::From({9, 9, 9, 9});
  assigned = std::move(built);
  EXPECT_THAT(assigned.span(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(built.span(), Each(0));
}

TEST(SecretBytesTest, SurvivesMovingToItself) {
  Key key = *Key::From({1, 2, 3, 4});
  Key& same = key;
  key = std::move(same);
  EXPECT_THAT(key.span(), ElementsAre(1, 2, 3, 4));
}

TEST(SecretBytesTest, DyingWipes) {
  alignas(Key) unsigned char storage[sizeof(Key)];
  Key* key = new (storage) Key(*Key::From({1, 2, 3, 4}));
  ASSERT_THAT(Autopsy(storage, 4), ElementsAre(1, 2, 3, 4));
  std::destroy_at(key);
  EXPECT_THAT(Autopsy(storage, 4), Each(0));
}

TEST(SecretBytesTest, ComparesInConstantTime) {
  const Key key = *Key::From({1, 2, 3, 4});
  EXPECT_TRUE(ConstantTimeEquals(key, *Key::From({1, 2, 3, 4})));
  EXPECT_FALSE(ConstantTimeEquals(key, *Key::From({0, 2, 3, 4})));
  EXPECT_FALSE(ConstantTimeEquals(key, *Key::From({1, 2, 3, 5})));
}

TEST(SecretBufferTest, TakesUpToItsSize) {
  EXPECT_TRUE(Exported().empty());
  EXPECT_TRUE(Exported::From({}).has_value());
  const std::optional<Exported> full = Exported::From({1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->size(), 6u);
  EXPECT_FALSE(Exported::From({1, 2, 3, 4, 5, 6, 7}).has_value());
  const std::optional<Exported> half = Exported::From({1, 2, 3});
  ASSERT_TRUE(half.has_value());
  EXPECT_THAT(half->span(), ElementsAre(1, 2, 3));
  EXPECT_EQ(half->data(), half->span().data());
}

TEST(SecretBufferTest, CanBeFilledInPlace) {
  Exported exported(2);
  EXPECT_THAT(exported.span(), ElementsAre(0, 0));
  exported.mutable_span()[1] = 8;
  EXPECT_THAT(exported.span(), ElementsAre(0, 8));
}

TEST(SecretBufferDeathTest, ASizeBeyondTheMaximumIsOurMistake) {
  EXPECT_DEATH(Exported(7), "size <= kMax");
}

TEST(SecretBufferTest, MovingEmptiesAndWipesTheSource) {
  alignas(Exported) unsigned char storage[sizeof(Exported)];
  Exported* source = new (storage) Exported(*Exported::From({1, 2, 3}));
  Exported built(std::move(*source));
  EXPECT_THAT(built.span(), ElementsAre(1, 2, 3));
  EXPECT_TRUE(source->empty());
  EXPECT_THAT(Autopsy(storage, 6), Each(0));
  Exported assigned(6);
  assigned = std::move(built);
  EXPECT_THAT(assigned.span(), ElementsAre(1, 2, 3));
  EXPECT_TRUE(built.empty());
  Exported& same = assigned;
  assigned = std::move(same);
  EXPECT_THAT(assigned.span(), ElementsAre(1, 2, 3));
  std::destroy_at(source);
}

TEST(SecretBufferTest, DyingWipesAll) {
  alignas(Exported) unsigned char storage[sizeof(Exported)];
  Exported* exported = new (storage) Exported(*Exported::From({1, 2, 3, 4, 5, 6}));
  *exported = *Exported::From({7});
  std::destroy_at(exported);
  EXPECT_THAT(Autopsy(storage, 6), Each(0));
}

TEST(SecretBufferTest, ComparesSizeAndBytes) {
  const Exported exported = *Exported::From({1, 0});
  EXPECT_TRUE(ConstantTimeEquals(exported, *Exported::From({1, 0})));
  EXPECT_FALSE(ConstantTimeEquals(exported, *Exported::From({1})));
  EXPECT_FALSE(ConstantTimeEquals(exported, *Exported::From({1, 1})));
}

TEST(WipeBytesTest, WipesExactlyTheSpan) {
  std::array<uint8_t, 4> bytes = {1, 2, 3, 4};
  WipeBytes(absl::MakeSpan(bytes).subspan(1, 2));
  EXPECT_THAT(bytes, ElementsAre(1, 0, 0, 4));
  WipeBytes({});
}

TEST(ConstantTimeEqualsTest, SeesEveryBit) {
  const std::array<uint8_t, 33> a{};
  EXPECT_TRUE(ConstantTimeEquals(a, std::array<uint8_t, 33>{}));
  for (size_t bit = 0; bit < 8 * a.size(); ++bit) {
    std::array<uint8_t, 33> b{};
    b[bit / 8] = static_cast<uint8_t>(1u << (bit % 8));
    EXPECT_FALSE(ConstantTimeEquals(a, b)) << "bit " << bit;
  }
}

TEST(ConstantTimeEqualsTest, DifferentSizesAreDifferent) {
  const std::array<uint8_t, 2> two{};
  const std::array<uint8_t, 3> three{};
  EXPECT_FALSE(ConstantTimeEquals(two, three));
  EXPECT_FALSE(ConstantTimeEquals(two, {}));
  EXPECT_TRUE(ConstantTimeEquals(absl::Span<const uint8_t>(), absl::Span<const uint8_t>()));
}

}  // namespace
}  // namespace sluice
