#include "gateway/control/field_violations.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(FieldViolationsTest, NoneIsOk) {
  const FieldViolations violations;
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(violations.ToStatus(), absl::OkStatus());
}

TEST(FieldViolationsTest, AllAreToldTogether) {
  FieldViolations violations;
  violations.Add("session_id", "must not be empty");
  violations.Add("config.hold", "must be true");
  EXPECT_FALSE(violations.empty());
  const absl::Status status = violations.ToStatus();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "session_id: must not be empty; config.hold: must be true");
  EXPECT_THAT(BadFields(ToGrpcStatus(status)), ElementsAre("session_id", "config.hold"));
}

TEST(FieldViolationsTest, HundredsStayWithinWhatTrailersMayHold) {
  FieldViolations violations;
  for (int i = 0; i < 500; ++i) {
    violations.Add(absl::StrCat("config.payload_types[", i, "].number"), "is 128, must be 0..127");
  }
  EXPECT_THAT(std::string(violations.ToStatus().message()), EndsWith("; and more"));
  const grpc::Status status = ToGrpcStatus(violations.ToStatus());
  EXPECT_LE(status.error_message().size(), kMaxErrorMessageBytes);
  EXPECT_LE(status.error_details().size(), kMaxErrorMessageBytes + kMaxErrorDetailBytes + 200);
  EXPECT_THAT(BadFields(status), Not(IsEmpty()));
}

TEST(FieldViolationsTest, TextOfARequestIsQuotedSoThatItCannotPassForOurs) {
  EXPECT_EQ(Quoted("10.0.0.300"), "\"10.0.0.300\"");
  EXPECT_EQ(Quoted("a\"b\n\xff"), "\"a\\\"b\\n\\xff\"");
  EXPECT_EQ(Quoted(std::string(65, 'x')), absl::StrCat("\"", std::string(64, 'x'), "...\""));
}

}  // namespace
}  // namespace sluice
