// The calls of participants as JSON over HTTP/3, of the real gateway: by libcurl, by a page in
// Chromium, and what Wireshark reads of it.

#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "grpcpp/support/status.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/connection/udp_path.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_protocol.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/media_peer.h"
#include "tests/e2e/own_srtp_peer.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/scratch_folder.h"
#include "tests/interop/quic/chromium.h"
#include "tests/interop/quic/curl_client.h"
#include "tests/interop/quic/quic_test_server.h"
#include "tests/interop/quic/tshark_reader.h"
#include "tools/load/running_udp_proxy.h"
#include "tools/load/udp_address_text.h"

namespace sluice {
namespace {

namespace sig = ::sluice::signalling::v1;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;
constexpr char kOrigin[] = "https://app.example";
constexpr char kForeignOrigin[] = "https://evil.example";

// Calls the gateway whose port and with the token that its address says. What the script finds out
// becomes the page.
constexpr char kPage[] = R"(<!DOCTYPE html><title>t</title><p id="out">nothing</p><script>
(async () => {
  const asked = new URLSearchParams(location.search);
  const call = async (method, body) => {
    try {
      const answer = await fetch(`https://localhost:${asked.get('port')}/v1/` + method, {
        method: 'POST', headers: {'authorization': 'Bearer ' + asked.get('token'),
                                  'content-type': 'application/json'},
        body: JSON.stringify(body)});
      return [answer.status, await answer.json()];
    } catch (error) {
      return [error.name, {}];
    }
  };
  const [ping, pong] = await call('ping', {payload: 'aGFsbG8='});
  const [leave, refusal] = await call('leave', {});
  document.getElementById('out').textContent =
      ['ping', ping, pong.payload, 'leave', leave, refusal.code].join(' ');
})();
</script>)";

std::string ToJson(const google::protobuf::Message& message) {
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &json).ok());
  return json;
}

// What a participant says of the peer.
sig::JoinRequest JoinOf(const OwnSrtpPeer& peer) {
  sig::JoinRequest request;
  *request.mutable_config() = peer.Config();
  request.mutable_config()->clear_remote_key();
  request.mutable_config()->clear_kind();
  *request.add_offered_keys() = peer.key();
  return request;
}

class GatewayJsonTest : public GatewayFixture {
 protected:
  void SetUp() override {
    const absl::Status made = MakeCertificates(folder_.path());
    ASSERT_TRUE(made.ok()) << made;
    options().tls_dir = folder_.path();
    options().quic_listen = "127.0.0.1:0";
    auto pages = QuicTestServer::Start({.page = kPage});
    ASSERT_TRUE(pages.ok()) << pages.status();
    pages_ = *std::move(pages);
    options().flags = {
        "--quic-key-log",
        KeyLog(),
        "--signalling-allow-origin",
        kOrigin,
        "--signalling-allow-origin",
        absl::StrCat("https://localhost:", pages_->address().port()),
    };
    GatewayFixture::SetUp();
    if (HasFatalFailure()) return;
    const absl::StatusOr<UdpAddress> address = ParseUdpAddress(gateway().quic_address());
    ASSERT_TRUE(address.ok()) << address.status();
    address_ = *address;
    control().CreateSession("call");
  }

  std::string KeyLog() const { return folder_.File("keys.txt"); }
  std::string CreateToken(absl::string_view leg) {
    return control().CreateParticipantToken("call", leg).token();
  }
  // A client of that port, which is the gateway's or leads to it.
  CurlClient Curl(uint16_t port) const {
    return CurlClient(port, ReadFileOrEmpty(folder_.File("ca.crt")));
  }
  std::string Post(const std::string& path, const std::string& token, const std::string& json,
                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> flags = {"--method", "POST",    "--body",
                                      json,       "--field", "content-type: application/json"};
    if (!token.empty()) {
      flags.push_back("--field");
      flags.push_back(absl::StrCat("authorization: Bearer ", token));
    }
    flags.insert(flags.end(), more.begin(), more.end());
    return Curl(address_.port()).Request(path, flags);
  }

  // The page of a server, when its script has called the gateway.
  std::string DumpPage(const QuicTestServer& pages, const std::string& token) const {
    return ChromiumDump({{pages.address().port(), pages.certificate()},
                         {address_.port(), ReadFileOrEmpty(folder_.File("server.crt"))}},
                        absl::StrCat("/?port=", address_.port(), "&token=", token));
  }

  const ScratchFolder folder_;
  // Has a page that calls the gateway, and is of an origin that may.
  std::unique_ptr<QuicTestServer> pages_;
  UdpAddress address_;
};

