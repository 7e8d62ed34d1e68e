#ifndef QUIC_HTTP3_HTTP_ANSWER_FIELDS_H_
#define QUIC_HTTP3_HTTP_ANSWER_FIELDS_H_

#include <nghttp3/nghttp3.h>

#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/http3/http_service.h"

namespace sluice {

// The fields of an answer as nghttp3 takes them: the status, those that are not empty, and that
// nobody may keep it. Points into the answer, which lasts as long.
class HttpAnswerFields {
 public:
  explicit HttpAnswerFields(const HttpAnswer& answer);
  HttpAnswerFields(const HttpAnswerFields&) = delete;
  HttpAnswerFields& operator=(const HttpAnswerFields&) = delete;

  absl::Span<const nghttp3_nv> fields() const { return absl::MakeConstSpan(fields_).first(count_); }

 private:
  static constexpr size_t kMaxFields = 11;

  // Names are static.
  void Add(absl::string_view name, absl::string_view value);
  void AddIfAny(absl::string_view name, absl::string_view value) {
    if (!value.empty()) Add(name, value);
  }

  // Short enough to be without memory of their own.
  std::string status_;
  std::string length_;
  std::array<nghttp3_nv, kMaxFields> fields_{};
  size_t count_ = 0;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_ANSWER_FIELDS_H_
