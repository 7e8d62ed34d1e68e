#ifndef QUIC_IO_UDP_LISTENER_H_
#define QUIC_IO_UDP_LISTENER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"
#include "quic/io/command_queue.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/server/endpoint_verdict.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

struct ListenerOptions {
  // Where to listen; port 0 lets the kernel choose.
  UdpAddress address;
  EndpointOptions endpoint{};
  // Off for devices that cut messages wrongly.
  bool segmentation = true;
};

struct ListenerCounters {
  ReceiveCounters receive;
  SendCounters send;
  // What became of what was received, by EndpointVerdict.
  std::array<uint64_t, kEndpointVerdictCount> verdicts{};
  uint64_t commands = 0;
  uint64_t commands_refused = 0;
  // How often there was no room for one more datagram in a turn; it left in the next.
  uint64_t outbox_full = 0;
  // As of now.
  size_t connections = 0;
  size_t half_open = 0;
};

// A thread that owns a UDP socket and gives an endpoint its datagrams, its time and what other
// threads want done. Allocates nothing for a datagram; one that cannot be sent at once is lost.
class UdpListener {
 public:
  // Binds and begins. The references outlive the listener; until it has stopped, `tls`, `acceptor`,
  // the handlers that it gives, and `random` are used on the listener's thread only. Fails as
  // DatagramSocket::Open and QuicEndpoint::Create do.
  static absl::StatusOr<std::unique_ptr<UdpListener>> Start(const ListenerOptions& options,
                                                            StatelessReset::Secret reset_secret,
                                                            TlsServerContext& tls,
                                                            ConnectionAcceptor& acceptor,
                                                            RandomSource& random);
  // Stops without waiting for clients.
  ~UdpListener();
  UdpListener(const UdpListener&) = delete;
  UdpListener& operator=(const UdpListener&) = delete;

  // ---- Any thread. ----

  // With the port that was really bound.
  const UdpAddress& local_address() const { return socket_.local_address(); }
  // Runs `command` on the listener's thread, soon. False when too many wait or it has stopped.
  [[nodiscard]] bool Post(ListenerCommand command) { return commands_->Post(std::move(command)); }
  // As they were at the end of a turn.
  ListenerCounters counters() const;
  // New clients are refused from now on.
  void StopAccepting();

  // ---- The thread that started it. ----

  // Takes no new clients, waits `drain` for those that are here to leave, closes what is left with
  // `code` of the application, and ends the thread and the endpoint. The port is free when the
  // listener is gone. Does nothing the second time.
  void Stop(TimeDelta drain, uint64_t code);

 private:
  enum class Phase : uint8_t {
    kServing,
    // Until all are gone or deadline_.
    kDraining,
    // All are told that it is over; is said again to who did not hear until deadline_.
    kFarewell,
    kOver,
  };

  // Of a turn. A receive batch, each datagram of which makes a congestion window of some.
  static constexpr size_t kOutboxDatagrams = 256;
  // From so many on they leave before the next datagram is handled.
  static constexpr size_t kSendAbove = kOutboxDatagrams / 2;
  // How long a close is said again (RFC 9000 section 10.2 asks for three probe timeouts).
  static constexpr TimeDelta kFarewellTime = TimeDelta::Millis(500);
  static constexpr int64_t kNoStop = -1;

  UdpListener(DatagramSocket socket, std::unique_ptr<CommandQueue> commands,
              std::unique_ptr<QuicEndpoint> endpoint, bool segmentation);

  void Run();
  // Until a datagram, a command, or something due; whether there is a datagram.
  bool Wait(Timestamp now);
  void RunCommands(Timestamp now);
  void Receive(Timestamp now);
  void Advance(Timestamp now);
  void SendAll();
  void Publish();

  DatagramSocket socket_;
  const std::unique_ptr<CommandQueue> commands_;
  std::unique_ptr<QuicEndpoint> endpoint_;
  DatagramReceiver receiver_;
  DatagramSender sender_;
  DatagramOutbox out_{kOutboxDatagrams};

  // Of the listener's thread.
  Phase phase_ = Phase::kServing;
  Timestamp deadline_ = Timestamp::PlusInfinity();
  uint64_t commands_run_ = 0;

  std::atomic<bool> stop_accepting_ = false;
  // Microseconds to drain; set after code_.
  std::atomic<int64_t> stop_after_us_ = kNoStop;
  std::atomic<uint64_t> code_ = 0;

  mutable absl::Mutex mutex_;
  ListenerCounters counters_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace sluice

#endif  // QUIC_IO_UDP_LISTENER_H_
