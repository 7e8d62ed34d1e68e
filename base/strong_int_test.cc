#include "base/strong_int.h"

#include <cstdint>
#include <type_traits>

#include "absl/hash/hash_testing.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Apples = StrongInt<struct ApplesTag, uint32_t>;
using Pears = StrongInt<struct PearsTag, uint32_t>;
using Small = StrongInt<struct SmallTag, uint8_t>;
using Ticket = OrderedStrongInt<struct TicketTag, uint64_t>;

template <typename A, typename B>
concept HasLess = requires(A a, B b) {
  a < b;
};
template <typename A, typename B>
concept HasEquals = requires(A a, B b) {
  a == b;
};
template <typename A, typename B>
concept HasPlus = requires(A a, B b) {
  a + b;
};

TEST(StrongIntTest, CannotBeConfusedWithOtherIntegers) {
  static_assert(!std::is_convertible_v<uint32_t, Apples>);
  static_assert(!std::is_convertible_v<Apples, uint32_t>);
  static_assert(!std::is_constructible_v<Apples, Pears>);
  static_assert(!std::is_default_constructible_v<Apples>);
  static_assert(HasEquals<Apples, Apples>);
  static_assert(!HasEquals<Apples, Pears>);
  static_assert(!HasEquals<Apples, uint32_t>);
}

TEST(StrongIntTest, HasNeitherOrderNorArithmetic) {
  static_assert(!HasLess<Apples, Apples>);
  static_assert(!HasPlus<Apples, Apples>);
  static_assert(!HasPlus<Ticket, Ticket>);
}

TEST(StrongIntTest, CostsNothing) {
  static_assert(sizeof(Apples) == sizeof(uint32_t));
  static_assert(sizeof(Ticket) == sizeof(uint64_t));
  static_assert(std::is_trivially_copyable_v<Apples>);
  static_assert(Apples(7).value() == 7);
}

TEST(StrongIntTest, IsEqualByValue) {
  EXPECT_TRUE(Apples(1) == Apples(1));
  EXPECT_FALSE(Apples(1) == Apples(2));
  EXPECT_TRUE(Apples(1) != Apples(2));
  EXPECT_FALSE(Apples(1) != Apples(1));
}

TEST(StrongIntTest, OrderedOneIsOrdered) {
  static_assert(Ticket(1) < Ticket(2) && Ticket(2) > Ticket(1));
  static_assert(Ticket(2) <= Ticket(2) && Ticket(2) >= Ticket(2));
  EXPECT_FALSE(Ticket(2) < Ticket(2));
  EXPECT_EQ(Ticket(2), Ticket(2));
  EXPECT_NE(Ticket(2), Ticket(3));
  static_assert(!HasLess<Ticket, uint64_t>);
}

TEST(StrongIntTest, Hashes) {
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {Apples(0), Apples(1), Apples(0x80000000), Apples(0xFFFFFFFF)}));
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly({Ticket(0), Ticket(1), Ticket(1)}));
}

TEST(StrongIntTest, PrintsAsANumberEvenWhenItIsAByte) {
  EXPECT_EQ(absl::StrCat(Apples(0xFFFFFFFF)), "4294967295");
  EXPECT_EQ(absl::StrCat(Small(65)), "65");
  EXPECT_EQ(absl::StrCat(Ticket(12)), "12");
  EXPECT_EQ(testing::PrintToString(Apples(7)), "7");
}

}  // namespace
}  // namespace sluice
