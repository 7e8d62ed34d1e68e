#include "tools/load/udp_proxy.h"

#include <poll.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/byte_order.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/io/monotonic_clock.h"

namespace sluice {
namespace {

constexpr std::array<absl::string_view, kPathVerdictCount> kVerdictNames = {
    "passed", "dropped", "in_hole", "lost", "queue_full"};
// A turn without anything to do, so that a deadline is seen.
constexpr TimeDelta kLongestWait = TimeDelta::Millis(100);

// What is kept of a datagram beside its bytes.
uint64_t ToTag(ProxyDirection direction, Ecn ecn, uint32_t index) {
  return uint64_t{index} << 3 | static_cast<uint64_t>(ecn) << 1 | direction;
}
ProxyDirection DirectionOf(uint64_t tag) { return static_cast<ProxyDirection>(tag & 1); }
Ecn EcnOf(uint64_t tag) { return static_cast<Ecn>(tag >> 1 & 3); }
uint32_t IndexOf(uint64_t tag) { return static_cast<uint32_t>(tag >> 3); }

UdpAddress WithPort(const UdpAddress& address, uint16_t port) {
  if (address.is_v6()) {
    std::array<uint8_t, 16> ip;
    CopyBytes(absl::MakeSpan(ip), address.ip());
    return UdpAddress::V6(ip, port, address.scope());
  }
  std::array<uint8_t, 4> ip;
  CopyBytes(absl::MakeSpan(ip), address.ip());
  return UdpAddress::V4(ip, port);
}

timespec ToTimespec(TimeDelta span) {
  const int64_t us = std::max<int64_t>(span.us(), 0);
  return {.tv_sec = us / 1'000'000, .tv_nsec = us % 1'000'000 * 1'000};
}

}  // namespace

absl::StatusOr<std::unique_ptr<UdpProxy>> UdpProxy::Open(const UdpProxyOptions& options,
                                                         Timestamp now) {
  if (options.address.is_v6() != options.server.is_v6()) {
    return absl::InvalidArgumentError(
        "the proxy's address and the server's are not both IPv4 or both IPv6");
  }
  if (options.rebinding == Rebinding::kAddress && options.address.is_v6()) {
    return absl::InvalidArgumentError(
        "only IPv4 has many addresses of the loopback device to change between");
  }
  absl::StatusOr<DatagramSocket> socket = DatagramSocket::Open(options.address);
  if (!socket.ok()) return socket.status();
  std::optional<PcapFile> pcap;
  if (!options.pcap_path.empty()) {
    absl::StatusOr<PcapFile> file = PcapFile::Create(options.pcap_path);
    if (!file.ok()) return file.status();
    pcap = *std::move(file);
  }
  return std::unique_ptr<UdpProxy>(new UdpProxy(options, *std::move(socket), std::move(pcap), now));
}

UdpProxy::UdpProxy(const UdpProxyOptions& options, DatagramSocket socket,
                   std::optional<PcapFile> pcap, Timestamp now)
    : options_(options),
      socket_(std::move(socket)),
      pcap_(std::move(pcap)),
      // Two directions that lose the same datagrams would not be independent.
      paths_{ImpairedPath(options.impairments[kToServer], now, 2 * options.seed),
             ImpairedPath(options.impairments[kToClient], now, 2 * options.seed + 1)} {
  clients_.reserve(kMaxClients);
}

void UdpProxy::Run(int stop_fd, std::optional<Deadline> deadline) {
  bool stopped = false;
  while (!stopped) {
    Wait(stop_fd, deadline, stopped);
    const Timestamp now = MonotonicNow();
    RebindDue(now);
    ReceiveFromClients(now);
    for (uint32_t i = 0; i < clients_.size(); ++i) ReceiveFromServer(now, i);
    Deliver(now);
  }
}

void UdpProxy::Wait(int stop_fd, std::optional<Deadline> deadline, bool& stopped) {
  std::vector<pollfd> waiting = {{.fd = stop_fd, .events = POLLIN, .revents = 0},
                                 {.fd = socket_.fd(), .events = POLLIN, .revents = 0}};
  Timestamp due = line_.NextDue();
  for (const Client& client : clients_) {
    waiting.push_back({.fd = client.socket.fd(), .events = POLLIN, .revents = 0});
    due = std::min(due, client.rebind_at);
  }
  const timespec timeout = ToTimespec(std::min(due - MonotonicNow(), kLongestWait));
  const int ready = ppoll(waiting.data(), waiting.size(), &timeout, nullptr);
  stopped = (ready > 0 && waiting[0].revents != 0) || (deadline.has_value() && deadline->passed());
}

void UdpProxy::ReceiveFromClients(Timestamp now) {
  for (int i = 0; i < kBatchesPerTurn; ++i) {
    const absl::Span<const DatagramReceiver::Received> batch = receiver_.Receive(socket_);
    if (batch.empty()) return;
    for (const DatagramReceiver::Received& received : batch) {
      const std::optional<uint32_t> index = ClientAt(now, received.path.remote);
      if (index.has_value()) Admit(now, kToServer, *index, received.ecn, received.bytes);
    }
  }
}

void UdpProxy::ReceiveFromServer(Timestamp now, uint32_t index) {
  for (int i = 0; i < kBatchesPerTurn; ++i) {
    const Client& client = clients_[index];
    const absl::Span<const DatagramReceiver::Received> batch = receiver_.Receive(client.socket);
    if (batch.empty()) return;
    for (const DatagramReceiver::Received& received : batch) {
      if (pcap_.has_value()) {
        pcap_->Add(now, options_.server, client.socket.local_address(), received.ecn,
                   received.bytes);
      }
      Admit(now, kToClient, index, received.ecn, received.bytes);
    }
  }
}

std::optional<uint32_t> UdpProxy::ClientAt(Timestamp now, const UdpAddress& address) {
  const auto known = index_of_.find(address);
  if (known != index_of_.end()) return known->second;
  if (clients_.size() >= kMaxClients) {
    ++counters_.clients_refused;
    return std::nullopt;
  }
  absl::StatusOr<DatagramSocket> socket = DatagramSocket::Open(SourceOf(0));
  if (!socket.ok()) {
    ++counters_.clients_refused;
    return std::nullopt;
  }
  ++counters_.clients;
  const auto index = static_cast<uint32_t>(clients_.size());
  clients_.push_back({.address = address,
                      .socket = *std::move(socket),
                      .rebind_at = options_.rebinding == Rebinding::kNone
                                       ? Timestamp::PlusInfinity()
                                       : now + options_.rebind_after});
  index_of_[address] = index;
  return index;
}

void UdpProxy::Admit(Timestamp now, ProxyDirection direction, uint32_t index, Ecn ecn,
                     absl::Span<const uint8_t> bytes) {
  Client& client = clients_[index];
  const PathDecision decision =
      paths_[direction].Decide(now, bytes.size(), ++client.count[direction]);
  if (decision.verdict != PathVerdict::kPassed) return;
  std::array<uint8_t, DatagramReceiver::kMaxSize> changed;
  if (decision.corrupted_bits != 0) {
    CopyBytes(absl::MakeSpan(changed), bytes);
    changed[decision.corrupted_at] ^= decision.corrupted_bits;
    bytes = absl::MakeConstSpan(changed).first(bytes.size());
  }
  const uint64_t tag = ToTag(direction, ecn, index);
  if (!line_.Push(decision.at, tag, bytes)) ++counters_.line_full;
  if (decision.again.has_value() && !line_.Push(*decision.again, tag, bytes)) {
    ++counters_.line_full;
  }
}

void UdpProxy::Deliver(Timestamp now) {
  while (const std::optional<DelayLine::Datagram> due = line_.Pop(now)) {
    const Client& client = clients_[IndexOf(due->tag)];
    const bool to_server = DirectionOf(due->tag) == kToServer;
    const DatagramSocket& socket = to_server ? client.socket : socket_;
    const DatagramOutbox::Datagram datagram = {
        .path = {.local = socket.local_address(),
                 .remote = to_server ? options_.server : client.address},
        .ecn = EcnOf(due->tag),
        .bytes = due->bytes};
    if (to_server && pcap_.has_value()) {
      pcap_->Add(now, datagram.path.local, datagram.path.remote, datagram.ecn, datagram.bytes);
    }
    sender_.Send(socket, {&datagram, 1});
  }
}

void UdpProxy::RebindDue(Timestamp now) {
  for (Client& client : clients_) {
    if (client.rebind_at > now) continue;
    client.rebind_at += options_.rebind_every;
    absl::StatusOr<DatagramSocket> socket = DatagramSocket::Open(SourceOf(++client.rebindings));
    // The old one goes on when no port is left.
    if (!socket.ok()) continue;
    client.socket = *std::move(socket);
    ++counters_.rebindings;
  }
}

UdpAddress UdpProxy::SourceOf(uint32_t rebindings) const {
  if (options_.rebinding != Rebinding::kAddress || rebindings == 0) {
    return WithPort(options_.address, 0);
  }
  // 127.0.0.2 and on, and round.
  constexpr uint32_t kFirst = 2;
  constexpr uint32_t kCount = 250;
  return UdpAddress::V4({127, 0, 0, static_cast<uint8_t>(kFirst + (rebindings - 1) % kCount)}, 0);
}

UdpProxyCounters UdpProxy::counters() const {
  UdpProxyCounters counters = counters_;
  for (size_t direction : {kToServer, kToClient}) {
    counters.paths[direction] = paths_[direction].counters();
  }
  counters.not_sent = sender_.counters().queue_full + sender_.counters().refused;
  return counters;
}

std::string UdpProxy::AddressJson() const {
  return absl::StrCat("{\"port\": ", address().port(), "}");
}

std::string UdpProxy::CountersJson() const {
  const UdpProxyCounters counters = this->counters();
  std::string json = "{";
  for (size_t direction : {kToServer, kToClient}) {
    const PathCounters& path = counters.paths[direction];
    absl::StrAppend(&json, direction == kToServer ? "\"to_server\": {" : "\"to_client\": {");
    for (size_t i = 0; i < kPathVerdictCount; ++i) {
      absl::StrAppend(&json, "\"", kVerdictNames[i], "\": ", path.verdicts[i], ", ");
    }
    absl::StrAppend(&json, "\"corrupted\": ", path.corrupted, ", \"duplicated\": ", path.duplicated,
                    ", \"reordered\": ", path.reordered, ", \"bytes\": ", path.bytes.bytes(),
                    "}, ");
  }
  absl::StrAppend(
      &json, "\"clients\": ", counters.clients, ", \"clients_refused\": ", counters.clients_refused,
      ", \"rebindings\": ", counters.rebindings, ", \"line_full\": ", counters.line_full,
      ", \"not_sent\": ", counters.not_sent, "}");
  return json;
}

}  // namespace sluice
