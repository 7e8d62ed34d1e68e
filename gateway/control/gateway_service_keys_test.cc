// Keys are told once, to the controller that made the leg: everything else that leaves the process
// is searched for their bytes.

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#include "absl/log/log_entry.h"
#include "absl/log/log_sink.h"
#include "absl/log/log_sink_registry.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "gateway/control/event_log.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
using Service = GatewayService;

// Everything that was told or logged.
class Told : public absl::LogSink {
 public:
  Told() {
    absl::SetMinLogLevel(absl::LogSeverityAtLeast::kInfo);
    absl::AddLogSink(this);
  }
  ~Told() override { absl::RemoveLogSink(this); }

  void Send(const absl::LogEntry& entry) override {
    Add(absl::StrCat(entry.text_message_with_prefix()));
  }
  void Add(const std::string& text) {
    absl::MutexLock lock(&mutex_);
    text_ += text;
    text_ += '\n';
  }
  // In every form that it may be seen in.
  void Add(const google::protobuf::Message& message) {
    std::string json;
    EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &json).ok());
    Add(json);
    Add(message.DebugString());
    Add(message.SerializeAsString());
  }
  void Add(const grpc::Status& status) {
    Add(status.error_message());
    Add(status.error_details());
  }

  // Whether the bytes are in there: raw, as hex or as base64 at any of its three alignments.
  bool Holds(const std::string& secret) {
    absl::MutexLock lock(&mutex_);
    const std::string hex = absl::BytesToHexString(secret);
    std::vector<std::string> forms = {secret, hex, absl::AsciiStrToUpper(hex),
                                      absl::CHexEscape(secret), absl::CEscape(secret)};
    for (size_t skip = 0; skip < 3; ++skip) {
      // Whole groups of three only: the characters in between depend on what is around them.
      const std::string part = secret.substr(skip, (secret.size() - skip) / 3 * 3);
      forms.push_back(absl::Base64Escape(part));
      forms.push_back(absl::WebSafeBase64Escape(part));
    }
    for (const std::string& form : forms) {
      if (absl::StrContains(text_, form)) {
        return true;
      }
    }
    return false;
  }

 private:
  absl::Mutex mutex_;
  std::string text_;
};

constexpr char kRemoteKey[] = "\x9f\x03remote-key-\xfe-of-30-bytes!!!!";

class GatewayServiceKeysTest : public ::testing::Test {
 protected:
  template <typename Request, typename Response>
  Response Call(grpc::Status (Service::*method)(grpc::ServerContext*, const Request*, Response*),
                const std::string& request) {
    Response response;
    told_.Add(harness_.Call(method, request, response));
    return response;
  }
  template <typename Request, typename Response>
  void CallAndNote(grpc::Status (Service::*method)(grpc::ServerContext*, const Request*, Response*),
                   const std::string& request) {
    told_.Add(Call(method, request));
  }

  void CallEverything(const std::string& key_text) {
    const std::string session = "session_id: 'call' ";
    const std::string leg = session + "leg_id: 'alice' ";
    CallAndNote(&Service::CreateSession, session);
    CallAndNote(&Service::GetSession, session);
    CallAndNote(&Service::ListSessions, "");
    CallAndNote(&Service::UpdateSession, session + "update_mask { paths: 'labels' }");
    CallAndNote(&Service::SetForwarding, session);
    CallAndNote(&Service::GetStats, session);
    CallAndNote(&Service::GetNode, "");
    // An update that takes the key, one that refuses it, and repeats that fail.
    CallAndNote(&Service::UpdateLeg, leg + "config { remote_key { " + key_text +
                                         " } } update_mask { paths: 'remote_key' }");
    CallAndNote(&Service::UpdateLeg, leg + "config { remote_key { " + key_text +
                                         " } } update_mask { paths: ['remote_key', 'kind'] }");
    CallAndNote(&Service::AddLeg,
                leg + "config { kind: LEG_KIND_SRTP remote_key { " + key_text + " } }");
    CallAndNote(
        &Service::AddLeg,
        session + "leg_id: 'bob' config { kind: LEG_KIND_RTP remote_key { " + key_text + " } }");
    CallAndNote(&Service::AddLeg,
                session +
                    "leg_id: 'bob' config { kind: LEG_KIND_SRTP remote_key { suite: "
                    "CRYPTO_SUITE_AEAD_AES_256_GCM " +
                    key_text.substr(key_text.find("master")) + " } }");
    CallAndNote(&Service::UpdateLeg, leg + "local_key_change: LOCAL_KEY_CHANGE_ACTIVATE");
    CallAndNote(&Service::RemoveLeg, leg);
    CallAndNote(&Service::DeleteSession, session);
    CallAndNote(&Service::DeleteSession, session);
    CallAndNote(&Service::GetSession, session);
    CallAndNote(&Service::ListSessions, "filter { state: SESSION_STATE_ENDED }");
    const auto events = harness_.room().log().Read(0, 1000, absl::ZeroDuration());
    ASSERT_TRUE(events.ok());
    for (const auto& event : *events) {
      told_.Add(*event);
    }
  }

