#include "gateway/control/session_listing.h"

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/limits.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

HarnessOptions ManySessions() {
  HarnessOptions options;
  options.limits.sessions = 1200;
  options.limits.tombstones = 1200;
  options.limits.event_log = 10'000;
  return options;
}

class SessionListingTest : public ::testing::Test {
 protected:
  void Create(const std::string& id, const std::string& config = "") {
    const grpc::Status status =
        harness_.Call(&GatewayService::CreateSession,
                      absl::StrCat("session_id: '", id, "' config { ", config, " }"));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  void Delete(const std::string& id) {
    ASSERT_TRUE(
        harness_.Call(&GatewayService::DeleteSession, absl::StrCat("session_id: '", id, "'")).ok());
  }
  // The ids of one page; `token_` is the way on.
  std::vector<std::string> List(const std::string& request_text) {
    gateway::v1::ListSessionsRequest request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(request_text, &request));
    request.set_page_token(token_);
    gateway::v1::ListSessionsResponse response;
    const absl::Status status = ListSessions(request, harness_.room(), response);
    EXPECT_TRUE(status.ok()) << status;
    std::vector<std::string> ids;
    for (const auto& session : response.sessions()) {
      ids.push_back(session.session_id());
    }
    token_ = response.next_page_token();
    return ids;
  }

  std::string token_;
  ControlHarness harness_{ManySessions()};
};

TEST_F(SessionListingTest, NoSessionsAreAnEmptyPage) {
  EXPECT_THAT(List(""), IsEmpty());
  EXPECT_TRUE(token_.empty());
}

TEST_F(SessionListingTest, SessionsOfAllWorkersInTheOrderOfTheirIds) {
  for (const char* id : {"d", "a", "c", "b"}) {
    Create(id);
  }
  EXPECT_THAT(List(""), ElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(token_.empty());
}

TEST_F(SessionListingTest, PagesAreAsLongAsAskedFor) {
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    Create(id);
  }
  EXPECT_THAT(List("page_size: 2"), ElementsAre("a", "b"));
  EXPECT_THAT(List("page_size: 2"), ElementsAre("c", "d"));
  EXPECT_THAT(List("page_size: 2"), ElementsAre("e"));
  EXPECT_TRUE(token_.empty());
}

TEST_F(SessionListingTest, WithoutASizeAHundredAndNeverMoreThanAThousand) {
  for (int i = 0; i < 1001; ++i) {
    Create(absl::StrCat("call-", i));
  }
  EXPECT_THAT(List(""), SizeIs(100));
  token_.clear();
  EXPECT_THAT(List("page_size: 100000"), SizeIs(1000));
  EXPECT_THAT(List("page_size: 100000"), SizeIs(1));
  EXPECT_TRUE(token_.empty());
}

TEST_F(SessionListingTest, APageStaysBelowWhatGrpcClientsTake) {
  // 16 labels of 63 + 255 bytes: 5 KB a session.
  std::string labels;
  for (int i = 10; i < 26; ++i) {
    absl::StrAppend(&labels, "labels { key: '", i, std::string(61, 'k'), "' value: '",
                    std::string(255, 'v'), "' } ");
  }
  for (int i = 0; i < 300; ++i) {
    Create(absl::StrCat("call-", i), labels);
  }
  std::set<std::string> seen;
  size_t pages = 0;
  do {
    for (const std::string& id : List("page_size: 1000")) {
      EXPECT_TRUE(seen.insert(id).second) << id << " twice";
    }
    ++pages;
  } while (!token_.empty());
  EXPECT_EQ(seen.size(), 300u);
  EXPECT_GT(pages, 1u);
}

TEST_F(SessionListingTest, DeletesBetweenPagesNeitherRepeatNorHideOthers) {
  for (int i = 10; i < 70; ++i) {
    Create(absl::StrCat("call-", i));
  }
  std::vector<std::string> seen = List("page_size: 20");
  // One that was listed, the very last of the page, the first of the next, and one further on.
  for (const char* id : {"call-15", "call-29", "call-30", "call-55"}) {
    Delete(id);
  }
  Create("call-05");
  Create("call-99");
  while (!token_.empty()) {
    for (const std::string& id : List("page_size: 20")) {
      seen.push_back(id);
    }
  }
  std::vector<std::string> expected;
  for (int i = 10; i < 70; ++i) {
    if (i != 30 && i != 55) {
      expected.push_back(absl::StrCat("call-", i));
    }
  }
  expected.push_back("call-99");
  EXPECT_THAT(seen, ElementsAreArray(expected));
}

TEST_F(SessionListingTest, FiltersMustAllMatch) {
  Create("call-1", "labels { key: 'tenant' value: 'x' } labels { key: 'site' value: '1' }");
  Create("call-2", "labels { key: 'tenant' value: 'y' }");
  Create("room-1", "labels { key: 'tenant' value: 'x' }");
  Create("call-3");
  Delete("call-3");
  EXPECT_THAT(List("filter { session_id_prefix: 'call-' }"), ElementsAre("call-1", "call-2"));
  EXPECT_THAT(List("filter { labels { key: 'tenant' value: 'x' } }"),
              ElementsAre("call-1", "room-1"));
  EXPECT_THAT(List("filter { session_id_prefix: 'r' labels { key: 'tenant' value: 'x' } }"),
              ElementsAre("room-1"));
  EXPECT_THAT(
      List("filter { labels { key: 'tenant' value: 'x' } labels { key: 'site' value: '1' } }"),
      ElementsAre("call-1"));
  EXPECT_THAT(List("filter { state: SESSION_STATE_ENDED }"), ElementsAre("call-3"));
  EXPECT_THAT(List("filter { state: SESSION_STATE_OFFERED session_id_prefix: 'call' }"),
              ElementsAre("call-1", "call-2"));
  EXPECT_THAT(List("filter { state: SESSION_STATE_ACTIVE }"), IsEmpty());
}

TEST_F(SessionListingTest, NamesWhatIsWrongWithARequest) {
  const struct {
    std::string request;
    std::vector<std::string> fields;
  } kCases[] = {
      {"page_size: -1", {"page_size"}},
      {"page_token: 'garbage'", {"page_token"}},
      {"filter { session_id_prefix: 'a b' }", {"filter.session_id_prefix"}},
      {"filter { state: 77 }", {"filter.state"}},
      {"page_size: -5 page_token: '!' filter { session_id_prefix: '/' }",
       {"page_size", "filter.session_id_prefix", "page_token"}},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(BadFields(harness_.Call(&GatewayService::ListSessions, test.request)),
                ElementsAreArray(test.fields))
        << test.request;
  }
}

TEST_F(SessionListingTest, ATokenIsForItsFilterOnly) {
  for (const char* id : {"a1", "a2", "b1"}) {
    Create(id);
  }
  List("page_size: 1 filter { session_id_prefix: 'a' }");
  EXPECT_THAT(BadFields(harness_.Call(&GatewayService::ListSessions,
                                      absl::StrCat("page_token: '", token_, "'"))),
              ElementsAre("page_token"));
}

}  // namespace
}  // namespace sluice
