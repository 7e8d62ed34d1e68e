#include "quic/http3/testing/http_bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

void Append(std::vector<uint8_t>& to, absl::string_view text) {
  to.insert(to.end(), text.begin(), text.end());
}

// RFC 7541 section 5.1: a number behind `bits` bits of something else.
void AppendPrefixed(std::vector<uint8_t>& to, uint8_t first, int bits, size_t number) {
  const size_t most = (size_t{1} << bits) - 1;
  if (number < most) {
    to.push_back(static_cast<uint8_t>(first | number));
    return;
  }
  to.push_back(static_cast<uint8_t>(first | most));
  for (number -= most; number >= 0x80; number >>= 7) {
    to.push_back(static_cast<uint8_t>(number | 0x80));
  }
  to.push_back(static_cast<uint8_t>(number));
}

}  // namespace

std::vector<uint8_t> HttpVarint(uint64_t value) {
  std::array<uint8_t, kMaxVarintSize> bytes{};
  const size_t size = Varint::Trusted(value).StoreTo(bytes.data());
  return {bytes.data(), bytes.data() + size};
}

std::vector<uint8_t> HttpFrame(uint64_t type, absl::Span<const uint8_t> payload) {
  std::vector<uint8_t> frame = HttpVarint(type);
  const std::vector<uint8_t> size = HttpVarint(payload.size());
  frame.insert(frame.end(), size.begin(), size.end());
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

std::vector<uint8_t> HttpFrame(uint64_t type, absl::string_view payload) {
  return HttpFrame(type, std::vector<uint8_t>(payload.begin(), payload.end()));
}

std::vector<uint8_t> HttpSection(const HttpFields& fields) {
  // No table: both numbers of the prefix are zero.
  std::vector<uint8_t> section = {0, 0};
  for (const auto& [name, value] : fields) {
    AppendPrefixed(section, 0x20, 3, name.size());
    Append(section, name);
    AppendPrefixed(section, 0x00, 7, value.size());
    Append(section, value);
  }
  return section;
}

std::vector<uint8_t> HttpHeaders(const HttpFields& fields) {
  return HttpFrame(0x01, HttpSection(fields));
}

std::vector<uint8_t> HttpRequestBytes(absl::string_view method, absl::string_view path,
                                      absl::string_view body, const HttpFields& more) {
  HttpFields fields = {
      {":method", method}, {":scheme", "https"}, {":authority", "sluice.test"}, {":path", path}};
  fields.insert(fields.end(), more.begin(), more.end());
  std::vector<uint8_t> bytes = HttpHeaders(fields);
  return body.empty() ? bytes : Join({bytes, HttpFrame(0x00, body)});
}

std::vector<uint8_t> Join(const std::vector<std::vector<uint8_t>>& parts) {
  std::vector<uint8_t> whole;
  for (const std::vector<uint8_t>& part : parts)
    whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

}  // namespace sluice
