#ifndef TOOLS_LOAD_UDP_ADDRESS_TEXT_H_
#define TOOLS_LOAD_UDP_ADDRESS_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// "192.0.2.1:4433" or "[2001:db8::1]:4433"; port 0 is one. InvalidArgument, with the text, for
// anything else.
absl::StatusOr<UdpAddress> ParseUdpAddress(absl::string_view text);

// The reverse.
std::string ToText(const UdpAddress& address);

}  // namespace sluice

#endif  // TOOLS_LOAD_UDP_ADDRESS_TEXT_H_
