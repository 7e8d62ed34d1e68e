#ifndef QUIC_CONNECTION_DATAGRAM_WRITER_H_
#define QUIC_CONNECTION_DATAGRAM_WRITER_H_

#include <ngtcp2/ngtcp2.h>

#include <cstdint>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/connection/send_streams.h"

namespace sluice {

// Writes one datagram of `conn` into `room`, with whatever it has to say by itself and as much of
// its streams as fits, in turn; how many bytes, 0 for none, or an error of ngtcp2. Remembers what
// of `streams` was sent, which of them are blocked or were stopped, and lets go of those that
// ngtcp2 does not know any more. `path` and `info` are where and how to send it.
ngtcp2_ssize WriteDatagram(ngtcp2_conn& conn, SendStreams& streams, Timestamp now,
                           absl::Span<uint8_t> room, ngtcp2_path& path, ngtcp2_pkt_info& info);

}  // namespace sluice

#endif  // QUIC_CONNECTION_DATAGRAM_WRITER_H_
