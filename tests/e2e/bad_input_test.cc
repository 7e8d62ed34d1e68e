// Requests that make no sense: the canonical code, the field by its path, and nothing made of them.

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/gateway_fixture.h"

namespace sluice {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Stub = ControlClient::Stub;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// A request of a kind, in text form, and the field that is at fault.
struct BadField {
  std::string request;
  std::string field;
};

class BadInputTest : public GatewayFixture {
 protected:
  void SetUp() override {
    GatewayFixture::SetUp();
    control().CreateSession("call");
    control().AddLeg("call", "alice", Parse<pb::LegConfig>("kind: LEG_KIND_RTP"));
    control().AddLeg("call", "secure",
                     Parse<pb::LegConfig>("kind: LEG_KIND_SRTP "
                                          "local_suite: CRYPTO_SUITE_AEAD_AES_128_GCM"));
    before_ = WhatIsThere();
  }

  void TearDown() override {
    if (!HasFatalFailure()) {
      EXPECT_EQ(WhatIsThere(), before_) << "a refused call has left something or changed something";
    }
    GatewayFixture::TearDown();
  }

  // All sessions, and what the process holds.
  std::string WhatIsThere() {
    pb::ListSessionsResponse sessions;
    EXPECT_TRUE(control().Call(&Stub::ListSessions, pb::ListSessionsRequest(), &sessions).ok());
    const pb::Node node = control().GetNode();
    return absl::StrCat(sessions.DebugString(), "media ports ", LimitOf(node, "media_ports").used(),
                        ", descriptors ", gateway().CountDescriptors());
  }

  template <typename Request, typename Response>
  ErrorInfo Refusal(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const std::string& text) {
    Response response;
    return ErrorInfoOf(control().Call(method, Parse<Request>(text), &response));
  }

  template <typename Request, typename Response>
  void ExpectBadFields(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                    Response*),
                       const std::vector<BadField>& table) {
    for (const BadField& row : table) {
      SCOPED_TRACE(row.request);
      const ErrorInfo error = Refusal(method, row.request);
      EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << error;
      EXPECT_THAT(error.fields, Contains(row.field)) << error;
      EXPECT_FALSE(error.message.empty());
    }
  }

  // AddLeg of "new" to "call" with this config.
  static BadField NewLeg(absl::string_view config, absl::string_view field) {
    return {absl::StrCat("session_id: 'call' leg_id: 'new' config { ", config, " }"),
            std::string(field)};
  }
  // UpdateLeg of a leg of "call".
  static BadField Update(absl::string_view leg_id, absl::string_view config, absl::string_view path,
                         absl::string_view field) {
    return {absl::StrCat("session_id: 'call' leg_id: '", leg_id, "' config { ", config,
                         " } update_mask { paths: '", path, "' }"),
            std::string(field)};
  }

 private:
  std::string before_;
};

// `size` bytes in the text form of a message.
std::string KeyText(absl::string_view suite, size_t size) {
  return absl::StrCat("remote_key { suite: ", suite, " master_key_and_salt: '",
                      std::string(size, 'k'), "' }");
}

TEST_F(BadInputTest, SessionIdsThatNobodyCanType) {
  const std::string long_id(129, 'x');
  std::vector<BadField> table;
  for (const std::string& id : {std::string(), long_id, std::string("a b"), std::string("a/b"),
                                std::string("\\303\\244"), std::string("\\n")}) {
    table.push_back({absl::StrCat("session_id: '", id, "'"), "session_id"});
  }
  ExpectBadFields(&Stub::CreateSession, table);
  ExpectBadFields(&Stub::GetSession, {{"", "session_id"}});
  ExpectBadFields(&Stub::DeleteSession, {{"session_id: 'a b'", "session_id"}});
  ExpectBadFields(&Stub::AddLeg, {{"session_id: 'call' config { kind: LEG_KIND_RTP }", "leg_id"},
                                  {"leg_id: 'x' config { kind: LEG_KIND_RTP }", "session_id"}});
  ExpectBadFields(&Stub::RemoveLeg, {{"session_id: 'call' leg_id: 'a b'", "leg_id"}});
}

