#ifndef QUIC_RPC_RPC_FRAME_READER_H_
#define QUIC_RPC_RPC_FRAME_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {

// Finds frames in the bytes of one direction of a stream, however they are cut. Keeps no payload:
// gives it in the pieces in which it comes. Knows neither order nor bounds of known frames; skips
// unknown ones.
class RpcFrameReader {
 public:
  enum class Verdict : uint8_t {
    // All bytes were taken, and the next piece is not there yet.
    kNeedsMore,
    kPiece,
    // Unknown frames that are, or say that they are, longer than kMaxRpcUnknown since the last
    // known one. The reader is of no more use.
    kTooMuchUnknown,
  };

  // A part of a known frame. The first one comes as soon as the length is known, and may be empty;
  // a frame without payload is one piece that is first and last.
  struct Piece {
    RpcFrameType type = RpcFrameType::kHeader;
    // Of the whole payload, as the peer says: up to kMaxVarint.
    uint64_t length = 0;
    // In the bytes given.
    absl::Span<const uint8_t> payload;
    bool first = false;
    bool last = false;
  };

  // Takes bytes from the front of `data` up to the end of one piece, which it writes to `piece`.
  [[nodiscard]] Verdict Next(absl::Span<const uint8_t>& data, Piece& piece);

  // Whether no frame has begun that has not ended.
  bool between_frames() const { return !in_frame_ && head_size_ == 0; }

 private:
  // Collects the head of a frame; whether it is complete.
  bool ReadHead(absl::Span<const uint8_t>& data);

  RpcFrameHead head_{};
  uint8_t head_size_ = 0;
  // The head was read and the payload was not.
  bool in_frame_ = false;
  bool first_ = false;
  uint8_t type_ = 0;
  uint64_t length_ = 0;
  uint64_t left_ = 0;
  // Bytes of unknown frames since the last known one.
  size_t unknown_ = 0;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_FRAME_READER_H_
