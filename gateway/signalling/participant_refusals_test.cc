#include "gateway/signalling/participant_refusals.h"

#include <set>
#include <string>
#include <vector>

#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#include "absl/log/log_entry.h"
#include "absl/log/log_sink.h"
#include "absl/log/log_sink_registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

class LogLines : public absl::LogSink {
 public:
  LogLines() { absl::AddLogSink(this); }
  ~LogLines() override { absl::RemoveLogSink(this); }
  void Send(const absl::LogEntry& entry) override { lines_.emplace_back(entry.text_message()); }
  std::vector<std::string> Take() { return std::exchange(lines_, {}); }

 private:
  std::vector<std::string> lines_;
};

TEST(ParticipantRefusalsTest, EveryReasonHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (size_t i = 0; i < kParticipantRefusals; ++i) {
    names.insert(ParticipantRefusalName(static_cast<ParticipantRefusal>(i)));
  }
  EXPECT_EQ(names.size(), kParticipantRefusals);
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(ParticipantRefusalsTest, VerdictsKeepTheirNames) {
  for (size_t i = 1; i < kTokenVerdicts; ++i) {
    const auto verdict = static_cast<TokenVerdict>(i);
    EXPECT_EQ(ParticipantRefusalName(ToRefusal(verdict)), TokenVerdictName(verdict));
  }
}

TEST(ParticipantRefusalsTest, EachReasonIsCountedByItself) {
  ParticipantRefusals refusals;
  refusals.Count(ParticipantRefusal::kExpired, kStart);
  refusals.Count(ParticipantRefusal::kExpired, kStart);
  refusals.Count(ParticipantRefusal::kNoRight, kStart);
  EXPECT_EQ(refusals.count(ParticipantRefusal::kExpired), 2u);
  EXPECT_EQ(refusals.count(ParticipantRefusal::kNoRight), 1u);
  EXPECT_EQ(refusals.count(ParticipantRefusal::kRevoked), 0u);
}

TEST(ParticipantRefusalsTest, AllCountsAreToldByTheirNames) {
  ParticipantRefusals refusals;
  refusals.Count(ParticipantRefusal::kTooManyCalls, kStart);
  const auto counts = refusals.counts();
  EXPECT_THAT(counts, SizeIs(kParticipantRefusals));
  EXPECT_THAT(counts, Contains(Pair("too_many_calls", 1)));
  EXPECT_THAT(counts, Contains(Pair("expired", 0)));
}

TEST(ParticipantRefusalsTest, ThereIsOneLineAMinuteForEachReason) {
  ParticipantRefusals refusals;
  LogLines log;
  for (int i = 0; i < 1000; ++i) {
    refusals.Count(ParticipantRefusal::kExpired, kStart + absl::Milliseconds(59 * i));
  }
  EXPECT_THAT(log.Take(), ElementsAre("participants refused reason=expired times=1"));
  refusals.Count(ParticipantRefusal::kNoToken, kStart);
  EXPECT_THAT(log.Take(), ElementsAre("participants refused reason=no_token times=1"));
  refusals.Count(ParticipantRefusal::kExpired, kStart + absl::Minutes(1));
  EXPECT_THAT(log.Take(), ElementsAre("participants refused reason=expired times=1000"));
  refusals.Count(ParticipantRefusal::kExpired, kStart + absl::Seconds(119));
  EXPECT_THAT(log.Take(), IsEmpty());
}

}  // namespace
}  // namespace sluice
