#ifndef QUIC_TLS_APPLICATION_PROTOCOLS_H_
#define QUIC_TLS_APPLICATION_PROTOCOLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_template.h"

namespace sluice {

// One thing that can be spoken over QUIC, and what its connections may use.
struct ApplicationProtocol {
  // As in ALPN (RFC 7301): 1 to 255 bytes, "sluice/1", "h3".
  std::string name;
  // What we offer on a connection that speaks it.
  EndpointParameters parameters{};
  // Whether a client that was here before may send data before the handshake ends (0-RTT). Such
  // data can be replayed by anybody who saw it: only for what may happen twice (RFC 9001 section
  // 9.2).
  bool early_data = false;
  // Whatever else must not have changed since a ticket was given, for its 0-RTT to be accepted.
  std::string early_data_epoch{};
};

// What an endpoint speaks, best first. A value that does not change after Create: any number of
// threads may ask it.
class ApplicationProtocols {
 public:
  // Bounds the time that Select takes, and the ClientHello.
  static constexpr size_t kMaxProtocols = 16;
  static constexpr size_t kMaxNameSize = 255;

  struct Entry {
    ApplicationProtocol protocol;
    // protocol.parameters, encoded once.
    TransportParametersTemplate transport_parameters;
    // What must be the same for 0-RTT, byte by byte: the remembered parameters (RFC 9000 section
    // 7.4.1) and the epoch. Never empty.
    std::vector<uint8_t> early_data_context;
  };

  // InvalidArgument, with a sentence, when there are none or too many, a name is too short, too
  // long or there twice, or CheckNgtcp2Parameters refuses the parameters of one.
  static absl::StatusOr<ApplicationProtocols> Create(std::vector<ApplicationProtocol> protocols);

  // The best one that a client offers, whose list has the form of ALPN: a length of one byte before
  // each name. Null when there is none; a list that is cut off offers what was whole.
  const Entry* Select(absl::Span<const uint8_t> offered) const;
  // The one of that name, or null.
  const Entry* Find(absl::string_view name) const;
  // The one that counts until one is selected.
  const Entry& best() const { return entries_.front(); }
  // All names in the form of ALPN: what a client offers.
  absl::Span<const uint8_t> offer() const { return offer_; }

 private:
  explicit ApplicationProtocols(std::vector<Entry> entries);

  std::vector<Entry> entries_;
  std::vector<uint8_t> offer_;
};

}  // namespace sluice

#endif  // QUIC_TLS_APPLICATION_PROTOCOLS_H_
