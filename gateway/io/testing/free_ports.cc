#include "gateway/io/testing/free_ports.h"

#include <cstdlib>

#include "base/check.h"
#include "gateway/io/system_random.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/udp_socket.h"
#include "gateway/net/transport_address.h"

namespace sluice {
namespace {

// Below is taken by services, above by the kernel (net.ipv4.ip_local_port_range).
constexpr uint16_t kLowest = 10'000;
constexpr uint16_t kEnd = 32'000;

constexpr int kMaxTries = 1'000;

bool IsFree(uint16_t port) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    if (!UdpSocket::Open({Loopback(family), port}).ok()) return false;
  }
  return true;
}

}  // namespace

PortRange FindFreePorts(size_t pairs) {
  SLUICE_CHECK(pairs >= 1 && 2 * pairs < kEnd - kLowest);
  // Not seeded: tests that run side by side must not look at the same places.
  SystemRandom random;
  for (int i = 0; i < kMaxTries; ++i) {
    const size_t first = kLowest + 2 * random.Below((kEnd - kLowest) / 2 - pairs);
    size_t port = first;
    while (port < first + 2 * pairs && IsFree(static_cast<uint16_t>(port))) ++port;
    if (port == first + 2 * pairs) {
      return {static_cast<uint16_t>(first), static_cast<uint16_t>(port - 1)};
    }
  }
  SLUICE_CHECK(false) << "found no " << pairs << " free pairs of ports";
  std::abort();
}

}  // namespace sluice
