#include "gateway/control/field_violations.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/status_convert.h"
#include "google/rpc/error_details.pb.h"

namespace sluice {
namespace {

// Tags and lengths around one violation on the wire.
constexpr size_t kFieldOverhead = 16;

// Enough to recognise what one sent.
constexpr size_t kMaxQuotedBytes = 64;

}  // namespace

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMaxQuotedBytes)),
                      text.size() > kMaxQuotedBytes ? "...\"" : "\"");
}

void FieldViolations::Add(absl::string_view path, absl::string_view description) {
  fields_.emplace_back(path, description);
}

absl::Status FieldViolations::ToStatus() const {
  if (fields_.empty()) {
    return absl::OkStatus();
  }
  std::string message;
  google::rpc::BadRequest detail;
  for (const auto& [path, description] : fields_) {
    // With a hundred wrong fields the first dozen will do.
    if (detail.ByteSizeLong() + path.size() + description.size() + kFieldOverhead >
        kMaxErrorDetailBytes) {
      absl::StrAppend(&message, "; and more");
      break;
    }
    google::rpc::BadRequest::FieldViolation& field = *detail.add_field_violations();
    field.set_field(path);
    field.set_description(description);
    absl::StrAppend(&message, message.empty() ? "" : "; ", path, ": ", description);
  }
  absl::Status status = absl::InvalidArgumentError(message);
  AttachDetail(status, detail);
  return status;
}

}  // namespace sluice
