#ifndef GATEWAY_CONTROL_HEALTH_H_
#define GATEWAY_CONTROL_HEALTH_H_

#include <grpcpp/health_check_service_interface.h>

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace sluice {

// Services of grpc.health.v1 that the gateway answers for:
//   "" and "sluice.gateway.v1.GatewayService"   readiness: sessions are taken
//   "liveness"                                  every worker's loop turns
// A gateway that is stopping is alive and not ready; one whose loop is stuck is neither.
inline constexpr char kReadinessService[] = "sluice.gateway.v1.GatewayService";
inline constexpr char kLivenessService[] = "liveness";

struct HealthTimes {
  // Between two looks at the workers.
  absl::Duration interval = absl::Seconds(1);
  // A loop turns at least once a second; several missed turns are no accident of scheduling.
  absl::Duration stuck_after = absl::Seconds(5);
};

// Watches the workers and tells gRPC's health service.
class Health {
 public:
  // Serves at once. `turns` gives the count of turns of each worker's loop; it is called on the
  // thread of the monitor. `service` outlives the monitor.
  Health(grpc::HealthCheckServiceInterface& service, std::function<std::vector<uint64_t>()> turns,
         const HealthTimes& times);
  ~Health();

  // No longer ready, for good. Any number of times.
  void SetStopping();

 private:
  void Watch();
  void Tell(bool live) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  grpc::HealthCheckServiceInterface& service_;
  const std::function<std::vector<uint64_t>()> turns_;
  const HealthTimes times_;

  absl::Mutex mutex_;
  bool live_ ABSL_GUARDED_BY(mutex_) = true;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_HEALTH_H_
