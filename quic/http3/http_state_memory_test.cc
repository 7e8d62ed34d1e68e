#include "quic/http3/http_state_memory.h"

#include <nghttp3/nghttp3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(HttpStateMemoryTest, CountsWhatIsAllocatedAndRefusesWhatIsTooMuch) {
  HttpStateMemory memory(1000);
  const nghttp3_mem& mem = memory.mem();
  void* const first = mem.malloc(600, mem.user_data);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.used(), 600u);
  EXPECT_EQ(mem.malloc(401, mem.user_data), nullptr);
  EXPECT_EQ(memory.exhausted(), 1u);
  void* const second = mem.malloc(400, mem.user_data);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(mem.malloc(1, mem.user_data), nullptr);
  mem.free(first, mem.user_data);
  mem.free(nullptr, mem.user_data);
  EXPECT_EQ(memory.used(), 400u);
  mem.free(second, mem.user_data);
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(memory.exhausted(), 2u);
}

TEST(HttpStateMemoryTest, ZerosAreZerosAndTheirNumberDoesNotOverflow) {
  HttpStateMemory memory(1000);
  const nghttp3_mem& mem = memory.mem();
  auto* const zeros = static_cast<uint8_t*>(mem.calloc(10, 100, mem.user_data));
  ASSERT_NE(zeros, nullptr);
  EXPECT_EQ(std::count(zeros, zeros + 1000, 0), 1000);
  EXPECT_EQ(memory.used(), 1000u);
  EXPECT_EQ(mem.calloc(1, 1, mem.user_data), nullptr);
  mem.free(zeros, mem.user_data);
  EXPECT_EQ(mem.calloc(SIZE_MAX / 2, 4, mem.user_data), nullptr);
  EXPECT_EQ(mem.calloc(1001, 1, mem.user_data), nullptr);
  EXPECT_EQ(memory.exhausted(), 3u);
  EXPECT_EQ(memory.used(), 0u);
}

TEST(HttpStateMemoryTest, WhatGrowsKeepsItsBytesAndWhatMayNotGrowStays) {
  HttpStateMemory memory(100);
  const nghttp3_mem& mem = memory.mem();
  auto* bytes = static_cast<uint8_t*>(mem.realloc(nullptr, 60, mem.user_data));
  ASSERT_NE(bytes, nullptr);
  std::fill(bytes, bytes + 60, 7);
  // Both at once would be too much; there is one after the other.
  bytes = static_cast<uint8_t*>(mem.realloc(bytes, 100, mem.user_data));
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(std::count(bytes, bytes + 60, 7), 60);
  EXPECT_EQ(mem.realloc(bytes, 101, mem.user_data), nullptr);
  EXPECT_EQ(memory.used(), 100u);
  bytes = static_cast<uint8_t*>(mem.realloc(bytes, 10, mem.user_data));
  EXPECT_EQ(memory.used(), 10u);
  mem.free(bytes, mem.user_data);
}

}  // namespace
}  // namespace sluice
