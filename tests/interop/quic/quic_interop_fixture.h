#ifndef TESTS_INTEROP_QUIC_QUIC_INTEROP_FIXTURE_H_
#define TESTS_INTEROP_QUIC_QUIC_INTEROP_FIXTURE_H_

#include <cstdint>
#include <memory>

#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"
#include "quic/server/endpoint_verdict.h"
#include "tests/e2e/scratch_folder.h"
#include "tests/interop/quic/quic_test_server.h"
#include "tools/load/running_udp_proxy.h"
#include "tools/load/udp_proxy.h"

namespace sluice {

// A server, and a network in front of it where a test wants one.
class QuicInteropTest : public ::testing::Test {
 protected:
  void StartServer(const QuicTestServerOptions& options = {}) {
    auto server = QuicTestServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  // In front of the server, which has started; its addresses are filled in.
  void StartProxy(UdpProxyOptions options) {
    options.server = server_->address();
    if (options.server.is_v6()) {
      options.address = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0);
    }
    proxy_ = std::make_unique<RunningUdpProxy>(options);
  }
  // Datagrams that the endpoint judged so.
  uint64_t Count(EndpointVerdict verdict) const {
    return server_->listener_counters().verdicts[static_cast<size_t>(verdict)];
  }

  const ScratchFolder folder_;
  std::unique_ptr<QuicTestServer> server_;
  std::unique_ptr<RunningUdpProxy> proxy_;
};

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_QUIC_INTEROP_FIXTURE_H_
