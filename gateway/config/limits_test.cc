#include "gateway/config/limits.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(LimitsTest, DefaultsAreInRangeAndGoTogether) {
  EXPECT_EQ(CheckLimits(Limits{}), absl::OkStatus());
}

TEST(LimitsTest, EveryLimitIsRefusedBelowAndAboveItsRangeByName) {
  for (const LimitRow& row : kLimitRows) {
    for (const size_t value : {row.min - 1, row.max + 1}) {
      Limits limits;
      limits.*row.member = value;
      const absl::Status status = CheckLimits(limits);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.name << " " << value;
      EXPECT_THAT(std::string(status.message()),
                  AllOf(HasSubstr(absl::StrCat("limits.", row.name, " is ", value)),
                        HasSubstr(absl::StrCat(row.min, "..", row.max))));
    }
  }
}

TEST(LimitsTest, RefusesAnOutboxThatAFullBatchOverflows) {
  EXPECT_THAT(CheckLimits({.receive_batch = 64, .outbox_packets = 63}).message(),
              HasSubstr("limits.outbox_packets is 63"));
  EXPECT_EQ(CheckLimits({.receive_batch = 64, .outbox_packets = 64}), absl::OkStatus());
}

TEST(LimitsTest, RefusesAMailboxThatWaitingThreadsOverflow) {
  EXPECT_THAT(CheckLimits({.mailbox_commands = 15, .grpc_threads = 16}).message(),
              HasSubstr("limits.mailbox_commands is 15"));
}

TEST(LimitsTest, RefusesTombstonesThatAreForgottenAtOnceOrNever) {
  EXPECT_THAT(CheckLimits({.tombstone_lifetime = absl::Milliseconds(999)}).message(),
              HasSubstr("limits.tombstone_lifetime is 999ms, it has to be 1s to 24h"));
  EXPECT_FALSE(CheckLimits({.tombstone_lifetime = absl::InfiniteDuration()}).ok());
}

TEST(LimitsTest, SessionsSpreadOverWorkersWithoutLosingAny) {
  EXPECT_EQ(SessionsPerWorker({.sessions = 10}, 1), 10u);
  EXPECT_EQ(SessionsPerWorker({.sessions = 10}, 3), 4u);
  EXPECT_EQ(SessionsPerWorker({.sessions = 1}, 8), 1u);
}

TEST(LimitsTest, MemoryIsSummedLargestFirst) {
  const std::vector<MemoryUse> uses = SumMemory(
      {}, {.workers = 2, .packet_slots = 2048, .packet_slot_bytes = 2048, .port_pairs = 5000});
  ASSERT_FALSE(uses.empty());
  for (size_t i = 1; i < uses.size(); ++i) {
    EXPECT_GE(uses[i - 1].bytes, uses[i].bytes) << uses[i].what;
  }
}

TEST(LimitsTest, MemoryGrowsWithWorkersAndPortsButNotWithLegsThatHaveNoPorts) {
  const MemoryFactors factors{
      .workers = 1, .packet_slots = 1000, .packet_slot_bytes = 2048, .port_pairs = 100};
  const auto sum = [](const Limits& limits, const MemoryFactors& f) {
    size_t bytes = 0;
    for (const MemoryUse& use : SumMemory(limits, f)) {
      bytes += use.bytes;
    }
    return bytes;
  };
  const size_t base = sum({}, factors);
  MemoryFactors more = factors;
  more.workers = 2;
  EXPECT_GE(sum({}, more), base + 1000 * 2048);
  more = factors;
  more.port_pairs = 200;
  EXPECT_GT(sum({}, more), base);
  EXPECT_EQ(sum({.legs_per_session = 256}, factors), base);
  more = factors;
  more.grpc_ports = 2;
  EXPECT_GT(sum({}, more), base);
  EXPECT_GT(sum({.revoked_tokens = 200'000}, factors), base);
}

TEST(LimitsTest, QuicCountsWhereItIsOn) {
  const auto sum = [](const MemoryFactors& factors, const Limits& limits = {}) {
    size_t bytes = 0;
    for (const MemoryUse& use : SumMemory(limits, factors)) {
      bytes += use.bytes;
    }
    return bytes;
  };
  const size_t without = sum({});
  EXPECT_EQ(sum({}, {.quic_connections = 100'000}), without);
  const MemoryFactors factors = {.quic_connection_bytes = 40'000, .quic_pool_bytes = 12'345};
  const size_t with = sum(factors);
  EXPECT_GE(with, without + 12'345 + Limits{}.quic_connections * 40'000);
  EXPECT_EQ(sum(factors, {.quic_connections = Limits{}.quic_connections + 1}), with + 40'000);
  EXPECT_GT(sum(factors, {.quic_threads = 9}), with);
}

TEST(LimitsTest, RefusesWhatDoesNotFitAndSaysWhatIsLargest) {
  const std::vector<MemoryUse> uses = {{"streams_per_leg", 900u << 20}, {"sessions", 100u << 20}};
  EXPECT_EQ(CheckMemory(uses, 1000u << 20), absl::OkStatus());
  const absl::Status status = CheckMemory(uses, 512u << 20);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(
      status.message(),
      "the limits add up to 1000 MiB and this machine has 512 MiB: lower the limits, first of "
      "all streams_per_leg (900 MiB), sessions (100 MiB)");
}

}  // namespace
}  // namespace sluice
