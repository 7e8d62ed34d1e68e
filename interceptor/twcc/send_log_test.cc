#include "interceptor/twcc/send_log.h"

#include <cstdint>
#include <deque>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum OutcomeVerdict;

constexpr Timestamp kArrived = Timestamp::Seconds(77);
constexpr Timestamp kMissing = Timestamp::PlusInfinity();

struct Told {
  OutcomeVerdict verdict;
  PacketReport report = {
      -1, DataSize::Zero(), Timestamp::Zero(), Timestamp::Zero(), 0,
  };
};

Told Tell(SendLog& log, int64_t sequence, Timestamp arrived) {
  Told told = {kNeverSent};
  told.verdict = log.Report(sequence, arrived, told.report);
  return told;
}

SendLog Sent(int64_t count, size_t capacity = 64) {
  SendLog log(capacity);
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(log.Add(Timestamp::Millis(i), DataSize::Bytes(100 + i % 1000),
                      static_cast<uint32_t>(i % 3)),
              i);
  }
  return log;
}

TEST(SendLogTest, AReportHasWhatIsKnownOfThePacket) {
  SendLog log = Sent(10);
  const Told told = Tell(log, 5, kArrived);
  ASSERT_EQ(told.verdict, kNews);
  EXPECT_EQ(told.report.sequence, 5);
  EXPECT_EQ(told.report.size, DataSize::Bytes(105));
  EXPECT_EQ(told.report.sent, Timestamp::Millis(5));
  EXPECT_EQ(told.report.arrived, kArrived);
  EXPECT_EQ(told.report.probe_cluster, 2u);
}

TEST(SendLogTest, AnArrivalIsToldOnce) {
  SendLog log = Sent(10);
  EXPECT_EQ(Tell(log, 5, kArrived).verdict, kNews);
  EXPECT_EQ(Tell(log, 5, kArrived).verdict, kKnown);
  EXPECT_EQ(Tell(log, 5, kMissing).verdict, kKnown) << "it did arrive";
}

TEST(SendLogTest, AMissingPacketMayStillArrive) {
  SendLog log = Sent(10);
  EXPECT_EQ(Tell(log, 5, kMissing).verdict, kNews);
  EXPECT_EQ(Tell(log, 5, kMissing).verdict, kKnown);
  EXPECT_EQ(Tell(log, 5, kArrived).verdict, kNews);
  EXPECT_EQ(Tell(log, 5, kMissing).verdict, kKnown);
}

TEST(SendLogTest, PacketsNeverSentAreNotReported) {
  SendLog log = Sent(10);
  EXPECT_EQ(Tell(log, 10, kArrived).verdict, kNeverSent);
  EXPECT_EQ(Tell(log, 5000, kArrived).verdict, kNeverSent);
  EXPECT_EQ(Tell(log, -1, kArrived).verdict, kNeverSent);
  SendLog empty(64);
  EXPECT_EQ(Tell(empty, 0, kArrived).verdict, kNeverSent);
}

TEST(SendLogTest, OldPacketsAreForgottenAndNeverTakenForNewOnes) {
  SendLog log = Sent(100);
  EXPECT_EQ(log.oldest(), 36);
  EXPECT_EQ(Tell(log, 35, kArrived).verdict, kForgotten);
  EXPECT_EQ(Tell(log, 36, kArrived).verdict, kNews);
  EXPECT_EQ(Tell(log, 99, kArrived).verdict, kNews);
}

// Pion's estimator remembered 250 packets and lost what came later.
TEST(SendLogTest, RemembersThousandsOfPackets) {
  SendLog log = Sent(10'000, 4096);
  for (int64_t i = 10'000 - 4096; i < 10'000; ++i) {
    ASSERT_EQ(Tell(log, i, kArrived).verdict, kNews);
  }
}

TEST(SendLogTest, NumbersOnTheWireAreThoseNearestToTheLastOne) {
  EXPECT_EQ(Sent(0).Nearest(TransportSequence(0)), 0);
  EXPECT_EQ(Sent(1).Nearest(TransportSequence(0)), 0);
  EXPECT_EQ(Sent(1).Nearest(TransportSequence(1)), 1) << "not sent yet";
  EXPECT_EQ(Sent(1).Nearest(TransportSequence(0xFFFF)), -1) << "before the first one";
  EXPECT_EQ(Sent(70'000).Nearest(TransportSequence(69'999 - 65'536)), 69'999);
  EXPECT_EQ(Sent(70'000).Nearest(TransportSequence(65'535)), 65'535);
  EXPECT_EQ(Sent(70'000).Nearest(TransportSequence(70'000 - 65'536)), 70'000);
}

// Against a list of everything.
TEST(SendLogTest, TellsWhatAListWouldTell) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  SendLog log(128);
  struct Packet {
    bool missing = false;
    bool received = false;
  };
  std::deque<Packet> model;
  for (int step = 0; step < 50'000; ++step) {
    if (random.Below(2) == 0) {
      log.Add(Timestamp::Millis(step), DataSize::Bytes(1), 0);
      model.emplace_back();
      continue;
    }
    const auto sent = static_cast<int64_t>(model.size());
    const int64_t sequence = sent + 4 - static_cast<int64_t>(random.Below(200));
    const bool received = random.Below(2) == 0;
    OutcomeVerdict expected = kKnown;
    if (sequence < 0 || sequence >= sent) {
      expected = kNeverSent;
    } else if (sequence < sent - 128) {
      expected = kForgotten;
    } else {
      Packet& packet = model[static_cast<size_t>(sequence)];
      if (!packet.received && (received || !packet.missing)) {
        expected = kNews;
        packet.received = received;
        packet.missing = !received;
      }
    }
    ASSERT_EQ(Tell(log, sequence, received ? kArrived : kMissing).verdict, expected) << step;
  }
}

}  // namespace
}  // namespace sluice
