#include "gateway/worker/worker_pool.h"

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/packet_slots.h"
#include "gateway/worker/worker.h"
#include "gateway/worker/worker_limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

WorkerLimits SmallLimits() {
  WorkerLimits limits;
  limits.sessions = 64;
  limits.legs_per_session = 2;
  limits.streams_per_leg = 4;
  limits.receive_batch = 16;
  limits.outbox_packets = 32;
  limits.mailbox_commands = 64;
  limits.event_queue = 16;
  limits.packet_slots = PacketSlots(limits);
  return limits;
}

SessionSpec Session(int number) {
  SessionSpec spec;
  spec.id = absl::StrCat("call-", number);
  return spec;
}

class WorkerPoolTest : public testing::Test {
 protected:
  WorkerPoolTest() {
    const PortRange range = FindFreePorts(4);
    MediaPortPoolOptions options;
    options.first_port = range.first;
    options.last_port = range.last;
    options.ipv4 = Loopback(IpFamily::kIpv4);
    ports_ = MediaPortPool::Create(options).value();
  }

  std::unique_ptr<MediaPortPool> ports_;
};

TEST_F(WorkerPoolTest, EachWorkerHasItsIndex) {
  const auto pool =
      WorkerPool::Create(3, SmallLimits(), EngineKind::kBoringSsl, *ports_, nullptr).value();
  ASSERT_EQ(pool->size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(pool->worker(i).index(), i);
}

TEST_F(WorkerPoolTest, NewSessionsGoToTheWorkerWithTheFewest) {
  const auto pool =
      WorkerPool::Create(3, SmallLimits(), EngineKind::kBoringSsl, *ports_, nullptr).value();
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(pool->LeastLoaded().CreateSession(Session(i)).ok());
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(pool->worker(i).session_count(), 10u);

  // One that lost its sessions is first in line.
  Worker& emptied = pool->worker(1);
  for (int i = 0; i < 30; ++i) (void)emptied.DeleteSession(Session(i).id);
  EXPECT_EQ(emptied.session_count(), 0u);
  for (int i = 30; i < 40; ++i) {
    Worker& chosen = pool->LeastLoaded();
    EXPECT_EQ(chosen.index(), 1u);
    ASSERT_TRUE(chosen.CreateSession(Session(i)).ok());
  }
}

TEST_F(WorkerPoolTest, EqualsTakeTurns) {
  const auto pool =
      WorkerPool::Create(3, SmallLimits(), EngineKind::kBoringSsl, *ports_, nullptr).value();
  std::set<size_t> chosen;
  for (int i = 0; i < 3; ++i) chosen.insert(pool->LeastLoaded().index());
  EXPECT_THAT(chosen, testing::SizeIs(3));
}

TEST_F(WorkerPoolTest, WithoutWorkersOrWithBadLimitsThereIsNoPool) {
  const size_t before = CountOpenDescriptors();
  EXPECT_EQ(WorkerPool::Create(0, SmallLimits(), EngineKind::kBoringSsl, *ports_, nullptr)
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  WorkerLimits limits = SmallLimits();
  --limits.packet_slots;
  EXPECT_EQ(WorkerPool::Create(2, limits, EngineKind::kBoringSsl, *ports_, nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CountOpenDescriptors(), before);
}

TEST_F(WorkerPoolTest, StopStopsAll) {
  const size_t before = CountOpenDescriptors();
  auto pool =
      WorkerPool::Create(2, SmallLimits(), EngineKind::kBoringSsl, *ports_, nullptr).value();
  pool->Stop();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(pool->worker(i).CreateSession(Session(1)).status().code(),
              absl::StatusCode::kUnavailable);
  }
  pool.reset();
  EXPECT_EQ(CountOpenDescriptors(), before);
}

TEST_F(WorkerPoolTest, ThreadsMayCallAllWorkersAtOnce) {
  const auto pool =
      WorkerPool::Create(2, SmallLimits(), EngineKind::kBoringSsl, *ports_, nullptr).value();
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const SessionSpec spec = Session(1000 * t + i);
        Worker& worker = pool->LeastLoaded();
        EXPECT_TRUE(worker.CreateSession(spec).ok());
        EXPECT_TRUE(worker.DeleteSession(spec.id).ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(pool->worker(0).session_count() + pool->worker(1).session_count(), 0u);
}

}  // namespace
}  // namespace sluice
