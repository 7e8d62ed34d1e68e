#ifndef QUIC_RPC_RPC_RESPONSE_READER_H_
#define QUIC_RPC_RPC_RESPONSE_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_frame_reader.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {

// What a server sends on a stream: any number of MESSAGEs, one STATUS, the end. Unknown frames may
// stand anywhere. Borrows a buffer for frames that come in more than one piece.
class RpcResponseReader {
 public:
  enum class Verdict : uint8_t {
    // All bytes were taken.
    kNeedsMore,
    // message() is the next one; call Next again.
    kMessage,
    // The end came; status() is how the call went.
    kStatus,
    // All others are final: the stream is of no more use.
    kFrameUnexpected,
    kFrameTooLong,
    kFrameMalformed,
    kTooMuchUnknown,
    // The end came in the middle of a frame or without a status.
    kTruncated,
    kNoBuffer,
  };

  // Takes bytes from the front of `data`, which are the next of the stream. `fin`: the stream ends
  // with them.
  [[nodiscard]] Verdict Next(absl::Span<const uint8_t>& data, bool fin, RpcBufferShare& share);

  // After kMessage, until the next call. Of `data` or of the buffer.
  absl::Span<const uint8_t> message() const { return payload_; }
  // After kStatus, likewise.
  const RpcStatus& status() const { return status_; }

 private:
  // One piece of a known frame. kNeedsMore unless it ends a message or is a fault.
  Verdict Take(const RpcFrameReader::Piece& piece, RpcBufferShare& share);
  // All of `data` was taken.
  Verdict End(bool fin, RpcBufferShare& share);

  RpcFrameReader frames_;
  // Has one in the middle of a frame, for a message until the next call, and for a status until the
  // end.
  RpcBuffer buffer_;
  size_t size_ = 0;
  absl::Span<const uint8_t> payload_;
  bool has_status_ = false;
  RpcStatus status_;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_RESPONSE_READER_H_
