#include "quic/rpc/testing/recording_rpc_streams.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {

size_t RecordingRpcStreams::Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  Stream& stream = streams_[id];
  SLUICE_CHECK(!bytes.empty()) << "nothing is written to stream " << id;
  SLUICE_CHECK(!stream.fin) << "written behind the end of stream " << id;
  if (stream.reset.has_value()) return 0;
  const size_t size = std::min(bytes.size(), stream.room);
  stream.written.insert(stream.written.end(), bytes.begin(), bytes.begin() + size);
  stream.room -= size;
  stream.fin = fin && size == bytes.size();
  return size;
}

std::optional<RpcStreamId> RecordingRpcStreams::Open() {
  if (allowed_ == 0) return std::nullopt;
  --allowed_;
  const RpcStreamId id = next_;
  next_ += 4;
  streams_[id].room = new_room_;
  return id;
}

}  // namespace sluice
