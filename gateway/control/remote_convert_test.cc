#include "gateway/control/remote_convert.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr bool kMux = true;
constexpr bool kNoMux = false;

gateway::v1::RemoteTransport Parse(const std::string& text) {
  gateway::v1::RemoteTransport remote;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &remote)) << text;
  return remote;
}

std::optional<RemoteTransport> Convert(const std::string& text, IpFamily family, bool rtcp_mux) {
  FieldViolations violations;
  std::optional<RemoteTransport> remote =
      ToRemoteTransport(Parse(text), "config.remote", family, rtcp_mux, violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  return remote;
}

TEST(RemoteConvertTest, RtcpIsOnePortAboveUnlessToldOrMultiplexed) {
  const std::string rtp = "rtp { ip: '192.0.2.1' port: 5004 }";
  EXPECT_EQ(Convert(rtp, IpFamily::kIpv4, kNoMux)->rtcp.ToString(), "192.0.2.1:5005");
  EXPECT_EQ(Convert(rtp, IpFamily::kIpv4, kMux)->rtcp.ToString(), "192.0.2.1:5004");
  EXPECT_EQ(Convert(rtp + "rtcp { ip: '192.0.2.2' port: 7000 }", IpFamily::kIpv4, kNoMux)
                ->rtcp.ToString(),
            "192.0.2.2:7000");
  EXPECT_EQ(
      Convert(rtp + "rtcp { ip: '192.0.2.1' port: 5004 }", IpFamily::kIpv4, kMux)->rtcp.ToString(),
      "192.0.2.1:5004");
}

TEST(RemoteConvertTest, SourcesAreOptionalAndFollowEachOtherWhenMultiplexed) {
  const std::string rtp = "rtp { ip: '2001:db8::1' port: 5004 }";
  EXPECT_EQ(Convert(rtp, IpFamily::kIpv6, kNoMux)->source_rtp, std::nullopt);
  const std::string sources =
      rtp + "source_rtp { ip: '2001:db8::2' port: 1 } source_rtcp { ip: '2001:db8::3' port: 2 }";
  const std::optional<RemoteTransport> remote = Convert(sources, IpFamily::kIpv6, kNoMux);
  EXPECT_EQ(remote->source_rtp->ToString(), "[2001:db8::2]:1");
  EXPECT_EQ(remote->source_rtcp->ToString(), "[2001:db8::3]:2");
  EXPECT_EQ(Convert(rtp + "source_rtp { ip: '2001:db8::2' port: 1 }", IpFamily::kIpv6, kMux)
                ->source_rtcp->ToString(),
            "[2001:db8::2]:1");
}

TEST(RemoteConvertTest, NamesEveryWrongFieldAtOnce) {
  const struct {
    std::string remote;
    bool rtcp_mux;
    std::vector<std::string> fields;
    std::string description;
  } kCases[] = {
      {"", kNoMux, {"config.remote.rtp"}, "must be given with remote"},
      {"rtp { port: 5004 }", kNoMux, {"config.remote.rtp.ip"}, "\"\" is not an IP address"},
      {"rtp { ip: '192.0.2.1' }", kNoMux, {"config.remote.rtp.port"}, "is 0, must be 1..65535"},
      {"rtp { ip: '192.0.2.1' port: 65536 }",
       kNoMux,
       {"config.remote.rtp.port"},
       "is 65536, must be 1..65535"},
      {"rtp { ip: 'media.example' port: 0 }",
       kNoMux,
       {"config.remote.rtp.ip", "config.remote.rtp.port"},
       "\"media.example\" is not an IP address; names are not resolved"},
      {"rtp { ip: '[192.0.2.1]' port: 1 }",
       kNoMux,
       {"config.remote.rtp.ip"},
       "is not an IP address"},
      {"rtp { ip: '2001:db8::1' port: 5004 }",
       kNoMux,
       {"config.remote.rtp.ip"},
       "is IPv6, the leg is IPv4"},
      {"rtp { ip: '0.0.0.0' port: 5004 }",
       kNoMux,
       {"config.remote.rtp.ip"},
       "is not the address of one peer"},
      {"rtp { ip: '224.0.0.1' port: 5004 }",
       kNoMux,
       {"config.remote.rtp.ip"},
       "is not the address of one peer"},
      {"rtp { ip: '255.255.255.255' port: 5004 }",
       kNoMux,
       {"config.remote.rtp.ip"},
       "is not the address of one peer"},
      {"rtp { ip: '192.0.2.1' port: 65535 }",
       kNoMux,
       {"config.remote.rtcp"},
       "must be given, since there is no port above rtp.port"},
      {"rtp { ip: '192.0.2.1' port: 5004 } rtcp { ip: '192.0.2.1' port: 5005 }",
       kMux,
       {"config.remote.rtcp"},
       "must be absent or the same as rtp with rtcp_mux"},
      {"rtp { ip: '192.0.2.1' port: 5004 } rtcp { ip: 'x' port: 5005 } "
       "source_rtp { ip: '239.1.1.1' port: 5 } source_rtcp { ip: '192.0.2.1' }",
       kNoMux,
       {"config.remote.rtcp.ip", "config.remote.source_rtp.ip", "config.remote.source_rtcp.port"},
       "\"x\" is not an IP address"},
      {"rtp { ip: '192.0.2.1' port: 5004 } source_rtcp { ip: '192.0.2.1' port: 5 }",
       kMux,
       {"config.remote.source_rtcp"},
       "must be absent or the same as source_rtp with rtcp_mux"},
  };
  for (const auto& test : kCases) {
    FieldViolations violations;
    ToRemoteTransport(Parse(test.remote), "config.remote", IpFamily::kIpv4, test.rtcp_mux,
                      violations);
    EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
        << test.remote;
    EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
        << test.remote;
  }
}

TEST(RemoteConvertTest, Ipv6PeersMustBeOnePeerToo) {
  for (const char* ip : {"::", "ff02::1"}) {
    FieldViolations violations;
    ToRemoteTransport(Parse(std::string("rtp { port: 5004 ip: '") + ip + "' }"), "config.remote",
                      IpFamily::kIpv6, kMux, violations);
    EXPECT_FALSE(violations.empty()) << ip;
  }
}

TEST(RemoteConvertTest, TheFamilyIsAskedOrFollowsTheRemoteOrIsIpv4) {
  const auto family = [](const std::string& text) {
    gateway::v1::LegConfig config;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
    FieldViolations violations;
    const IpFamily result = ToIpFamily(config, violations);
    EXPECT_TRUE(violations.empty());
    return result;
  };
  EXPECT_EQ(family(""), IpFamily::kIpv4);
  EXPECT_EQ(family("remote { rtp { ip: '192.0.2.1' } }"), IpFamily::kIpv4);
  EXPECT_EQ(family("remote { rtp { ip: '::1' } }"), IpFamily::kIpv6);
  EXPECT_EQ(family("ip_family: IP_FAMILY_IPV6"), IpFamily::kIpv6);
  EXPECT_EQ(family("ip_family: IP_FAMILY_IPV4 remote { rtp { ip: '::1' } }"), IpFamily::kIpv4);

  gateway::v1::LegConfig config;
  config.set_ip_family(static_cast<gateway::v1::IpFamily>(9));
  FieldViolations violations;
  ToIpFamily(config, violations);
  EXPECT_EQ(violations.ToStatus().message(),
            "config.ip_family: must be IP_FAMILY_IPV4 or IP_FAMILY_IPV6");
}

TEST(RemoteConvertTest, AddressesGoBackAsTheyCame) {
  for (const char* text :
       {"rtp { ip: '192.0.2.1' port: 5004 }", "rtp { ip: '2001:db8::1' port: 1 }"}) {
    FieldViolations violations;
    const gateway::v1::RemoteTransport in = Parse(text);
    const bool ipv6 = in.rtp().ip().find(':') != std::string::npos;
    const auto remote =
        ToRemoteTransport(in, "", ipv6 ? IpFamily::kIpv6 : IpFamily::kIpv4, kMux, violations);
    gateway::v1::TransportAddress out;
    ToProto(remote->rtp, out);
    EXPECT_EQ(out.ShortDebugString(), in.rtp().ShortDebugString());
  }
}

}  // namespace
}  // namespace sluice