TEST_F(BadInputTest, TimeoutsOutOfTheirRange) {
  std::vector<BadField> table;
  for (const char* timeout :
       {"idle_timeout", "offer_timeout", "absolute_timeout", "hold_timeout"}) {
    for (const char* value :
         {"", "nanos: 999999999", "seconds: -1", "seconds: 604801", "seconds: 99999999999999"}) {
      table.push_back({absl::StrCat("session_id: 'new' config { ", timeout, " { ", value, " } }"),
                       absl::StrCat("config.", timeout)});
    }
  }
  ExpectBadFields(&Stub::CreateSession, table);
}

TEST_F(BadInputTest, TooManyOrTooLongLabels) {
  std::string many = "session_id: 'new' config { ";
  for (int i = 0; i < 17; ++i) {
    absl::StrAppend(&many, "labels { key: 'k", i, "' value: 'v' } ");
  }
  ExpectBadFields(
      &Stub::CreateSession,
      {{absl::StrCat(many, "}"), "config.labels"},
       {absl::StrCat("session_id: 'new' config { labels { key: '", std::string(64, 'k'), "' } }"),
        "config.labels"},
       {absl::StrCat("session_id: 'new' config { labels { key: 'k' value: '", std::string(256, 'v'),
                     "' } }"),
        "config.labels"}});
}

TEST_F(BadInputTest, KeysThatDoNotFitTheirSuite) {
  const std::string srtp = "kind: LEG_KIND_SRTP ";
  const struct {
    const char* suite;
    size_t size;
  } suites[] = {
      {"CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80", 30}, {"CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32", 30},
      {"CRYPTO_SUITE_AEAD_AES_128_GCM", 28},        {"CRYPTO_SUITE_AEAD_AES_256_GCM", 44},
      {"CRYPTO_SUITE_AES_192_CM_HMAC_SHA1_80", 38}, {"CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_32", 46},
      {"CRYPTO_SUITE_NULL_HMAC_SHA1_80", 30}};
  std::vector<BadField> table;
  for (const auto& row : suites) {
    for (const size_t size : {size_t{0}, row.size - 1, row.size + 1, size_t{16}, size_t{1000}}) {
      table.push_back(NewLeg(absl::StrCat(srtp, KeyText(row.suite, size)),
                             "config.remote_key.master_key_and_salt"));
    }
  }
  ExpectBadFields(&Stub::AddLeg, table);
  ExpectBadFields(&Stub::UpdateLeg,
                  {Update("secure", KeyText("CRYPTO_SUITE_AEAD_AES_128_GCM", 30), "remote_key",
                          "config.remote_key.master_key_and_salt")});
}

TEST_F(BadInputTest, SuitesThatWeDoNotKnow) {
  // Enums are open: a number that is not ours comes through.
  ExpectBadFields(
      &Stub::AddLeg,
      {NewLeg("kind: LEG_KIND_SRTP remote_key { master_key_and_salt: 'k' }",
              "config.remote_key.suite"),
       NewLeg(absl::StrCat("kind: LEG_KIND_SRTP ", KeyText("77", 30)), "config.remote_key.suite"),
       NewLeg("kind: LEG_KIND_SRTP local_suite: 77", "config.local_suite")});
}

TEST_F(BadInputTest, KindsFamiliesAndModesThatWeDoNotKnow) {
  ExpectBadFields(&Stub::AddLeg,
                  {NewLeg("", "config.kind"), NewLeg("kind: 77", "config.kind"),
                   NewLeg("kind: LEG_KIND_RTP ip_family: 77", "config.ip_family"),
                   NewLeg("kind: LEG_KIND_RTP address_learning: 77", "config.address_learning")});
  ExpectBadFields(&Stub::UpdateLeg, {{"session_id: 'call' leg_id: 'secure' local_key_change: 77",
                                      "local_key_change"}});
}

