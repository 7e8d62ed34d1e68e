#ifndef TESTS_E2E_LOSSY_RELAY_PROCESS_H_
#define TESTS_E2E_LOSSY_RELAY_PROCESS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tests/e2e/child_process.h"

namespace sluice {

namespace pb = ::sluice::gateway::v1;

struct LossyRelayProcessOptions {
  // Where the two ends, A and B, receive.
  pb::TransportAddress a;
  pb::TransportAddress b;
  // How much RTP is lost, each way: 0..100. RTCP is not.
  double loss_percent = 0;
  uint64_t seed = 1;
};

struct RelayedPackets {
  uint64_t forwarded = 0;
  uint64_t dropped = 0;

  uint64_t all() const { return forwarded + dropped; }
};

// What became of the datagrams of one direction.
struct RelayReport {
  RelayedPackets rtp;
  RelayedPackets rtcp;
  RelayedPackets other;
  // Strangers' datagrams, and losses that nobody ordered: 0 unless something is wrong with the test
  // or the machine.
  uint64_t unexpected = 0;
};

// tools/load:lossy_relay as people run it; killed with the object. A and B are 0 and 1 in arrays; a
// direction is called by the end it comes from.
class LossyRelayProcess {
 public:
  static absl::StatusOr<std::unique_ptr<LossyRelayProcess>> Start(
      const LossyRelayProcessOptions& options);

  // Where an end is to send.
  const pb::TransportAddress& address(size_t end) const { return addresses_[end]; }

  // Ends it, after it has forwarded what came so far; by direction.
  absl::StatusOr<std::array<RelayReport, 2>> Stop();

 private:
  explicit LossyRelayProcess(std::unique_ptr<ChildProcess> child) : child_(std::move(child)) {}

  std::unique_ptr<ChildProcess> child_;
  std::array<pb::TransportAddress, 2> addresses_;
};

}  // namespace sluice

#endif  // TESTS_E2E_LOSSY_RELAY_PROCESS_H_
