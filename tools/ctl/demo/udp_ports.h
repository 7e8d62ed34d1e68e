#ifndef TOOLS_CTL_DEMO_UDP_PORTS_H_
#define TOOLS_CTL_DEMO_UDP_PORTS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

// An even UDP port and the odd one above it, for RTP and RTCP, which nobody else has as long as
// they are held. For programs that want to be told their ports: release just before they start.
class PortPair {
 public:
  // Free ones on this address, chosen by the kernel.
  static absl::StatusOr<PortPair> Reserve(const std::string& ip);

  PortPair(PortPair&& other) noexcept;
  PortPair& operator=(PortPair&& other) = delete;
  ~PortPair() { Release(); }

  uint16_t rtp() const { return rtp_; }
  uint16_t rtcp() const { return static_cast<uint16_t>(rtp_ + 1); }

  void Release();

 private:
  PortPair(uint16_t rtp, int rtp_socket, int rtcp_socket);

  uint16_t rtp_;
  int sockets_[2];
};

// Whether a process has a UDP socket that is bound to this port: it will not miss what is sent
// there.
bool HasUdpPort(pid_t pid, uint16_t port);

// Inodes of the sockets bound to a port, from the text of /proc/net/udp or udp6.
std::vector<uint64_t> SocketInodes(absl::string_view proc_net_udp, uint16_t port);

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_UDP_PORTS_H_
