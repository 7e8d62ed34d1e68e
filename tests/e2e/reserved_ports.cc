#include "tests/e2e/reserved_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

constexpr int kLowestPort = 10240;
constexpr int kBlockPorts = 64;

// Ports from here on are given out by the kernel to sockets that do not ask for one.
int FirstEphemeralPort() {
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 32768;
  range >> first;
  // Where that range takes nearly all ports, there is nothing to stay out of.
  return first < kLowestPort + 100 * kBlockPorts ? 65536 : first;
}

// A socket whose abstract name says that the block is taken; -1 when another process has it. The
// kernel frees the name with the process, however that ends, and the name is valid in the same
// network namespace as the ports.
int ClaimBlock(int block) {
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return -1;
  }
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = absl::StrCat("sluice-e2e-ports-", block);
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

// Whether no socket of either family holds the port on any address.
bool IsFree(int port) {
  const int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return true;
  }
  const int off = 0;
  setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<uint16_t>(port));
  const bool free = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

void CloseAll(std::vector<int>& fds) {
  for (const int fd : fds) {
    close(fd);
  }
  fds.clear();
}

// Claims `count` blocks from `block` on, all free; empty when that does not work.
std::vector<int> ClaimBlocks(int block, int count) {
  std::vector<int> claims;
  for (int i = 0; i < count; ++i) {
    const int claim = ClaimBlock(block + i);
    bool good = claim >= 0;
    if (good) {
      claims.push_back(claim);
    }
    for (int port = 0; good && port < kBlockPorts; ++port) {
      good = IsFree(kLowestPort + (block + i) * kBlockPorts + port);
    }
    if (!good) {
      CloseAll(claims);
      return claims;
    }
  }
  return claims;
}

}  // namespace

absl::StatusOr<ReservedPorts> ReservedPorts::Reserve(size_t ports) {
  const int blocks = (FirstEphemeralPort() - kLowestPort) / kBlockPorts;
  const int wanted = static_cast<int>((ports + kBlockPorts - 1) / kBlockPorts);
  if (wanted > blocks) {
    return absl::InvalidArgumentError(absl::StrCat(ports, " ports are more than there are"));
  }
  // Processes begin to look at different places, so that they seldom meet.
  const int places = blocks - wanted + 1;
  const int start = static_cast<int>((static_cast<int64_t>(getpid()) * 37) % places);
  for (int i = 0; i < places; ++i) {
    const int block = (start + i) % places;
    std::vector<int> claims = ClaimBlocks(block, wanted);
    if (!claims.empty()) {
      const int first = kLowestPort + block * kBlockPorts;
      return ReservedPorts(static_cast<uint16_t>(first),
                           static_cast<uint16_t>(first + static_cast<int>(ports) - 1),
                           std::move(claims));
    }
  }
  return absl::ResourceExhaustedError(absl::StrCat("no ", ports, " consecutive free UDP ports"));
}

ReservedPorts::ReservedPorts(uint16_t first, uint16_t last, std::vector<int> claims)
    : first_(first), last_(last), claims_(std::move(claims)) {}

ReservedPorts::ReservedPorts(ReservedPorts&& other) noexcept
    : first_(other.first_), last_(other.last_), claims_(std::exchange(other.claims_, {})) {}

ReservedPorts& ReservedPorts::operator=(ReservedPorts&& other) noexcept {
  if (this != &other) {
    CloseAll(claims_);
    first_ = other.first_;
    last_ = other.last_;
    claims_ = std::exchange(other.claims_, {});
  }
  return *this;
}

ReservedPorts::~ReservedPorts() { CloseAll(claims_); }

}  // namespace sluice
