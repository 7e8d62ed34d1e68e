#include "tools/ctl/console.h"

#include <google/protobuf/util/json_util.h>

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace sluice {

Console::Console(std::ostream& out, std::ostream& err, bool interactive, size_t columns)
    : out_(out), err_(err), interactive_(interactive), columns_(columns) {}

void Console::Show(const google::protobuf::Message& message, absl::string_view text) {
  if (json()) {
    out_ << ToJsonLine(message) << std::endl;
  } else {
    Say(text);
  }
}

void Console::Say(absl::string_view text) {
  if (json()) return;
  absl::ConsumeSuffix(&text, "\n");
  out_ << text << std::endl;
}

void Console::Redraw(absl::string_view text) {
  if (!interactive()) {
    Say(text);
    return;
  }
  // Up to the first line of the last drawing, and clear to the end of the screen.
  if (drawn_lines_ > 0) out_ << "\x1b[" << drawn_lines_ << "F\x1b[J";
  absl::ConsumeSuffix(&text, "\n");
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  for (const absl::string_view line : lines) {
    // A line that wraps would take two, and the count would be wrong.
    out_ << line.substr(0, columns_) << '\n';
  }
  out_ << std::flush;
  drawn_lines_ = lines.size();
}

void Console::Complain(absl::string_view text) {
  err_ << "sluicectl: " << absl::StripTrailingAsciiWhitespace(text) << std::endl;
}

std::string ToJsonLine(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  // Only messages with an Any of an unknown type can fail, and the control API has none.
  if (!status.ok()) return "{}";
  return json;
}

}  // namespace sluice
