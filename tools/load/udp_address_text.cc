#include "tools/load/udp_address_text.h"

#include <arpa/inet.h>

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace sluice {

absl::StatusOr<UdpAddress> ParseUdpAddress(absl::string_view text) {
  const absl::Status bad = absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no address and port such as 127.0.0.1:4433 or [::1]:4433"));
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(text.substr(colon + 1), &port) ||
      port > 65535) {
    return bad;
  }
  absl::string_view ip = text.substr(0, colon);
  if (absl::ConsumePrefix(&ip, "[") && absl::ConsumeSuffix(&ip, "]")) {
    std::array<uint8_t, 16> bytes;
    if (inet_pton(AF_INET6, std::string(ip).c_str(), bytes.data()) != 1) return bad;
    return UdpAddress::V6(bytes, static_cast<uint16_t>(port));
  }
  std::array<uint8_t, 4> bytes;
  if (inet_pton(AF_INET, std::string(ip).c_str(), bytes.data()) != 1) return bad;
  return UdpAddress::V4(bytes, static_cast<uint16_t>(port));
}

std::string ToText(const UdpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> ip{};
  inet_ntop(address.is_v6() ? AF_INET6 : AF_INET, address.ip().data(), ip.data(), ip.size());
  return address.is_v6() ? absl::StrCat("[", ip.data(), "]:", address.port())
                         : absl::StrCat(ip.data(), ":", address.port());
}

}  // namespace sluice
