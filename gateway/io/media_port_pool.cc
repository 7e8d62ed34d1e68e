#include "gateway/io/media_port_pool.h"

#include <sys/resource.h>

#include <atomic>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "gateway/errors/error_detail.h"
#include "gateway/io/port_pairs.h"

namespace sluice {
namespace {

absl::string_view NameOf(IpFamily family) { return family == IpFamily::kIpv4 ? "ipv4" : "ipv6"; }

// Of this process, "ulimit -n".
uint64_t OpenFilesLimit() {
  rlimit limit{};
  SLUICE_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit.rlim_cur;
}

// The media ports of one address.
struct FamilyPorts {
  FamilyPorts(const IpAddress& bound_ip, const IpAddress& told_ip, uint16_t first_even,
              size_t count)
      : bound(bound_ip), told(told_ip), first_port(first_even), pairs(count) {}

  // Of the even port of a pair.
  uint16_t PortOf(size_t pair) const { return static_cast<uint16_t>(first_port + 2 * pair); }

  const IpAddress bound;
  const IpAddress told;
  const uint16_t first_port;
  PortPairs pairs;
};

// InvalidArgument unless ports of `bound` can be bound on this machine and told to a peer.
absl::Status CheckAddress(IpFamily family, const IpAddress& bound, const IpAddress& told) {
  if (bound.family() != family || told.family() != family) {
    return absl::InvalidArgumentError(absl::StrCat("media address ", bound.ToString(),
                                                   ", told to peers as ", told.ToString(),
                                                   ", is not ", NameOf(family)));
  }
  if (bound.IsMulticast() || told.IsMulticast() || told.IsUnspecified()) {
    return absl::InvalidArgumentError(
        absl::StrCat("peers cannot send to ", told.ToString(), ": give media of ", NameOf(family),
                     " a unicast address of this machine, or one to advertise"));
  }
  const absl::StatusOr<UdpSocket> probe = UdpSocket::Open({bound, 0});
  if (probe.ok()) return absl::OkStatus();
  return absl::Status(probe.status().code(),
                      absl::StrCat("media address ", bound.ToString(),
                                   " does not work on this machine: ", probe.status().message()));
}

}  // namespace

struct MediaPortPool::State {
  std::unique_ptr<FamilyPorts>& ports(IpFamily family) {
    return family == IpFamily::kIpv4 ? ipv4 : ipv6;
  }

  // Null when the family is not offered.
  std::unique_ptr<FamilyPorts> ipv4;
  std::unique_ptr<FamilyPorts> ipv6;
  std::atomic<uint64_t> refused{0};
};

struct MediaSockets::State {
  State(std::shared_ptr<MediaPortPool::State> owner, FamilyPorts& ports, UdpSocket rtp_socket,
        std::optional<UdpSocket> rtcp_socket)
      : pool(std::move(owner)),
        family(ports),
        rtp(std::move(rtp_socket)),
        rtcp(std::move(rtcp_socket)) {}
  ~State() {
    // Closed first: whoever takes the pair next must be able to bind it.
    const size_t pair = (rtp->local_address().port - family.first_port) / 2u;
    rtp.reset();
    rtcp.reset();
    family.pairs.GiveBack(pair);
  }

