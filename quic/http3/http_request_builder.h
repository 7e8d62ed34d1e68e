#ifndef QUIC_HTTP3_HTTP_REQUEST_BUILDER_H_
#define QUIC_HTTP3_HTTP_REQUEST_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_service.h"

namespace sluice {

// Puts a request together in one buffer, as its fields and bytes come, and judges what HTTP/3's own
// rules leave open: sizes, fields that stand twice, who is asked (RFC 9114 section 4.3.1). One
// thread.
class HttpRequestBuilder {
 public:
  // What a field or bytes came to. After anything but kTaken nothing more is to be added.
  enum class Verdict : uint8_t {
    kTaken,
    // It is no request (RFC 9114 section 4.1.2): message_error.
    kMalformed,
    // A field stands twice that may once: 400.
    kRepeated,
    // The fields are longer, or more, than may be: 431.
    kFieldsTooLong,
    // The body is, or will be: 413.
    kBodyTooLong,
  };

  // Takes a buffer, if there is one; false otherwise, and then nothing may be added.
  bool Start(HttpBufferShare& share);
  // The next field, as decoded. It is counted whether it is of use or not.
  Verdict AddField(absl::string_view name, absl::string_view value);
  // A field after the body: counted and forgotten.
  Verdict AddTrailer(absl::string_view name, absl::string_view value);
  Verdict AddBody(absl::Span<const uint8_t> bytes);
  // Nothing comes any more: whether it is a request.
  Verdict Complete() const;

  // After Complete. Lasts until Clear. HEAD is GET; see is_head.
  HttpRequest request() const;
  // The answer has no body (RFC 9110 section 9.3.2).
  bool is_head() const;
  // Gives the buffer back.
  void Clear() { *this = HttpRequestBuilder(); }

 private:
  // Fields that are kept, in the order of their names in the source.
  enum Kept : uint8_t {
    kMethod,
    kPath,
    kAuthority,
    kHost,
    kAuthorization,
    kContentType,
    kOrigin,
    kAccessControlRequestMethod,
    kKeptCount,
  };
  struct Place {
    uint16_t offset = 0;
    uint16_t size = 0;
    bool present = false;
  };

  Verdict Count(absl::string_view name, absl::string_view value);
  absl::string_view value(Kept kept) const;

  HttpBuffer buffer_;
  std::array<Place, kKeptCount> places_{};
  // Bytes of kept values, which are at the front of the buffer.
  size_t kept_bytes_ = 0;
  // As RFC 9114 section 4.2.2 counts, and how many fields.
  size_t section_bytes_ = 0;
  size_t fields_ = 0;
  size_t body_bytes_ = 0;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_REQUEST_BUILDER_H_
