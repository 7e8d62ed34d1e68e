#ifndef GATEWAY_QUIC_QUIC_SIGNALLING_H_
#define GATEWAY_QUIC_QUIC_SIGNALLING_H_

#include <atomic>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/timestamp.h"
#include "gateway/config/config.h"
#include "gateway/config/limits.h"
#include "gateway/control/event_log.h"
#include "gateway/control/node_report.h"
#include "gateway/io/system_random.h"
#include "gateway/net/transport_address.h"
#include "gateway/quic/certificate_watch.h"
#include "gateway/quic/key_log_file.h"
#include "gateway/signalling/call_threads.h"
#include "gateway/signalling/participant_calls.h"
#include "gateway/signalling/pending_calls.h"
#include "gateway/signalling/signalling_http_service.h"
#include "gateway/signalling/signalling_rpc_service.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_protocol_server.h"
#include "quic/io/udp_listener.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/served_connections.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// The port of participants who come over QUIC, from start to stop: a thread with a socket that
// speaks `sluice/1` and HTTP/3, the threads of its calls, and all that they need.
class QuicSignalling {
 public:
  // Reads the files that `config` names, binds and serves, or says in one sentence why not. `calls`
  // and `events` outlive this.
  static absl::StatusOr<std::unique_ptr<QuicSignalling>> Start(const QuicConfig& config,
                                                               const Limits& limits,
                                                               ParticipantCalls& calls,
                                                               const EventLog& events);
  // Stops without patience.
  ~QuicSignalling();
  QuicSignalling(const QuicSignalling&) = delete;
  QuicSignalling& operator=(const QuicSignalling&) = delete;

  // ---- Any thread. ----

  // With the port that was bound.
  TransportAddress address() const;
  // For GetNode.
  QuicUse use() const;

  // ---- The thread that started it. ----

  // Takes a renewed certificate into use: when its files changed, or in any case.
  void CheckCertificate() { watch_.Check(absl::Now()); }
  void ReloadCertificate() { watch_.Reload(absl::Now()); }

  // Says that it is not serving, takes no new connections and calls, waits for at most `patience`
  // until those that are here have come to their end, and closes the rest. Streams of events end
  // when the log is closed. Any number of times.
  void Stop(absl::Duration patience);

 private:
  // Makes turns of the listener happen, for other threads, while there is one. Any thread.
  class Waker {
   public:
    void Wake();
    // Null for none. Wakes it once, in case somebody wanted to before.
    void Set(UdpListener* listener);

   private:
    absl::Mutex mutex_;
    UdpListener* listener_ ABSL_GUARDED_BY(mutex_) = nullptr;
  };

  QuicSignalling(const QuicConfig& config, const Limits& limits, const EndpointLimits& endpoint,
                 ParticipantCalls& calls, const EventLog& events,
                 std::unique_ptr<KeyLogFile> key_log, std::unique_ptr<SystemRandom> random,
                 std::unique_ptr<TlsServerContext> tls);

  // In the order in which they are made; each uses only those before it.
  // Null where no keys are written.
  const std::unique_ptr<KeyLogFile> key_log_;
  const std::unique_ptr<SystemRandom> random_;
  const std::unique_ptr<TlsServerContext> tls_;
  CertificateWatch watch_;
  Waker waker_;
  std::atomic<bool> serving_ = true;
  // The listener's thread.
  Timestamp now_ = Timestamp::Zero();
  RpcBufferPool rpc_buffers_;
  HttpBufferPool http_buffers_;
  CallThreads threads_;
  PendingCalls pending_;
  SignallingRpcService rpc_service_;
  SignallingHttpService http_service_;
  RpcProtocolServer rpc_protocol_;
  HttpProtocolServer http_protocol_;
  ServedConnections served_;
  std::unique_ptr<UdpListener> listener_;
};

}  // namespace sluice

#endif  // GATEWAY_QUIC_QUIC_SIGNALLING_H_
