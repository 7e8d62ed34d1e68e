#include "quic/http3/http_limits.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(HttpLimitsTest, TheUsualOnesAndTheOutermostAreAccepted) {
  EXPECT_TRUE(CheckHttpLimits({}).ok());
  HttpLimits limits{.requests = 1, .buffers = 1, .goaway_notice = TimeDelta::Zero()};
  EXPECT_TRUE(CheckHttpLimits(limits).ok());
  limits.requests = HttpLimits::kMaxRequests;
  limits.buffers = HttpLimits::kMaxBuffers;
  EXPECT_TRUE(CheckHttpLimits(limits).ok());
}

TEST(HttpLimitsTest, TheFirstOneThatIsOutOfItsRangeIsNamed) {
  struct Case {
    HttpLimits limits;
    absl::string_view name;
  };
  for (const Case& wrong :
       {Case{{.requests = 0}, "requests is 0"}, Case{{.requests = 257}, "requests is 257"},
        Case{{.buffers = 0}, "buffers is 0"}, Case{{.buffers = 257}, "buffers is 257"},
        Case{{.request_timeout = TimeDelta::Zero()}, "request_timeout"},
        Case{{.request_timeout = TimeDelta::PlusInfinity()}, "request_timeout"},
        Case{{.drain_timeout = TimeDelta::Zero()}, "drain_timeout"},
        Case{{.drain_timeout = TimeDelta::PlusInfinity()}, "drain_timeout"},
        Case{{.goaway_notice = TimeDelta::Micros(-1)}, "goaway_notice"},
        Case{{.goaway_notice = TimeDelta::PlusInfinity()}, "goaway_notice"}}) {
    const absl::Status status = CheckHttpLimits(wrong.limits);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << wrong.name;
    EXPECT_EQ(status.message().find(wrong.name), 0u) << status;
  }
}

}  // namespace
}  // namespace sluice
