#include "gateway/quic/protocol_report.h"

#include <cstdint>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/node.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

template <typename Counters>
std::map<std::string, uint64_t> Report(const Counters& counters) {
  gateway::v1::QuicProtocolStatus out;
  ReportRequests(counters, out);
  std::map<std::string, uint64_t> counts;
  for (const auto& named : out.requests()) {
    EXPECT_TRUE(counts.emplace(named.name(), named.count()).second) << named.name();
  }
  return counts;
}

TEST(ProtocolReportTest, WhatNeverHappenedIsLeftOut) {
  EXPECT_THAT(Report(RpcProtocolCounters{}), IsEmpty());
  EXPECT_THAT(Report(HttpProtocolCounters{}), IsEmpty());
}

TEST(ProtocolReportTest, LimitsThatCallsHitHaveTheirNames) {
  RpcProtocolCounters counters;
  counters.calls.too_many_calls = 1;
  counters.calls.requests_too_slow = 2;
  counters.calls.answers_abandoned = 3;
  counters.buffers_exhausted = 4;
  counters.source_exhausted = 5;
  EXPECT_THAT(Report(counters),
              ElementsAre(Pair("answers_abandoned", 3), Pair("buffers_exhausted", 4),
                          Pair("requests_too_slow", 2), Pair("source_exhausted", 5),
                          Pair("too_many_calls", 1)));
}

TEST(ProtocolReportTest, LimitsThatRequestsHitHaveTheirNames) {
  HttpProtocolCounters counters;
  counters.requests.too_many_requests = 1;
  counters.requests.malformed = 2;
  counters.requests.failures = 3;
  counters.buffers_exhausted = 4;
  counters.source_exhausted = 5;
  EXPECT_THAT(Report(counters),
              ElementsAre(Pair("buffers_exhausted", 4), Pair("failures", 3), Pair("malformed", 2),
                          Pair("source_exhausted", 5), Pair("too_many_requests", 1)));
}

}  // namespace
}  // namespace sluice
