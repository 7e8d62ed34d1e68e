#include "gateway/leg/chain_counters.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gtest/gtest.h"
#include "interceptor/chain.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

InterceptorOptions KeyFramesOnly() {
  InterceptorOptions options;
  options.key_frame_requests = true;
  return options;
}

TEST(ChainCountersTest, WhatDidNotHappenIsNotTold) {
  SeededRandom random(1);
  std::vector<std::unique_ptr<Interceptor>> interceptors;
  ChainParts parts;
  ASSERT_TRUE(MakeInterceptors(KeyFramesOnly(), {.sender = Ssrc(1), .max_streams = 2}, {&random, 0},
                               interceptors, parts)
                  .ok());
  std::vector<InterceptorCounter> counters;
  AppendCounters(parts, counters);
  EXPECT_TRUE(counters.empty());
  AppendCounters(ChainParts(), counters);
  EXPECT_TRUE(counters.empty());
}

TEST(ChainCountersTest, WhatHappenedIsToldByInterceptorAndName) {
  SeededRandom random(1);
  std::vector<std::unique_ptr<Interceptor>> interceptors;
  ChainParts parts;
  ASSERT_TRUE(MakeInterceptors(KeyFramesOnly(), {.sender = Ssrc(1), .max_streams = 2}, {&random, 0},
                               interceptors, parts)
                  .ok());
  ChainHarness harness(std::move(interceptors));
  // Of a stream that is not there.
  harness.Event(Timestamp::Seconds(1), KeyFrameNeeded{Ssrc(7)});
  std::vector<InterceptorCounter> counters;
  AppendCounters(parts, counters);
  std::set<std::string> told;
  for (const InterceptorCounter& counter : counters) {
    told.insert(absl::StrCat(counter.interceptor, ".", counter.name, "=", counter.value));
  }
  EXPECT_EQ(told, (std::set<std::string>{"key_frame_throttle.needs=1",
                                         "key_frame_throttle.unknown_stream=1"}));
}

}  // namespace
}  // namespace sluice