TEST_F(BadInputTest, PlainLegsHaveNoKeys) {
  ExpectBadFields(
      &Stub::AddLeg,
      {NewLeg("kind: LEG_KIND_RTP local_suite: CRYPTO_SUITE_AEAD_AES_128_GCM",
              "config.local_suite"),
       NewLeg(absl::StrCat("kind: LEG_KIND_RTP ", KeyText("CRYPTO_SUITE_AEAD_AES_128_GCM", 28)),
              "config.remote_key")});
  ExpectBadFields(&Stub::UpdateLeg, {Update("alice", KeyText("CRYPTO_SUITE_AEAD_AES_128_GCM", 28),
                                            "remote_key", "config.remote_key")});
}

TEST_F(BadInputTest, NamesOfKeysThatCannotBe) {
  const std::string long_mki(129, 'm');
  ExpectBadFields(
      &Stub::AddLeg,
      {NewLeg(absl::StrCat("kind: LEG_KIND_SRTP local_mki: '", long_mki, "'"), "config.local_mki"),
       NewLeg("kind: LEG_KIND_RTP local_mki: 'm'", "config.local_mki"),
       NewLeg(absl::StrCat("kind: LEG_KIND_SRTP remote_key { suite: "
                           "CRYPTO_SUITE_AEAD_AES_128_GCM master_key_and_salt: '",
                           std::string(28, 'k'), "' mki: '", long_mki, "' }"),
              "config.remote_key.mki"),
       NewLeg(absl::StrCat("kind: LEG_KIND_SRTP ", KeyText("CRYPTO_SUITE_NULL_HMAC_SHA1_32", 30)),
              "config.local_suite")});
  const std::string leg = "session_id: 'call' leg_id: 'secure' ";
  ExpectBadFields(
      &Stub::UpdateLeg,
      {{leg + "local_key_change: LOCAL_KEY_CHANGE_PREPARE local_mki: 'm'", "local_mki"},
       {leg + "local_key_change: LOCAL_KEY_CHANGE_RETIRE", "local_key_change"},
       {leg + "local_mki: 'm' config { hold: true } update_mask { paths: 'hold' }", "local_mki"},
       {leg + "retire_remote_mkis: 'm'", "retire_remote_mkis[0]"},
       {absl::StrCat(leg, "retire_remote_mkis: '", long_mki, "'"), "retire_remote_mkis[0]"},
       {leg + "retire_remote_mkis: ['1', '2', '3', '4', '5', '6', '7', '8', '9']",
        "retire_remote_mkis"},
       {"session_id: 'call' leg_id: 'alice' retire_remote_mkis: 'm'", "retire_remote_mkis"},
       Update("secure", "local_mki: 'm'", "local_mki", "update_mask")});
}

