#ifndef TOOLS_LOAD_LOSSY_RELAY_H_
#define TOOLS_LOAD_LOSSY_RELAY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gateway/io/udp_socket.h"
#include "gateway/net/transport_address.h"
#include "tests/e2e/deadline.h"
#include "tools/load/loss_gate.h"

namespace sluice {

// The two ends that a relay stands between, A and B, are 0 and 1 in every array here; a direction
// is called by the end it comes from.

struct LossyRelayOptions {
  // Where both ends send to; its family is that of all addresses.
  IpAddress ip = IpAddress::V4({127, 0, 0, 1});
  // RTCP has ports of its own.
  bool rtcp_ports = false;
  // Where each end receives. Not given: where its first datagram comes from.
  std::array<std::optional<TransportAddress>, 2> rtp_ends;
  std::array<std::optional<TransportAddress>, 2> rtcp_ends;
  std::array<uint32_t, 2> lost_per_million{};
  bool lose_rtcp = false;
  uint64_t seed = 1;
};

// Datagrams of one direction.
struct LossyRelayCounters {
  // By RelayedKind.
  std::array<uint64_t, 3> forwarded{};
  std::array<uint64_t, 3> dropped{};
  // Not from the end that this side belongs to.
  uint64_t strangers = 0;
  // Where the other end is was not known yet.
  uint64_t no_destination = 0;
  // Not taken by the kernel, or lost in its receive buffer: losses that nobody ordered.
  uint64_t not_sent = 0;
  uint64_t overflowed = 0;
};

// Forwards datagrams between two ends and loses some of them. Knows nothing of streams or keys. One
// thread.
class LossyRelay {
 public:
  // InvalidArgument when families are mixed; else what binding a port says.
  static absl::StatusOr<LossyRelay> Open(const LossyRelayOptions& options);

  // Where an end is to send.
  const TransportAddress& rtp_address(size_t end) const;
  // Nothing without ports for RTCP.
  std::optional<TransportAddress> rtcp_address(size_t end) const;

  // Forwards until `stop_fd` is readable, or the deadline. What came before that is still
  // forwarded.
  void Run(int stop_fd, std::optional<Deadline> deadline);

  const LossyRelayCounters& counters(size_t end) const { return counters_[end]; }

  // One line of JSON each: where to send; what became of the datagrams.
  std::string AddressesJson() const;
  std::string CountersJson() const;

 private:
  struct Side {
    UdpSocket socket;
    std::optional<TransportAddress> end;
  };
  using Path = std::array<Side, 2>;

  explicit LossyRelay(const LossyRelayOptions& options);

  void ForwardSome(Path& path, size_t from, int limit);
  void Forward(Path& path, size_t from, const TransportAddress& source,
               absl::Span<const uint8_t> datagram);
  void CountOverflows();

  // RTP, and RTCP where it has ports of its own.
  std::vector<Path> paths_;
  std::array<LossGate, 2> gates_;
  std::array<LossyRelayCounters, 2> counters_;
  std::vector<uint8_t> buffer_;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_LOSSY_RELAY_H_
