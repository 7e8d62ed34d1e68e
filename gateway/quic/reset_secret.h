#ifndef GATEWAY_QUIC_RESET_SECRET_H_
#define GATEWAY_QUIC_RESET_SECRET_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quic/server/stateless_reset.h"

namespace sluice {

// One line of 64 hex digits. Blanks around it and empty lines are ignored. InvalidArgument with a
// sentence that has nothing of the text in it.
absl::StatusOr<StatelessReset::Secret> ParseResetSecret(absl::string_view text);

// The same from a file, which others than its owner and group must not be able to read, and nobody
// but its owner to write: whoever knows the secret can end all connections (RFC 9000 section
// 21.11). Errors name the file.
absl::StatusOr<StatelessReset::Secret> LoadResetSecret(const std::string& path);

}  // namespace sluice

#endif  // GATEWAY_QUIC_RESET_SECRET_H_
