// Keys are told once, to the controller that made the leg. They are looked for in everything else
// that the gateway says.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using Stub = ControlClient::Stub;

// The form in which `text` holds eight bytes in a row of `secret`; empty when it does not. Base64
// is looked for at each of the three places where the bytes may lie in it.
std::string FormFound(absl::string_view text, absl::string_view secret) {
  constexpr size_t kPiece = 8;
  const std::string lower = absl::AsciiStrToLower(text);
  for (size_t i = 0; i + kPiece <= secret.size(); ++i) {
    const absl::string_view piece = secret.substr(i, kPiece);
    if (absl::StrContains(text, piece)) {
      return "raw";
    }
    if (absl::StrContains(lower, absl::BytesToHexString(piece))) {
      return "hex";
    }
    if (absl::StrContains(text, absl::CEscape(piece))) {
      return "escaped";
    }
    for (size_t shift = 0; shift < 3; ++shift) {
      // The outermost letters depend on the neighbours.
      const std::string padded = absl::StrCat(std::string(shift, '\0'), piece);
      const size_t begin = shift == 0 ? 0 : shift + 1;
      const size_t end = padded.size() * 8 / 6;
      for (const std::string& base64 :
           {absl::Base64Escape(padded), absl::WebSafeBase64Escape(padded)}) {
        if (absl::StrContains(text, base64.substr(begin, end - begin))) {
          return "base64";
        }
      }
    }
  }
  return "";
}

TEST(FormFoundTest, FindsEveryForm) {
  const std::string secret = "\x01\xfe\x80secret-key-\xff\x10 bytes";
  EXPECT_EQ(FormFound(absl::StrCat("a", secret, "b"), secret), "raw");
  EXPECT_EQ(FormFound(absl::StrCat("a", absl::BytesToHexString(secret), "b"), secret), "hex");
  EXPECT_EQ(FormFound(absl::AsciiStrToUpper(absl::BytesToHexString(secret)), secret), "hex");
  EXPECT_EQ(FormFound(absl::CEscape(secret), secret), "escaped");
  for (const char* before : {"", "x", "xy"}) {
    EXPECT_EQ(FormFound(absl::Base64Escape(absl::StrCat(before, secret, "tail")), secret),
              "base64");
    EXPECT_EQ(FormFound(absl::WebSafeBase64Escape(absl::StrCat(before, secret)), secret), "base64");
  }
  EXPECT_EQ(FormFound("an innocent sentence about nothing at all", secret), "");
}

class SecrecyTest : public GatewayFixture {
 protected:
  SecrecyTest() : GatewayFixture({.config = "log_level: \"info\""}) {}

  void Remember(const pb::SrtpKey& key) {
    ASSERT_FALSE(key.master_key_and_salt().empty());
    secrets_.push_back(key.master_key_and_salt());
  }

  void ExpectNoSecretIn(absl::string_view what, absl::string_view text) {
    for (const std::string& secret : secrets_) {
      EXPECT_EQ(FormFound(text, secret), "") << "a key is in " << what << ":\n" << text;
    }
  }
  void ExpectNoSecretIn(absl::string_view what, const google::protobuf::Message& message) {
    ExpectNoSecretIn(what, message.SerializeAsString());
    ExpectNoSecretIn(what, message.DebugString());
  }

  // Of a refused call: message and details.
  void ExpectNoSecretIn(const grpc::Status& status) {
    EXPECT_FALSE(status.ok());
    ExpectNoSecretIn("an error", status.error_message());
    ExpectNoSecretIn("error details", status.error_details());
  }

  std::vector<std::string> secrets_;
};

TEST_F(SecrecyTest, KeysAreInNoReadNoEventNoErrorAndNoLog) {
  EventWatcher watcher(control());
  SrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_256_GCM, .key_number = 1});
  SrtpPeer bob({.suite = pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, .key_number = 2});
  pb::CreateSessionRequest create;
  create.set_session_id("call");
  pb::CreateSessionResponse created;
  ASSERT_TRUE(control().Call(&Stub::CreateSession, create, &created).ok());
  for (SrtpPeer* peer : {&alice, &bob}) {
    const pb::AddLegResponse answer =
        peer->Join(control(), "call", peer == &alice ? "alice" : "bob");
    Remember(answer.local_key());
    Remember(peer->key());
    ExpectNoSecretIn("the leg of AddLeg", answer.leg());
  }
  ExpectRtpArrives(alice, bob, RtpRun(1, 1, 10));
  ExpectRtpArrives(bob, alice, RtpRun(2, 1, 10));

  // New keys in both directions.
  const pb::SrtpKey new_key = MakeTestKey(pb::CRYPTO_SUITE_AEAD_AES_256_GCM, 3);
  Remember(new_key);
  pb::LegConfig config;
  *config.mutable_remote_key() = new_key;
  pb::UpdateLegRequest update = LegUpdateOf("call", "alice", config, {"remote_key"});
  update.set_local_key_change(pb::LOCAL_KEY_CHANGE_PREPARE);
  const pb::UpdateLegResponse prepared = control().UpdateLeg(update);
  Remember(prepared.local_key());
  ExpectNoSecretIn("the leg of UpdateLeg", prepared.leg());

  // Errors about keys: one byte short, and for a leg that is there already.
  pb::AddLegRequest add;
  add.set_session_id("call");
  add.set_leg_id("carol");
  *add.mutable_config() = alice.Config();
  add.mutable_config()->mutable_remote_key()->mutable_master_key_and_salt()->pop_back();
  pb::AddLegResponse added;
  ExpectNoSecretIn(control().Call(&Stub::AddLeg, add, &added));
  add.set_leg_id("alice");
  *add.mutable_config() = alice.Config();
  ExpectNoSecretIn(control().Call(&Stub::AddLeg, add, &added));

  ExpectNoSecretIn("GetSession", control().GetSession("call"));
  pb::ListSessionsResponse list;
  ASSERT_TRUE(control().Call(&Stub::ListSessions, pb::ListSessionsRequest(), &list).ok());
  ExpectNoSecretIn("ListSessions", list);
  ExpectNoSecretIn("GetStats", control().GetStats("call"));
  ExpectNoSecretIn("GetNode", control().GetNode());
  ExpectNoSecretIn("RemoveLeg", control().RemoveLeg("call", "bob"));
  ExpectNoSecretIn("DeleteSession", control().DeleteSession("call"));
  ExpectNoSecretIn("GetSession of a tombstone", control().GetSession("call"));

  size_t events = 0;
  while (const std::optional<pb::Event> event = watcher.Next()) {
    ExpectNoSecretIn("an event", *event);
    ++events;
    if (event->has_session_ended()) {
      break;
    }
  }
  EXPECT_GE(events, 8u) << "created, two legs, media, streams, update, removal, end";
  EXPECT_EQ(gateway().Stop(), 0);
  EXPECT_FALSE(gateway().Log().empty()) << "there is a log to look at";
  ExpectNoSecretIn("the log", gateway().Log());
}

}  // namespace
}  // namespace sluice
