#ifndef QUIC_HTTP3_TESTING_HTTP_WORLD_H_
#define QUIC_HTTP3_TESTING_HTTP_WORLD_H_

#include <nghttp3/nghttp3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/testing/virtual_link.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_server_connection.h"
#include "quic/http3/testing/http_bytes.h"
#include "quic/http3/testing/test_http_service.h"
#include "quic/server/listener_application.h"
#include "quic/server/quic_endpoint.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// A client, an endpoint that answers requests, and what is between them, in virtual time. The
// client writes requests as HttpBytes has them and reads answers as nghttp3 does; it says nothing
// by itself, so that a test can say anything.
class HttpWorld : public ConnectionAcceptor {
 public:
  struct Answer {
    std::map<std::string, std::string> fields;
    std::string body;
    bool finished = false;
    // What the server gave it up with.
    std::optional<uint64_t> reset;
    bool over() const { return finished || reset.has_value(); }
  };

  explicit HttpWorld(uint64_t seed, const HttpLimits& limits = {}, bool early_data = false);
  ~HttpWorld() override;

  // A client's connection in place of the last one, with its ticket if `resume`.
  void StartClient(bool resume = false);
  // ... whose handshake is done, and who has a ticket; `control`: and has opened its three streams.
  void Connect(bool control = true);

  // A stream of the client's with these bytes, and maybe its end. `is_head`: the answer has no
  // body.
  StreamId Open(absl::Span<const uint8_t> bytes, bool fin, bool is_head = false);
  StreamId OpenUnidirectional(absl::Span<const uint8_t> bytes, bool fin = false);
  void Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin);
  StreamId Ask(absl::string_view method, absl::string_view path, absl::string_view body = "",
               const HttpFields& more = {});
  // Until it is over, or `time` passed.
  bool RunUntilOver(StreamId id, TimeDelta time = TimeDelta::Seconds(5));
  // What came so far.
  const Answer& answer(StreamId id);
  // The code that the server ended the connection with, of HTTP/3; nothing within two seconds.
  std::optional<uint64_t> CodeOfEnd();

  // ConnectionAcceptor.
  ConnectionHandler* OnConnection(QuicConnection& connection) override;

  // Says what the server has to say outside of events, and closes what is to be closed.
  void SettleServer();
  HttpServerConnection& server() { return *servers.back(); }

  // How the next client's address looks from the server.
  std::array<uint8_t, 4> client_ip = {192, 0, 2, 1};
  // Who has the connections of the server; null for this world itself. Set before clients come,
  // outlives it.
  ListenerApplication* application = nullptr;
  SeededRandom random;
  TestHttpService service;
  HttpBufferPool buffers{32};
  DatagramOutbox server_out{256};
  std::vector<std::unique_ptr<HttpServerConnection>> servers;
  std::unique_ptr<QuicEndpoint> endpoint;
  TestPeer client;

 private:
  LinkEnd ClientEnd();
  LinkEnd ServerEnd();
  Timestamp NextServerTimeout() const;
  void BeginTurn(Timestamp now);
  void EndTurn();
  // Gives nghttp3 what came on a stream.
  void ReadAnswers(StreamId id);

  HttpLimits limits_;
  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  SeededRandom ticket_random_{1};
  std::unique_ptr<TlsServerContext> server_tls_;
  std::unique_ptr<TlsClientContext> client_tls_;
  nghttp3_conn* reader_ = nullptr;
  std::map<StreamId, Answer> answers_;
  std::map<StreamId, size_t> read_;
  Timestamp server_now_ = Timestamp::Zero();
  uint16_t client_port_ = 5000;

 public:
  VirtualLink link;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_TESTING_HTTP_WORLD_H_
