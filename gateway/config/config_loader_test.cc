#include "gateway/config/config_loader.h"

#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gateway/config/config.h"
#include "gateway/config/limits.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kCores = 3;

absl::StatusOr<Config> Parse(const std::string& text, const ConfigFlags& flags = {}) {
  return ParseConfig("gateway.conf", text, flags, kCores);
}

constexpr char kEverything[] = R"(
# A comment.
control {
  listen: "[2001:db8::1]:8443"
  tls {
    certificate_file: "a.crt"
    private_key_file: "a.key"
    client_ca_file: "b.crt"
  }
  token_key_file: "token.key"
}
signalling {
  listen: "[2001:db8::1]:8444"
  certificate_file: "c.crt"
  private_key_file: "c.key"
}
quic {
  listen: "[2001:db8::1]:8445"
  certificate_file: "d.crt"
  private_key_file: "d.key"
  secret_file: "reset.secret"
  key_log_file: "keys.log"
  retry: "always"
  allow_origins: "https://a.example"
  allow_origins: "http://localhost:8080"
  early_data: true
}
media {
  first_port: 40000
  last_port: 40099
  ipv4: "0.0.0.0"
  ipv6: "2001:db8::1"
  advertised_ipv4: "198.51.100.7"
  advertised_ipv6: "2001:db8::2"
}
workers: 7
session_defaults {
  idle_timeout { seconds: 10 }
  offer_timeout { seconds: 11 nanos: 500000000 }
  absolute_timeout { seconds: 12 }
  hold_timeout { seconds: 13 }
}
limits {
  sessions: 100
  legs_per_session: 4
  streams_per_leg: 8
  receive_batch: 32
  outbox_packets: 33
  mailbox_commands: 34
  event_queue: 35
  extra_srtp_kib: 41
  interceptor_kib: 42
  held_packets: 43
  packet_logs: 44
  event_log: 36
  watchers: 37
  tombstones: 38
  revoked_tokens: 45
  grpc_threads: 9
  quic_connections: 46
  quic_connections_per_source: 47
  quic_half_open: 48
  quic_threads: 16
  tombstone_lifetime { seconds: 40 }
}
log_level: "warning"
crypto_engine: "boringssl"
)";

TEST(ConfigLoaderTest, ReadsEveryField) {
  const absl::StatusOr<Config> config = Parse(kEverything);
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->listen.ToString(), "[2001:db8::1]:8443");
  EXPECT_EQ(config->tls, (TlsFiles{"a.crt", "a.key", "b.crt"}));
  EXPECT_EQ(config->token_key_file, "token.key");
  ASSERT_TRUE(config->signalling.has_value());
  EXPECT_EQ(config->signalling->listen.ToString(), "[2001:db8::1]:8444");
  EXPECT_EQ(config->signalling->certificate, "c.crt");
  EXPECT_EQ(config->signalling->private_key, "c.key");
  ASSERT_TRUE(config->quic.has_value());
  EXPECT_EQ(config->quic->listen.ToString(), "[2001:db8::1]:8445");
  EXPECT_EQ(config->quic->certificate, "d.crt");
  EXPECT_EQ(config->quic->private_key, "d.key");
  EXPECT_EQ(config->quic->secret_file, "reset.secret");
  EXPECT_EQ(config->quic->key_log_file, "keys.log");
  EXPECT_TRUE(config->quic->always_retry);
  EXPECT_TRUE(config->quic->early_data);
  EXPECT_THAT(config->quic->allow_origins,
              ElementsAre("https://a.example", "http://localhost:8080"));
  EXPECT_EQ(config->media.first_port, 40000);
  EXPECT_EQ(config->media.last_port, 40099);
  EXPECT_EQ(config->media.ipv4->ToString(), "0.0.0.0");
  EXPECT_EQ(config->media.ipv6->ToString(), "2001:db8::1");
  EXPECT_EQ(config->media.advertised_ipv4->ToString(), "198.51.100.7");
  EXPECT_EQ(config->media.advertised_ipv6->ToString(), "2001:db8::2");
  EXPECT_EQ(config->workers, 7u);
  EXPECT_EQ(config->session_defaults.idle, TimeDelta::Seconds(10));
  EXPECT_EQ(config->session_defaults.offer, TimeDelta::Millis(11500));
  EXPECT_EQ(config->session_defaults.absolute, TimeDelta::Seconds(12));
  EXPECT_EQ(config->session_defaults.hold, TimeDelta::Seconds(13));
  EXPECT_EQ(config->limits, (Limits{.sessions = 100,
                                    .legs_per_session = 4,
                                    .streams_per_leg = 8,
                                    .receive_batch = 32,
                                    .outbox_packets = 33,
                                    .mailbox_commands = 34,
                                    .event_queue = 35,
                                    .extra_srtp_kib = 41,
                                    .interceptor_kib = 42,
                                    .held_packets = 43,
                                    .packet_logs = 44,
                                    .event_log = 36,
                                    .watchers = 37,
                                    .tombstones = 38,
                                    .revoked_tokens = 45,
                                    .grpc_threads = 9,
                                    .quic_connections = 46,
                                    .quic_connections_per_source = 47,
                                    .quic_half_open = 48,
                                    .quic_threads = 16,
                                    .tombstone_lifetime = absl::Seconds(40)}));
  EXPECT_EQ(config->log_level, LogLevel::kWarning);
  EXPECT_EQ(config->crypto_engine, EngineRequest::kBoringSsl);
}

