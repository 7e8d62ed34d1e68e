#include "quic/http3/testing/recording_http_streams.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/check.h"

namespace sluice {

std::optional<StreamId> RecordingHttpStreams::OpenUnidirectional() {
  if (allowed_ == 0) return std::nullopt;
  --allowed_;
  const StreamId id = next_;
  next_ += 4;
  return id;
}

size_t RecordingHttpStreams::Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  Stream& stream = streams_[id];
  if (stream.reset.has_value()) return 0;
  SLUICE_CHECK(!stream.fin) << "something behind the end of stream " << id;
  const size_t taken = std::min(bytes.size(), stream.room);
  stream.room -= taken;
  stream.written.insert(stream.written.end(), bytes.begin(),
                        bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  stream.fin = fin && taken == bytes.size();
  return taken;
}

}  // namespace sluice
