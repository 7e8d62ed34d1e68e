#ifndef QUIC_HTTP3_HTTP_SERVER_CONNECTION_H_
#define QUIC_HTTP3_HTTP_SERVER_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_server.h"
#include "quic/http3/http_service.h"
#include "quic/http3/http_streams.h"
#include "quic/server/served_connection.h"

namespace sluice {

// What the connections of a thread that answer requests share. All of it outlives them.
struct HttpServerResources {
  // The thread's time, which events of connections do not tell: who drives the endpoint sets it
  // before each call of it. Never goes back.
  const Timestamp& now;
  HttpService& service;
  HttpBufferPool& buffers;
  // Those that CheckHttpLimits accepts.
  HttpLimits limits{};
  // Where all of them count; null for each by itself.
  HttpServerCounters* counters = nullptr;
};

// Answers the requests on one connection of a server that speaks `h3`. One thread.
class HttpServerConnection : public ServedConnection, private HttpStreams {
 public:
  // `connection` stays until OnClosed. Its part of the pool is that of the source which it has now;
  // also when the client moves to another address, so that what it holds is not counted elsewhere.
  HttpServerConnection(const HttpServerResources& resources, QuicConnection& connection);
  HttpServerConnection(const HttpServerConnection&) = delete;
  HttpServerConnection& operator=(const HttpServerConnection&) = delete;

  // ServedConnection.
  void HandleTimeout(Timestamp now) override { server_.HandleTimeout(now); }
  Timestamp NextTimeout() const override { return server_.NextTimeout(); }
  [[nodiscard]] bool TakeUnsent() override;
  void Drain() override { server_.Drain(now_); }
  bool drained() const override { return server_.drained() && open_streams_ == 0; }
  QuicConnection* connection() const override { return connection_; }

  // The client broke a rule of HTTP/3: the connection is to be closed with this code.
  std::optional<uint64_t> failure() const override;
  uint64_t fruitless_streams() const override { return server_.fruitless_streams(); }
  uint64_t excessive_load() const override {
    return static_cast<uint64_t>(HttpErrorCode::kExcessiveLoad);
  }
  const HttpServer& server() const { return server_; }

  // ConnectionHandler.
  void OnConnected() override;
  void OnStreamOpened(StreamId id) override;
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) override;
  void OnStreamReset(StreamId id, uint64_t code) override;
  void OnStopSending(StreamId id) override;
  void OnWritable(StreamId id) override;
  void OnStreamClosed(StreamId id) override;
  void OnClosed(const CloseReason& reason) override;

 private:
  // While it lives the connection handles something, and writes when that is done.
  class Event;

  // HttpStreams. Without a connection nothing can be written.
  std::optional<StreamId> OpenUnidirectional() override;
  size_t Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin) override;
  void Reset(StreamId id, HttpErrorCode code) override;
  void StopSending(StreamId id, HttpErrorCode code) override;
  void NoteUnsent();

  const Timestamp& now_;
  QuicConnection* connection_;
  bool in_event_ = false;
  bool unsent_ = false;
  HttpServer server_;
  // Requests' streams, also those that wait only for answers to arrive.
  size_t open_streams_ = 0;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_SERVER_CONNECTION_H_