TEST(ConfigLoaderTest, TheSampleInTheReadmeIsAConfigurationWithTheDefaults) {
  std::ifstream in("gateway/config/README.md");
  std::ostringstream readme;
  readme << in.rdbuf();
  const std::string fence = "```textproto\n";
  const size_t begin = readme.str().find(fence) + fence.size();
  const size_t end = readme.str().find("```", begin);
  ASSERT_NE(end, std::string::npos);
  const absl::StatusOr<Config> config = Parse(readme.str().substr(begin, end - begin));
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->limits, Limits{});
  EXPECT_EQ(config->crypto_engine, EngineRequest::kAuto);
  EXPECT_EQ(config->session_defaults.idle, TimeoutDefaults().idle);
  EXPECT_EQ(config->session_defaults.offer, TimeoutDefaults().offer);
  EXPECT_EQ(config->session_defaults.absolute, TimeoutDefaults().absolute);
  EXPECT_EQ(config->session_defaults.hold, TimeoutDefaults().hold);
}

TEST(ConfigLoaderTest, WhatIsAbsentHasItsDefault) {
  const absl::StatusOr<Config> config = Parse("", {.insecure = true});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->listen.ToString(), "127.0.0.1:7443");
  EXPECT_EQ(config->tls, std::nullopt);
  EXPECT_EQ(config->token_key_file, "");
  EXPECT_EQ(config->signalling, std::nullopt);
  EXPECT_EQ(config->quic, std::nullopt);
  EXPECT_EQ(config->media.first_port, 30000);
  EXPECT_EQ(config->media.last_port, 39999);
  EXPECT_EQ(config->media.ipv4->ToString(), "127.0.0.1");
  EXPECT_EQ(config->media.ipv6, std::nullopt);
  EXPECT_EQ(config->workers, kCores);
  EXPECT_EQ(config->limits, Limits{});
  EXPECT_EQ(config->crypto_engine, EngineRequest::kAuto);
  EXPECT_EQ(config->log_level, LogLevel::kInfo);
}

