// Reading sessions: lists in pages, filters, and what GetSession and GetStats tell.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Stub = ControlClient::Stub;

class SessionListTest : public GatewayFixture {
 protected:
  pb::ListSessionsResponse List(const pb::ListSessionsRequest& request) {
    pb::ListSessionsResponse response;
    const grpc::Status status = control().Call(&Stub::ListSessions, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  // The ids of all pages, which have `page_size` sessions each, the last one apart.
  std::vector<std::string> ListAll(pb::ListSessionsRequest request) {
    std::vector<std::string> ids;
    while (true) {
      const pb::ListSessionsResponse page = List(request);
      for (const pb::Session& session : page.sessions()) {
        ids.push_back(session.session_id());
      }
      if (page.next_page_token().empty() || ids.size() > 1000) {
        return ids;
      }
      EXPECT_EQ(page.sessions_size(), request.page_size());
      request.set_page_token(page.next_page_token());
    }
  }
};

TEST_F(SessionListTest, PagesCoverAllSessionsInOrderAndNoneTwice) {
  std::vector<std::string> ids;
  for (int i = 0; i < 25; ++i) {
    // Not in the order of their names.
    control().CreateSession(absl::StrFormat("session-%02d", i * 7 % 25));
    ids.push_back(absl::StrFormat("session-%02d", i));
  }
  for (const int page_size : {1, 5, 10, 24, 25, 26}) {
    pb::ListSessionsRequest request;
    request.set_page_size(page_size);
    EXPECT_THAT(ListAll(request), ElementsAreArray(ids)) << "pages of " << page_size;
  }
  EXPECT_EQ(List({}).sessions_size(), 25) << "the default page holds 100";
}

TEST_F(SessionListTest, PagesStayInStepWhileSessionsComeAndGo) {
  for (int i = 10; i < 20; ++i) {
    control().CreateSession(absl::StrCat("s", i));
  }
  pb::ListSessionsRequest request;
  request.set_page_size(4);
  const pb::ListSessionsResponse first = List(request);
  ASSERT_EQ(first.sessions_size(), 4);
  control().DeleteSession("s13");
  control().DeleteSession("s14");
  control().CreateSession("s00");
  request.set_page_token(first.next_page_token());
  EXPECT_THAT(ListAll(request), ElementsAre("s15", "s16", "s17", "s18", "s19"));
}

TEST_F(SessionListTest, FiltersByPrefixLabelsAndState) {
  for (const char* id : {"red-1", "red-2", "blue-1"}) {
    pb::SessionConfig config;
    (*config.mutable_labels())["tenant"] = std::string(id).ends_with("1") ? "one" : "two";
    (*config.mutable_labels())["kind"] = "test";
    control().CreateSession(id, config);
  }
  control().DeleteSession("red-2");

  pb::ListSessionsRequest request;
  request.set_page_size(10);
  EXPECT_THAT(ListAll(request), ElementsAre("blue-1", "red-1")) << "live ones unless told";
  request.mutable_filter()->set_session_id_prefix("red");
  EXPECT_THAT(ListAll(request), ElementsAre("red-1"));
  request.mutable_filter()->set_state(pb::SESSION_STATE_ENDED);
  EXPECT_THAT(ListAll(request), ElementsAre("red-2")) << "tombstones";
  request.mutable_filter()->set_state(pb::SESSION_STATE_ACTIVE);
  EXPECT_THAT(ListAll(request), IsEmpty());
  request.mutable_filter()->Clear();
  (*request.mutable_filter()->mutable_labels())["tenant"] = "one";
  (*request.mutable_filter()->mutable_labels())["kind"] = "test";
  EXPECT_THAT(ListAll(request), ElementsAre("blue-1", "red-1"));
  (*request.mutable_filter()->mutable_labels())["kind"] = "other";
  EXPECT_THAT(ListAll(request), IsEmpty());
}

TEST_F(SessionListTest, ATokenIsForTheFilterThatItCameWith) {
  control().CreateSession("a1");
  control().CreateSession("a2");
  pb::ListSessionsRequest request;
  request.set_page_size(1);
  request.set_page_token(List(request).next_page_token());
  ASSERT_FALSE(request.page_token().empty());
  request.mutable_filter()->set_session_id_prefix("a");
  pb::ListSessionsResponse response;
  const ErrorInfo error = ErrorInfoOf(control().Call(&Stub::ListSessions, request, &response));
  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << error;
  EXPECT_THAT(error.fields, ElementsAre("page_token"));
}

TEST_F(SessionListTest, ASessionTellsItsEffectiveConfiguration) {
  pb::SessionConfig config;
  config.mutable_idle_timeout()->set_seconds(17);
  (*config.mutable_labels())["tenant"] = "one";
  const pb::Session session = control().CreateSession("call", config);
  const pb::SessionConfig defaults = control().GetNode().default_session_config();
  EXPECT_EQ(session.config().idle_timeout().seconds(), 17);
  EXPECT_EQ(session.config().offer_timeout().seconds(), defaults.offer_timeout().seconds());
  EXPECT_GT(session.config().absolute_timeout().seconds(), 0);
  EXPECT_EQ(session.config().labels().at("tenant"), "one");
  EXPECT_EQ(session.state(), pb::SESSION_STATE_OFFERED);
  EXPECT_GT(session.create_time().seconds(), 1'600'000'000);

  pb::UpdateSessionRequest update;
  update.set_session_id("call");
  update.mutable_config()->mutable_idle_timeout()->set_seconds(18);
  update.mutable_config()->mutable_offer_timeout()->set_seconds(19);
  update.mutable_update_mask()->add_paths("idle_timeout");
  pb::UpdateSessionResponse updated;
  ASSERT_TRUE(control().Call(&Stub::UpdateSession, update, &updated).ok());
  EXPECT_EQ(updated.session().config().idle_timeout().seconds(), 18);
  EXPECT_EQ(updated.session().config().offer_timeout().seconds(),
            defaults.offer_timeout().seconds())
      << "what the mask does not name stays";
}

TEST_F(SessionListTest, TwoLegsAreBridgedUntilForwardingIsSet) {
  PlainPeer alice;
  PlainPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  EXPECT_EQ(control().GetSession("call").forwarding_size(), 0);
  bob.Join(control(), "call", "bob");
  std::set<std::string> bridge;
  const pb::Session session = control().GetSession("call");
  for (const pb::ForwardingRule& rule : session.forwarding()) {
    ASSERT_EQ(rule.to_leg_ids_size(), 1);
    bridge.insert(absl::StrCat(rule.from_leg_id(), ">", rule.to_leg_ids(0)));
  }
  EXPECT_THAT(bridge, ElementsAre("alice>bob", "bob>alice"));
}

TEST_F(SessionListTest, StatisticsTellStreamsLossAndBytes) {
  constexpr uint32_t kSsrc = 0xa11ce001;
  PlainPeer alice;
  SrtpPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  // Five of 30 are lost before the gateway.
  ExpectRtpArrives(alice, bob, RtpRun(kSsrc, 65530, 20));
  ExpectRtpArrives(alice, bob, RtpRun(kSsrc, static_cast<uint16_t>(65555), 5));

  const pb::SessionStats stats = control().GetStats("call");
  EXPECT_EQ(stats.state(), pb::SESSION_STATE_ACTIVE);
  const pb::LegStats received = LegOf(stats, "alice");
  const pb::LegStats sent = LegOf(stats, "bob");
  EXPECT_EQ(received.packets_received(), 25u);
  EXPECT_EQ(received.bytes_received(), 25u * 172u);
  EXPECT_EQ(sent.packets_sent(), 25u);
  EXPECT_EQ(sent.bytes_sent(), 25u * (172u + 10u)) << "with the tag";
  ASSERT_EQ(received.streams_size(), 1);
  const pb::StreamStats& stream = received.streams(0);
  EXPECT_EQ(stream.ssrc(), kSsrc);
  EXPECT_EQ(stream.direction(), pb::DIRECTION_RECEIVED);
  EXPECT_EQ(stream.packets(), 25u);
  EXPECT_EQ(stream.payload_bytes(), 25u * 160u);
  EXPECT_EQ(stream.packets_lost(), 5);
  EXPECT_EQ(stream.extended_highest_sequence(), 65536u + 23u);
  ASSERT_EQ(sent.streams_size(), 1);
  EXPECT_EQ(sent.streams(0).direction(), pb::DIRECTION_SENT);
  EXPECT_EQ(sent.streams(0).packets(), 25u);
}

}  // namespace
}  // namespace sluice
