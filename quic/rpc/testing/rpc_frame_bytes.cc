#include "quic/rpc/testing/rpc_frame_bytes.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace sluice {
namespace {

// 1, 2, 4 or 8 bytes, as RFC 9000 section 16 has it.
size_t ShortestSize(uint64_t value) {
  return value < 64 ? 1 : value < 16384 ? 2 : value < (uint64_t{1} << 30) ? 4 : 8;
}

// A field of text in the encoding of protocol buffers, shorter than 2^14.
void AppendField(int number, absl::string_view text, std::string& to) {
  to.push_back(static_cast<char>(number << 3 | 2));
  if (text.size() >= 128) to.push_back(static_cast<char>(text.size() | 128));
  to.push_back(static_cast<char>(text.size() >= 128 ? text.size() >> 7 : text.size()));
  to.append(text);
}

}  // namespace

RpcFrameBytes& RpcFrameBytes::Head(uint8_t type, uint64_t length, size_t length_size) {
  SLUICE_CHECK(length_size >= ShortestSize(length));
  bytes_.push_back(type);
  const uint64_t log2 = length_size == 1 ? 0 : length_size == 2 ? 1 : length_size == 4 ? 2 : 3;
  const uint64_t word = length | log2 << (8 * length_size - 2);
  for (size_t i = length_size; i > 0; --i) {
    bytes_.push_back(static_cast<uint8_t>(word >> 8 * (i - 1)));
  }
  return *this;
}

RpcFrameBytes& RpcFrameBytes::Frame(uint8_t type, absl::string_view payload, size_t length_size) {
  Head(type, payload.size(), length_size == 0 ? ShortestSize(payload.size()) : length_size);
  bytes_.insert(bytes_.end(), payload.begin(), payload.end());
  return *this;
}

RpcFrameBytes& RpcFrameBytes::Header(absl::string_view method, absl::string_view token,
                                     uint32_t timeout_ms) {
  std::string payload;
  AppendField(1, method, payload);
  if (!token.empty()) AppendField(2, token, payload);
  if (timeout_ms > 0) {
    payload.push_back(3 << 3);
    for (; timeout_ms >= 128; timeout_ms >>= 7) {
      payload.push_back(static_cast<char>(timeout_ms | 128));
    }
    payload.push_back(static_cast<char>(timeout_ms));
  }
  return Frame(RpcFrameType::kHeader, payload);
}

RpcFrameBytes& RpcFrameBytes::Status(uint8_t code, absl::string_view message) {
  SLUICE_CHECK(code < 128);
  std::string payload;
  if (code != 0) {
    payload.push_back(1 << 3);
    payload.push_back(static_cast<char>(code));
  }
  if (!message.empty()) AppendField(2, message, payload);
  return Frame(RpcFrameType::kStatus, payload);
}

absl::Span<const uint8_t> TextBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

std::string DescribeRpcFrames(absl::Span<const uint8_t> bytes) {
  std::string out;
  while (!bytes.empty()) {
    if (!out.empty()) out += ' ';
    const size_t length_size = bytes.size() < 2 ? 1 : size_t{1} << (bytes[1] >> 6);
    if (bytes.size() < 1 + length_size) return out + "...";
    uint64_t length = bytes[1] & 0x3F;
    for (size_t i = 1; i < length_size; ++i) length = length << 8 | bytes[1 + i];
    if (length > bytes.size() - 1 - length_size) return out + "...";
    const absl::Span<const uint8_t> payload = bytes.subspan(1 + length_size, length);
    absl::StrAppend(&out, static_cast<int>(bytes[0]), ":",
                    std::string(payload.begin(), payload.end()));
    bytes.remove_prefix(1 + length_size + payload.size());
  }
  return out;
}

}  // namespace sluice
