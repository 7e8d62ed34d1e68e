#ifndef QUIC_RPC_RPC_STATUS_H_
#define QUIC_RPC_RPC_STATUS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

// How calls end, with the numbers of google.rpc.Code: those that the protocol itself says.
enum class RpcCode : int32_t {
  kOk = 0,
  kCancelled = 1,
  kDeadlineExceeded = 4,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kInternal = 13,
};

// What a STATUS frame says: a google.rpc.Status. Views of the bytes that it was read from.
struct RpcStatus {
  // Any number that a peer cares to send; 0 is success.
  int32_t code = 0;
  // UTF-8 if the peer keeps to the rules. For people.
  absl::string_view message;
  // All of it, for who wants the details and has a parser.
  absl::Span<const uint8_t> encoded;
};

// Nothing when the bytes are no such message. Details are not looked into.
std::optional<RpcStatus> DecodeRpcStatus(absl::Span<const uint8_t> bytes);

// Sentences of ours at most.
inline constexpr size_t kMaxRpcStatusMessage = 256;
// Two tags, a code of ten bytes, a length of two.
using RpcStatusBuffer = std::array<uint8_t, kMaxRpcStatusMessage + 14>;

// A status without details, at the front of `buffer`. `message` is ASCII and cut at
// kMaxRpcStatusMessage.
absl::Span<const uint8_t> EncodeRpcStatus(RpcCode code, absl::string_view message,
                                          RpcStatusBuffer& buffer);

}  // namespace sluice

#endif  // QUIC_RPC_RPC_STATUS_H_
