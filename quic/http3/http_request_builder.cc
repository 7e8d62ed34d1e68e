#include "quic/http3/http_request_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "quic/http3/http_limits.h"

namespace sluice {
namespace {

// RFC 9114 section 4.2.2.
constexpr size_t kFieldOverhead = 32;
static_assert(kMaxHttpFieldSection <= UINT16_MAX, "places of fields are 16 bits");

absl::Span<const uint8_t> Bytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

bool HttpRequestBuilder::Start(HttpBufferShare& share) {
  buffer_ = share.Take();
  return !buffer_.empty();
}

HttpRequestBuilder::Verdict HttpRequestBuilder::Count(absl::string_view name,
                                                      absl::string_view value) {
  section_bytes_ += name.size() + value.size() + kFieldOverhead;
  ++fields_;
  return section_bytes_ > kMaxHttpFieldSection || fields_ > kMaxHttpFields ? Verdict::kFieldsTooLong
                                                                           : Verdict::kTaken;
}

HttpRequestBuilder::Verdict HttpRequestBuilder::AddField(absl::string_view name,
                                                         absl::string_view value) {
  constexpr std::array<absl::string_view, kKeptCount> kNames = {
      ":method",       ":path",        ":authority", "host",
      "authorization", "content-type", "origin",     "access-control-request-method"};
  SLUICE_DCHECK(!buffer_.empty());
  if (const Verdict verdict = Count(name, value); verdict != Verdict::kTaken) return verdict;
  if (name == "content-length") {
    // No body is waited for that would be refused. That it is a number, once, is judged already.
    uint64_t length = 0;
    return absl::SimpleAtoi(value, &length) && length <= kMaxHttpBody ? Verdict::kTaken
                                                                      : Verdict::kBodyTooLong;
  }
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return Verdict::kTaken;
  const auto kept = static_cast<Kept>(found - kNames.begin());
  // RFC 9114 section 4.3.1: without user information, and not empty.
  if ((kept == kAuthority || kept == kHost) &&
      (value.empty() || value.find('@') != absl::string_view::npos)) {
    return Verdict::kMalformed;
  }
  Place& place = places_[kept];
  if (place.present) return Verdict::kRepeated;
  place = {.offset = static_cast<uint16_t>(kept_bytes_),
           .size = static_cast<uint16_t>(value.size()),
           .present = true};
  CopyBytes(buffer_.bytes().subspan(kept_bytes_, value.size()), Bytes(value));
  kept_bytes_ += value.size();
  return Verdict::kTaken;
}

HttpRequestBuilder::Verdict HttpRequestBuilder::AddTrailer(absl::string_view name,
                                                           absl::string_view value) {
  return Count(name, value);
}

HttpRequestBuilder::Verdict HttpRequestBuilder::AddBody(absl::Span<const uint8_t> bytes) {
  SLUICE_DCHECK(!buffer_.empty());
  if (bytes.size() > kMaxHttpBody - body_bytes_) return Verdict::kBodyTooLong;
  CopyBytes(buffer_.bytes().subspan(kMaxHttpFieldSection + body_bytes_), bytes);
  body_bytes_ += bytes.size();
  return Verdict::kTaken;
}

HttpRequestBuilder::Verdict HttpRequestBuilder::Complete() const {
  // RFC 9114 section 4.3.1: if there are both, they say the same.
  const bool both = places_[kAuthority].present && places_[kHost].present;
  return both && value(kAuthority) != value(kHost) ? Verdict::kMalformed : Verdict::kTaken;
}

bool HttpRequestBuilder::is_head() const { return value(kMethod) == "HEAD"; }

HttpRequest HttpRequestBuilder::request() const {
  const absl::string_view target = value(kPath);
  const size_t mark = target.find('?');
  const bool has_query = mark != absl::string_view::npos;
  return {.method = is_head() ? "GET" : value(kMethod),
          .path = target.substr(0, mark),
          .query = has_query ? target.substr(mark + 1) : absl::string_view(),
          .authority = places_[kAuthority].present ? value(kAuthority) : value(kHost),
          .authorization = value(kAuthorization),
          .content_type = value(kContentType),
          .origin = value(kOrigin),
          .access_control_request_method = value(kAccessControlRequestMethod),
          .body = body_bytes_ == 0 ? absl::Span<const uint8_t>()
                                   : buffer_.bytes().subspan(kMaxHttpFieldSection, body_bytes_),
          .early = false};
}

absl::string_view HttpRequestBuilder::value(Kept kept) const {
  const Place& place = places_[kept];
  if (!place.present || place.size == 0) return {};
  return {reinterpret_cast<const char*>(buffer_.bytes().data()) + place.offset, place.size};
}

}  // namespace sluice
