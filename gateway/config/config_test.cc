#include "gateway/config/config.h"

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "gateway/config/limits.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

IpAddress Ip(absl::string_view text) {
  const absl::StatusOr<IpAddress> ip = IpAddress::Parse(text);
  EXPECT_TRUE(ip.ok()) << text;
  return ip.value_or(IpAddress());
}

// A configuration with nothing wrong.
Config Good() {
  Config config;
  config.listen = {Ip("192.0.2.1"), 7443};
  config.tls = TlsFiles{"server.crt", "server.key", "ca.crt"};
  config.media.ipv4 = Ip("192.0.2.1");
  config.media.ipv6 = Ip("2001:db8::1");
  return config;
}

TEST(ConfigTest, TakesWhatMakesSense) {
  EXPECT_EQ(CheckConfig(Good()), absl::OkStatus());
  Config nat = Good();
  nat.media.ipv4 = Ip("0.0.0.0");
  nat.media.advertised_ipv4 = Ip("198.51.100.7");
  EXPECT_EQ(CheckConfig(nat), absl::OkStatus());
  Config open = Good();
  open.tls.reset();
  open.listen = {Ip("::1"), 0};
  EXPECT_EQ(CheckConfig(open), absl::OkStatus());
}

TEST(ConfigTest, RefusesWhatCannotBeWithOneSentenceThatNamesIt) {
  const struct {
    std::function<void(Config&)> spoil;
    absl::string_view sentence;
  } kCases[] = {
      {[](Config& c) { c.tls.reset(); },
       "control.listen (--listen): 192.0.2.1:7443 is refused without TLS"},
      {[](Config& c) { c.tls->private_key.clear(); },
       "control.tls.private_key_file: is missing; TLS needs"},
      {[](Config& c) { c.workers = 0; }, "workers (--workers): is 0, it has to be 1..256"},
      {[](Config& c) { c.workers = 257; }, "workers (--workers): is 257, it has to be 1..256"},
      {[](Config& c) { c.media.last_port = 29999; },
       "media.first_port and last_port (--media-ports): 30000-29999 is an empty range"},
      {[](Config& c) { c.media.first_port = 1023; },
       "media.first_port and last_port (--media-ports): 1023-39999 reaches below 1024"},
      {[](Config& c) { c.media.first_port = c.media.last_port = 30000; },
       "media.first_port and last_port (--media-ports): 30000-30000 has no even port"},
      {[](Config& c) {
         c.media.first_port = 30001;
         c.media.last_port = 30002;
       },
       "media.first_port and last_port (--media-ports): 30001-30002 has no even port"},
      {[](Config& c) { c.media.ipv4 = c.media.ipv6 = std::nullopt; },
       "media.ipv4 and media.ipv6 (--media-ipv4, --media-ipv6): neither is set"},
      {[](Config& c) { c.media.ipv4 = Ip("::1"); },
       "media.ipv4 (--media-ipv4): ::1 is not an address to receive ipv4 at"},
      {[](Config& c) { c.media.ipv6 = Ip("ff02::1"); },
       "media.ipv6 (--media-ipv6): ff02::1 is not an address to receive ipv6 at"},
      {[](Config& c) { c.media.ipv4 = Ip("0.0.0.0"); },
       "media.ipv4 (--media-ipv4): no peer can send to 0.0.0.0; give media.advertised_ipv4 "
       "(--advertised-ipv4) what peers are to be told"},
      {[](Config& c) { c.media.advertised_ipv4 = Ip("0.0.0.0"); },
       "media.advertised_ipv4 (--advertised-ipv4): no peer can send ipv4 to 0.0.0.0"},
      {[](Config& c) { c.media.advertised_ipv6 = Ip("198.51.100.7"); },
       "media.advertised_ipv6 (--advertised-ipv6): no peer can send ipv6 to 198.51.100.7"},
      {[](Config& c) {
         c.media.ipv4.reset();
         c.media.advertised_ipv4 = Ip("198.51.100.7");
       },
       "media.advertised_ipv4 (--advertised-ipv4): needs media.ipv4 (--media-ipv4)"},
      {[](Config& c) { c.session_defaults.idle = TimeDelta::Millis(999); },
       "session_defaults.idle_timeout: is 999 ms, it has to be 1 s to 86400 s"},
      {[](Config& c) { c.session_defaults.offer = TimeDelta::Seconds(3601); },
       "session_defaults.offer_timeout: is 3601 s, it has to be 1 s to 3600 s"},
      {[](Config& c) { c.session_defaults.absolute = TimeDelta::Seconds(8 * 86400); },
       "session_defaults.absolute_timeout: is 691200 s, it has to be 1 s to 604800 s"},
      {[](Config& c) { c.session_defaults.hold = TimeDelta::Zero(); },
       "session_defaults.hold_timeout: is 0 s, it has to be 1 s to 86400 s"},
      {[](Config& c) { c.limits.sessions = 0; }, "limits.sessions is 0, it has to be 1..1000000"},
  };
  for (const auto& test : kCases) {
    Config config = Good();
    test.spoil(config);
    const absl::Status status = CheckConfig(config);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.sentence;
    EXPECT_THAT(std::string(status.message()), StartsWith(std::string(test.sentence)));
  }
}

