#ifndef GATEWAY_ERRORS_ERROR_DETAIL_H_
#define GATEWAY_ERRORS_ERROR_DETAIL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sluice {

// What an error is about, carried in the status as a payload so that the core can name a field or a
// limit without knowing gRPC. gateway/control/status_convert turns it into google.rpc details.
struct ErrorDetail {
  enum class Kind : uint8_t { kField, kResource, kLimit, kPrecondition };
  Kind kind;
  // kField: path in the request, "config.remote.rtp.ip". kResource: "session", "leg".
  // kLimit: name as in Limits. kPrecondition: short type, "TOMBSTONE".
  std::string subject;
  // kResource: its id. kPrecondition: id of what it is about. Otherwise empty.
  std::string name;
  std::string description;
};

// INVALID_ARGUMENT about one field of the request. `path` as in the proto, joined by dots.
absl::Status InvalidField(absl::string_view path, absl::string_view description);
// NOT_FOUND, ALREADY_EXISTS: `type` is "session" or "leg".
absl::Status ResourceNotFound(absl::string_view type, absl::string_view name);
absl::Status ResourceExists(absl::string_view type, absl::string_view name,
                            absl::string_view description);
// RESOURCE_EXHAUSTED; the sentence names the limit and its value.
absl::Status LimitReached(absl::string_view limit, uint64_t value, absl::string_view description);
// FAILED_PRECONDITION.
absl::Status PreconditionFailed(absl::string_view type, absl::string_view name,
                                absl::string_view description);

// nullopt when the status carries none.
std::optional<ErrorDetail> GetErrorDetail(const absl::Status& status);
// The same error, with `prefix` in front of the field path; other errors unchanged.
absl::Status PrefixField(absl::string_view prefix, const absl::Status& status);

}  // namespace sluice

#endif  // GATEWAY_ERRORS_ERROR_DETAIL_H_
