#include "tools/ctl/demo/udp_ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// How often the neighbour of a free port may be taken. On an empty machine the first try succeeds.
constexpr int kTries = 64;

// A socket bound to ip:port, with port 0 to any; -1 and errno when that fails.
int BindUdp(const std::string& ip, uint16_t port) {
  sockaddr_in v4 = {};
  sockaddr_in6 v6 = {};
  const sockaddr* address;
  socklen_t size;
  if (inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address = reinterpret_cast<const sockaddr*>(&v4);
    size = sizeof(v4);
  } else if (inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    address = reinterpret_cast<const sockaddr*>(&v6);
    size = sizeof(v6);
  } else {
    errno = EINVAL;
    return -1;
  }
  const int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, address, size) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

uint16_t BoundPort(int fd) {
  // The port is at the same place for both families.
  sockaddr_in6 address = {};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin6_port);
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

// Whether one of the process's descriptors is the socket with this inode.
bool HasSocket(pid_t pid, uint64_t inode) {
  const std::string want = absl::StrCat("socket:[", inode, "]");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(absl::StrCat("/proc/", pid, "/fd"), error)) {
    if (fs::read_symlink(entry.path(), error).string() == want) return true;
  }
  return false;
}

}  // namespace

PortPair::PortPair(uint16_t rtp, int rtp_socket, int rtcp_socket)
    : rtp_(rtp), sockets_{rtp_socket, rtcp_socket} {}

PortPair::PortPair(PortPair&& other) noexcept
    : rtp_(other.rtp_),
      sockets_{std::exchange(other.sockets_[0], -1), std::exchange(other.sockets_[1], -1)} {}

absl::StatusOr<PortPair> PortPair::Reserve(const std::string& ip) {
  int error = 0;
  for (int i = 0; i < kTries; ++i) {
    const int first = BindUdp(ip, 0);
    if (first < 0) {
      error = errno;
      break;
    }
    const uint16_t port = BoundPort(first);
    const int second = BindUdp(ip, port ^ 1);
    if (second >= 0) {
      return port % 2 == 0 ? PortPair(port, first, second) : PortPair(port - 1, second, first);
    }
    error = errno;
    close(first);
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("no free pair of UDP ports on ", ip, ": ", std::strerror(error)));
}

void PortPair::Release() {
  for (int& fd : sockets_) {
    if (fd >= 0) close(std::exchange(fd, -1));
  }
}

std::vector<uint64_t> SocketInodes(absl::string_view proc_net_udp, uint16_t port) {
  // Columns: sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode ...
  constexpr size_t kLocalAddress = 1;
  constexpr size_t kInode = 9;
  std::vector<uint64_t> inodes;
  for (const absl::string_view line : absl::StrSplit(proc_net_udp, '\n')) {
    const std::vector<absl::string_view> columns =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (columns.size() <= kInode) continue;
    const std::pair<absl::string_view, absl::string_view> address =
        absl::StrSplit(columns[kLocalAddress], absl::MaxSplits(':', 1));
    uint32_t local_port = 0;
    uint64_t inode = 0;
    if (absl::SimpleHexAtoi(address.second, &local_port) && local_port == port &&
        absl::SimpleAtoi(columns[kInode], &inode)) {
      inodes.push_back(inode);
    }
  }
  return inodes;
}

bool HasUdpPort(pid_t pid, uint16_t port) {
  for (const char* table : {"udp", "udp6"}) {
    const std::string text = ReadText(absl::StrCat("/proc/", pid, "/net/", table));
    const std::vector<uint64_t> inodes = SocketInodes(text, port);
    if (std::any_of(inodes.begin(), inodes.end(),
                    [pid](uint64_t inode) { return HasSocket(pid, inode); })) {
      return true;
    }
  }
  return false;
}

}  // namespace sluice
