#include <cstdint>
#include <utility>

#include "base/check.h"
#include "benchmark/benchmark.h"
#include "gateway/io/receive_batch.h"
#include "gateway/io/send_batch.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/udp_socket.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gateway/session/received_datagram.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

constexpr SocketHandle kSender = {.index = 0, .generation = 1};

// A batch of packets leaves by SendBatch, crosses the kernel and comes back by ReceiveBatch; one
// item is one packet sent and received. Arguments: packet size, packets per batch.
void BM_SendAndReceive(benchmark::State& state) {
  const size_t size = static_cast<size_t>(state.range(0));
  const size_t count = static_cast<size_t>(state.range(1));
  PacketArena arena(2 * count + kSocketTurn);
  ReceiveBatch receive_batch(count, arena);
  SendBatch send_batch;
  Outbox outbox(count, 1, 1);
  const UdpSocket sender = UdpSocket::Open({Loopback(IpFamily::kIpv4), 0}).value();
  const UdpSocket receiver = UdpSocket::Open({Loopback(IpFamily::kIpv4), 0}).value();
  int64_t received = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < count; ++i) {
      PacketLoan packet = arena.Lend();
      SLUICE_CHECK(packet.Resize(size));
      SLUICE_CHECK(
          outbox.PushPacket({kSender, receiver.local_address(), std::move(packet), LegHandle()}));
    }
    send_batch.Send(
        outbox.packets(), [&](SocketHandle) { return &sender; },
        [](const OutgoingDatagram&, SendOutcome outcome) {
          SLUICE_CHECK(outcome == SendOutcome::kSent);
        });
    outbox.ClearPackets();
    while (!receive_batch.full()) receive_batch.Receive(receiver, LegHandle(), Component::kRtp);
    received += static_cast<int64_t>(receive_batch.datagrams().size());
    receive_batch.Clear();
  }
  state.SetItemsProcessed(received);
  state.SetBytesProcessed(received * state.range(0));
}
BENCHMARK(BM_SendAndReceive)
    ->ArgNames({"size", "batch"})
    ->ArgsProduct({{100, 1200}, {1, 8, 32, 128}});

}  // namespace
}  // namespace sluice
