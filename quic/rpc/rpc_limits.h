#ifndef QUIC_RPC_RPC_LIMITS_H_
#define QUIC_RPC_RPC_LIMITS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "base/time_delta.h"

namespace sluice {

// What one connection's calls may take up. Sizes of frames are in rpc_frame.h, since both ends must
// agree on them.
struct RpcLimits {
  // Calls at a time: those of a participant are one stream of events and one or two others. 1 to
  // kMaxCalls.
  size_t calls = 16;
  // Of these, how many may have bytes waiting here: a request in pieces, an answer that the peer
  // does not read. 1 to kMaxBuffers. As many as calls: datagrams cut requests anywhere that are
  // made all at once, and then each of them needs one. Costs nothing: the memory is that of the
  // pool, which all connections share, and of which a source has a part however many it has.
  size_t buffers = 16;
  // From the opening of a stream to the end of the request. Above zero: a stream on which nothing
  // comes must not stay.
  TimeDelta request_timeout = TimeDelta::Seconds(10);
  // From when something of an answer began to wait for the peer's flow control to when all of that
  // must have gone out, and once more from the end of the call. Above zero: a client that reads
  // nothing must not keep buffers for as long as it likes.
  TimeDelta drain_timeout = TimeDelta::Seconds(10);

  // Streams are looked for one after the other.
  static constexpr size_t kMaxCalls = 256;
  static constexpr size_t kMaxBuffers = 256;
};

// InvalidArgument, naming the limit that is out of its range.
absl::Status CheckRpcLimits(const RpcLimits& limits);

}  // namespace sluice

#endif  // QUIC_RPC_RPC_LIMITS_H_
