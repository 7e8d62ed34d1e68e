#include "interceptor/keyframe/key_frame_request.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum KeyFrameAction;

constexpr TimeDelta kRoundTrip = TimeDelta::Millis(50);
// A second request after 300 ms, a repetition after 500 ms, three requests in all.
constexpr KeyFrameRequestOptions kOptions = {.max_attempts = 3};
constexpr KeyFrameRequestOptions kOnce = {.max_attempts = 1};

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

// With the options of a test.
struct Request {
  KeyFrameAction Need(int64_t ms) { return state.Need(Ms(ms), round_trip, options); }
  KeyFrameAction Timeout(int64_t ms) { return state.OnTimeout(Ms(ms), round_trip, options); }

  bool Media(int64_t ms) { return state.OnMedia(Ms(ms), round_trip, options); }

  KeyFrameRequestOptions options = kOptions;
  TimeDelta round_trip = kRoundTrip;
  KeyFrameRequest state = {};
};

TEST(KeyFrameRequestTest, OptionsHaveRanges) {
  EXPECT_TRUE(KeyFrameRequest::IsValid({}));
  EXPECT_FALSE(KeyFrameRequest::IsValid({.min_interval = TimeDelta::Zero()}));
  EXPECT_FALSE(KeyFrameRequest::IsValid({.repeat_interval = TimeDelta::Zero()}));
  EXPECT_FALSE(KeyFrameRequest::IsValid({.max_attempts = 0}));
  EXPECT_FALSE(KeyFrameRequest::IsValid({.max_attempts = 101}));
}

TEST(KeyFrameRequestTest, NothingIsDueUntilSomebodyNeedsOne) {
  Request request;
  EXPECT_FALSE(request.state.waiting());
  EXPECT_EQ(request.state.due(), Timestamp::PlusInfinity());
  EXPECT_EQ(request.Timeout(1000), kNone);
  EXPECT_FALSE(request.state.OnKeyFrame());
}

TEST(KeyFrameRequestTest, AStormBecomesOneRequest) {
  Request request;
  EXPECT_EQ(request.Need(0), kRequest);
  for (int64_t ms = 0; ms < 300; ++ms) {
    ASSERT_EQ(request.Need(ms), kNone) << ms;
    ASSERT_EQ(request.Timeout(ms), kNone) << ms;
  }
}

TEST(KeyFrameRequestTest, RepeatedUntilAKeyFrameComes) {
  Request request;
  EXPECT_EQ(request.Need(0), kRequest);
  EXPECT_EQ(request.state.due(), Ms(500));
  EXPECT_EQ(request.Timeout(499), kNone);
  EXPECT_EQ(request.Timeout(500), kRepeat);
  EXPECT_TRUE(request.state.OnKeyFrame());
  EXPECT_FALSE(request.state.waiting());
  EXPECT_EQ(request.state.due(), Timestamp::PlusInfinity());
  EXPECT_EQ(request.Timeout(5000), kNone);
}

