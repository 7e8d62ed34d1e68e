#ifndef QUIC_HTTP3_TESTING_HTTP_BYTES_H_
#define QUIC_HTTP3_TESTING_HTTP_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

// Bytes of HTTP/3 as a client writes them, right or wrong, without asking anybody.

using HttpFields = std::vector<std::pair<absl::string_view, absl::string_view>>;

// The shortest form of a number (RFC 9000 section 16).
std::vector<uint8_t> HttpVarint(uint64_t value);
// A frame (RFC 9114 section 7.1).
std::vector<uint8_t> HttpFrame(uint64_t type, absl::Span<const uint8_t> payload);
std::vector<uint8_t> HttpFrame(uint64_t type, absl::string_view payload = "");
// A field section of literals, without Huffman's code (RFC 9204 section 4.5.6).
std::vector<uint8_t> HttpSection(const HttpFields& fields);
// HEADERS with that.
std::vector<uint8_t> HttpHeaders(const HttpFields& fields);
// A whole request with method, path, authority and these fields; DATA if there is a body.
std::vector<uint8_t> HttpRequestBytes(absl::string_view method, absl::string_view path,
                                      absl::string_view body = "", const HttpFields& more = {});
// One after the other.
std::vector<uint8_t> Join(const std::vector<std::vector<uint8_t>>& parts);

}  // namespace sluice

#endif  // QUIC_HTTP3_TESTING_HTTP_BYTES_H_
