#ifndef QUIC_HTTP3_HTTP_PROTOCOL_SERVER_H_
#define QUIC_HTTP3_HTTP_PROTOCOL_SERVER_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "quic/connection/quic_connection.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_protocol.h"
#include "quic/http3/http_server_connection.h"
#include "quic/server/served_connection.h"

namespace sluice {

// Speaks HTTP/3 on all connections of a thread.
class HttpProtocolServer : public ConnectionProtocol {
 public:
  // All of `resources` outlives it and its connections.
  explicit HttpProtocolServer(const HttpServerResources& resources) : resources_(resources) {}

  // ConnectionProtocol.
  absl::string_view name() const override { return kHttpProtocolName; }
  uint64_t no_error() const override { return static_cast<uint64_t>(HttpErrorCode::kNone); }
  std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override {
    return std::make_unique<HttpServerConnection>(resources_, connection);
  }

 private:
  const HttpServerResources resources_;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_PROTOCOL_SERVER_H_
