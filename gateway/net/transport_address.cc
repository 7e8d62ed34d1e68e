#include "gateway/net/transport_address.h"

#include <arpa/inet.h>
#include <net/if.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// Longest text form: 39 characters of IPv6 (45 with a dotted tail), '%' and an interface name.
constexpr size_t kMaxTextSize = INET6_ADDRSTRLEN + 1 + IF_NAMESIZE;

// ::ffff:0:0/96 (RFC 4291 section 2.5.5.2).
constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

// fe80::/10 (RFC 4291 section 2.5.6).
bool IsLinkLocal(const std::array<uint8_t, 16>& bytes) {
  return bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80;
}

// Index of a zone given by name or number (RFC 4007 section 11.2); 0 if no interface has it.
uint32_t FindScope(const std::string& zone) {
  if (const uint32_t index = if_nametoindex(zone.c_str()); index != 0) {
    return index;
  }
  uint32_t index = 0;
  std::array<char, IF_NAMESIZE> name;
  if (absl::SimpleAtoi(zone, &index) && if_indextoname(index, name.data()) != nullptr) {
    return index;
  }
  return 0;
}

absl::Status NoAddress(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::string_view(text.data(), std::min(text.size(), kMaxTextSize)),
                   "\" is not an IPv4 or IPv6 address"));
}

}  // namespace

IpAddress IpAddress::V4(std::array<uint8_t, 4> bytes) {
  IpAddress ip;
  std::copy(bytes.begin(), bytes.end(), ip.bytes_.begin());
  return ip;
}

IpAddress IpAddress::V6(std::array<uint8_t, 16> bytes, uint32_t scope_id) {
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
    return V4({bytes[12], bytes[13], bytes[14], bytes[15]});
  }
  IpAddress ip;
  ip.family_ = IpFamily::kIpv6;
  ip.bytes_ = bytes;
  // A scope means something for link-local addresses only; kernels report it for those alone.
  ip.scope_id_ = IsLinkLocal(bytes) ? scope_id : 0;
  return ip;
}

absl::StatusOr<IpAddress> IpAddress::Parse(absl::string_view text) {
  // inet_pton reads to the first NUL, which a string of the API may have anywhere.
  if (text.size() > kMaxTextSize || text.find('\0') != absl::string_view::npos) {
    return NoAddress(text);
  }
  const size_t percent = text.find('%');
  const std::string address(text.substr(0, percent));
  if (percent == absl::string_view::npos) {
    std::array<uint8_t, 4> v4;
    if (inet_pton(AF_INET, address.c_str(), v4.data()) == 1) {
      return V4(v4);
    }
  }
  std::array<uint8_t, 16> v6;
  if (inet_pton(AF_INET6, address.c_str(), v6.data()) != 1) {
    return NoAddress(text);
  }
  if (percent == absl::string_view::npos) {
    return V6(v6);
  }
  const std::string zone(text.substr(percent + 1));
  if (!IsLinkLocal(v6)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" has a scope but is not a link-local address"));
  }
  const uint32_t scope_id = FindScope(zone);
  if (scope_id == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("no network interface is called \"", zone, "\""));
  }
  return V6(v6, scope_id);
}

bool IpAddress::IsLoopback() const {
  if (family_ == IpFamily::kIpv4) {
    return bytes_[0] == 127;
  }
  return bytes_[15] == 1 &&
         std::all_of(bytes_.begin(), bytes_.end() - 1, [](uint8_t b) { return b == 0; });
}

bool IpAddress::IsUnspecified() const {
  return std::all_of(bytes_.begin(), bytes_.end(), [](uint8_t b) { return b == 0; });
}

bool IpAddress::IsMulticast() const {
  return family_ == IpFamily::kIpv4 ? (bytes_[0] & 0xF0) == 0xE0 : bytes_[0] == 0xFF;
}

std::string IpAddress::ToString() const {
  std::array<char, INET6_ADDRSTRLEN> text;
  inet_ntop(family_ == IpFamily::kIpv4 ? AF_INET : AF_INET6, bytes_.data(), text.data(),
            static_cast<socklen_t>(text.size()));
  if (scope_id_ == 0) {
    return text.data();
  }
  std::array<char, IF_NAMESIZE> name;
  if (if_indextoname(scope_id_, name.data()) == nullptr) {
    return absl::StrCat(text.data(), "%", scope_id_);
  }
  return absl::StrCat(text.data(), "%", name.data());
}

std::string TransportAddress::ToString() const {
  if (ip.family() == IpFamily::kIpv4) {
    return absl::StrCat(ip.ToString(), ":", port);
  }
  return absl::StrCat("[", ip.ToString(), "]:", port);
}

}  // namespace sluice
