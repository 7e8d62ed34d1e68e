#ifndef GATEWAY_LEG_SRTP_MEMORY_H_
#define GATEWAY_LEG_SRTP_MEMORY_H_

#include <cstddef>

#include "gateway/leg/srtp_options.h"

namespace sluice {

// Live keys of one direction of a leg: as many as an SRTP context holds. Two are needed for a
// change from one to the next.
inline constexpr size_t kMaxKeysPerDirection = 8;

// SSRCs of one direction that lost their place and whose indices go on when they come back: twice
// as many as have a place, up to what an SRTP context takes.
size_t RememberedStreams(size_t max_streams);

// What every SRTP leg may have without being asked: the keys of both directions and one that is
// about to go, replay windows of the default sizes.
inline constexpr size_t kKeysOfEveryLeg = 3;

// Most bytes of one live key: session keys for SRTP and SRTCP in the form of the engine that needs
// most, the key itself, its MKI, and the cipher for header extensions.
inline constexpr size_t kLiveKeyBytes = 8 * 1024;

// Bytes that an SRTP leg takes beyond what every leg has: more keys, and wider replay windows for
// `max_streams` in each direction. At most, never less.
size_t ExtraSrtpBytes(const SrtpOptions& local, const SrtpOptions& remote, size_t max_streams,
                      size_t live_keys);

}  // namespace sluice

#endif  // GATEWAY_LEG_SRTP_MEMORY_H_