TEST(KeyFrameRequestTest, GivenUpAfterTheLastAttempt) {
  Request request;
  EXPECT_EQ(request.Need(0), kRequest);
  EXPECT_EQ(request.Timeout(500), kRepeat);
  EXPECT_EQ(request.Timeout(1000), kRepeat);
  EXPECT_FALSE(request.state.gave_up());
  EXPECT_EQ(request.Timeout(1500), kNone);
  EXPECT_TRUE(request.state.gave_up());
  EXPECT_FALSE(request.state.waiting());
  EXPECT_EQ(request.Timeout(100'000), kNone);
  // Until somebody needs one again.
  EXPECT_EQ(request.Need(100'001), kRequest);
}

TEST(KeyFrameRequestTest, RepeatedNoSoonerThanARoundTripLater) {
  Request request = {.round_trip = TimeDelta::Millis(900)};
  EXPECT_EQ(request.Need(0), kRequest);
  EXPECT_EQ(request.Timeout(899), kNone);
  EXPECT_EQ(request.Timeout(900), kRepeat);
  EXPECT_EQ(request.Timeout(1799), kNone);
  EXPECT_EQ(request.Timeout(1800), kRepeat);
}

TEST(KeyFrameRequestTest, SoonBehindAnAnsweredRequestTheNextOneWaits) {
  Request request;
  EXPECT_EQ(request.Need(0), kRequest);
  request.state.OnKeyFrame();
  EXPECT_EQ(request.Need(100), kNone);
  EXPECT_TRUE(request.state.waiting());
  EXPECT_EQ(request.state.due(), Ms(300));
  EXPECT_EQ(request.Timeout(299), kNone);
  EXPECT_EQ(request.Timeout(300), kRequest);
}

TEST(KeyFrameRequestTest, AKeyFrameAnswersARequestThatStillWaits) {
  Request request;
  request.Need(0);
  request.state.OnKeyFrame();
  request.Need(100);
  EXPECT_TRUE(request.state.OnKeyFrame());
  EXPECT_EQ(request.Timeout(300), kNone);
}

TEST(KeyFrameRequestTest, NeededOftenItIsAskedForOnceInEachInterval) {
  Request request = {.options = kOnce};
  int requests = 0;
  for (int64_t ms = 0; ms < 3000; ++ms) {
    for (const KeyFrameAction action : {request.Need(ms), request.Timeout(ms)}) {
      ASSERT_NE(action, kRepeat);
      requests += action == kRequest ? 1 : 0;
    }
  }
  EXPECT_EQ(requests, 10);
}

TEST(KeyFrameRequestTest, WithoutRepetitionANeedIsOverWhenTheIntervalIs) {
  Request request = {.options = kOnce};
  EXPECT_EQ(request.Need(0), kRequest);
  EXPECT_EQ(request.Timeout(300), kNone);
  EXPECT_FALSE(request.state.gave_up());
  EXPECT_EQ(request.state.due(), Timestamp::PlusInfinity());
}

TEST(KeyFrameRequestTest, WhereKeyFramesCannotBeToldMediaLateEnoughEndsTheRequest) {
  Request request;
  EXPECT_EQ(request.Need(0), kRequest);
  // On its way before the request was there.
  EXPECT_FALSE(request.Media(299));
  EXPECT_TRUE(request.state.waiting());
  EXPECT_TRUE(request.Media(300));
  EXPECT_FALSE(request.state.waiting());
  EXPECT_EQ(request.Timeout(10'000), kNone);
  EXPECT_FALSE(request.Media(10'001));
}

TEST(KeyFrameRequestTest, MediaIsNoAnswerSoonerThanARoundTripLater) {
  Request request = {.round_trip = TimeDelta::Millis(450)};
  EXPECT_EQ(request.Need(0), kRequest);
  EXPECT_FALSE(request.Media(449));
  EXPECT_TRUE(request.Media(450));
}

TEST(KeyFrameRequestTest, MediaAnswersNoNeedBehindTheRequest) {
  Request request;
  EXPECT_EQ(request.Need(0), kRequest);
  EXPECT_EQ(request.Need(350), kNone);
  EXPECT_TRUE(request.Media(400));
  EXPECT_TRUE(request.state.waiting());
  EXPECT_EQ(request.Timeout(400), kRequest);
}

// Whatever happens: requests of their own are an interval apart, there are no more repetitions than
// attempts, a need is asked for at once or at the end of the interval, and nothing is due without
// somebody waiting.
TEST(KeyFrameRequestTest, KeepsItsWordInAnyOrderOfEvents) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(9);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  Request request;
  int64_t last_request = -1'000'000;
  int64_t unanswered = -1;
  int attempts = 0;
  int64_t ms = 0;
  for (int step = 0; step < 100'000; ++step) {
    ms += static_cast<int64_t>(random.Below(120));
    KeyFrameAction action = kNone;
    switch (random.Below(8)) {
      case 0:
        action = request.Need(ms);
        unanswered = unanswered < 0 ? ms : unanswered;
        break;
      case 1:
        if (random.Below(3) == 0) {
          request.state.OnKeyFrame();
          unanswered = -1;
          attempts = 0;
        }
        break;
      case 2:
        if (random.Below(3) == 0 && request.Media(ms)) {
          attempts = 0;
        }
        break;
      default:
        action = request.Timeout(ms);
    }
    if (action == kRequest) {
      ASSERT_GE(ms - last_request, 300);
      ASSERT_GE(unanswered, 0);
      last_request = ms;
      attempts = 1;
    }
    if (action == kRepeat) {
      ASSERT_LE(++attempts, 3);
    }
    if (!request.state.waiting()) {
      unanswered = -1;
    }
    ASSERT_EQ(request.state.due().IsFinite(), request.state.waiting());
  }
}

}  // namespace
}  // namespace sluice
