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
#include "quic/server/listener_application.h"
#include "quic/server/listener_turn.h"
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

// A thread that owns a UDP socket and gives an endpoint its datagrams and its time, and those who
// speak on connections their turns. Allocates nothing for a datagram; one that cannot be sent at
// once is lost.
//
// A turn: the time, commands, datagrams, timeouts, and the application with what came of all that.
// There is one whenever something of these is due, or somebody says Wake.
class UdpListener {
 public:
  // Binds and begins. The references outlive the listener; until it has stopped, `tls`,
  // `application`, and `random` are used on the listener's thread only. Fails as
  // DatagramSocket::Open and QuicEndpoint::Create do.
  static absl::StatusOr<std::unique_ptr<UdpListener>> Start(const ListenerOptions& options,
                                                            StatelessReset::Secret reset_secret,
                                                            TlsServerContext& tls,
                                                            ListenerApplication& application,
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
  // Makes a turn happen, soon, in which the application sees what other threads have ready for it.
  // Safe until the listener is gone; after it has stopped there is no turn.
  void Wake() { commands_->Wake(); }
  // As they were at the end of a turn.
  ListenerCounters counters() const;
  // New clients are refused from now on.
  void StopAccepting();

  // ---- The thread that started it. ----

  // Takes no new clients and drains the application, which closes connections as soon as nothing is
  // left on them; after `drain` it closes the rest. Ends early when all are gone; then the thread
  // and the endpoint end. The port is free when the listener is gone. Does nothing the second time.
  void Stop(TimeDelta drain);

 private:
  enum class Phase : uint8_t {
    kServing,
    // Until all are gone or deadline_.
    kDraining,
    // All are told that it is over; is said again to who did not hear until deadline_.
    kFarewell,
    kOver,
  };

  // What connections are closed with that are not the application's yet: its first code, which the
  // client hears as one of the transport (RFC 9000 section 10.2.3).
  static constexpr uint64_t kHandshakeCode = 0;
  // Of a turn. A receive batch, each datagram of which makes a congestion window of some.
  static constexpr size_t kOutboxDatagrams = 256;
  // From so many on they leave before the next datagram is handled.
  static constexpr size_t kSendAbove = kOutboxDatagrams / 2;
  // How long a close is said again (RFC 9000 section 10.2 asks for three probe timeouts).
  static constexpr TimeDelta kFarewellTime = TimeDelta::Millis(500);
  static constexpr int64_t kNoStop = -1;

  UdpListener(DatagramSocket socket, std::unique_ptr<CommandQueue> commands,
              std::unique_ptr<QuicEndpoint> endpoint, ListenerApplication& application,
              bool segmentation);

  void Run();
  // Until a datagram, a command, or something due; whether there is a datagram.
  bool Wait(Timestamp now);
  void Turn(Timestamp now, bool readable);
  void RunCommands(Timestamp now);
  void Receive(Timestamp now);
  // Goes on with stopping, if it stops: before the application's part of a turn, and after it.
  void BeginStop(Timestamp now);
  void GoOnStopping(Timestamp now);
  void SendAll();
  void Publish();

  DatagramSocket socket_;
  const std::unique_ptr<CommandQueue> commands_;
  std::unique_ptr<QuicEndpoint> endpoint_;
  ListenerApplication& application_;
  DatagramReceiver receiver_;
  DatagramSender sender_;
  DatagramOutbox out_{kOutboxDatagrams};

  // Of the listener's thread.
  Phase phase_ = Phase::kServing;
  Timestamp deadline_ = Timestamp::PlusInfinity();
  uint64_t commands_run_ = 0;

  std::atomic<bool> stop_accepting_ = false;
  // Microseconds to drain.
  std::atomic<int64_t> stop_after_us_ = kNoStop;

  mutable absl::Mutex mutex_;
  ListenerCounters counters_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace sluice

#endif  // QUIC_IO_UDP_LISTENER_H_
