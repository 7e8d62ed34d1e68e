#ifndef TOOLS_CTL_CONSOLE_H_
#define TOOLS_CTL_CONSOLE_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace sluice {

enum class OutputFormat { kTable, kJson };

// Where results and errors go, and what they look like. Each call writes whole lines and flushes,
// so that a pipe sees an event when it happens.
class Console {
 public:
  // `interactive`: `out` is a terminal of `columns` columns, which can be drawn on again.
  Console(std::ostream& out, std::ostream& err, bool interactive, size_t columns);

  void set_format(OutputFormat format) { format_ = format; }
  bool json() const { return format_ == OutputFormat::kJson; }
  // Whether tables may be redrawn in place.
  bool interactive() const { return interactive_ && !json(); }

  // For scripts the message as one line of protobuf JSON, with fields of value zero; for people the
  // text.
  void Show(const google::protobuf::Message& message, absl::string_view text);

  // For people only; `--output=json` leaves it out.
  void Say(absl::string_view text);

  // Replaces what the last Redraw on this console showed, if it is interactive; otherwise like Say.
  void Redraw(absl::string_view text);
  // What was drawn stays; the next Redraw begins below it.
  void EndRedraw() { drawn_lines_ = 0; }

  // On stderr, after the name of the program.
  void Complain(absl::string_view text);

 private:
  std::ostream& out_;
  std::ostream& err_;
  const bool interactive_;
  const size_t columns_;
  OutputFormat format_ = OutputFormat::kTable;
  size_t drawn_lines_ = 0;
};

// The message as one line of protobuf JSON (lowerCamelCase names, 64-bit numbers as strings).
std::string ToJsonLine(const google::protobuf::Message& message);

}  // namespace sluice

#endif  // TOOLS_CTL_CONSOLE_H_
