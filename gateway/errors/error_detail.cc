#include "gateway/errors/error_detail.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

constexpr absl::string_view kTypeUrl = "type.sluice/ErrorDetail";

// Kind, then the three texts, each behind its size in four bytes.
std::string Serialize(const ErrorDetail& detail) {
  std::string out(1, static_cast<char>(detail.kind));
  for (const std::string* text : {&detail.subject, &detail.name, &detail.description}) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.push_back(static_cast<char>(text->size() >> shift));
    }
    out.append(*text);
  }
  return out;
}

bool TakeText(absl::string_view& in, std::string& text) {
  if (in.size() < 4) {
    return false;
  }
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) {
    size = (size << 8) | static_cast<uint8_t>(in[i]);
  }
  in.remove_prefix(4);
  if (in.size() < size) {
    return false;
  }
  text.assign(in.substr(0, size));
  in.remove_prefix(size);
  return true;
}

std::optional<ErrorDetail> Deserialize(absl::string_view in) {
  if (in.empty() ||
      static_cast<uint8_t>(in[0]) > static_cast<uint8_t>(ErrorDetail::Kind::kPrecondition)) {
    return std::nullopt;
  }
  ErrorDetail detail;
  detail.kind = static_cast<ErrorDetail::Kind>(in[0]);
  in.remove_prefix(1);
  if (!TakeText(in, detail.subject) || !TakeText(in, detail.name) ||
      !TakeText(in, detail.description) || !in.empty()) {
    return std::nullopt;
  }
  return detail;
}

absl::Status MakeStatus(absl::StatusCode code, absl::string_view message,
                        const ErrorDetail& detail) {
  absl::Status status(code, message);
  status.SetPayload(kTypeUrl, absl::Cord(Serialize(detail)));
  return status;
}

std::string FieldMessage(absl::string_view path, absl::string_view description) {
  return path.empty() ? std::string(description) : absl::StrCat(path, ": ", description);
}

}  // namespace

absl::Status InvalidField(absl::string_view path, absl::string_view description) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, FieldMessage(path, description),
                    {.kind = ErrorDetail::Kind::kField,
                     .subject = std::string(path),
                     .name = "",
                     .description = std::string(description)});
}

absl::Status ResourceNotFound(absl::string_view type, absl::string_view name) {
  const std::string message = absl::StrCat(type, " \"", name, "\" does not exist");
  return MakeStatus(absl::StatusCode::kNotFound, message,
                    {.kind = ErrorDetail::Kind::kResource,
                     .subject = std::string(type),
                     .name = std::string(name),
                     .description = message});
}

absl::Status ResourceExists(absl::string_view type, absl::string_view name,
                            absl::string_view description) {
  return MakeStatus(absl::StatusCode::kAlreadyExists,
                    absl::StrCat(type, " \"", name, "\": ", description),
                    {.kind = ErrorDetail::Kind::kResource,
                     .subject = std::string(type),
                     .name = std::string(name),
                     .description = std::string(description)});
}

absl::Status LimitReached(absl::string_view limit, uint64_t value, absl::string_view description) {
  const std::string message = absl::StrCat(description, " (limit \"", limit, "\" is ", value, ")");
  return MakeStatus(absl::StatusCode::kResourceExhausted, message,
                    {.kind = ErrorDetail::Kind::kLimit,
                     .subject = std::string(limit),
                     .name = "",
                     .description = message});
}

absl::Status PreconditionFailed(absl::string_view type, absl::string_view name,
                                absl::string_view description) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, description,
                    {.kind = ErrorDetail::Kind::kPrecondition,
                     .subject = std::string(type),
                     .name = std::string(name),
                     .description = std::string(description)});
}

std::optional<ErrorDetail> GetErrorDetail(const absl::Status& status) {
  const std::optional<absl::Cord> payload = status.GetPayload(kTypeUrl);
  if (!payload.has_value()) {
    return std::nullopt;
  }
  return Deserialize(std::string(*payload));
}

absl::Status PrefixField(absl::string_view prefix, const absl::Status& status) {
  std::optional<ErrorDetail> detail = GetErrorDetail(status);
  if (!detail.has_value() || detail->kind != ErrorDetail::Kind::kField || prefix.empty()) {
    return status;
  }
  const bool joined = detail->subject.empty() || detail->subject[0] == '[';
  detail->subject = absl::StrCat(prefix, joined ? "" : ".", detail->subject);
  absl::Status prefixed(status.code(), FieldMessage(detail->subject, detail->description));
  status.ForEachPayload([&prefixed](absl::string_view url, const absl::Cord& payload) {
    prefixed.SetPayload(url, payload);
  });
  prefixed.SetPayload(kTypeUrl, absl::Cord(Serialize(*detail)));
  return prefixed;
}

}  // namespace sluice