TEST(ConfigLoaderTest, AnIpv6OnlyGatewayIsNotGivenIpv4) {
  const absl::StatusOr<Config> config = Parse("", {.insecure = true, .media_ipv6 = "::1"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->media.ipv4, std::nullopt);
  EXPECT_EQ(config->media.ipv6->ToString(), "::1");
}

TEST(ConfigLoaderTest, FlagsWinOverTheFile) {
  const absl::StatusOr<Config> config =
      Parse(kEverything, {.listen = "127.0.0.1:1",
                          .tls_dir = "pki",
                          .token_key_file = "other.key",
                          .signalling_listen = "127.0.0.1:2",
                          .signalling_allow_origins = {"https://b.example"},
                          .quic_listen = "127.0.0.1:3",
                          .quic_tls_dir = "public",
                          .quic_secret_file = "other.secret",
                          .quic_key_log = "other.log",
                          .quic_retry = "auto",
                          .media_ports = "50000-50001",
                          .media_ipv4 = "127.0.0.1",
                          .media_ipv6 = "::1",
                          .advertised_ipv4 = "198.51.100.8",
                          .advertised_ipv6 = "2001:db8::3",
                          .workers = 1,
                          .log_level = "error",
                          .crypto_engine = "ipsec_mb"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->listen.ToString(), "127.0.0.1:1");
  EXPECT_EQ(config->tls, (TlsFiles{"pki/server.crt", "pki/server.key", "pki/ca.crt"}));
  EXPECT_EQ(config->token_key_file, "other.key");
  EXPECT_EQ(config->signalling->listen.ToString(), "127.0.0.1:2");
  EXPECT_EQ(config->quic, (QuicConfig{.listen = {IpAddress::V4({127, 0, 0, 1}), 3},
                                      .certificate = "public/server.crt",
                                      .private_key = "public/server.key",
                                      .secret_file = "other.secret",
                                      .key_log_file = "other.log",
                                      .always_retry = false,
                                      .allow_origins = {"https://b.example"},
                                      .early_data = true}));
  EXPECT_EQ(config->media.first_port, 50000);
  EXPECT_EQ(config->media.last_port, 50001);
  EXPECT_EQ(config->media.ipv4->ToString(), "127.0.0.1");
  EXPECT_EQ(config->media.ipv6->ToString(), "::1");
  EXPECT_EQ(config->media.advertised_ipv4->ToString(), "198.51.100.8");
  EXPECT_EQ(config->media.advertised_ipv6->ToString(), "2001:db8::3");
  EXPECT_EQ(config->workers, 1u);
  EXPECT_EQ(config->log_level, LogLevel::kError);
  EXPECT_EQ(config->crypto_engine, EngineRequest::kIpsecMb);
  EXPECT_EQ(config->limits.sessions, 100u) << "what no flag names stays";
}

TEST(ConfigLoaderTest, TheFlagDecidesBetweenTlsAndNone) {
  absl::StatusOr<Config> config = Parse(kEverything, {.listen = "[::1]:0", .insecure = true});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->tls, std::nullopt);
  config = Parse("control { insecure: true }", {.tls_dir = "pki"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->tls->certificate, "pki/server.crt");
}

TEST(ConfigLoaderTest, SignallingHasTheCertificateOfTheControlPortUnlessItHasItsOwn) {
  absl::StatusOr<Config> config =
      Parse("", {.tls_dir = "pki", .signalling_listen = "192.0.2.1:7444"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->signalling->certificate, "pki/server.crt");
  EXPECT_EQ(config->signalling->private_key, "pki/server.key");
  config = Parse("", {.insecure = true, .signalling_listen = "127.0.0.1:0"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->signalling->certificate, "");
  config = Parse("signalling { certificate_file: 'c' private_key_file: 'k' }",
                 {.insecure = true, .signalling_listen = "192.0.2.1:7444"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->signalling->certificate, "c");
}

TEST(ConfigLoaderTest, QuicHasTheCertificateOfSignallingOrOfTheControlPortUnlessItHasItsOwn) {
  absl::StatusOr<Config> config = Parse("", {.tls_dir = "pki", .quic_listen = "192.0.2.1:7444"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->quic->certificate, "pki/server.crt");
  EXPECT_EQ(config->quic->private_key, "pki/server.key");
  EXPECT_FALSE(config->quic->always_retry);
  EXPECT_FALSE(config->quic->early_data);
  config =
      Parse("signalling { listen: '192.0.2.1:7444' certificate_file: 'c' private_key_file: 'k' }",
            {.tls_dir = "pki", .quic_listen = "192.0.2.1:7444"});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->quic->certificate, "c");
  EXPECT_EQ(config->quic->private_key, "k");
  config = Parse("", {.insecure = true,
                      .quic_listen = "[::]:0",
                      .quic_tls_dir = "public",
                      .quic_early_data = true});
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_TRUE(config->quic->early_data);
  EXPECT_EQ(config->quic->certificate, "public/server.crt");
}

TEST(ConfigLoaderTest, ErrorsAreOneSentenceThatNamesThePlace) {
  const struct {
    std::string text;
    std::string sentence;
  } kCases[] = {
      {"\nmedia {\n  frist_port: 1\n}",
       "gateway.conf:3:13: Message type \"sluice.config.v1.Media\" has no field named "
       "\"frist_port\""},
      {"workers: \"two\"", "gateway.conf:1:10: Expected integer, got: \"two\""},
      {"workers: -1", "gateway.conf:1:10: Expected integer, got: -"},
      {"workers: 1\nworkers: 2",
       "gateway.conf:2:8: Non-repeated field \"workers\" is specified multiple times"},
      {"media {", "gateway.conf:1:8: Expected identifier, got: "},
      {"limits { sessions: 99999999999 }", "gateway.conf:1:20: Integer out of range (99999999999)"},
      {"control { listen: \"unterminated\n }",
       "gateway.conf:1:32: String literals cannot cross line boundaries"},
      {"control { listen: \"nowhere\" insecure: true }",
       "control.listen (--listen): \"nowhere\" is not an IP address and a port"},
      {"control { insecure: true tls { certificate_file: \"a\" } }",
       "control.insecure and control.tls (--insecure, --tls-dir) contradict each other"},
      {"control { tls { certificate_file: \"a\" } }", "control.tls.private_key_file: is missing"},
      {"",
       "no TLS certificates: make some with `sluicectl pki init` and give their folder with "
       "--tls-dir, or say --insecure"},
      {"control { insecure: true } media { first_port: 70000 }",
       "media.first_port (--media-ports): 70000 is above 65535"},
      {"control { insecure: true } media { ipv4: \"300.1.1.1\" }",
       "media.ipv4 (--media-ipv4): \"300.1.1.1\" is not an IP address"},
      {"control { insecure: true } media { ipv4: \"\" }",
       "media.ipv4 (--media-ipv4): \"\" is not an IP address"},
      {"control { insecure: true } media { first_port: 40000 last_port: 30000 }",
       "media.first_port and last_port (--media-ports): 40000-30000 is an empty range"},
      {"control { insecure: true } session_defaults { idle_timeout { seconds: -1 } }",
       "session_defaults.idle_timeout: is negative or not a duration"},
      {"control { insecure: true } session_defaults { hold_timeout { nanos: 1000000000 } }",
       "session_defaults.hold_timeout: is negative or not a duration"},
      {"control { insecure: true } session_defaults { hold_timeout { } }",
       "session_defaults.hold_timeout: is 0 s, it has to be 1 s to 86400 s"},
      {"control { insecure: true } limits { watchers: 0 }",
       "limits.watchers is 0, it has to be 1..1024"},
      {"control { insecure: true } log_level: \"loud\"",
       "log_level (--log-level): \"loud\" is not info, warning or error"},
      {"control { insecure: true } crypto_engine: \"openssl\"",
       "crypto_engine (--crypto-engine): there is no crypto engine \"openssl\"; choose one of: "
       "auto, "
       "boringssl, ipsec_mb"},
  };
  for (const auto& test : kCases) {
    const absl::StatusOr<Config> config = Parse(test.text);
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << test.text;
    const std::string message(config.status().message());
    EXPECT_THAT(message, StartsWith(test.sentence)) << test.text;
    EXPECT_THAT(message, ::testing::Not(HasSubstr("\n"))) << test.text;
  }
}

TEST(ConfigLoaderTest, WrongFlagsAreNamedAsTyped) {
  EXPECT_THAT(Parse("", {.insecure = true, .media_ports = "many"}).status().message(),
              HasSubstr("--media-ports: \"many\" is not a range of ports"));
  EXPECT_THAT(Parse("", {.listen = "0.0.0.0:7443", .insecure = true}).status().message(),
              HasSubstr("--listen): 0.0.0.0:7443 is refused without TLS"));
  EXPECT_THAT(Parse("", {.tls_dir = "pki", .insecure = true}).status().message(),
              HasSubstr("contradict each other"));
}

TEST(ConfigLoaderTest, WrongSignallingIsNamed) {
  const std::pair<ConfigFlags, absl::string_view> kCases[] = {
      {{.insecure = true, .signalling_listen = "here"},
       "signalling.listen (--signalling-listen): \"here\" is not an IP address and a port"},
      {{.insecure = true, .signalling_listen = "192.0.2.1:7444"},
       "signalling.listen (--signalling-listen): 192.0.2.1:7444 is refused without TLS"},
  };
  for (const auto& [flags, sentence] : kCases) {
    EXPECT_THAT(std::string(Parse("", flags).status().message()), StartsWith(sentence));
  }
  EXPECT_THAT(
      std::string(
          Parse("signalling { certificate_file: 'c' }", {.insecure = true}).status().message()),
      StartsWith("signalling.listen (--signalling-listen): is missing"));
}

TEST(ConfigLoaderTest, WrongQuicIsNamed) {
  const std::pair<ConfigFlags, absl::string_view> kCases[] = {
      {{.insecure = true, .quic_listen = "here", .quic_tls_dir = "pki"},
       "quic.listen (--quic-listen): \"here\" is not an IP address and a port"},
      {{.insecure = true, .quic_listen = "127.0.0.1:0"},
       "quic.certificate_file (--quic-tls-dir): is missing, and QUIC is never without TLS"},
      {{.insecure = true, .quic_listen = "127.0.0.1:0", .quic_tls_dir = "pki", .quic_retry = "no"},
       "quic.retry (--quic-retry): \"no\" is not auto or always"},
      {{.insecure = true, .quic_secret_file = "secret"},
       "quic.listen (--quic-listen): is missing, so the other settings of QUIC mean nothing"},
      {{.insecure = true, .signalling_allow_origins = {"https://a.example"}},
       "quic.listen (--quic-listen): is missing"},
  };
  for (const auto& [flags, sentence] : kCases) {
    EXPECT_THAT(std::string(Parse("", flags).status().message()), StartsWith(sentence));
  }
}

TEST(ConfigLoaderTest, ReadsTheFileThatIsNamed) {
  const std::string path = ::testing::TempDir() + "/gateway.conf";
  std::ofstream(path) << "control { insecure: true } workers: 5";
  absl::StatusOr<Config> config = LoadConfig({.config = path}, kCores);
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->workers, 5u);

  std::ofstream(path) << "wokers: 5";
  config = LoadConfig({.config = path}, kCores);
  EXPECT_THAT(std::string(config.status().message()), StartsWith(path + ":1:7: "));

  std::ofstream(path).close();
  EXPECT_TRUE(LoadConfig({.config = path, .insecure = true}, kCores).ok())
      << "an empty file is one";
}

TEST(ConfigLoaderTest, SaysWhyAFileCannotBeRead) {
  const std::string missing = ::testing::TempDir() + "/missing.conf";
  EXPECT_EQ(
      LoadConfig({.config = missing}, kCores).status().message(),
      absl::StrCat("cannot read the configuration file ", missing, ": No such file or directory"));
  EXPECT_EQ(LoadConfig({.config = ::testing::TempDir()}, kCores).status().message(),
            absl::StrCat("cannot read the configuration file ", ::testing::TempDir(),
                         ": Is a directory"));
}

}  // namespace
}  // namespace sluice
