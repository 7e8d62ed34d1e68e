#ifndef QUIC_HTTP3_HTTP_BUFFER_POOL_H_
#define QUIC_HTTP3_HTTP_BUFFER_POOL_H_

#include <cstddef>

#include "base/buffer_pool.h"
#include "quic/http3/http_limits.h"

namespace sluice {

// Memory for requests of all connections of a thread: for requests that are not complete, and for
// answers that a client does not read as fast as they are written. Most need it for a moment only.
class HttpBufferPool : public BufferPool {
 public:
  // Fields and body of a request. Also an answer's fields and the longest piece.
  static constexpr size_t kBufferSize = kMaxHttpFieldSection + kMaxHttpBody;

  explicit HttpBufferPool(size_t buffers) : BufferPool(buffers, kBufferSize) {}
};

// Room for a whole request.
using HttpBuffer = LentBuffer;
// What one connection may have.
using HttpBufferShare = BufferShare;

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_BUFFER_POOL_H_