TEST_F(BadInputTest, SrtpOptionsOutOfTheirRange) {
  const struct {
    const char* options;
    const char* field;
  } rows[] = {
      {"encrypted_extension_ids: 0", "encrypted_extension_ids[0]"},
      {"encrypted_extension_ids: [1, 256]", "encrypted_extension_ids[1]"},
      {"encrypted_extension_ids: [4, 4]", "encrypted_extension_ids[1]"},
      {"cryptex: CRYPTEX_ON encrypted_extension_ids: 1", "encrypted_extension_ids"},
      {"cryptex: 77", "cryptex"},
      {"rtp_replay_window: 0", "rtp_replay_window"},
      {"rtp_replay_window: 63", "rtp_replay_window"},
      {"rtp_replay_window: 65536", "rtp_replay_window"},
      {"key_derivation_rate: 5", "key_derivation_rate"},
      {"key_derivation_rate: 33554432", "key_derivation_rate"},
      {"rtp_lifetime { hard: 0 }", "rtp_lifetime.hard"},
      {"rtp_lifetime { hard: 281474976710657 }", "rtp_lifetime.hard"},
      {"rtcp_lifetime { hard: 2147483649 }", "rtcp_lifetime.hard"},
      {"rtp_lifetime { soft: 2 hard: 1 }", "rtp_lifetime.soft"},
      {"rtcp_lifetime { soft: 0 }", "rtcp_lifetime.soft"},
  };
  std::vector<BadField> add;
  std::vector<BadField> update;
  for (const auto& row : rows) {
    for (const std::string direction : {"local_options", "remote_options"}) {
      const std::string config = absl::StrCat(direction, " { ", row.options, " }");
      const std::string field = absl::StrCat("config.", direction, ".", row.field);
      add.push_back(NewLeg("kind: LEG_KIND_SRTP " + config, field));
      update.push_back(Update("secure", config, direction, field));
    }
  }
  for (const char* direction : {"local_options", "remote_options"}) {
    add.push_back(NewLeg(absl::StrCat("kind: LEG_KIND_RTP ", direction, " {}"),
                         absl::StrCat("config.", direction)));
    update.push_back(Update("alice", "", direction, absl::StrCat("config.", direction)));
  }
  add.push_back(NewLeg("kind: LEG_KIND_SRTP remote_options { rtcp_replay_window: 100 }",
                       "config.remote_options.rtcp_replay_window"));
  add.push_back(NewLeg("kind: LEG_KIND_SRTP local_options { rtcp_replay_window: 128 }",
                       "config.local_options.rtcp_replay_window"));
  ExpectBadFields(&Stub::AddLeg, add);
  ExpectBadFields(&Stub::UpdateLeg, update);
}

TEST_F(BadInputTest, AddressesThatDoNotParse) {
  std::vector<BadField> table;
  for (const char* ip : {"", "localhost", "127.0.0.256", "127.0.0.1:80", "[::1]", "1.2.3", "::g"}) {
    table.push_back(
        NewLeg(absl::StrCat("kind: LEG_KIND_RTP remote { rtp { ip: '", ip, "' port: 5000 } }"),
               "config.remote.rtp.ip"));
  }
  for (const char* port : {"0", "65536", "4294967295"}) {
    table.push_back(NewLeg(
        absl::StrCat("kind: LEG_KIND_RTP remote { rtp { ip: '127.0.0.1' port: ", port, " } }"),
        "config.remote.rtp.port"));
  }
  table.push_back(
      NewLeg("kind: LEG_KIND_RTP remote { rtp { ip: '127.0.0.1' port: 5000 } "
             "rtcp { ip: 'x' port: 5001 } }",
             "config.remote.rtcp.ip"));
  table.push_back(
      NewLeg("kind: LEG_KIND_RTP remote { rtp { ip: '127.0.0.1' port: 5000 } "
             "source_rtp { ip: '127.0.0.1' } }",
             "config.remote.source_rtp.port"));
  ExpectBadFields(&Stub::AddLeg, table);
  ExpectBadFields(&Stub::UpdateLeg, {Update("alice", "remote { rtp { ip: 'x' port: 5000 } }",
                                            "remote", "config.remote.rtp.ip")});
}

