#ifndef QUIC_HTTP3_TESTING_RECORDING_HTTP_STREAMS_H_
#define QUIC_HTTP3_TESTING_RECORDING_HTTP_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_streams.h"

namespace sluice {

// Remembers what is done to streams, and takes as many bytes as the test says.
class RecordingHttpStreams : public HttpStreams {
 public:
  struct Stream {
    std::vector<uint8_t> written;
    // Bytes that will be taken.
    size_t room = std::numeric_limits<size_t>::max();
    bool fin = false;
    std::optional<HttpErrorCode> reset;
    std::optional<HttpErrorCode> stopped;
  };

  std::optional<StreamId> OpenUnidirectional() override;
  size_t Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin) override;
  void Reset(StreamId id, HttpErrorCode code) override { streams_[id].reset = code; }
  void StopSending(StreamId id, HttpErrorCode code) override { streams_[id].stopped = code; }

  // Made when it is first asked for.
  Stream& stream(StreamId id) { return streams_[id]; }
  // Streams that OpenUnidirectional will still give; 3 at first.
  void AllowStreams(size_t count) { allowed_ = count; }

 private:
  std::map<StreamId, Stream> streams_;
  size_t allowed_ = 3;
  StreamId next_ = 3;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_TESTING_RECORDING_HTTP_STREAMS_H_
