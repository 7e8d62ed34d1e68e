#include "interceptor/bwe/send_side_estimator.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr DataRate Kbps(int64_t kbps) { return DataRate::KilobitsPerSec(kbps); }
constexpr DataSize kPacket = DataSize::Bytes(1000);

// A path with a queue of any length in front of it, and feedback every 50 ms. Probes are not sent.
class Path {
 public:
  explicit Path(DataRate capacity, const SendSideEstimatorOptions& options = {})
      : capacity_(capacity) {
    auto made = SendSideEstimator::Create(options);
    EXPECT_TRUE(made.ok()) << made.status();
    estimator_ = *std::move(made);
  }

  // Sends at the target, but not more than `most`.
  void Run(TimeDelta duration, DataRate most = DataRate::PlusInfinity()) {
    for (const Timestamp end = now_ + duration; now_ < end; now_ += TimeDelta::Millis(1)) {
      while (next_send_ <= now_) {
        Send();
        next_send_ = std::max(next_send_, now_ - TimeDelta::Millis(20)) +
                     kPacket / std::min(estimator_->target(), most);
      }
      if (now_ >= next_feedback_) {
        next_feedback_ = now_ + TimeDelta::Millis(50);
        if (answers) {
          Report();
        }
      }
      if (estimator_->NextTimeout() <= now_) {
        Note(estimator_->OnTimeout(now_));
      }
    }
  }

  void SetCapacity(DataRate capacity) { capacity_ = capacity; }
  TimeDelta queue() const { return std::max(free_at_ - now_, TimeDelta::Zero()); }
  SendSideEstimator& estimator() { return *estimator_; }
  Timestamp now() const { return now_; }
  void Note(const EstimatorUpdate& update) {
    probes += static_cast<int>(update.probes.probes().size());
    if (update.application_limited.has_value()) {
      application_limited = *update.application_limited;
    }
    if (update.target.has_value()) {
      EXPECT_EQ(*update.target, estimator_->target());
    }
  }

  bool answers = true;
  int probes = 0;
  bool application_limited = false;

 private:
  void Send() {
    free_at_ = std::max(free_at_, now_) + kPacket / capacity_;
    // The peer's clock is another one.
    in_flight_.push_back({.sequence = sequence_++,
                          .size = kPacket,
                          .sent = now_,
                          .arrived = free_at_ + TimeDelta::Seconds(5000),
                          .probe_cluster = 0});
    if (estimator_->OnPacketsSent(now_, kPacket)) {
      Note(estimator_->AfterSending(now_));
    }
  }
  void Report() {
    // What arrived 25 ms ago, with a way back as long.
    std::vector<PacketReport> reported;
    const Timestamp arrived_by = now_ - TimeDelta::Millis(25) + TimeDelta::Seconds(5000);
    while (!in_flight_.empty() && in_flight_.front().arrived <= arrived_by) {
      reported.push_back(in_flight_.front());
      in_flight_.erase(in_flight_.begin());
    }
    if (!reported.empty()) {
      Note(estimator_->OnFeedback({.received = now_, .packets = reported}));
    }
  }

  DataRate capacity_;
  std::unique_ptr<SendSideEstimator> estimator_;
  Timestamp now_ = Timestamp::Seconds(10);
  Timestamp next_send_ = now_;
  Timestamp next_feedback_ = now_;
  Timestamp free_at_ = now_;
  int64_t sequence_ = 0;
  std::vector<PacketReport> in_flight_;
};

