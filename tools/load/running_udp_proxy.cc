#include "tools/load/running_udp_proxy.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "quic/io/monotonic_clock.h"

namespace sluice {

RunningUdpProxy::RunningUdpProxy(const UdpProxyOptions& options)
    : stop_fd_(eventfd(0, EFD_CLOEXEC)) {
  SLUICE_CHECK(stop_fd_ >= 0);
  absl::StatusOr<std::unique_ptr<UdpProxy>> proxy = UdpProxy::Open(options, MonotonicNow());
  SLUICE_CHECK(proxy.ok()) << proxy.status();
  proxy_ = *std::move(proxy);
  thread_ = std::thread([this] { proxy_->Run(stop_fd_, std::nullopt); });
}

RunningUdpProxy::~RunningUdpProxy() {
  Stop();
  close(stop_fd_);
}

UdpProxyCounters RunningUdpProxy::Stop() {
  if (thread_.joinable()) {
    eventfd_write(stop_fd_, 1);
    thread_.join();
  }
  return proxy_->counters();
}

}  // namespace sluice
