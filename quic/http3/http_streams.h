#ifndef QUIC_HTTP3_HTTP_STREAMS_H_
#define QUIC_HTTP3_HTTP_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_error_code.h"

namespace sluice {

// Streams of the connection on which requests are answered. What is said on a stream that is gone
// is lost. The thread of the connection.
class HttpStreams {
 public:
  virtual ~HttpStreams() = default;

  // A stream of the server's; nothing while the client allows no more.
  virtual std::optional<StreamId> OpenUnidirectional() = 0;
  // As QuicConnection::Write.
  virtual size_t Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin) = 0;
  // Gives up sending, and forgets what was not sent.
  virtual void Reset(StreamId id, HttpErrorCode code) = 0;
  // Wants no more data of the client's.
  virtual void StopSending(StreamId id, HttpErrorCode code) = 0;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_STREAMS_H_
