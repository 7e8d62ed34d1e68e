#include "base/check.h"

#include <cstdint>

#include "absl/base/log_severity.h"
#include "absl/log/scoped_mock_log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::_;
using testing::EndsWith;
using testing::HasSubstr;

TEST(CheckTest, PassesSilently) {
  absl::ScopedMockLog log;
  EXPECT_CALL(log, Log).Times(0);
  log.StartCapturingLogs();
  SLUICE_CHECK(1 + 1 == 2) << "never evaluated";
  SLUICE_DCHECK(1 + 1 == 2) << "never evaluated";
}

TEST(CheckDeathTest, FailureIsFatalAndNamesTheConditionAndTheMessage) {
  const int count = 7;
  EXPECT_DEATH(SLUICE_CHECK(count < 5) << "count is " << count,
               "check_test.cc.*count < 5.*count is 7");
}

TEST(CheckDeathTest, DebugCheckFollowsTheBuild) {
#ifdef NDEBUG
  bool evaluated = false;
  SLUICE_DCHECK((evaluated = true) && false);
  EXPECT_FALSE(evaluated) << "must cost nothing in production";
#else
  EXPECT_DEATH(SLUICE_DCHECK(false), "false");
#endif
}

void ReachTheBug() { SLUICE_BUG(check_test_first); }

#ifdef NDEBUG

TEST(CheckTest, BugsAreCountedEachTimeAndLoggedOnceAtEachPlace) {
  absl::ScopedMockLog log(absl::MockLogDefault::kDisallowUnexpected);
  EXPECT_CALL(log, Log(absl::LogSeverity::kError, EndsWith("check_test.cc"),
                       HasSubstr("bug check_test_first")))
      .Times(1);
  EXPECT_CALL(log, Log(absl::LogSeverity::kError, _, HasSubstr("bug check_test_second"))).Times(1);
  log.StartCapturingLogs();
  const uint64_t before = BugCount();
  for (int i = 0; i < 3; ++i) ReachTheBug();
  SLUICE_BUG(check_test_second);
  EXPECT_EQ(BugCount() - before, 4u);
}

#else

TEST(CheckDeathTest, BugsAreFatalInDebugBuilds) {
  EXPECT_DEATH(ReachTheBug(), "bug check_test_first");
}

#endif

TEST(CheckTest, BugIsOneStatement) {
  const uint64_t before = BugCount();
  const bool reached = before == UINT64_MAX;
  if (reached)
    SLUICE_BUG(check_test_third);
  else
    EXPECT_EQ(BugCount(), before);
}

}  // namespace
}  // namespace sluice
