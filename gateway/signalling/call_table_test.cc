#include "gateway/signalling/call_table.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(CallTableTest, CallsAreFoundFromBothSidesUntilTheyAreRemoved) {
  CallTable<int, std::string> table;
  table.Add(CallId{1}, 10, "a");
  table.Add(CallId{2}, 20, "b");
  ASSERT_NE(table.Find(CallId{1}), nullptr);
  EXPECT_EQ(table.Find(CallId{1})->call, 10);
  EXPECT_EQ(table.Find(CallId{2})->memory, "b");
  EXPECT_EQ(table.IdOf(20), CallId{2});
  EXPECT_EQ(table.IdOf(30), std::nullopt);
  table.Remove(CallId{1});
  table.Remove(CallId{1});
  EXPECT_EQ(table.Find(CallId{1}), nullptr);
  EXPECT_EQ(table.IdOf(10), std::nullopt);
  EXPECT_EQ(table.size(), 1u);
}

TEST(CallTableTest, ACallThatLooksLikeAnEarlierOneIsAnother) {
  CallTable<int, int> table;
  table.Add(CallId{1}, 10, 1);
  table.Remove(CallId{1});
  table.Add(CallId{2}, 10, 2);
  EXPECT_EQ(table.Find(CallId{1}), nullptr);
  EXPECT_EQ(table.IdOf(10), CallId{2});
}

}  // namespace
}  // namespace sluice
