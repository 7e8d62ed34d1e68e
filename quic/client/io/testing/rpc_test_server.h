#ifndef QUIC_CLIENT_IO_TESTING_RPC_TEST_SERVER_H_
#define QUIC_CLIENT_IO_TESTING_RPC_TEST_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/connection/udp_path.h"
#include "quic/io/udp_listener.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_service.h"
#include "quic/server/served_connections.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// A listener on a free port of loopback that lets a service answer the calls of its clients, with a
// certificate for "localhost" and 0-RTT.
class RpcTestServer {
 public:
  // `service` is called on the listener's thread. `retry`: no connection without a Retry.
  explicit RpcTestServer(RpcService& service, bool retry = false);
  ~RpcTestServer();

  const UdpAddress& address() const { return listener_->local_address(); }
  // "127.0.0.1:port".
  std::string target() const;
  // Of the authority that signed its certificate.
  const std::string& root_pem() const { return root_.certificate; }
  uint64_t connections_accepted() const { return served_.counters().protocols[0].accepted; }
  UdpListener& listener() { return *listener_; }

 private:
  // Of the listener's thread.
  SeededRandom random_;
  Timestamp now_ = Timestamp::Zero();
  RpcBufferPool buffers_{16};
  RpcProtocolServer protocol_;
  ServedConnections served_;

  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_, "localhost");
  std::unique_ptr<TlsServerContext> tls_;
  // Goes before what it uses.
  std::unique_ptr<UdpListener> listener_;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_IO_TESTING_RPC_TEST_SERVER_H_
