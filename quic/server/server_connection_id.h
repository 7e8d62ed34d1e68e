#ifndef QUIC_SERVER_SERVER_CONNECTION_ID_H_
#define QUIC_SERVER_SERVER_CONNECTION_ID_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "quic/codec/connection_id.h"

namespace sluice {

// How a server's connections are called: the number of their thread and 15 random bytes. All have
// one length, because a short header does not say it (RFC 9000 section 17.3). The number lets any
// thread hand a datagram to the one that has the connection, wherever the kernel delivered it after
// the client moved; it tells an observer one of a handful of threads, and nothing that he could not
// see from the address.
inline constexpr size_t kServerConnectionIdSize = 16;

inline ConnectionId DrawServerConnectionId(uint8_t thread, RandomSource& random) {
  std::array<uint8_t, kServerConnectionIdSize> bytes;
  bytes[0] = thread;
  random.Fill(absl::MakeSpan(bytes).subspan(1));
  return ConnectionId(bytes);
}

// `id` is kServerConnectionIdSize bytes of a server's.
inline uint8_t ThreadOf(const ConnectionId& id) { return id.padded()[0]; }

}  // namespace sluice

#endif  // QUIC_SERVER_SERVER_CONNECTION_ID_H_
