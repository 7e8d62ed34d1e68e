#include "tools/load/lossy_relay.h"

#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gateway/io/socket_address.h"

namespace sluice {
namespace {

// Longer than any datagram.
constexpr size_t kBufferSize = 65'536;
// In one turn of one socket, so that a flood on one does not silence the others.
constexpr int kDatagramsPerTurn = 64;
// In the last turn: all that a receive buffer holds, as no buffer of 2 MiB holds more with what the
// kernel charges for each. Somebody who goes on sending does not keep it.
constexpr int kDatagramsAtEnd = 4096;

LossGateOptions GateOptions(const LossyRelayOptions& options, size_t from) {
  // Two directions that lose the same packets would not be independent.
  return {.lost_per_million = options.lost_per_million[from],
          .lose_rtcp = options.lose_rtcp,
          .seed = 2 * options.seed + from};
}

void AppendKind(std::string& json, absl::string_view name, const LossyRelayCounters& counters,
                RelayedKind kind) {
  const auto i = static_cast<size_t>(kind);
  absl::StrAppend(&json, "\"", name, "\": {\"forwarded\": ", counters.forwarded[i],
                  ", \"dropped\": ", counters.dropped[i], "}, ");
}

}  // namespace

LossyRelay::LossyRelay(const LossyRelayOptions& options)
    : gates_{LossGate(GateOptions(options, 0)), LossGate(GateOptions(options, 1))},
      buffer_(kBufferSize) {}

absl::StatusOr<LossyRelay> LossyRelay::Open(const LossyRelayOptions& options) {
  LossyRelay relay(options);
  const size_t paths = options.rtcp_ports ? 2 : 1;
  for (size_t i = 0; i < paths; ++i) {
    std::vector<UdpSocket> sockets;
    const auto& ends = i == 0 ? options.rtp_ends : options.rtcp_ends;
    for (const std::optional<TransportAddress>& end : ends) {
      if (end.has_value() && end->ip.family() != options.ip.family()) {
        return absl::InvalidArgumentError(absl::StrCat(
            end->ToString(), " and ", options.ip.ToString(), " are not both IPv4 or both IPv6"));
      }
      absl::StatusOr<UdpSocket> socket = UdpSocket::Open({options.ip, 0});
      if (!socket.ok()) return socket.status();
      sockets.push_back(*std::move(socket));
    }
    relay.paths_.push_back(
        {Side{std::move(sockets[0]), ends[0]}, Side{std::move(sockets[1]), ends[1]}});
  }
  return relay;
}

const TransportAddress& LossyRelay::rtp_address(size_t end) const {
  return paths_[0][end].socket.local_address();
}

std::optional<TransportAddress> LossyRelay::rtcp_address(size_t end) const {
  if (paths_.size() < 2) return std::nullopt;
  return paths_[1][end].socket.local_address();
}

void LossyRelay::Run(int stop_fd, std::optional<Deadline> deadline) {
  std::vector<pollfd> waiting = {{.fd = stop_fd, .events = POLLIN, .revents = 0}};
  for (const Path& path : paths_) {
    for (const Side& side : path) {
      waiting.push_back({.fd = side.socket.fd(), .events = POLLIN, .revents = 0});
    }
  }
  bool stopped = false;
  while (!stopped) {
    const int timeout = deadline.has_value() ? deadline->PollTimeout() : -1;
    const int ready = poll(waiting.data(), waiting.size(), timeout);
    if (ready < 0 && errno == EINTR) continue;
    stopped = ready <= 0 || waiting[0].revents != 0 || (deadline.has_value() && deadline->passed());
    for (Path& path : paths_) {
      for (size_t from = 0; from < path.size(); ++from) {
        ForwardSome(path, from, stopped ? kDatagramsAtEnd : kDatagramsPerTurn);
      }
    }
  }
  CountOverflows();
}

void LossyRelay::ForwardSome(Path& path, size_t from, int limit) {
  for (int i = 0; i < limit; ++i) {
    sockaddr_storage name;
    socklen_t size = sizeof(name);
    const ssize_t received = recvfrom(path[from].socket.fd(), buffer_.data(), buffer_.size(), 0,
                                      reinterpret_cast<sockaddr*>(&name), &size);
    if (received < 0) return;
    const std::optional<TransportAddress> source = FromSockaddr(name, size);
    if (source.has_value()) {
      Forward(path, from, *source,
              absl::MakeConstSpan(buffer_).first(static_cast<size_t>(received)));
    }
  }
}

void LossyRelay::Forward(Path& path, size_t from, const TransportAddress& source,
                         absl::Span<const uint8_t> datagram) {
  LossyRelayCounters& counters = counters_[from];
  Side& here = path[from];
  const Side& there = path[1 - from];
  if (!here.end.has_value()) here.end = source;
  if (*here.end != source) {
    ++counters.strangers;
    return;
  }
  if (!there.end.has_value()) {
    ++counters.no_destination;
    return;
  }
  const RelayedKind kind = ClassifyRelayed(datagram);
  if (gates_[from].Loses(kind)) {
    ++counters.dropped[static_cast<size_t>(kind)];
    return;
  }
  sockaddr_storage name;
  const socklen_t size = ToSockaddr(*there.end, name);
  const ssize_t sent = sendto(there.socket.fd(), datagram.data(), datagram.size(), 0,
                              reinterpret_cast<const sockaddr*>(&name), size);
  if (sent < 0) {
    ++counters.not_sent;
    return;
  }
  ++counters.forwarded[static_cast<size_t>(kind)];
}

void LossyRelay::CountOverflows() {
  for (LossyRelayCounters& counters : counters_) counters.overflowed = 0;
  for (const Path& path : paths_) {
    for (size_t from = 0; from < path.size(); ++from) {
      uint32_t figures[SK_MEMINFO_VARS] = {};
      socklen_t size = sizeof(figures);
      if (getsockopt(path[from].socket.fd(), SOL_SOCKET, SO_MEMINFO, figures, &size) == 0) {
        counters_[from].overflowed += figures[SK_MEMINFO_DROPS];
      }
    }
  }
}

std::string LossyRelay::AddressesJson() const {
  std::string json = "{";
  for (size_t i = 0; i < paths_.size(); ++i) {
    const absl::string_view suffix = i == 0 ? "" : "_rtcp";
    absl::StrAppend(&json, i == 0 ? "" : ", ", "\"a", suffix,
                    "\": ", paths_[i][0].socket.local_address().port, ", \"b", suffix,
                    "\": ", paths_[i][1].socket.local_address().port);
  }
  return absl::StrCat(json, "}");
}

std::string LossyRelay::CountersJson() const {
  std::string json = "{";
  for (size_t from = 0; from < counters_.size(); ++from) {
    const LossyRelayCounters& counters = counters_[from];
    absl::StrAppend(&json, from == 0 ? "\"a_to_b\": {" : ", \"b_to_a\": {");
    AppendKind(json, "rtp", counters, RelayedKind::kRtp);
    AppendKind(json, "rtcp", counters, RelayedKind::kRtcp);
    AppendKind(json, "other", counters, RelayedKind::kOther);
    absl::StrAppend(&json, "\"strangers\": ", counters.strangers,
                    ", \"no_destination\": ", counters.no_destination,
                    ", \"not_sent\": ", counters.not_sent,
                    ", \"overflowed\": ", counters.overflowed, "}");
  }
  return absl::StrCat(json, "}");
}

}  // namespace sluice