TEST_F(BadInputTest, PayloadTypesOutOfRange) {
  std::string many = "kind: LEG_KIND_RTP ";
  for (int i = 0; i < 33; ++i) {
    absl::StrAppend(&many, "payload_types { number: ", i, " clock_rate_hz: 8000 } ");
  }
  ExpectBadFields(
      &Stub::AddLeg,
      {NewLeg("kind: LEG_KIND_RTP payload_types { number: 128 clock_rate_hz: 8000 }",
              "config.payload_types[0].number"),
       NewLeg("kind: LEG_KIND_RTP payload_types { number: 0 clock_rate_hz: 8000 } "
              "payload_types { number: 96 clock_rate_hz: 0 }",
              "config.payload_types[1].clock_rate_hz"),
       NewLeg("kind: LEG_KIND_RTP payload_types { number: 96 clock_rate_hz: 1000001 }",
              "config.payload_types[0].clock_rate_hz"),
       // RTCP packet types live there when multiplexed (RFC 5761 section 4).
       NewLeg("kind: LEG_KIND_RTP rtcp_mux: true payload_types { number: 72 clock_rate_hz: 8000 }",
              "config.payload_types[0].number"),
       NewLeg(many, "config.payload_types")});
}

TEST_F(BadInputTest, SsrcsOutOfRange) {
  std::string many = "kind: LEG_KIND_RTP ";
  for (int i = 0; i < 65; ++i) {
    absl::StrAppend(&many, "remote_ssrcs: ", i, " ");
  }
  ExpectBadFields(
      &Stub::AddLeg,
      {NewLeg("kind: LEG_KIND_RTP remote_ssrcs: 4294967296", "config.remote_ssrcs[0]"),
       NewLeg("kind: LEG_KIND_RTP remote_ssrcs: 5 remote_ssrcs: -1", "config.remote_ssrcs[1]"),
       NewLeg(many, "config.remote_ssrcs")});
}

TEST_F(BadInputTest, LearningWindowsOutOfRange) {
  ExpectBadFields(
      &Stub::AddLeg,
      {NewLeg("kind: LEG_KIND_RTP learning_window { seconds: 61 }", "config.learning_window"),
       NewLeg("kind: LEG_KIND_RTP learning_window { seconds: -1 }", "config.learning_window")});
}

TEST_F(BadInputTest, UpdatesOfWhatIsFixedOrUnknown) {
  ExpectBadFields(&Stub::UpdateLeg,
                  {Update("alice", "kind: LEG_KIND_SRTP", "kind", "update_mask"),
                   Update("alice", "rtcp_mux: true", "rtcp_mux", "update_mask"),
                   Update("alice", "", "no_such_field", "update_mask"),
                   {"session_id: 'call' leg_id: 'alice' config { hold: true }", "update_mask"}});
  ExpectBadFields(&Stub::UpdateSession,
                  {{"session_id: 'call' config { idle_timeout { seconds: 5 } }", "update_mask"},
                   {"session_id: 'call' update_mask { paths: 'no_such_field' }", "update_mask"},
                   {"session_id: 'call' config { idle_timeout { nanos: 1 } } "
                    "update_mask { paths: 'idle_timeout' }",
                    "config.idle_timeout"}});
}

TEST_F(BadInputTest, AnUpdateWithOneBadPartChangesNothing) {
  ExpectBadFields(&Stub::UpdateLeg,
                  {{"session_id: 'call' leg_id: 'alice' config { hold: true remote_ssrcs: -1 } "
                    "update_mask { paths: 'hold' paths: 'remote_ssrcs' }",
                    "config.remote_ssrcs[0]"}});
  EXPECT_FALSE(control().GetSession("call").legs(0).hold());
}

TEST_F(BadInputTest, ForwardingThatCannotBe) {
  ExpectBadFields(&Stub::SetForwarding,
                  {{"session_id: 'call' rules { from_leg_id: 'a b' to_leg_ids: 'alice' }",
                    "rules[0].from_leg_id"},
                   {"session_id: 'call' rules { from_leg_id: 'alice' to_leg_ids: 'secure' } "
                    "rules { from_leg_id: 'alice' to_leg_ids: 'secure' }",
                    "rules[1].from_leg_id"},
                   {"session_id: 'call' rules { from_leg_id: 'alice' to_leg_ids: 'secure' "
                    "to_leg_ids: 'secure' }",
                    "rules[0].to_leg_ids[1]"},
                   {"session_id: 'call' rules { from_leg_id: 'alice' to_leg_ids: 'alice' }",
                    "rules[0].to_leg_ids[0]"}});
  const ErrorInfo unknown =
      Refusal(&Stub::SetForwarding,
              "session_id: 'call' rules { from_leg_id: 'alice' to_leg_ids: 'nobody' }");
  EXPECT_NE(unknown.code, grpc::StatusCode::OK) << unknown;
}

