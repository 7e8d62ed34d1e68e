#ifndef QUIC_RPC_RPC_REQUEST_HEADER_H_
#define QUIC_RPC_RPC_REQUEST_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/time_delta.h"

namespace sluice {

// A method's name at most; the longest that there is has a dozen letters.
inline constexpr size_t kMaxRpcMethod = 64;

// What a HEADER frame says: sluice.quic.v1.RequestHeader (proto/quic/v1/rpc_frames.proto).
struct RpcRequestHeader {
  friend bool operator==(const RpcRequestHeader& a, const RpcRequestHeader& b) = default;

  // 1 to kMaxRpcMethod letters, digits, '.', '_' and '/'.
  absl::string_view method;
  // Printable ASCII without blanks; empty for none. Not yet verified.
  absl::string_view token;
  // Whole milliseconds, 1 to 2^32 - 1; PlusInfinity() for none.
  TimeDelta timeout = TimeDelta::PlusInfinity();
};

// Views of `bytes`. Nothing when they are no such message or a field breaks its rule. As any reader
// of protocol buffers, ignores fields that it does not know and takes the last of those that come
// twice.
std::optional<RpcRequestHeader> DecodeRpcRequestHeader(absl::Span<const uint8_t> bytes);

// Writes to the front of `buffer`, and returns what was written. A timeout is rounded up to
// milliseconds and to the range. Nothing when a field breaks its rule or does not fit.
std::optional<absl::Span<const uint8_t>> EncodeRpcRequestHeader(const RpcRequestHeader& header,
                                                                absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // QUIC_RPC_RPC_REQUEST_HEADER_H_
