#include "gateway/control/health.h"

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// gRPC's service with a memory that can be waited for.
class FakeService : public grpc::HealthCheckServiceInterface {
 public:
  void SetServingStatus(const std::string& service, bool serving) override {
    absl::MutexLock lock(&mutex_);
    status_[service] = serving;
  }
  void SetServingStatus(bool) override {}
  void Shutdown() override {}

  bool serving(const std::string& service) {
    absl::MutexLock lock(&mutex_);
    return status_[service];
  }
  void AwaitLiveness(bool live) {
    absl::MutexLock lock(&mutex_);
    const auto is = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return status_[kLivenessService] == live;
    };
    mutex_.Await(absl::Condition(&is));
  }

 private:
  absl::Mutex mutex_;
  std::map<std::string, bool> status_ ABSL_GUARDED_BY(mutex_);
};

constexpr HealthTimes kQuick{.interval = absl::Milliseconds(1),
                             .stuck_after = absl::Milliseconds(10)};

TEST(HealthTest, IsReadyAndAliveAtOnce) {
  FakeService service;
  const Health health(
      service, [] { return std::vector<uint64_t>{0}; }, HealthTimes{});
  EXPECT_TRUE(service.serving(""));
  EXPECT_TRUE(service.serving("sluice.gateway.v1.GatewayService"));
  EXPECT_TRUE(service.serving("liveness"));
}

TEST(HealthTest, AStoppingGatewayIsAliveButNotReady) {
  FakeService service;
  Health health(
      service, [] { return std::vector<uint64_t>{0}; }, HealthTimes{});
  health.SetStopping();
  health.SetStopping();
  EXPECT_FALSE(service.serving(""));
  EXPECT_FALSE(service.serving("sluice.gateway.v1.GatewayService"));
  EXPECT_TRUE(service.serving("liveness"));
}

TEST(HealthTest, OneStuckLoopAmongOthersIsFoundAndForgivenOnceItTurns) {
  FakeService service;
  std::atomic<bool> stuck{true};
  uint64_t first = 0, second = 0;
  const Health health(
      service,
      [&] {
        second += stuck ? 0 : 1;
        return std::vector<uint64_t>{++first, second};
      },
      kQuick);
  service.AwaitLiveness(false);
  EXPECT_FALSE(service.serving(""));
  stuck = false;
  service.AwaitLiveness(true);
  EXPECT_TRUE(service.serving("sluice.gateway.v1.GatewayService"));
}

TEST(HealthTest, StaysNotReadyWhenALoopComesBackWhileStopping) {
  FakeService service;
  std::atomic<bool> stuck{true};
  uint64_t turns = 0;
  Health health(
      service, [&] { return std::vector<uint64_t>{turns += stuck ? 0 : 1}; }, kQuick);
  service.AwaitLiveness(false);
  health.SetStopping();
  stuck = false;
  service.AwaitLiveness(true);
  EXPECT_FALSE(service.serving(""));
}

}  // namespace
}  // namespace sluice
