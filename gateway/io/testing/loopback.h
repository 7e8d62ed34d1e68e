#ifndef GATEWAY_IO_TESTING_LOOPBACK_H_
#define GATEWAY_IO_TESTING_LOOPBACK_H_

#include "gateway/net/transport_address.h"

namespace sluice {

// 127.0.0.1 or ::1.
inline IpAddress Loopback(IpFamily family) {
  if (family == IpFamily::kIpv4) return IpAddress::V4({127, 0, 0, 1});
  return IpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
}

}  // namespace sluice

#endif  // GATEWAY_IO_TESTING_LOOPBACK_H_
