#ifndef TOOLS_LOAD_UDP_PROXY_H_
#define TOOLS_LOAD_UDP_PROXY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "tests/e2e/deadline.h"
#include "tools/load/delay_line.h"
#include "tools/load/impaired_path.h"
#include "tools/load/pcap_file.h"

namespace sluice {

// The directions, in every array here.
enum ProxyDirection : size_t { kToServer = 0, kToClient = 1 };

// What a NAT on the way does to a client that was quiet: the server sees another source.
enum class Rebinding : uint8_t {
  kNone,
  kPort,
  // Another address of 127.0.0.0/8, and another port.
  kAddress,
};

struct UdpProxyOptions {
  // Where clients are to send; port 0 lets the kernel choose.
  UdpAddress address = UdpAddress::V4({127, 0, 0, 1}, 0);
  // Of the same family.
  UdpAddress server;
  // By direction.
  std::array<Impairments, 2> impairments{};
  Rebinding rebinding = Rebinding::kNone;
  // From a client's first datagram to the first time, and from one time to the next.
  TimeDelta rebind_after = TimeDelta::Seconds(1);
  TimeDelta rebind_every = TimeDelta::PlusInfinity();
  // Which datagrams are lost follows from it.
  uint64_t seed = 1;
  // Where to write what passes, as the server's side sees it; empty for nowhere.
  std::string pcap_path;
};

struct UdpProxyCounters {
  // By direction.
  std::array<PathCounters, 2> paths{};
  uint64_t clients = 0;
  // Beyond kMaxClients; their datagrams are lost.
  uint64_t clients_refused = 0;
  uint64_t rebindings = 0;
  // Losses that nobody ordered: for want of a place, or by the kernel.
  uint64_t line_full = 0;
  uint64_t not_sent = 0;
};

// Stands between clients and one server, and is as bad a network as it is told to be. Gives each
// client a socket of its own towards the server, and hands on ECN marks. One thread.
class UdpProxy {
 public:
  // More than a test has.
  static constexpr size_t kMaxClients = 512;

  // InvalidArgument for two families or an address to be changed that is not IPv4, or what opening
  // a socket or a file says. Time begins at `now`.
  static absl::StatusOr<std::unique_ptr<UdpProxy>> Open(const UdpProxyOptions& options,
                                                        Timestamp now);

  // Where clients are to send.
  const UdpAddress& address() const { return socket_.local_address(); }

  // Forwards until `stop_fd` is readable, or the deadline. What is on its way then is lost.
  void Run(int stop_fd, std::optional<Deadline> deadline);

  UdpProxyCounters counters() const;
  // One line each: where to send; what became of the datagrams.
  std::string AddressJson() const;
  std::string CountersJson() const;

 private:
  // What a turn takes from one socket, so that a flood on one does not silence the others.
  static constexpr int kBatchesPerTurn = 4;
  // A second of 100 Mbit/s, in datagrams of QUIC.
  static constexpr size_t kLineCapacity = 10'000;

  struct Client {
    UdpAddress address;
    DatagramSocket socket;
    // Datagrams by direction.
    std::array<uint64_t, 2> count{};
    Timestamp rebind_at;
    // How often it got another address.
    uint32_t rebindings = 0;
  };

  UdpProxy(const UdpProxyOptions& options, DatagramSocket socket, std::optional<PcapFile> pcap,
           Timestamp now);

  void Wait(int stop_fd, std::optional<Deadline> deadline, bool& stopped);
  void ReceiveFromClients(Timestamp now);
  void ReceiveFromServer(Timestamp now, uint32_t index);
  std::optional<uint32_t> ClientAt(Timestamp now, const UdpAddress& address);
  void Admit(Timestamp now, ProxyDirection direction, uint32_t index, Ecn ecn,
             absl::Span<const uint8_t> bytes);
  void Deliver(Timestamp now);
  void RebindDue(Timestamp now);
  UdpAddress SourceOf(uint32_t rebindings) const;

  const UdpProxyOptions options_;
  DatagramSocket socket_;
  std::optional<PcapFile> pcap_;
  std::array<ImpairedPath, 2> paths_;
  DelayLine line_{kLineCapacity};
  DatagramReceiver receiver_;
  // Each datagram has its own time; there are no runs of them to cut.
  DatagramSender sender_{/*segmentation=*/false};
  std::vector<Client> clients_;
  absl::flat_hash_map<UdpAddress, uint32_t> index_of_;
  UdpProxyCounters counters_;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_UDP_PROXY_H_