TEST(ConfigTest, RefusesSignallingThatCannotBe) {
  const struct {
    std::function<void(Config&)> spoil;
    absl::string_view sentence;
  } kCases[] = {
      {[](Config& c) {
         c.signalling = SignallingConfig{{Ip("127.0.0.1"), 1}, "a.crt", ""};
       },
       "signalling: certificate_file and private_key_file belong together"},
      {[](Config& c) {
         c.signalling = SignallingConfig{{Ip("192.0.2.1"), 1}, "", ""};
       },
       "signalling.listen (--signalling-listen): 192.0.2.1:1 is refused without TLS"},
      {[](Config& c) {
         c.signalling = SignallingConfig{{Ip("127.0.0.1"), 1}, "", ""};
         c.limits.grpc_threads = c.limits.mailbox_commands / 2 + 1;
       },
       "limits.mailbox_commands: is 64, with participants it has to be at least 66"},
  };
  for (const auto& test : kCases) {
    Config config = Good();
    test.spoil(config);
    EXPECT_THAT(std::string(CheckConfig(config).message()), StartsWith(std::string(test.sentence)));
  }
  Config config = Good();
  config.signalling = SignallingConfig{{Ip("192.0.2.1"), 1}, "a.crt", "a.key"};
  EXPECT_EQ(CheckConfig(config), absl::OkStatus());
}

TEST(ConfigTest, RefusesQuicThatCannotBe) {
  const QuicConfig good = {.listen = {Ip("192.0.2.1"), 7444},
                           .certificate = "a.crt",
                           .private_key = "a.key",
                           .allow_origins = {"https://app.example", "http://[::1]:8080"}};
  const struct {
    std::function<void(Config&)> spoil;
    absl::string_view sentence;
  } kCases[] = {
      {[](Config& c) { c.quic->private_key.clear(); },
       "quic: certificate_file and private_key_file belong together"},
      {[](Config& c) { c.quic->certificate = c.quic->private_key = ""; },
       "quic.certificate_file (--quic-tls-dir): is missing, and QUIC is never without TLS"},
      {[](Config& c) { c.quic->listen.ip = Ip("224.0.0.1"); },
       "quic.listen (--quic-listen): 224.0.0.1 is not an address of one machine"},
      {[](Config& c) { c.quic->allow_origins.resize(65, "https://app.example"); },
       "quic.allow_origins (--signalling-allow-origin): has 65 origins, at most 64 may be"},
      {[](Config& c) { c.limits.quic_threads = 49; },
       "limits.mailbox_commands: is 64, with participants it has to be at least 65"},
  };
  for (const auto& test : kCases) {
    Config config = Good();
    config.quic = good;
    EXPECT_EQ(CheckConfig(config), absl::OkStatus());
    test.spoil(config);
    EXPECT_THAT(std::string(CheckConfig(config).message()), StartsWith(std::string(test.sentence)));
  }
}

TEST(ConfigTest, OriginsAreThoseThatABrowserWouldSend) {
  for (const absl::string_view origin :
       {"", "*", "null", "app.example", "https://", "https://app.example/", "https://App.example",
        "ftp://app.example", "https://a.example https://b.example", "https://a.example\r\nx: y"}) {
    Config config = Good();
    config.quic = QuicConfig{.listen = {Ip("192.0.2.1"), 7444},
                             .certificate = "a.crt",
                             .private_key = "a.key",
                             .allow_origins = {std::string(origin)}};
    EXPECT_THAT(std::string(CheckConfig(config).message()), HasSubstr("is not an origin, such as"))
        << origin;
  }
}

TEST(ConfigTest, CountsPairsOfAnEvenPortAndTheOddOneAboveIt) {
  const struct {
    uint16_t first, last;
    size_t pairs;
  } kCases[] = {{30000, 39999, 5000}, {30000, 30001, 1}, {30001, 30003, 1},
                {30001, 30004, 1},    {30000, 30000, 0}, {65534, 65535, 1}};
  for (const auto& test : kCases) {
    EXPECT_EQ((MediaConfig{.first_port = test.first, .last_port = test.last}).PortPairs(),
              test.pairs)
        << test.first << "-" << test.last;
  }
  MediaConfig both = {.first_port = 30000, .last_port = 30003};
  both.ipv4 = Ip("127.0.0.1");
  EXPECT_EQ(both.AllPortPairs(), 2u);
  both.ipv6 = Ip("::1");
  EXPECT_EQ(both.AllPortPairs(), 4u);
}

TEST(ConfigTest, ListenAddressesOfBothFamilies) {
  EXPECT_EQ(ParseListenAddress("--listen", "127.0.0.1:0")->ToString(), "127.0.0.1:0");
  EXPECT_EQ(ParseListenAddress("--listen", "[::1]:7443")->ToString(), "[::1]:7443");
  for (absl::string_view text :
       {"", ":", "7443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "::1:7443",
        "[127.0.0.1]:1", "[::1]", "localhost:7443", "127.0.0.1:7443 ", "127.0.0.1: 7443"}) {
    const absl::StatusOr<TransportAddress> address = ParseListenAddress("--listen", text);
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(address.status().message()),
                HasSubstr("is not an IP address and a port, such as 127.0.0.1:7443 or [::1]:7443"));
  }
}

TEST(ConfigTest, PortRanges) {
  const absl::StatusOr<MediaPortRange> range = ParsePortRange("--media-ports", "30000-39999");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->first, 30000u);
  EXPECT_EQ(range->last, 39999u);
  for (absl::string_view text :
       {"", "-", "30000", "30000-", "-39999", "a-b", "1-2-3", "30000 - 39999"}) {
    EXPECT_THAT(std::string(ParsePortRange("--media-ports", text).status().message()),
                HasSubstr("is not a range of ports, such as 30000-39999"))
        << text;
  }
  EXPECT_EQ(ParsePortRange("--media-ports", "1-65536").status().message(),
            "--media-ports: \"1-65536\" has a port above 65535");
}

}  // namespace
}  // namespace sluice