  Told told_;
  ControlHarness harness_;
};

TEST_F(GatewayServiceKeysTest, TheSearchFindsWhatIsThere) {
  const std::string secret(kRemoteKey, 30);
  pb::SrtpKey key;
  key.set_master_key_and_salt("x" + secret);
  EXPECT_FALSE(told_.Holds(secret));
  std::string json;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(key, &json).ok());
  told_.Add(json);
  EXPECT_TRUE(told_.Holds(secret)) << "base64 of other alignment";
  Told debug;
  debug.Add(key.DebugString());
  EXPECT_TRUE(debug.Holds(secret));
}

TEST_F(GatewayServiceKeysTest, NothingButTheAnswerOfTheCallThatMadeItTellsAKey) {
  const std::string secret(kRemoteKey, 30);
  const std::string key_text =
      absl::StrCat("suite: CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80 master_key_and_salt: \"",
                   absl::CEscape(secret), "\"");
  UdpPeer alice(IpFamily::kIpv4);
  told_.Add(Call(&Service::CreateSession, "session_id: 'call'"));
  pb::AddLegResponse added =
      Call(&Service::AddLeg,
           absl::StrCat("session_id: 'call' leg_id: 'alice' config { kind: LEG_KIND_SRTP "
                        "rtcp_mux: true remote { rtp { ip: '127.0.0.1' port: ",
                        alice.address().port, " } } remote_key { ", key_text, " } }"));
  const std::string local = added.local_key().master_key_and_salt();
  ASSERT_EQ(local.size(), 30u);
  added.clear_local_key();
  told_.Add(added);
  pb::UpdateLegResponse prepared =
      Call(&Service::UpdateLeg,
           "session_id: 'call' leg_id: 'alice' local_key_change: LOCAL_KEY_CHANGE_PREPARE");
  const std::string next = prepared.local_key().master_key_and_salt();
  ASSERT_EQ(next.size(), 30u);
  prepared.clear_local_key();
  told_.Add(prepared);
  // A leg whose keys have names, which may be told.
  pb::AddLegResponse named =
      Call(&Service::AddLeg,
           "session_id: 'call' leg_id: 'carol' config { kind: LEG_KIND_SRTP local_mki: 'first' "
           "local_suite: CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80 }");
  const std::string named_key = named.local_key().master_key_and_salt();
  ASSERT_EQ(named_key.size(), 46u);
  EXPECT_EQ(named.local_key().mki(), "first");
  named.clear_local_key();
  told_.Add(named);
  const std::string update_carol = "session_id: 'call' leg_id: 'carol' local_key_change: ";
  pb::UpdateLegResponse beside =
      Call(&Service::UpdateLeg, update_carol + "LOCAL_KEY_CHANGE_PREPARE local_mki: 'other'");
  const std::string beside_key = beside.local_key().master_key_and_salt();
  ASSERT_EQ(beside_key.size(), 46u);
  EXPECT_EQ(beside.local_key().mki(), "other");
  beside.clear_local_key();
  told_.Add(beside);
  CallAndNote(&Service::UpdateLeg, update_carol + "LOCAL_KEY_CHANGE_ACTIVATE local_mki: 'other'");
  CallAndNote(&Service::UpdateLeg, update_carol + "LOCAL_KEY_CHANGE_RETIRE local_mki: 'first'");
  // A packet that does not authenticate, so that there is something to say about it.
  const absl::StatusOr<IpAddress> ip = IpAddress::Parse(added.leg().local_rtp().ip());
  ASSERT_TRUE(ip.ok());
  alice.Send({*ip, static_cast<uint16_t>(added.leg().local_rtp().port())},
             RtpPacketBuilder().WithPayloadSize(100).Build());

  CallEverything(key_text);

  for (const std::string& key : {secret, local, next, named_key, beside_key}) {
    EXPECT_FALSE(told_.Holds(key));
    EXPECT_FALSE(told_.Holds(key.substr(0, 16))) << "the key without its salt";
    EXPECT_FALSE(told_.Holds(key.substr(16))) << "the salt alone";
  }
}

}  // namespace
}  // namespace sluice
