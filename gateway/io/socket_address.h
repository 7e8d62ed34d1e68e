#ifndef GATEWAY_IO_SOCKET_ADDRESS_H_
#define GATEWAY_IO_SOCKET_ADDRESS_H_

#include <sys/socket.h>

#include <optional>

#include "gateway/net/transport_address.h"

namespace sluice {

// Writes `address` in the kernel's form and returns how many bytes of `out` it takes.
socklen_t ToSockaddr(const TransportAddress& address, sockaddr_storage& out);

// The reverse; nothing when `size` bytes hold neither an IPv4 nor an IPv6 address.
std::optional<TransportAddress> FromSockaddr(const sockaddr_storage& address, socklen_t size);

}  // namespace sluice

#endif  // GATEWAY_IO_SOCKET_ADDRESS_H_
