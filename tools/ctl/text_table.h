#ifndef TOOLS_CTL_TEXT_TABLE_H_
#define TOOLS_CTL_TEXT_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sluice {

// Rows of text under a header, in columns as wide as their widest cell and two blanks apart.
// Columns of numbers stand to the right. Knows nothing of what it prints.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns);

  // One cell per column; missing ones are empty. It is our mistake if there are more than columns.
  void AddRow(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }

  // Header and rows, each with a line end and without trailing blanks.
  std::string Render() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` without control characters, which are shown as '?': labels and names come from elsewhere,
// and must not move the cursor of the terminal that they are printed on.
std::string Printable(absl::string_view text);

}  // namespace sluice

#endif  // TOOLS_CTL_TEXT_TABLE_H_
