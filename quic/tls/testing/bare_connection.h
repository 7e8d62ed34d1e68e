#ifndef QUIC_TLS_TESTING_BARE_CONNECTION_H_
#define QUIC_TLS_TESTING_BARE_CONNECTION_H_

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <openssl/base.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/transport_parameters.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/tls_session.h"

namespace sluice {

// A connection of ngtcp2 and no more: it makes the handshake, takes what comes on streams and
// forgets it. With our TLS session, or with the glue that ngtcp2 brings, which is what ours is
// compared with; as a client with that one it can say any transport parameters, also wrong ones.
class BareConnection {
 public:
  // With our glue. `ssl` as for TlsSession; both others outlive the connection. With a large
  // `first_packet_number` packets carry four bytes of it.
  static std::unique_ptr<BareConnection> Client(Timestamp now, bssl::UniquePtr<SSL> ssl,
                                                const ApplicationProtocols& protocols,
                                                RandomSource& random,
                                                uint32_t first_packet_number = 0);
  // Answers `initial`, the first datagram of a client; null when it is none. Does not read it.
  static std::unique_ptr<BareConnection> Server(Timestamp now, absl::Span<const uint8_t> initial,
                                                bssl::UniquePtr<SSL> ssl,
                                                const ApplicationProtocols& protocols,
                                                RandomSource& random);
  // With the glue of ngtcp2; `ssl` is of a context that was configured by it. A client says `block`
  // for its transport parameters where there is one.
  static std::unique_ptr<BareConnection> StockClient(Timestamp now, bssl::UniquePtr<SSL> ssl,
                                                     const EndpointParameters& parameters,
                                                     std::optional<std::vector<uint8_t>> block,
                                                     RandomSource& random);
  static std::unique_ptr<BareConnection> StockServer(Timestamp now,
                                                     absl::Span<const uint8_t> initial,
                                                     bssl::UniquePtr<SSL> ssl,
                                                     const EndpointParameters& parameters,
                                                     RandomSource& random);
  ~BareConnection();
  BareConnection(const BareConnection&) = delete;
  BareConnection& operator=(const BareConnection&) = delete;

  // A stock client's transport parameters, once it is known how it calls itself; before its first
  // Write.
  void Say(std::vector<uint8_t> block) { block_ = std::move(block); }
  std::vector<uint8_t> own_id();

  // A datagram with `size` bytes on a new stream; once the handshake is done.
  std::vector<uint8_t> WriteStream(Timestamp now, size_t size);

  // Which packets are meant by InjectNext.
  enum class Kind : uint8_t { kInitial, kZeroRtt, kHandshake, kOneRtt };
  // The next packet of that kind that any bare connection of this thread seals and that has room
  // says `frames` instead of what it would, and padding. `reserved_bits` sets those of its header
  // that must be zero. Without frames it says nothing at all, not even padding: only a 1-RTT packet
  // whose number has four bytes can do that and still be decrypted.
  static void InjectNext(Kind kind, std::vector<uint8_t> frames, bool reserved_bits = false);
  // The next Initial packet has `with` in place of `what`, which is as long and is in it.
  static void ReplaceInNextInitial(std::vector<uint8_t> what, std::vector<uint8_t> with);
  // Whether InjectNext has happened.
  static bool injected();

  // Takes a datagram. False when the connection is over: Write then tells the peer once.
  bool Read(Timestamp now, absl::Span<const uint8_t> datagram);
  // The next datagram to send, empty when there is none. Does what is due.
  std::vector<uint8_t> Write(Timestamp now);

  ngtcp2_conn& conn() { return *conn_; }
  // Null with the glue of ngtcp2.
  TlsSession* tls() { return tls_.has_value() ? &*tls_ : nullptr; }
  SSL& ssl() { return *ssl_; }
  bool completed() { return ngtcp2_conn_get_handshake_completed(conn_) != 0; }
  // The code of the CONNECTION_CLOSE that came from the peer, if one did.
  std::optional<uint64_t> close_code_received();
  // What this side found, as an error of ngtcp2; 0 for nothing.
  int error() const { return error_; }

 private:
  explicit BareConnection(RandomSource& random) : random_(random) {}
  void Adopt(bssl::UniquePtr<SSL> ssl, const ApplicationProtocols* protocols);
  void NewClient(Timestamp now, const EndpointParameters& parameters,
                 uint32_t first_packet_number = 0);
  bool NewServer(Timestamp now, absl::Span<const uint8_t> initial,
                 const EndpointParameters& parameters);
  ngtcp2_callbacks Callbacks() const;
  int StartClient();

  RandomSource& random_;
  Timestamp now_ = Timestamp::Zero();
  std::optional<std::vector<uint8_t>> block_;
  ngtcp2_crypto_conn_ref reference_ = {};
  ngtcp2_conn* conn_ = nullptr;
  std::optional<TlsSession> tls_;
  bssl::UniquePtr<SSL> stock_ssl_;
  SSL* ssl_ = nullptr;
  int error_ = 0;
  bool said_error_ = false;
};

// Carries datagrams between both until neither has any, in virtual time that goes on by a
// millisecond with each round; `rounds` bounds it. Returns the time it became.
Timestamp Exchange(BareConnection& a, BareConnection& b, Timestamp now, int rounds = 20);

}  // namespace sluice

#endif  // QUIC_TLS_TESTING_BARE_CONNECTION_H_
