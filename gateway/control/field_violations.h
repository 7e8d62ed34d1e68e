#ifndef GATEWAY_CONTROL_FIELD_VIOLATIONS_H_
#define GATEWAY_CONTROL_FIELD_VIOLATIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sluice {

// Text of a request for use in a sentence: in quotes, with what is not printable escaped, cut when
// long.
std::string Quoted(absl::string_view text);

// What is wrong with the fields of one request, all of it, so that a controller need not find out
// one error per call.
class FieldViolations {
 public:
  // `path` as in the proto, joined by dots: "config.remote.rtp.ip". `description` says what is
  // expected and never holds key bytes.
  void Add(absl::string_view path, absl::string_view description);

  bool empty() const { return fields_.empty(); }

  // INVALID_ARGUMENT that carries google.rpc.BadRequest with every field; OK when there is none.
  absl::Status ToStatus() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_FIELD_VIOLATIONS_H_