TEST_F(GatewayJsonTest, AParticipantJoinsTalksAndLeaves) {
  const std::string token = CreateToken("alice");
  PlainPeer bob;
  bob.Join(control(), "call", "bob");
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_256_GCM});
  const std::string answer = Post("/v1/join", token, ToJson(JoinOf(alice)));
  ASSERT_THAT(answer, StartsWith("version 30 status 200"));
  ASSERT_THAT(answer, HasSubstr("content-type: application/json"));
  sig::JoinResponse joined;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(BodyOf(answer), &joined).ok()) << answer;
  pb::AddLegResponse added;
  *added.mutable_leg() = joined.leg();
  *added.mutable_local_key() = joined.local_key();
  alice.Connect(added);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1000, 10));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1000, 10));

  const std::string left = Post("/v1/leave", token, "");
  ASSERT_THAT(left, StartsWith("version 30 status 200"));
  sig::LeaveResponse final_words;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(BodyOf(left), &final_words).ok()) << left;
  EXPECT_EQ(final_words.final_stats().leg_id(), "alice");
  // Keys and tokens are in no log.
  EXPECT_THAT(gateway().Log(), Not(HasSubstr(token)));
}

TEST_F(GatewayJsonTest, PingAnswersAndErrorsSayWhatIsWrong) {
  const std::string token = CreateToken("alice");
  EXPECT_THAT(Post("/v1/ping", token, R"({"payload": "aGFsbG8="})"),
              AllOf(StartsWith("version 30 status 200"), HasSubstr(R"("payload":"aGFsbG8=")")));
  EXPECT_THAT(Post("/v1/ping", "", "{}"), StartsWith("version 30 status 401"));
  EXPECT_THAT(Post("/v1/ping", "wrong", "{}"), StartsWith("version 30 status 401"));
  EXPECT_THAT(Post("/v1/leave", token, "{}"), StartsWith("version 30 status 404"));
  EXPECT_THAT(Post("/v1/ping", token, R"({"pay_lode": 1})"),
              AllOf(StartsWith("version 30 status 400"), HasSubstr("pay_lode")));
  EXPECT_THAT(Post("/v1/nothing", token, "{}"), StartsWith("version 30 status 404"));
  EXPECT_THAT(Curl(address_.port()).Request("/v1/ping"),
              AllOf(StartsWith("version 30 status 405"), HasSubstr("allow: ")));
}

TEST_F(GatewayJsonTest, AnybodyMayAskWhetherItServes) {
  const std::string answer = Curl(address_.port()).Request("/healthz");
  EXPECT_THAT(answer, StartsWith("version 30 status 200"));
  EXPECT_EQ(BodyOf(answer), R"({"status":"SERVING"})");
}

TEST_F(GatewayJsonTest, PagesOfAllowedOriginsMayCallAndOthersMayNot) {
  const std::string token = CreateToken("alice");
  EXPECT_THAT(Post("/v1/ping", token, "{}", {"--field", absl::StrCat("origin: ", kOrigin)}),
              AllOf(StartsWith("version 30 status 200"),
                    HasSubstr(absl::StrCat("access-control-allow-origin: ", kOrigin))));
  EXPECT_THAT(Post("/v1/ping", token, "{}", {"--field", absl::StrCat("origin: ", kForeignOrigin)}),
              AllOf(StartsWith("version 30 status 403"), Not(HasSubstr("allow-origin"))));
  EXPECT_THAT(
      Curl(address_.port())
          .Request("/v1/ping", {"--method", "OPTIONS", "--field", absl::StrCat("origin: ", kOrigin),
                                "--field", "access-control-request-method: POST"}),
      AllOf(StartsWith("version 30 status 204"),
            HasSubstr("access-control-allow-methods: GET, POST")));
}

// What the gateway says of itself on the wire is what the HTTP/3 of this build is made with.
TEST_F(GatewayJsonTest, WiresharkReadsTheParametersAsConfigured) {
  {
    // Its file is whole when it is gone.
    RunningUdpProxy proxy({.server = address_, .pcap_path = folder_.File("a.pcap")});
    ASSERT_THAT(Curl(proxy.address().port()).Request("/healthz"),
                StartsWith("version 30 status 200"));
  }
  TsharkReader(folder_.File("a.pcap"), KeyLog(), address_.port())
      .ExpectServerParameters(HttpServerProtocol(HttpLimits{}).parameters);
}

TEST_F(GatewayJsonTest, APageOfAnAllowedOriginCallsFromABrowser) {
  EXPECT_THAT(DumpPage(*pages_, CreateToken("alice")),
              HasSubstr("ping 200 aGFsbG8= leave 404 5</p>"));
}

TEST_F(GatewayJsonTest, APageOfAnotherOriginIsKeptOutByTheBrowser) {
  // On another port, which makes it another origin (RFC 6454 section 4).
  const auto foreign = QuicTestServer::Start({.page = kPage});
  ASSERT_TRUE(foreign.ok()) << foreign.status();
  EXPECT_THAT(DumpPage(**foreign, CreateToken("alice")), HasSubstr("ping TypeError"));
}

}  // namespace
}  // namespace sluice
