#ifndef GATEWAY_SIGNALLING_BEARER_TOKEN_H_
#define GATEWAY_SIGNALLING_BEARER_TOKEN_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace sluice {

// The token of an authorization header, "Bearer <token>" (RFC 6750 section 2.1; the scheme in
// either case, RFC 9110 section 11.1). Nothing when it is another scheme or there is no token
// behind it. A view into `header`.
std::optional<absl::string_view> BearerToken(absl::string_view header);

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_BEARER_TOKEN_H_
