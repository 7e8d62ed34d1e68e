#ifndef QUIC_RPC_RPC_FRAME_H_
#define QUIC_RPC_RPC_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quic/codec/varint.h"

namespace sluice {

// A frame on a stream of `sluice/1`: its type (one byte), the length of its payload (a
// variable-length integer, RFC 9000 section 16), its payload. README.md has the order of frames.
// Other values than these are types of the future, which are skipped.
enum class RpcFrameType : uint8_t {
  // A sluice.quic.v1.RequestHeader.
  kHeader = 0x01,
  // Opaque here: the message of a request or of a response.
  kMessage = 0x02,
  // A google.rpc.Status.
  kStatus = 0x03,
};

constexpr bool IsKnownRpcFrameType(uint8_t type) {
  return type >= static_cast<uint8_t>(RpcFrameType::kHeader) &&
         type <= static_cast<uint8_t>(RpcFrameType::kStatus);
}

// Payloads in bytes. A token with its claims and signature is below 1 KiB; 8 KiB is what HTTP
// servers allow a header.
inline constexpr size_t kMaxRpcHeader = 8 * 1024;
// Signalling messages are below 4 KiB; the rest is for lists of events.
inline constexpr size_t kMaxRpcMessage = 64 * 1024;
// A sentence and some details.
inline constexpr size_t kMaxRpcStatus = 4 * 1024;
// Frames of unknown types between two known ones, heads included: enough for any extension that
// may be ignored, too little to keep us busy.
inline constexpr size_t kMaxRpcUnknown = 16 * 1024;

// Type and length at most.
inline constexpr size_t kMaxRpcFrameHead = 1 + kMaxVarintSize;

using RpcFrameHead = std::array<uint8_t, kMaxRpcFrameHead>;

// Writes what stands before a payload of `length` bytes (at most kMaxVarint) to the front of
// `head`; how many bytes that is.
constexpr size_t WriteRpcFrameHead(RpcFrameType type, uint64_t length, RpcFrameHead& head) {
  head[0] = static_cast<uint8_t>(type);
  return 1 + Varint::Trusted(length).StoreTo(head.data() + 1);
}

}  // namespace sluice

#endif  // QUIC_RPC_RPC_FRAME_H_
