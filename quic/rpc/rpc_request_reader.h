#ifndef QUIC_RPC_RPC_REQUEST_READER_H_
#define QUIC_RPC_RPC_REQUEST_READER_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_frame_reader.h"
#include "quic/rpc/rpc_request_header.h"

namespace sluice {

// What a client sends on a stream: one HEADER, one MESSAGE, the end. Unknown frames may stand
// anywhere. Borrows a buffer from the first known frame on.
class RpcRequestReader {
 public:
  enum class Verdict : uint8_t {
    // So far so good.
    kIncomplete,
    // The end came, and all is there.
    kComplete,
    // All others are final: the stream is of no more use.
    kFrameUnexpected,
    kFrameTooLong,
    kFrameMalformed,
    kTooMuchUnknown,
    // The end came in the middle of a frame or before the message.
    kTruncated,
    kNoBuffer,
  };

  // Takes the next bytes of the stream. Nothing may come after `fin`, or after a final verdict.
  [[nodiscard]] Verdict Read(absl::Span<const uint8_t> data, bool fin, RpcBufferShare& share);

  // After kComplete. Views of the buffer.
  const RpcRequestHeader& header() const { return header_; }
  absl::Span<const uint8_t> message() const {
    return buffer_.bytes().subspan(header_size_, message_size_);
  }
  // Hands over the buffer; header() and message() from before last as long as it.
  RpcBuffer TakeBuffer() { return std::move(buffer_); }

 private:
  enum class Wanted : uint8_t { kHeader, kMessage, kEnd };

  // One piece of a known frame. kIncomplete or a fault.
  Verdict Take(const RpcFrameReader::Piece& piece, RpcBufferShare& share);
  // Whether a frame of that type and length may begin; kIncomplete or a fault.
  Verdict Begin(RpcFrameType type, uint64_t length) const;

  RpcFrameReader frames_;
  Wanted wanted_ = Wanted::kHeader;
  // The header's payload, and the message's right behind it.
  RpcBuffer buffer_;
  size_t header_size_ = 0;
  size_t message_size_ = 0;
  RpcRequestHeader header_;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_REQUEST_READER_H_
