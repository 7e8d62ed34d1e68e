#ifndef QUIC_HTTP3_HTTP_OUTFLOW_H_
#define QUIC_HTTP3_HTTP_OUTFLOW_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/waiting_bytes.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_streams.h"

namespace sluice {

// What was to be sent on one stream and has not been taken by the connection yet. A frame goes out
// whole or not at all, or the stream is broken.
class HttpOutflow {
 public:
  enum class Verdict : uint8_t {
    // The connection has it, or it waits here.
    kTaken,
    // Nothing of it was taken: too much waits already, or there is nowhere to wait.
    kRefused,
    // Half of it was sent, and there is nowhere for the rest: the stream must be reset.
    kBroken,
  };

  // Type and length of a DATA frame.
  static constexpr size_t kMaxDataHead = 9;
  // A buffer's worth: the longest piece, and the fields before it.
  static constexpr size_t kMaxWaiting = HttpBufferPool::kBufferSize;
  static_assert(kMaxWaiting >= kMaxHttpPiece + kMaxDataHead, "the longest piece may wait alone");

  // Sends bytes that are a frame already.
  [[nodiscard]] Verdict SendFrame(StreamId id, absl::Span<const uint8_t> frame,
                                  HttpStreams& streams, HttpBufferShare& share) {
    return Send(id, {}, frame, streams, share);
  }
  // Sends up to kMaxHttpPiece bytes as a DATA frame.
  [[nodiscard]] Verdict SendData(StreamId id, absl::Span<const uint8_t> piece, HttpStreams& streams,
                                 HttpBufferShare& share);
  // Nothing comes after it. Something was sent before. Whether all of that went out.
  bool Finish(StreamId id, HttpStreams& streams);
  // Goes on after OnWritable; whether nothing waits any more.
  bool Flush(StreamId id, HttpStreams& streams);
  // Forgets what waits.
  void Clear();

  size_t waiting() const { return waiting_.size(); }

 private:
  Verdict Send(StreamId id, absl::Span<const uint8_t> front, absl::Span<const uint8_t> rest,
               HttpStreams& streams, HttpBufferShare& share);

  WaitingBytes waiting_;
  bool fin_ = false;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_OUTFLOW_H_
