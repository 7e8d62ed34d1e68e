#ifndef TESTS_INTEROP_QUIC_QUIC_TEST_SERVER_H_
#define TESTS_INTEROP_QUIC_QUIC_TEST_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/time_delta.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/udp_path.h"
#include "quic/io/udp_listener.h"
#include "quic/server/served_connections.h"
#include "tests/interop/quic/transfer_service.h"

namespace sluice {

struct QuicTestServerOptions {
  // Port 0 lets the kernel choose.
  UdpAddress address = UdpAddress::V4({127, 0, 0, 1}, 0);
  // Everybody must show a Retry token.
  bool retry_always = false;
  // Version 2 is spoken with those who prefer it.
  bool version2 = false;
  // 0-RTT is taken.
  bool early_data = false;
  TimeDelta idle_timeout = TimeDelta::Seconds(30);
  // Of the certificate.
  std::string dns_name = "localhost";
  // In the format of SSLKEYLOGFILE; empty for none.
  std::string key_log_path;
  // What a browser gets at `/`.
  std::string page;
};

// The server of this repository over a real socket, with TransferService over HTTP/3 and an echo of
// calls over `sluice/1`. Has a thread of its own, ends with the object.
class QuicTestServer {
 public:
  // Fails as UdpListener::Start does.
  static absl::StatusOr<std::unique_ptr<QuicTestServer>> Start(
      const QuicTestServerOptions& options);
  ~QuicTestServer();

  const UdpAddress& address() const;
  // PEM: what a client is to trust, and what the server has.
  const std::string& root_certificate() const;
  const std::string& certificate() const;
  // What it offers on connections of HTTP/3.
  const EndpointParameters& http_parameters() const;

  ListenerCounters listener_counters() const;
  ServedCounters served_counters() const;
  const TransferService& transfers() const;
  // Connections that went on with a session of before, by a ticket.
  uint64_t resumed() const;

  // Lets clients go on for `drain` and ends.
  void Stop(TimeDelta drain);

 private:
  struct Parts;
  explicit QuicTestServer(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_QUIC_TEST_SERVER_H_
