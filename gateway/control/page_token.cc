#include "gateway/control/page_token.h"

#include <cstdint>
#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "gateway/control/id_check.h"
#include "gateway/session/session_spec.h"

namespace sluice {
namespace {

// FNV-1a, the same in every process. It keeps a controller from mixing up its listings; nobody
// gains by making filters collide.
class Fingerprint {
 public:
  void Add(absl::string_view text) {
    for (const char c : absl::StrCat(text.size(), ":", text)) {
      value_ = (value_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
  }
  std::string ToString() const { return absl::StrFormat("%016x", value_); }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

// In front of the id, so that another filter or a later format is told apart.
std::string Prefix(const gateway::v1::SessionFilter& filter) {
  Fingerprint fingerprint;
  fingerprint.Add(filter.session_id_prefix());
  fingerprint.Add(absl::StrCat(static_cast<int>(filter.state())));
  // A protobuf map has no order.
  for (const auto& [key, value] :
       std::map<std::string, std::string>(filter.labels().begin(), filter.labels().end())) {
    fingerprint.Add(key);
    fingerprint.Add(value);
  }
  return absl::StrCat("1:", fingerprint.ToString(), ":");
}

}  // namespace

std::string MakePageToken(const gateway::v1::SessionFilter& filter, absl::string_view last_id) {
  return absl::WebSafeBase64Escape(absl::StrCat(Prefix(filter), last_id));
}

std::optional<std::string> ParsePageToken(const gateway::v1::SessionFilter& filter,
                                          absl::string_view token) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) {
    return std::nullopt;
  }
  absl::string_view id = text;
  if (!absl::ConsumePrefix(&id, Prefix(filter)) || id.empty() || id.size() > kMaxIdSize ||
      !HasIdCharacters(id)) {
    return std::nullopt;
  }
  return std::string(id);
}

}  // namespace sluice
