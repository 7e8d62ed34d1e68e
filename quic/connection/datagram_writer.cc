#include "quic/connection/datagram_writer.h"

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/connection/ngtcp2_time.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/send_streams.h"

namespace sluice {

ngtcp2_ssize WriteDatagram(ngtcp2_conn& conn, SendStreams& streams, Timestamp now,
                           absl::Span<uint8_t> room, ngtcp2_path& path, ngtcp2_pkt_info& info) {
  while (true) {
    SendStream* stream = streams.NextToSend();
    std::array<SendStream::Piece, SendStream::kMaxPieces> pieces;
    std::array<ngtcp2_vec, SendStream::kMaxPieces> vectors;
    size_t count = 0;
    bool fin = false;
    if (stream != nullptr) {
      count = stream->Unsent(pieces);
      fin = stream->FinFollows(absl::MakeConstSpan(pieces).first(count));
      for (size_t i = 0; i < count; ++i) {
        // It only reads them; its type is for both directions.
        vectors[i] = {const_cast<uint8_t*>(pieces[i].data), pieces[i].size};
      }
    }
    uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
    if (stream != nullptr) flags |= NGTCP2_WRITE_STREAM_FLAG_MORE;
    if (fin) flags |= NGTCP2_WRITE_STREAM_FLAG_FIN;
    ngtcp2_ssize written = -1;
    const ngtcp2_ssize result = ngtcp2_conn_writev_stream(
        &conn, &path, &info, room.data(), room.size(), &written, flags,
        stream != nullptr ? stream->id() : -1, vectors.data(), count, ToNanoseconds(now));
    if (stream != nullptr && written >= 0) {
      stream->Sent(static_cast<size_t>(written), fin);
      streams.MoveToEnd(*stream);
    }
    switch (result) {
      case NGTCP2_ERR_WRITE_MORE:
        continue;
      case NGTCP2_ERR_STREAM_DATA_BLOCKED:  // Until something comes that may have given credit.
        stream->blocked = true;
        continue;
      case NGTCP2_ERR_STREAM_SHUT_WR:
        stream->stopped = !stream->shut;
        stream->shut = true;
        continue;
      case NGTCP2_ERR_STREAM_NOT_FOUND:
        streams.Forget(*stream);
        continue;
      default:
        return result;
    }
  }
}

}  // namespace sluice
