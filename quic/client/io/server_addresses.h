#ifndef QUIC_CLIENT_IO_SERVER_ADDRESSES_H_
#define QUIC_CLIENT_IO_SERVER_ADDRESSES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// What people write as the address of a server.
struct ServerTarget {
  friend bool operator==(const ServerTarget& a, const ServerTarget& b) = default;

  // A name or a literal, without brackets.
  std::string host;
  uint16_t port = 0;
};

// Reads "host:port", "192.0.2.1:port", "[2001:db8::1]:port", each maybe with "quic://" before it.
// InvalidArgument, naming the text, for anything else.
absl::StatusOr<ServerTarget> ParseServerTarget(absl::string_view text);

// What to look for in the server's certificate: the host's name or its address as it is written;
// for a loopback address "localhost", which certificates for this machine name, whichever of them
// it is.
std::string CertificateNameOf(const ServerTarget& target);

// More are not tried.
inline constexpr size_t kMaxServerAddresses = 8;

// Where the target is, in the order in which to try, at most kMaxServerAddresses. Asks the system,
// which may block for its own timeouts; NotFound, with its words, when it does not know.
absl::StatusOr<std::vector<UdpAddress>> ResolveServer(const ServerTarget& target);

// This host's address, port 0, from which `server` is reached now; Unavailable when there is none.
absl::StatusOr<UdpAddress> LocalAddressTowards(const UdpAddress& server);

// "192.0.2.1:443", "[2001:db8::1]:443".
std::string FormatUdpAddress(const UdpAddress& address);

}  // namespace sluice

#endif  // QUIC_CLIENT_IO_SERVER_ADDRESSES_H_
