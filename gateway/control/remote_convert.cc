#include "gateway/control/remote_convert.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

constexpr uint32_t kMaxPort = 65535;

absl::string_view Name(IpFamily family) { return family == IpFamily::kIpv4 ? "IPv4" : "IPv6"; }

// RFC 919 section 7; the only broadcast address that shows itself without a netmask.
bool IsBroadcast(const IpAddress& ip) { return ip == IpAddress::V4({255, 255, 255, 255}); }

std::optional<IpAddress> ReadIp(const std::string& text, const std::string& path, IpFamily family,
                                FieldViolations& violations) {
  const absl::StatusOr<IpAddress> ip = IpAddress::Parse(text);
  if (!ip.ok()) {
    violations.Add(path,
                   absl::StrCat(Quoted(text), " is not an IP address; names are not resolved"));
    return std::nullopt;
  }
  if (ip->family() != family) {
    violations.Add(path, absl::StrCat("is ", Name(ip->family()), ", the leg is ", Name(family)));
    return std::nullopt;
  }
  if (ip->IsUnspecified() || ip->IsMulticast() || IsBroadcast(*ip)) {
    violations.Add(path, absl::StrCat(Quoted(text), " is not the address of one peer"));
    return std::nullopt;
  }
  return *ip;
}

std::optional<TransportAddress> ReadAddress(const pb::TransportAddress& in, const std::string& path,
                                            IpFamily family, FieldViolations& violations) {
  const std::optional<IpAddress> ip =
      ReadIp(in.ip(), absl::StrCat(path, ".ip"), family, violations);
  const bool has_port = in.port() >= 1 && in.port() <= kMaxPort;
  if (!has_port) {
    violations.Add(absl::StrCat(path, ".port"),
                   absl::StrCat("is ", in.port(), ", must be 1..", kMaxPort));
  }
  if (!ip.has_value() || !has_port) {
    return std::nullopt;
  }
  return TransportAddress{*ip, static_cast<uint16_t>(in.port())};
}

// RFC 3550 section 11: without a word about RTCP it is one port above RTP.
std::optional<TransportAddress> RtcpBeside(const TransportAddress& rtp, const std::string& path,
                                           FieldViolations& violations) {
  if (rtp.port == kMaxPort) {
    violations.Add(path, "must be given, since there is no port above rtp.port");
    return std::nullopt;
  }
  return TransportAddress{rtp.ip, static_cast<uint16_t>(rtp.port + 1)};
}

}  // namespace

std::optional<RemoteTransport> ToRemoteTransport(const pb::RemoteTransport& in,
                                                 absl::string_view path, IpFamily family,
                                                 bool rtcp_mux, FieldViolations& violations) {
  const auto at = [path](absl::string_view field) { return absl::StrCat(path, ".", field); };
  if (!in.has_rtp()) {
    violations.Add(at("rtp"), "must be given with remote");
    return std::nullopt;
  }
  const std::optional<TransportAddress> rtp = ReadAddress(in.rtp(), at("rtp"), family, violations);
  std::optional<TransportAddress> rtcp;
  if (in.has_rtcp()) {
    rtcp = ReadAddress(in.rtcp(), at("rtcp"), family, violations);
    if (rtcp_mux && rtp.has_value() && rtcp.has_value() && *rtcp != *rtp) {
      violations.Add(at("rtcp"), "must be absent or the same as rtp with rtcp_mux");
    }
  } else if (rtp.has_value()) {
    rtcp = rtcp_mux ? rtp : RtcpBeside(*rtp, at("rtcp"), violations);
  }
  std::optional<TransportAddress> source_rtp;
  if (in.has_source_rtp()) {
    source_rtp = ReadAddress(in.source_rtp(), at("source_rtp"), family, violations);
  }
  std::optional<TransportAddress> source_rtcp = rtcp_mux ? source_rtp : std::nullopt;
  if (in.has_source_rtcp()) {
    source_rtcp = ReadAddress(in.source_rtcp(), at("source_rtcp"), family, violations);
    if (rtcp_mux && source_rtcp != source_rtp) {
      violations.Add(at("source_rtcp"), "must be absent or the same as source_rtp with rtcp_mux");
    }
  }
  if (!rtp.has_value() || !rtcp.has_value()) {
    return std::nullopt;
  }
  return RemoteTransport{*rtp, *rtcp, source_rtp, source_rtcp};
}

IpFamily ToIpFamily(const pb::LegConfig& config, FieldViolations& violations) {
  switch (config.ip_family()) {
    case pb::IP_FAMILY_UNSPECIFIED: {
      const absl::StatusOr<IpAddress> ip = IpAddress::Parse(config.remote().rtp().ip());
      return ip.ok() ? ip->family() : IpFamily::kIpv4;
    }
    case pb::IP_FAMILY_IPV4:
      return IpFamily::kIpv4;
    case pb::IP_FAMILY_IPV6:
      return IpFamily::kIpv6;
    default:
      violations.Add("config.ip_family", "must be IP_FAMILY_IPV4 or IP_FAMILY_IPV6");
      return IpFamily::kIpv4;
  }
}

void ToProto(const TransportAddress& address, pb::TransportAddress& out) {
  out.set_ip(address.ip.ToString());
  out.set_port(address.port);
}

}  // namespace sluice
