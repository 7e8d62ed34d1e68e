#ifndef GATEWAY_CONTROL_ID_CHECK_H_
#define GATEWAY_CONTROL_ID_CHECK_H_

#include "absl/strings/string_view.h"
#include "gateway/control/field_violations.h"

namespace sluice {

// Whether every character may be in a session or leg id: [A-Za-z0-9._~-], what needs no escaping in
// a URL (RFC 3986 section 2.3), a log line or a shell.
bool HasIdCharacters(absl::string_view text);

// Adds a violation at `path` unless `id` is 1 to 128 such characters.
void CheckId(absl::string_view path, absl::string_view id, FieldViolations& violations);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_ID_CHECK_H_
