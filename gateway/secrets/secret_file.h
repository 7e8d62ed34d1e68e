#ifndef GATEWAY_SECRETS_SECRET_FILE_H_
#define GATEWAY_SECRETS_SECRET_FILE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

// Two hex digits for each byte of `out`, and nothing else; false otherwise, and `out` has anything.
[[nodiscard]] bool ParseHexSecret(absl::string_view digits, absl::Span<uint8_t> out);

// What a file is called in errors.
struct SecretFileNames {
  // "token key file".
  absl::string_view file;
  // What to make anew when others may have read it: "key".
  absl::string_view secret;
};

// Gives `parse` the text of a file of at most 1024 bytes, which others than its owner and group
// must not be able to read, and nobody but its owner to write. The text is wiped afterwards. Fails
// with a sentence that names the file: NotFound when it cannot be read, FailedPrecondition for its
// mode, InvalidArgument when it is too large or with what `parse` says, as in "has to hold ...".
absl::Status ReadSecretFile(const std::string& path, const SecretFileNames& names,
                            absl::FunctionRef<absl::Status(absl::string_view text)> parse);

}  // namespace sluice

#endif  // GATEWAY_SECRETS_SECRET_FILE_H_
