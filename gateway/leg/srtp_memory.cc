#include "gateway/leg/srtp_memory.h"

#include <algorithm>

namespace sluice {
namespace {

// As StreamTable::kMaxCapacity of srtp/stream_table.h.
constexpr size_t kMaxRememberedStreams = 1024;

// Contexts that an SRTP receiver has beside those of its streams.
constexpr size_t kSpareContexts = 2;

size_t ExtraWindowBytes(size_t window, size_t every, size_t max_streams) {
  return window > every ? (window - every) / 8 * (max_streams + kSpareContexts) : 0;
}

}  // namespace

size_t RememberedStreams(size_t max_streams) {
  return std::min(2 * max_streams, kMaxRememberedStreams);
}

size_t ExtraSrtpBytes(const SrtpOptions& local, const SrtpOptions& remote, size_t max_streams,
                      size_t live_keys) {
  const SrtpOptions every;
  size_t bytes = 0;
  bytes += ExtraWindowBytes(local.rtp_replay_window, every.rtp_replay_window, max_streams);
  bytes += ExtraWindowBytes(remote.rtp_replay_window, every.rtp_replay_window, max_streams);
  bytes += ExtraWindowBytes(remote.rtcp_replay_window, every.rtcp_replay_window, max_streams);
  bytes += live_keys > kKeysOfEveryLeg ? (live_keys - kKeysOfEveryLeg) * kLiveKeyBytes : 0;
  return bytes;
}

}  // namespace sluice
