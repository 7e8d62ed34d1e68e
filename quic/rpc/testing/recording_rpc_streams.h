#ifndef QUIC_RPC_TESTING_RECORDING_RPC_STREAMS_H_
#define QUIC_RPC_TESTING_RECORDING_RPC_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// Remembers what is done to streams, and takes as many bytes as the test says.
class RecordingRpcStreams : public RpcClientStreams {
 public:
  struct Stream {
    std::vector<uint8_t> written;
    // Bytes that will be taken.
    size_t room = std::numeric_limits<size_t>::max();
    bool fin = false;
    std::optional<RpcErrorCode> reset;
    std::optional<RpcErrorCode> stopped;
  };

  size_t Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) override;
  void Reset(RpcStreamId id, RpcErrorCode code) override { streams_[id].reset = code; }
  void StopSending(RpcStreamId id, RpcErrorCode code) override { streams_[id].stopped = code; }
  std::optional<RpcStreamId> Open() override;

  // Made when it is first asked for.
  Stream& stream(RpcStreamId id) { return streams_[id]; }
  // Streams that Open will still give, with the ids of a client; 100 at first.
  void AllowStreams(size_t count) { allowed_ = count; }
  // Room of streams that are not there yet.
  void SetRoomOfNewStreams(size_t room) { new_room_ = room; }

 private:
  std::map<RpcStreamId, Stream> streams_;
  size_t allowed_ = 100;
  size_t new_room_ = std::numeric_limits<size_t>::max();
  RpcStreamId next_ = 0;
};

}  // namespace sluice

#endif  // QUIC_RPC_TESTING_RECORDING_RPC_STREAMS_H_
