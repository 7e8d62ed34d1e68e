#ifndef QUIC_IO_SOCKET_NAME_H_
#define QUIC_IO_SOCKET_NAME_H_

#include <sys/socket.h>

#include <optional>

#include "quic/connection/udp_path.h"

namespace sluice {

// An address as the kernel takes it. How many bytes of `name` it has.
socklen_t ToSocketName(const UdpAddress& address, sockaddr_storage& name);
// Nothing for what is neither an IPv4 nor an IPv6 address of the right size.
std::optional<UdpAddress> FromSocketName(const sockaddr_storage& name, socklen_t size);

}  // namespace sluice

#endif  // QUIC_IO_SOCKET_NAME_H_
