#include "gateway/leg/chain_parts.h"

#include <malloc.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_chain.h"
#include "gateway/leg/media_description.h"
#include "gtest/gtest.h"
#include "interceptor/interceptor.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

struct Row {
  const char* name;
  bool InterceptorOptions::*option;
  size_t interceptors;
};
constexpr Row kRows[] = {
    {"reports", &InterceptorOptions::reports, 1},
    {"statistics", &InterceptorOptions::statistics, 1},
    {"nack", &InterceptorOptions::nack, 2},
    {"transport_wide_feedback", &InterceptorOptions::transport_wide_feedback, 1},
    {"congestion_control_feedback", &InterceptorOptions::congestion_control_feedback, 1},
    {"bandwidth_estimator", &InterceptorOptions::bandwidth_estimator, 1},
    {"key_frame_requests", &InterceptorOptions::key_frame_requests, 1},
    {"pacer", &InterceptorOptions::pacer, 1},
    {"jitter_buffer", &InterceptorOptions::jitter_buffer, 1},
    {"forward_error_correction", &InterceptorOptions::forward_error_correction, 1},
    {"redundancy", &InterceptorOptions::redundancy, 1},
};

size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(ChainPartsTest, EachOptionMakesItsInterceptors) {
  SeededRandom random(1);
  const ChainEnvironment environment = {&random, 0};
  for (const Row& row : kRows) {
    InterceptorOptions options;
    options.*row.option = true;
    std::vector<std::unique_ptr<Interceptor>> interceptors;
    ChainParts parts;
    EXPECT_TRUE(MakeInterceptors(options, {.secure = true, .sender = Ssrc(1), .max_streams = 16},
                                 environment, interceptors, parts)
                    .ok());
    EXPECT_EQ(interceptors.size(), row.interceptors) << row.name;
  }
}

// What a leg is charged for is what it takes: never less, and not twice as much. Under sanitizers
// the heap is another one, and mallinfo2 tells nothing.
TEST(ChainPartsTest, WhatIsChargedIsWhatIsTaken) {
  SeededRandom random(1);
  const ChainEnvironment environment = {&random, 0};
  for (const Row& row : kRows) {
    InterceptorOptions options;
    options.*row.option = true;
    const size_t before = HeapBytes();
    auto chain = LegChain::Create(options, {}, /*secure=*/true, nullptr, environment);
    ASSERT_TRUE(chain.ok());
    const size_t taken = HeapBytes() - before;
    const size_t charged = InterceptorBytes(options);
    EXPECT_LE(taken, charged) << row.name;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LE(charged, 2 * taken + 32 * 1024) << row.name << " takes " << taken;
#endif
  }
}

TEST(ChainPartsTest, OnlyWhoKeepsPacketsIsChargedForThem) {
  InterceptorOptions options;
  options.nack = true;
  EXPECT_EQ(InterceptorHeldPackets(options), 0u);
  options.pacer = true;
  const size_t pacer = InterceptorHeldPackets(options);
  EXPECT_GT(pacer, 0u);
  options.jitter_buffer = true;
  EXPECT_GT(InterceptorHeldPackets(options), pacer);
  EXPECT_EQ(InterceptorBytes(InterceptorOptions()), 0u);
}

}  // namespace
}  // namespace sluice
