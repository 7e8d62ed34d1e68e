#include "quic/rpc/rpc_status.h"

#include "base/check.h"
#include "quic/rpc/protobuf_fields.h"

namespace sluice {
namespace {

// The numbers of google/rpc/status.proto.
constexpr uint32_t kCode = 1;
constexpr uint32_t kMessage = 2;

}  // namespace

std::optional<RpcStatus> DecodeRpcStatus(absl::Span<const uint8_t> bytes) {
  RpcStatus status = {.code = 0, .message = {}, .encoded = bytes};
  ProtobufFieldReader reader(bytes);
  ProtobufField field;
  while (reader.Next(field)) {
    if (field.number == kCode && field.type == ProtobufWireType::kVarint) {
      // An int32 is the lowest 32 bits of what is written.
      status.code = static_cast<int32_t>(static_cast<uint32_t>(field.value));
    } else if (field.number == kMessage && field.type == ProtobufWireType::kBytes) {
      status.message = field.text();
    }
  }
  if (reader.malformed()) return std::nullopt;
  return status;
}

absl::Span<const uint8_t> EncodeRpcStatus(RpcCode code, absl::string_view message,
                                          RpcStatusBuffer& buffer) {
  absl::Span<uint8_t> rest = absl::MakeSpan(buffer);
  bool fits = true;
  // As protocol buffers do, what has its default value is left out.
  if (code != RpcCode::kOk) {
    fits = WriteProtobufVarint(rest, kCode, static_cast<uint64_t>(code));
  }
  message = message.substr(0, kMaxRpcStatusMessage);
  if (!message.empty()) fits = WriteProtobufText(rest, kMessage, message) && fits;
  SLUICE_DCHECK(fits);
  return absl::MakeConstSpan(buffer).first(buffer.size() - rest.size());
}

}  // namespace sluice
