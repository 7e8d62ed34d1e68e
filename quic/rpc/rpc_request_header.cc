#include "quic/rpc/rpc_request_header.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "quic/rpc/protobuf_fields.h"

namespace sluice {
namespace {

// The numbers of proto/quic/v1/rpc_frames.proto.
constexpr uint32_t kMethod = 1;
constexpr uint32_t kToken = 2;
constexpr uint32_t kTimeout = 3;
constexpr int64_t kMaxTimeout = 0xFFFF'FFFF;

bool IsMethod(absl::string_view method) {
  return !method.empty() && method.size() <= kMaxRpcMethod &&
         std::all_of(method.begin(), method.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                  c == '/';
         });
}

bool IsToken(absl::string_view token) {
  return std::all_of(token.begin(), token.end(),
                     [](char c) { return absl::ascii_isgraph(static_cast<unsigned char>(c)); });
}

bool IsValid(const RpcRequestHeader& header) {
  return IsMethod(header.method) && IsToken(header.token);
}

}  // namespace

std::optional<RpcRequestHeader> DecodeRpcRequestHeader(absl::Span<const uint8_t> bytes) {
  RpcRequestHeader header;
  ProtobufFieldReader reader(bytes);
  ProtobufField field;
  while (reader.Next(field)) {
    if (field.number == kMethod && field.type == ProtobufWireType::kBytes) {
      header.method = field.text();
    } else if (field.number == kToken && field.type == ProtobufWireType::kBytes) {
      header.token = field.text();
    } else if (field.number == kTimeout && field.type == ProtobufWireType::kVarint) {
      // An uint32 is the lowest 32 bits of what is written.
      const uint32_t ms = static_cast<uint32_t>(field.value);
      header.timeout = ms == 0 ? TimeDelta::PlusInfinity() : TimeDelta::Millis(ms);
    }
  }
  if (reader.malformed() || !IsValid(header)) return std::nullopt;
  return header;
}

std::optional<absl::Span<const uint8_t>> EncodeRpcRequestHeader(const RpcRequestHeader& header,
                                                                absl::Span<uint8_t> buffer) {
  if (!IsValid(header)) return std::nullopt;
  absl::Span<uint8_t> rest = buffer;
  if (!WriteProtobufText(rest, kMethod, header.method)) return std::nullopt;
  if (!header.token.empty() && !WriteProtobufText(rest, kToken, header.token)) return std::nullopt;
  if (header.timeout != TimeDelta::PlusInfinity()) {
    const int64_t up = (header.timeout + TimeDelta::Micros(999)).ms();
    const int64_t ms = std::clamp<int64_t>(up, 1, kMaxTimeout);
    if (!WriteProtobufVarint(rest, kTimeout, static_cast<uint64_t>(ms))) return std::nullopt;
  }
  return buffer.first(buffer.size() - rest.size());
}

}  // namespace sluice
