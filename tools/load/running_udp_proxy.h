#ifndef TOOLS_LOAD_RUNNING_UDP_PROXY_H_
#define TOOLS_LOAD_RUNNING_UDP_PROXY_H_

#include <memory>
#include <thread>

#include "quic/connection/udp_path.h"
#include "tools/load/udp_proxy.h"

namespace sluice {

// A proxy on a thread of its own, for tests whose clients and server are elsewhere. Stops with the
// object.
class RunningUdpProxy {
 public:
  // It is fatal when it cannot be opened.
  explicit RunningUdpProxy(const UdpProxyOptions& options);
  ~RunningUdpProxy();
  RunningUdpProxy(const RunningUdpProxy&) = delete;
  RunningUdpProxy& operator=(const RunningUdpProxy&) = delete;

  // Where clients are to send.
  const UdpAddress& address() const { return proxy_->address(); }
  // Ends it. Does nothing the second time.
  UdpProxyCounters Stop();

 private:
  std::unique_ptr<UdpProxy> proxy_;
  int stop_fd_;
  std::thread thread_;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_RUNNING_UDP_PROXY_H_
