#include "gateway/signalling/bearer_token.h"

#include "absl/strings/match.h"

namespace sluice {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

}  // namespace

std::optional<absl::string_view> BearerToken(absl::string_view header) {
  if (!absl::StartsWithIgnoreCase(header, kScheme)) {
    return std::nullopt;
  }
  header.remove_prefix(kScheme.size());
  while (!header.empty() && header.front() == ' ') {
    header.remove_prefix(1);
  }
  if (header.empty()) {
    return std::nullopt;
  }
  return header;
}

}  // namespace sluice
