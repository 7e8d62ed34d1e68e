#include "quic/http3/http_answer_fields.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace sluice {
namespace {

// nghttp3 takes what it only reads as if it wrote there.
uint8_t* Bytes(absl::string_view text) {
  return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
}

}  // namespace

HttpAnswerFields::HttpAnswerFields(const HttpAnswer& answer)
    : status_(absl::StrCat(answer.status)) {
  SLUICE_DCHECK(answer.status >= 200 && answer.status <= 599) << answer.status;
  Add(":status", status_);
  AddIfAny("content-type", answer.content_type);
  // RFC 9110 section 8.6: with 204 there is none.
  if (answer.content_length.has_value() && answer.status != 204) {
    length_ = absl::StrCat(*answer.content_length);
    Add("content-length", length_);
  }
  // Answers tell of a moment and carry keys.
  Add("cache-control", "no-store");
  AddIfAny("allow", answer.allow);
  AddIfAny("www-authenticate", answer.www_authenticate);
  AddIfAny("access-control-allow-origin", answer.access_control_allow_origin);
  AddIfAny("access-control-allow-methods", answer.access_control_allow_methods);
  AddIfAny("access-control-allow-headers", answer.access_control_allow_headers);
  AddIfAny("access-control-max-age", answer.access_control_max_age);
  AddIfAny("vary", answer.vary);
}

void HttpAnswerFields::Add(absl::string_view name, absl::string_view value) {
  fields_[count_++] = {.name = Bytes(name),
                       .value = Bytes(value),
                       .namelen = name.size(),
                       .valuelen = value.size(),
                       .flags = NGHTTP3_NV_FLAG_NO_COPY_NAME};
}

}  // namespace sluice
