#ifndef QUIC_CLIENT_IO_RPC_CLIENT_THREAD_H_
#define QUIC_CLIENT_IO_RPC_CLIENT_THREAD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/client/client_session.h"
#include "quic/client/io/client_random.h"
#include "quic/client/io/wake_descriptor.h"
#include "quic/client/ticket_store.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {

struct RpcClientOptions {
  // Where the server may be, in the order in which to try; ResolveServer gives them. At least one.
  std::vector<UdpAddress> addresses;
  // A DNS name that the server's certificate must have.
  std::string server_name;
  // As errors name the server; empty: the first address.
  std::string server{};
  // The authorities that are trusted, as PEM.
  std::string trusted_pem{};
  // Speaks with whoever answers. For tests only: anybody on the way could read and answer.
  bool trust_anyone = false;
  // As in ClientSessionOptions.
  TimeDelta handshake_timeout = TimeDelta::Seconds(5);
  TimeDelta next_address_after = TimeDelta::Seconds(1);
  // Makes the next connection faster, if there is one. Outlives the client.
  TicketStore* tickets = nullptr;
  // Gets the secrets of the connection, for looking at packets; nobody when it is empty. On the
  // client's thread.
  std::function<void(absl::string_view line)> key_log{};
};

// What is known of a client's connection.
struct RpcClientReport {
  bool connected = false;
  // As TLS and QUIC agreed on them; empty and 0 before.
  std::string protocol{};
  uint32_t quic_version = 0;
  UdpAddress server{};
  // Nothing before its end.
  std::optional<WaitingTime> handshake{};
  // All of the connection, as RoundTrips counts them.
  uint64_t round_trips = 0;
  uint64_t retries = 0;
  uint64_t datagrams_sent = 0;
  uint64_t datagrams_received = 0;
  bool resumed = false;
  bool early_data_accepted = false;
};

// The answer to a call.
struct RpcAnswer {
  // As in CallEnd; ok: there is exactly one message.
  absl::Status status;
  std::string message{};
  WaitingTime took{};
};

class RpcClientThread;

// Messages of one call as they come. Gives the call up when it goes. Goes before its client.
class RpcClientStream {
 public:
  // Messages that wait to be read; beyond it the call is given up, since the client cannot hold
  // back a server. A participant's events come a few per second.
  static constexpr size_t kMaxWaiting = 1024;

  ~RpcClientStream();
  RpcClientStream(const RpcClientStream&) = delete;
  RpcClientStream& operator=(const RpcClientStream&) = delete;

  // Waits for the next message. False when there is none any more: the call has ended.
  bool Read(std::string& message);
  // Why the call ended, after Read returned false: ok, or an error as of any call; Cancelled after
  // Cancel.
  absl::Status status() const;
  // Gives the call up: Read returns false soon, also one that waits now. Any thread.
  void Cancel();

 private:
  friend class RpcClientThread;

  RpcClientStream(RpcClientThread& client, ClientCallId id) : client_(client), id_(id) {}

  RpcClientThread& client_;
  const ClientCallId id_;
};

// A client of one server that speaks `sluice/1`: a thread with a socket for each address that is
// tried, and calls that block. The connection begins with the first call (or AwaitConnected), so
// that this call leaves with the end of the handshake, and a harmless one with its beginning; it
// ends with Close, by the server, or when nothing comes any more, and is not made again: a client
// is made for each. NATs on the way may give this host other addresses at any time.
//
//   auto client = RpcClientThread::Start({.addresses = *ResolveServer(target), ...});
//   RpcAnswer answer = (*client)->Call({.method = "Ping", .token = token, .message = bytes});
//
// All functions may be called by any thread, also at once.
class RpcClientThread : private ClientSessionEvents {
 public:
  // Sends nothing yet. InvalidArgument for roots that are none; Unavailable when no address can be
  // reached from here.
  static absl::StatusOr<std::unique_ptr<RpcClientThread>> Start(RpcClientOptions options);
  // As Close, and waits for the thread. No call may wait any more.
  ~RpcClientThread() override;
  RpcClientThread(const RpcClientThread&) = delete;
  RpcClientThread& operator=(const RpcClientThread&) = delete;

  // Waits for the end of the handshake; ok, or why there is no connection. Needed by nobody who
  // makes calls.
  absl::Status AwaitConnected();
  // Makes a call that has one answer, and waits for it.
  RpcAnswer Call(ClientRequest request);
  // Makes a call that has any number of them.
  std::unique_ptr<RpcClientStream> Stream(ClientRequest request);
  // Goes on from the address from which the server is reached now: for a host that knows that it
  // moved. FailedPrecondition before there is a connection and when the server does not allow it.
  absl::Status Migrate();
  // Ends the connection; calls that wait fail as Cancelled. The server is told, once.
  void Close();

  RpcClientReport report() const;

 private:
  friend class RpcClientStream;

  // Of a turn: a receive batch, each datagram of which makes a few.
  static constexpr size_t kOutboxDatagrams = 128;

  // What a caller waits for.
  struct Waiter {
    std::deque<std::string> messages;
    std::optional<CallEnd> end;
  };
  using Command = absl::AnyInvocable<void(Timestamp now) &&>;

  RpcClientThread(RpcClientOptions options, std::unique_ptr<TlsClientContext> tls,
                  std::vector<DatagramSocket> sockets, std::unique_ptr<WakeDescriptor> wake);

  // ---- Any thread. ----

  // Runs on the client's thread, soon; never when that has ended.
  void Post(Command command);
  ClientCallId Begin(ClientRequest request);
  // Ends the wait for a call, whatever becomes of it.
  void Forget(ClientCallId id);
  void CancelCall(ClientCallId id);

  // ---- The client's thread. ----

  void Run();
  // Until a datagram, a command, or something due.
  void Wait(Timestamp now);
  void RunCommands(Timestamp now);
  void Receive(Timestamp now);
  void SendAll();
  void Publish();
  absl::Status Move(Timestamp now);

  // ClientSessionEvents.
  void OnMessage(ClientCallId id, absl::Span<const uint8_t> message) override;
  void OnCallEnd(ClientCallId id, const CallEnd& end) override;
  void OnTicket(absl::Span<const uint8_t> ticket,
                absl::Span<const uint8_t> remembered_parameters) override;
  void OnToken(absl::Span<const uint8_t> token) override;

  const RpcClientOptions options_;
  const std::unique_ptr<TlsClientContext> tls_;
  const std::unique_ptr<WakeDescriptor> wake_;

  // Of the client's thread.
  ClientRandom random_;
  std::vector<DatagramSocket> sockets_;
  DatagramReceiver receiver_;
  DatagramSender sender_{/*segmentation=*/false};
  DatagramOutbox out_{kOutboxDatagrams};
  std::unique_ptr<ClientSession> session_;
  bool begun_ = false;

  mutable absl::Mutex mutex_;
  std::vector<Command> commands_ ABSL_GUARDED_BY(mutex_);
  std::map<ClientCallId, Waiter> waiters_ ABSL_GUARDED_BY(mutex_);
  ClientCallId last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  // Somebody wants the thread to end.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Why the connection ended, if it did.
  std::optional<absl::Status> ended_ ABSL_GUARDED_BY(mutex_);
  RpcClientReport report_ ABSL_GUARDED_BY(mutex_);
  absl::Mutex join_mutex_;
  std::thread thread_;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_IO_RPC_CLIENT_THREAD_H_
