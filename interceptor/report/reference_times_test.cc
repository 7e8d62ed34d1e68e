#include "interceptor/report/reference_times.h"

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

// "1:0x10000+32768 ..."
std::string Take(ReferenceTimes& times, Timestamp now) {
  std::array<ReferenceTimeAnswer, ReferenceTimes::kCapacity> answers;
  std::string text;
  for (const ReferenceTimeAnswer& answer :
       absl::MakeSpan(answers).first(times.TakeAnswers(now, absl::MakeSpan(answers)))) {
    absl::StrAppend(&text, text.empty() ? "" : " ", answer.ssrc.value(), ":",
                    answer.last_reference_time, "+", answer.delay_since);
  }
  return text;
}

TEST(ReferenceTimesTest, EachIsAnsweredOnceWithTheTimeSince) {
  ReferenceTimes times;
  times.Add(Ssrc(1), 0x0000'0007'0000'1234, Ms(1000));
  EXPECT_EQ(Take(times, Ms(1500)), absl::StrCat("1:", 0x7'0000, "+32768"));
  EXPECT_EQ(Take(times, Ms(1600)), "");
}

TEST(ReferenceTimesTest, TheLastOfEachReceiverCounts) {
  ReferenceTimes times;
  EXPECT_TRUE(times.Add(Ssrc(1), uint64_t{1} << 16, Ms(0)));
  EXPECT_TRUE(times.Add(Ssrc(2), uint64_t{2} << 16, Ms(0)));
  EXPECT_TRUE(times.Add(Ssrc(1), uint64_t{3} << 16, Ms(1000)));
  EXPECT_EQ(Take(times, Ms(1000)), "2:2+65536 1:3+0");
}

TEST(ReferenceTimesTest, OfMoreThanFitTheLastAreAnswered) {
  ReferenceTimes times;
  for (uint32_t i = 0; i < ReferenceTimes::kCapacity; ++i) {
    EXPECT_TRUE(times.Add(Ssrc(i), 1 << 16, Ms(0)));
  }
  EXPECT_FALSE(times.Add(Ssrc(100), 1 << 16, Ms(0)));
  EXPECT_EQ(times.size(), ReferenceTimes::kCapacity);
  EXPECT_EQ(Take(times, Ms(0)).substr(0, 4), "1:1+");
}

TEST(ReferenceTimesTest, WhoLeftIsNotAnswered) {
  ReferenceTimes times;
  times.Add(Ssrc(1), 1 << 16, Ms(0));
  times.Add(Ssrc(2), 1 << 16, Ms(0));
  times.Remove(Ssrc(1));
  times.Remove(Ssrc(3));
  EXPECT_EQ(Take(times, Ms(0)), "2:1+0");
}

}  // namespace
}  // namespace sluice
