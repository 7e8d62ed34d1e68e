#include "gateway/errors/error_detail.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Kind = ErrorDetail::Kind;

TEST(ErrorDetailTest, EveryErrorSaysWhatItIsAbout) {
  const struct {
    absl::Status status;
    absl::StatusCode code;
    Kind kind;
    std::string subject;
    std::string name;
    std::string message;
  } kTable[] = {
      {InvalidField("config.remote.rtp.ip", "is not an address"),
       absl::StatusCode::kInvalidArgument, Kind::kField, "config.remote.rtp.ip", "",
       "config.remote.rtp.ip: is not an address"},
      {ResourceNotFound("session", "a"), absl::StatusCode::kNotFound, Kind::kResource, "session",
       "a", "session \"a\" does not exist"},
      {ResourceExists("leg", "b", "ids are used once"), absl::StatusCode::kAlreadyExists,
       Kind::kResource, "leg", "b", "leg \"b\": ids are used once"},
      {LimitReached("sessions", 1000, "no further session fits"),
       absl::StatusCode::kResourceExhausted, Kind::kLimit, "sessions", "",
       "no further session fits (limit \"sessions\" is 1000)"},
      {PreconditionFailed("TOMBSTONE", "a", "the session was deleted"),
       absl::StatusCode::kFailedPrecondition, Kind::kPrecondition, "TOMBSTONE", "a",
       "the session was deleted"},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(row.status.code(), row.code) << row.message;
    EXPECT_EQ(row.status.message(), row.message);
    const std::optional<ErrorDetail> detail = GetErrorDetail(row.status);
    ASSERT_TRUE(detail.has_value()) << row.message;
    EXPECT_EQ(detail->kind, row.kind) << row.message;
    EXPECT_EQ(detail->subject, row.subject);
    EXPECT_EQ(detail->name, row.name);
    EXPECT_FALSE(detail->description.empty());
  }
}

TEST(ErrorDetailTest, TextsMayHaveAnyBytes) {
  const std::string odd("a\0b\xFF", 4);
  const std::optional<ErrorDetail> detail =
      GetErrorDetail(InvalidField(odd, std::string(70'000, 'x')));
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->subject, odd);
  EXPECT_EQ(detail->description.size(), 70'000u);
}

TEST(ErrorDetailTest, OtherStatusesHaveNone) {
  EXPECT_FALSE(GetErrorDetail(absl::OkStatus()).has_value());
  EXPECT_FALSE(GetErrorDetail(absl::InternalError("x")).has_value());
}

TEST(ErrorDetailTest, ACutPayloadIsNoDetail) {
  const absl::Status whole = InvalidField("a.b", "wrong");
  std::string url;
  std::string bytes;
  whole.ForEachPayload([&](absl::string_view u, const absl::Cord& p) {
    url = std::string(u);
    bytes = std::string(p);
  });
  for (size_t size = 0; size < bytes.size(); ++size) {
    absl::Status cut = absl::InvalidArgumentError("x");
    cut.SetPayload(url, absl::Cord(bytes.substr(0, size)));
    EXPECT_FALSE(GetErrorDetail(cut).has_value()) << size;
  }
  absl::Status longer = absl::InvalidArgumentError("x");
  longer.SetPayload(url, absl::Cord(bytes + "x"));
  EXPECT_FALSE(GetErrorDetail(longer).has_value());
}

TEST(PrefixFieldTest, PutsThePrefixBeforeThePath) {
  absl::Status inner = InvalidField("rtp.ip", "is not an address");
  inner.SetPayload("other", absl::Cord("kept"));
  const absl::Status outer = PrefixField("config.remote", inner);
  EXPECT_EQ(outer.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(outer.message(), "config.remote.rtp.ip: is not an address");
  EXPECT_EQ(GetErrorDetail(outer)->subject, "config.remote.rtp.ip");
  EXPECT_EQ(GetErrorDetail(outer)->description, "is not an address");
  EXPECT_EQ(outer.GetPayload("other"), absl::Cord("kept"));
}

TEST(PrefixFieldTest, JoinsIndicesAndEmptyPathsWithoutADot) {
  EXPECT_EQ(GetErrorDetail(PrefixField("rules", InvalidField("[2].from_leg_id", "x")))->subject,
            "rules[2].from_leg_id");
  EXPECT_EQ(GetErrorDetail(PrefixField("rules", InvalidField("", "x")))->subject, "rules");
}

TEST(PrefixFieldTest, LeavesOtherErrorsAlone) {
  const absl::Status not_found = ResourceNotFound("leg", "a");
  EXPECT_EQ(PrefixField("config", not_found), not_found);
  EXPECT_EQ(PrefixField("config", absl::OkStatus()), absl::OkStatus());
  EXPECT_EQ(PrefixField("", InvalidField("a", "b")), InvalidField("a", "b"));
}

}  // namespace
}  // namespace sluice