TEST_F(BadInputTest, PagesThatDoNotExist) {
  ExpectBadFields(&Stub::ListSessions,
                  {{"page_token: 'no page'", "page_token"}, {"page_size: -1", "page_size"}});
}

TEST_F(BadInputTest, SessionsAndLegsThatDoNotExist) {
  const struct {
    ErrorInfo error;
    const char* resource;
  } table[] = {
      {Refusal(&Stub::GetSession, "session_id: 'nobody'"), "session/nobody"},
      {Refusal(&Stub::DeleteSession, "session_id: 'nobody'"), "session/nobody"},
      {Refusal(&Stub::GetStats, "session_id: 'nobody'"), "session/nobody"},
      {Refusal(&Stub::UpdateSession,
               "session_id: 'nobody' config { idle_timeout { seconds: 5 } } "
               "update_mask { paths: 'idle_timeout' }"),
       "session/nobody"},
      {Refusal(&Stub::SetForwarding, "session_id: 'nobody'"), "session/nobody"},
      {Refusal(&Stub::AddLeg, "session_id: 'nobody' leg_id: 'a' config { kind: LEG_KIND_RTP }"),
       "session/nobody"},
      {Refusal(&Stub::RemoveLeg, "session_id: 'nobody' leg_id: 'a'"), "session/nobody"},
      {Refusal(&Stub::RemoveLeg, "session_id: 'call' leg_id: 'nobody'"), "leg/nobody"},
      {Refusal(&Stub::UpdateLeg,
               "session_id: 'call' leg_id: 'nobody' config { hold: true } "
               "update_mask { paths: 'hold' }"),
       "leg/nobody"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(row.error.code, grpc::StatusCode::NOT_FOUND) << row.error;
    EXPECT_THAT(row.error.resources, ElementsAre(row.resource)) << row.error;
  }
}

TEST_F(BadInputTest, IdsThatAreTaken) {
  const ErrorInfo leg =
      Refusal(&Stub::AddLeg, "session_id: 'call' leg_id: 'alice' config { kind: LEG_KIND_RTP }");
  EXPECT_EQ(leg.code, grpc::StatusCode::ALREADY_EXISTS) << leg;
  EXPECT_THAT(leg.resources, ElementsAre("leg/alice")) << leg;
  const ErrorInfo session = Refusal(
      &Stub::CreateSession, "session_id: 'call' config { labels { key: 'other' value: 'x' } }");
  EXPECT_EQ(session.code, grpc::StatusCode::ALREADY_EXISTS) << session;
  EXPECT_THAT(session.resources, ElementsAre("session/call")) << session;
  // The same once more is no error: a controller that lost the answer asks again.
  EXPECT_THAT(Refusal(&Stub::CreateSession, "session_id: 'call'").code, grpc::StatusCode::OK);
}

TEST_F(BadInputTest, EverythingWrongIsToldAtOnce) {
  const ErrorInfo error = Refusal(&Stub::AddLeg,
                                  "session_id: 'a b' leg_id: '' config { kind: 77 remote_ssrcs: -1 "
                                  "remote { rtp { ip: 'x' port: 0 } } }");
  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  for (const char* field : {"session_id", "leg_id", "config.kind", "config.remote_ssrcs[0]",
                            "config.remote.rtp.ip", "config.remote.rtp.port"}) {
    EXPECT_THAT(error.fields, Contains(field)) << error;
  }
}

}  // namespace
}  // namespace sluice