TEST(SendSideEstimatorTest, BeginsWithTheStartRate) {
  Path path(Kbps(1000));
  EXPECT_EQ(path.estimator().target(), Kbps(300));
  EXPECT_EQ(path.estimator().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(SendSideEstimatorTest, FindsTheCapacityWithoutProbesToo) {
  Path path(Kbps(1000));
  path.Run(TimeDelta::Seconds(30));
  EXPECT_GE(path.estimator().target(), Kbps(750));
  EXPECT_LE(path.estimator().target(), Kbps(1150));
  EXPECT_LE(path.queue(), TimeDelta::Millis(100));
}

TEST(SendSideEstimatorTest, FollowsAPathThatNarrows) {
  Path path(Kbps(1000));
  path.Run(TimeDelta::Seconds(30));
  path.SetCapacity(Kbps(300));
  path.Run(TimeDelta::Seconds(2));
  EXPECT_LE(path.estimator().target(), Kbps(330));
  path.Run(TimeDelta::Seconds(20));
  EXPECT_GE(path.estimator().target(), Kbps(200));
  EXPECT_LE(path.queue(), TimeDelta::Millis(200));
}

TEST(SendSideEstimatorTest, AsksForTwoProbesWhenMediaBegins) {
  Path path(Kbps(1000));
  path.Run(TimeDelta::Millis(10));
  EXPECT_EQ(path.probes, 2);
}

// Pion's estimate grew without limit while there was little to send.
TEST(SendSideEstimatorTest, DoesNotGrowWhileThereIsLittleToSend) {
  Path path(Kbps(100'000), {.start = Kbps(1000)});
  path.Run(TimeDelta::Seconds(60), Kbps(200));
  EXPECT_TRUE(path.application_limited);
  EXPECT_LE(path.estimator().target(), Kbps(1100));
  EXPECT_GE(path.probes, 2 + 8) << "every five seconds it asks whether there is more";
  path.Run(TimeDelta::Seconds(5));
  EXPECT_FALSE(path.application_limited);
}

TEST(SendSideEstimatorTest, AProbeThatArrivesRaisesTheTargetAtOnce) {
  Path path(Kbps(10'000));
  path.Run(TimeDelta::Millis(100));
  // The first probe asked for 900 kbit/s.
  std::vector<PacketReport> reports;
  for (int i = 0; i < 6; ++i) {
    reports.push_back(
        {.sequence = 100'000 + i,
         .size = kPacket,
         .sent = path.now() + TimeDelta::Micros(8889 * i),
         .arrived = path.now() + TimeDelta::Seconds(5000) + TimeDelta::Micros(8889 * i),
         .probe_cluster = 1});
  }
  const EstimatorUpdate update = path.estimator().OnFeedback(
      {.received = path.now() + TimeDelta::Millis(100), .packets = reports});
  ASSERT_TRUE(update.target.has_value());
  EXPECT_NEAR(static_cast<double>(update.target->bps()), 900'000, 10'000);
}

TEST(SendSideEstimatorTest, WhenNothingComesBackTheRateFallsStepByStep) {
  Path path(Kbps(1000));
  path.Run(TimeDelta::Seconds(20));
  const DataRate before = path.estimator().target();
  path.answers = false;
  path.Run(TimeDelta::Seconds(3));
  EXPECT_EQ(path.estimator().target(), before);
  path.Run(TimeDelta::Seconds(3));
  EXPECT_LT(path.estimator().target().bps(), before.bps() * 7 / 10);
  EXPECT_GT(path.estimator().target().bps(), before.bps() * 4 / 10);
  path.Run(TimeDelta::Seconds(60));
  EXPECT_EQ(path.estimator().target(), Kbps(30));
  EXPECT_GE(path.estimator().feedback_timeouts(), 10u);
  path.answers = true;
  path.Run(TimeDelta::Seconds(30));
  EXPECT_GT(path.estimator().target(), Kbps(100)) << "it recovers";
}

TEST(SendSideEstimatorTest, ThePeersLimitIsKept) {
  Path path(Kbps(1000));
  path.Run(TimeDelta::Seconds(20));
  path.Note(path.estimator().OnRemoteLimit(path.now(), Kbps(400)));
  EXPECT_EQ(path.estimator().target(), Kbps(400));
  path.Run(TimeDelta::Seconds(5));
  EXPECT_LE(path.estimator().target(), Kbps(400));
  path.Note(path.estimator().OnRemoteLimit(path.now(), DataRate::Zero()));
  EXPECT_EQ(path.estimator().target(), Kbps(30)) << "never below the minimum";
  path.Note(path.estimator().OnRemoteLimit(path.now(), DataRate::PlusInfinity()));
  EXPECT_GT(path.estimator().target(), Kbps(300));
}

TEST(SendSideEstimatorTest, WithoutFeedbackThePeersLimitIsAllThereIs) {
  auto made = SendSideEstimator::Create({});
  ASSERT_TRUE(made.ok());
  SendSideEstimator& estimator = **made;
  const EstimatorUpdate up = estimator.OnRemoteLimit(Timestamp::Seconds(1), Kbps(2000));
  EXPECT_EQ(up.target, Kbps(2000));
  const EstimatorUpdate same = estimator.OnRemoteLimit(Timestamp::Seconds(2), Kbps(2000));
  EXPECT_FALSE(same.target.has_value());
}

TEST(SendSideEstimatorTest, IsQuietWhileNothingIsSent) {
  Path path(Kbps(1000));
  path.Run(TimeDelta::Seconds(5));
  SendSideEstimator& estimator = path.estimator();
  for (int i = 0; i < 3 && estimator.NextTimeout().IsFinite(); ++i) {
    estimator.OnTimeout(estimator.NextTimeout());
  }
  EXPECT_EQ(estimator.NextTimeout(), Timestamp::PlusInfinity());
}

TEST(SendSideEstimatorTest, OptionsHaveBounds) {
  using Options = SendSideEstimatorOptions;
  for (const Options& options :
       {Options{.min = DataRate::Zero()}, Options{.min = Kbps(500)}, Options{.start = Kbps(60'000)},
        Options{.max = DataRate::PlusInfinity()}, Options{.max_packets = 0},
        Options{.max_packets = 32'769}}) {
    EXPECT_EQ(SendSideEstimator::Create(options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(SendSideEstimatorTest, ReportsLongerThanTheLimitAreReadFromTheirEnd) {
  auto made = SendSideEstimator::Create({.max_packets = 10});
  ASSERT_TRUE(made.ok());
  std::vector<PacketReport> reports(25, {.sequence = 0,
                                         .size = kPacket,
                                         .sent = Timestamp::Seconds(1),
                                         .arrived = Timestamp::Seconds(1),
                                         .probe_cluster = 0});
  (*made)->OnFeedback({.received = Timestamp::Seconds(2), .packets = reports});
  EXPECT_EQ((*made)->packets_passed_over(), 15u);
}

// Reports as no peer would honestly send them: any times, any order, any sizes.
TEST(SendSideEstimatorTest, AnyReportLeavesTheTargetWithinItsBounds) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(41);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  auto made = SendSideEstimator::Create({});
  ASSERT_TRUE(made.ok());
  SendSideEstimator& estimator = **made;
  Timestamp now = Timestamp::Seconds(1);
  const auto any_time = [&random] {
    switch (random.Below(6)) {
      case 0:
        return Timestamp::PlusInfinity();
      case 1:
        return Timestamp::Micros(-(int64_t{1} << 40));
      case 2:
        return Timestamp::Micros(int64_t{1} << 50);
      default:
        return Timestamp::Micros(static_cast<int64_t>(random.Below(1'000'000'000)));
    }
  };
  for (int step = 0; step < 20'000; ++step) {
    now += TimeDelta::Micros(static_cast<int64_t>(random.Below(100'000)));
    if (random.Below(2) == 0 && estimator.OnPacketsSent(now, kPacket)) {
      estimator.AfterSending(now);
    }
    std::vector<PacketReport> reports;
    for (uint64_t count = random.Below(20); count > 0; --count) {
      reports.push_back(
          {.sequence = static_cast<int64_t>(random.Below(1000)),
           .size = DataSize::Bytes(static_cast<int64_t>(random.Below(65'536))),
           .sent = now - TimeDelta::Micros(static_cast<int64_t>(random.Below(500'000))),
           .arrived = any_time(),
           .probe_cluster = static_cast<uint32_t>(random.Below(4))});
    }
    estimator.OnFeedback({.received = now, .packets = reports});
    if (random.Below(10) == 0) {
      estimator.OnTimeout(now);
      estimator.OnRoundTrip(TimeDelta::Micros(static_cast<int64_t>(random.Below(1u << 30))));
    }
    ASSERT_GE(estimator.target(), Kbps(30)) << step;
    ASSERT_LE(estimator.target(), Kbps(50'000)) << step;
  }
}

TEST(SendSideEstimatorTest, AllocatesNothing) {
  auto made = SendSideEstimator::Create({});
  ASSERT_TRUE(made.ok());
  SendSideEstimator& estimator = **made;
  std::vector<PacketReport> reports;
  for (int i = 0; i < 100; ++i) {
    // Every tenth is lost, and each pair arrives in reverse.
    reports.push_back(
        {.sequence = i,
         .size = kPacket,
         .sent = Timestamp::Millis(i),
         .arrived = i % 10 == 3 ? Timestamp::PlusInfinity() : Timestamp::Millis(500 + (i ^ 1)),
         .probe_cluster = static_cast<uint32_t>(i / 50)});
  }
  const uint64_t before = ThreadAllocations();
  for (int round = 0; round < 1000; ++round) {
    const Timestamp now = Timestamp::Millis(100 * round);
    for (int i = 0; i < 100; ++i) {
      if (estimator.OnPacketsSent(now, kPacket)) {
        estimator.AfterSending(now);
      }
      reports[static_cast<size_t>(i)].sent += TimeDelta::Millis(100);
      if (reports[static_cast<size_t>(i)].arrived.IsFinite()) {
        reports[static_cast<size_t>(i)].arrived += TimeDelta::Millis(100);
      }
    }
    estimator.OnFeedback({.received = now, .packets = reports});
    estimator.OnTimeout(now);
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

}  // namespace
}  // namespace sluice