  // Keeps `family` alive.
  const std::shared_ptr<MediaPortPool::State> pool;
  FamilyPorts& family;
  std::optional<UdpSocket> rtp;
  std::optional<UdpSocket> rtcp;
};

MediaSockets::MediaSockets(std::unique_ptr<State> state) : state_(std::move(state)) {}
MediaSockets::MediaSockets(MediaSockets&&) noexcept = default;
MediaSockets& MediaSockets::operator=(MediaSockets&&) noexcept = default;
MediaSockets::~MediaSockets() = default;

UdpSocket& MediaSockets::rtp() { return *state_->rtp; }

UdpSocket* MediaSockets::rtcp() { return state_->rtcp.has_value() ? &*state_->rtcp : nullptr; }

TransportAddress MediaSockets::advertised_rtp() const {
  return {state_->family.told, state_->rtp->local_address().port};
}

TransportAddress MediaSockets::advertised_rtcp() const {
  const UdpSocket& socket = state_->rtcp.has_value() ? *state_->rtcp : *state_->rtp;
  return {state_->family.told, socket.local_address().port};
}

absl::StatusOr<std::unique_ptr<MediaPortPool>> MediaPortPool::Create(
    const MediaPortPoolOptions& options) {
  const int first_even = options.first_port + options.first_port % 2;
  const int pairs = (options.last_port - first_even + 1) / 2;
  if (options.first_port == 0 || pairs < 1) {
    return absl::InvalidArgumentError(absl::StrCat("media ports ", options.first_port, " to ",
                                                   options.last_port,
                                                   " hold no even port with the odd one above it"));
  }
  if (!options.ipv4.has_value() && !options.ipv6.has_value()) {
    return absl::InvalidArgumentError("media has neither an IPv4 nor an IPv6 address to bind");
  }
  auto state = std::make_shared<State>();
  const auto offer = [&](IpFamily family, const std::optional<IpAddress>& bound,
                         const std::optional<IpAddress>& advertised) -> absl::Status {
    if (!bound.has_value()) return absl::OkStatus();
    const IpAddress told = advertised.value_or(*bound);
    if (absl::Status status = CheckAddress(family, *bound, told); !status.ok()) return status;
    state->ports(family) = std::make_unique<FamilyPorts>(
        *bound, told, static_cast<uint16_t>(first_even), static_cast<size_t>(pairs));
    return absl::OkStatus();
  };
  absl::Status status = offer(IpFamily::kIpv4, options.ipv4, options.advertised_ipv4);
  status.Update(offer(IpFamily::kIpv6, options.ipv6, options.advertised_ipv6));
  if (!status.ok()) return status;
  return absl::WrapUnique(new MediaPortPool(std::move(state)));
}

MediaPortPool::MediaPortPool(std::shared_ptr<State> state) : state_(std::move(state)) {}
MediaPortPool::~MediaPortPool() = default;

absl::StatusOr<MediaSockets> MediaPortPool::Bind(IpFamily family, bool rtcp_mux) {
  FamilyPorts* const ports = state_->ports(family).get();
  if (ports == nullptr) {
    return PreconditionFailed(
        "IP_FAMILY", NameOf(family),
        absl::StrCat("this gateway has no media address of ", NameOf(family)));
  }
  std::optional<UdpSocket> rtp;
  std::optional<UdpSocket> rtcp;
  absl::Status failure;
  const auto bind = [&](uint16_t port, std::optional<UdpSocket>& socket) {
    absl::StatusOr<UdpSocket> opened = UdpSocket::Open({ports->bound, port});
    if (opened.ok()) {
      socket = *std::move(opened);
      return PortPairs::Answer::kTake;
    }
    // Somebody else's port. Anything but that would meet us at every other port, too.
    if (absl::IsAlreadyExists(opened.status())) return PortPairs::Answer::kNext;
    failure = opened.status();
    return PortPairs::Answer::kStop;
  };
  const std::optional<size_t> pair = ports->pairs.Take([&](size_t candidate) {
    const uint16_t port = ports->PortOf(candidate);
    PortPairs::Answer answer = bind(port, rtp);
    if (answer == PortPairs::Answer::kTake && !rtcp_mux) {
      answer = bind(static_cast<uint16_t>(port + 1), rtcp);
    }
    if (answer != PortPairs::Answer::kTake) rtp.reset();
    return answer;
  });
  if (pair.has_value()) {
    return MediaSockets(
        std::make_unique<MediaSockets::State>(state_, *ports, *std::move(rtp), std::move(rtcp)));
  }
  if (absl::IsResourceExhausted(failure)) {
    return LimitReached("open_files", OpenFilesLimit(), failure.message());
  }
  if (!failure.ok()) return failure;
  state_->refused.fetch_add(1, std::memory_order_relaxed);
  return LimitReached("media_ports", ports->pairs.count(),
                      absl::StrCat("no free pair of media ports for ", NameOf(family)));
}

size_t MediaPortPool::capacity() const {
  return (state_->ipv4 != nullptr ? state_->ipv4->pairs.count() : 0) +
         (state_->ipv6 != nullptr ? state_->ipv6->pairs.count() : 0);
}

size_t MediaPortPool::used() const {
  return (state_->ipv4 != nullptr ? state_->ipv4->pairs.taken() : 0) +
         (state_->ipv6 != nullptr ? state_->ipv6->pairs.taken() : 0);
}

uint64_t MediaPortPool::refused() const { return state_->refused.load(std::memory_order_relaxed); }

}  // namespace sluice
