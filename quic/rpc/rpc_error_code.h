#ifndef QUIC_RPC_RPC_ERROR_CODE_H_
#define QUIC_RPC_RPC_ERROR_CODE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sluice {

// Why a stream of `sluice/1` was given up, or a connection closed: the application error code in
// RESET_STREAM, STOP_SENDING and CONNECTION_CLOSE (RFC 9000 sections 19.4, 19.5, 19.19). Numbers
// are part of the protocol and never change their meaning; whoever gets one that is not here treats
// it as kInternal.
enum class RpcErrorCode : uint64_t {
  // Nothing is wrong; the stream is just of no more use.
  kNone = 0x00,
  // Something failed that is not the peer's fault.
  kInternal = 0x01,
  // The client no longer wants the answer, or the server heard so.
  kCancelled = 0x02,
  // The server has done nothing of the call and will not: it may be made again elsewhere or later.
  kRefused = 0x03,
  // A frame that may not stand at its place: a second HEADER, a MESSAGE before it, anything after
  // a STATUS, a STATUS from a client.
  kFrameUnexpected = 0x04,
  // A frame that is longer than its type may be.
  kFrameTooLong = 0x05,
  // The stream ended in the middle of a frame or before the last one.
  kIncomplete = 0x06,
  // A HEADER or STATUS that is none.
  kFrameMalformed = 0x07,
  // More frames of unknown types than anybody has to skip.
  kTooMuchUnknown = 0x08,
  // A request that did not end, or an answer that was not read, in time.
  kTooSlow = 0x09,
  // A stream that this protocol has no use for: unidirectional, or opened by the server.
  kStreamUnexpected = 0x0a,
  // No memory for this call now.
  kOverloaded = 0x0b,
  // The peer makes work for nothing all the time: of connections only.
  kExcessiveLoad = 0x0c,
};
inline constexpr size_t kRpcErrorCodeCount = 13;

// For logs and counters: "frame_too_long"; "unknown" for a code that is not above. Static.
constexpr absl::string_view RpcErrorCodeName(uint64_t code) {
  constexpr absl::string_view kNames[kRpcErrorCodeCount] = {
      "none",          "internal",          "cancelled",
      "refused",       "frame_unexpected",  "frame_too_long",
      "incomplete",    "frame_malformed",   "too_much_unknown",
      "too_slow",      "stream_unexpected", "overloaded",
      "excessive_load"};
  return code < kRpcErrorCodeCount ? kNames[code] : "unknown";
}

}  // namespace sluice

#endif  // QUIC_RPC_RPC_ERROR_CODE_H_
