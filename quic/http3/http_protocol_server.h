#ifndef QUIC_HTTP3_HTTP_PROTOCOL_SERVER_H_
#define QUIC_HTTP3_HTTP_PROTOCOL_SERVER_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "quic/connection/quic_connection.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_protocol.h"
#include "quic/http3/http_server.h"
#include "quic/http3/http_server_connection.h"
#include "quic/server/served_connection.h"
#include "quic/server/turn_counters.h"

namespace sluice {

struct HttpProtocolCounters {
  // Of the requests of all connections that are or were.
  HttpServerCounters requests;
  // How often the pool had no buffer left.
  uint64_t buffers_exhausted = 0;
  // How often a source had all of the pool that it may have.
  uint64_t source_exhausted = 0;
};

// Speaks HTTP/3 on all connections of a thread, and has the counters of all of them. That thread,
// unless said otherwise.
class HttpProtocolServer : public ConnectionProtocol {
 public:
  // All of `resources` outlives it and its connections, and so does this; its counters are those
  // here.
  explicit HttpProtocolServer(const HttpServerResources& resources)
      : resources_{resources.now, resources.service, resources.buffers, resources.limits,
                   &counters_.requests} {}
  HttpProtocolServer(const HttpProtocolServer&) = delete;
  HttpProtocolServer& operator=(const HttpProtocolServer&) = delete;

  // ConnectionProtocol.
  absl::string_view name() const override { return kHttpProtocolName; }
  uint64_t no_error() const override { return static_cast<uint64_t>(HttpErrorCode::kNone); }
  std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override {
    return std::make_unique<HttpServerConnection>(resources_, connection);
  }
  void OnTurnEnd() override {
    counters_.buffers_exhausted = resources_.buffers.exhausted();
    counters_.source_exhausted = resources_.buffers.source_exhausted();
    published_.Publish(counters_);
  }

  // Any thread: as they were at the end of a turn.
  HttpProtocolCounters counters() const { return published_.Read(); }

 private:
  HttpProtocolCounters counters_;
  const HttpServerResources resources_;
  TurnCounters<HttpProtocolCounters> published_;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_PROTOCOL_SERVER_H_
