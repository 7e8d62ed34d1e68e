#include "quic/connection/connection_end.h"

#include <ngtcp2/ngtcp2.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/ngtcp2_path.h"
#include "quic/connection/ngtcp2_time.h"
#include "quic/connection/udp_path.h"

namespace sluice {

Ending EndingOf(int error, ngtcp2_conn& conn) {
  Ending ending;
  ngtcp2_ccerr_default(&ending.error);
  switch (error) {
    case NGTCP2_ERR_DRAINING: {
      const ngtcp2_ccerr& said = *ngtcp2_conn_get_ccerr(&conn);
      ending.manner = Ending::Manner::kDrain;
      ending.reason = {said.type == NGTCP2_CCERR_TYPE_APPLICATION ? CloseCause::kRemoteApplication
                                                                  : CloseCause::kRemoteTransport,
                       said.error_code};
      return ending;
    }
    case NGTCP2_ERR_IDLE_CLOSE:
      ending.reason = {CloseCause::kIdleTimeout, 0};
      return ending;
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
      ending.reason = {CloseCause::kHandshakeTimeout, 0};
      return ending;
    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:
      ending.reason = {CloseCause::kDropped, 0};
      return ending;
    case NGTCP2_ERR_CRYPTO:
      ngtcp2_ccerr_set_tls_alert(&ending.error, ngtcp2_conn_get_tls_alert(&conn), nullptr, 0);
      break;
    default:
      ngtcp2_ccerr_set_liberr(&ending.error, error, nullptr, 0);
      break;
  }
  ending.manner = Ending::Manner::kTell;
  ending.reason = {CloseCause::kLocalTransport, ending.error.error_code};
  return ending;
}

Ending EndingByApplication(uint64_t code) {
  Ending ending;
  ending.manner = Ending::Manner::kTell;
  ending.reason = {CloseCause::kLocalApplication, code};
  ngtcp2_ccerr_default(&ending.error);
  ngtcp2_ccerr_set_application_error(&ending.error, code, nullptr, 0);
  return ending;
}

bool ClosePacket::Write(ngtcp2_conn& conn, const ngtcp2_ccerr& error, Timestamp now,
                        DatagramOutbox& out) {
  bytes_.resize(kMaxSize);
  ngtcp2_path_storage path;
  ngtcp2_path_storage_zero(&path);
  ngtcp2_pkt_info info = {};
  const ngtcp2_ssize size = ngtcp2_conn_write_connection_close(
      &conn, &path.path, &info, bytes_.data(), bytes_.size(), &error, ToNanoseconds(now));
  bytes_.resize(size > 0 ? static_cast<size_t>(size) : 0);
  if (bytes_.empty()) return false;
  // A full outbox is no reason to stay silent for good: the peer will ask again.
  static_cast<void>(Send(FromNgtcp2(path.path), out));
  return true;
}

bool ClosePacket::Answer(const UdpPath& path, DatagramOutbox& out) {
  return std::has_single_bit(++received_) && Send(path, out);
}

bool ClosePacket::Send(const UdpPath& path, DatagramOutbox& out) const {
  const absl::Span<uint8_t> room = out.Reserve();
  if (room.empty()) return false;
  CopyBytes(room, bytes_);
  out.Commit(bytes_.size(), path, Ecn::kNotEct);
  return true;
}

}  // namespace sluice
