#include "tools/ctl/text_table.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TextTableTest, ColumnsAreAsWideAsTheirWidestCellAndNumbersStandRight) {
  TextTable table({{"LEG"}, {"PACKETS", TextTable::Align::kRight}, {"NOTE"}});
  EXPECT_TRUE(table.empty());
  table.AddRow({"alice", "7", "first"});
  table.AddRow({"b", "123456789"});
  EXPECT_EQ(table.Render(),
            "LEG      PACKETS  NOTE\n"
            "alice          7  first\n"
            "b      123456789\n");
}

TEST(TextTableTest, AnEmptyTableIsItsHeader) {
  EXPECT_EQ(TextTable({{"A"}, {"B"}}).Render(), "A  B\n");
}

TEST(TextTableTest, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(Printable("a\x1b[2Jb\n\x7f"), "a?[2Jb??");
  EXPECT_EQ(Printable("Zoë"), "Zoë");
}

}  // namespace
}  // namespace sluice
