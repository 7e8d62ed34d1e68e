#include "gateway/control/media_convert.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "interceptor/stream_info.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// proto/gateway/v1/leg.proto.
constexpr int kMaxPayloadTypes = 32;
constexpr int kMaxHeaderExtensions = 32;
constexpr int kMaxRemoteStreams = 64;
constexpr int kMaxRemoteSsrcs = 64;
constexpr size_t kMaxEncodingNameBytes = 64;
constexpr size_t kMaxUriBytes = 255;
constexpr uint32_t kMaxClockRate = 1'000'000;
// One byte in the two-byte form of RFC 8285 section 4.3; 0 is padding.
constexpr uint32_t kMaxExtensionId = 255;
constexpr size_t kPayloadTypes = 128;

struct FeedbackRow {
  absl::string_view name;
  bool StreamFeedback::*field;
};
constexpr FeedbackRow kFeedback[] = {
    {"nack", &StreamFeedback::nack},
    {"nack pli", &StreamFeedback::picture_loss_indication},
    {"ccm fir", &StreamFeedback::full_intra_request},
    {"goog-remb", &StreamFeedback::receiver_estimate},
    {"transport-cc", &StreamFeedback::transport_wide},
    {"ack ccfb", &StreamFeedback::congestion_control},
};

// RFC 4588 section 8.1 and RFC 2198: packets of these are about those of another payload type.
// Encoding names know no case (RFC 4855 section 3).
bool IsRetransmission(const pb::PayloadType& type) {
  return absl::EqualsIgnoreCase(type.encoding_name(), "rtx");
}
bool IsRedundancy(const pb::PayloadType& type) {
  return absl::EqualsIgnoreCase(type.encoding_name(), "red");
}

// RFC 5761 section 4: with RTCP on the same port these numbers are RTCP packet types.
bool CollidesWithRtcp(uint32_t payload_type) { return payload_type >= 64 && payload_type <= 95; }

bool IsTooLong(int entries, int max, absl::string_view path, FieldViolations& violations) {
  if (entries <= max) {
    return false;
  }
  violations.Add(path, absl::StrCat("has ", entries, " entries, at most ", max));
  return true;
}

void CheckNumber(const pb::PayloadType& in, const std::string& path, bool rtcp_mux,
                 FieldViolations& violations) {
  if (in.number() >= kPayloadTypes) {
    violations.Add(absl::StrCat(path, ".number"),
                   absl::StrCat("is ", in.number(), ", must be 0..", kPayloadTypes - 1));
  } else if (rtcp_mux && CollidesWithRtcp(in.number())) {
    violations.Add(absl::StrCat(path, ".number"),
                   absl::StrCat("is ", in.number(),
                                ", must not be 64..95 with rtcp_mux (RFC 5761 section 4)"));
  }
}

StreamFeedback ReadFeedback(const pb::PayloadType& in, const std::string& path,
                            FieldViolations& violations) {
  StreamFeedback feedback;
  size_t unknown = 0;
  // Who sends more unknown ones than there are known ones need not be told of each.
  for (int i = 0; i < in.rtcp_feedback_size() && unknown < std::size(kFeedback); ++i) {
    const auto* row = absl::c_find_if(
        kFeedback, [&](const FeedbackRow& r) { return r.name == in.rtcp_feedback(i); });
    if (row != std::end(kFeedback)) {
      feedback.*(row->field) = true;
      continue;
    }
    ++unknown;
    violations.Add(absl::StrCat(path, ".rtcp_feedback[", i, "]"),
                   absl::StrCat("is ", Quoted(in.rtcp_feedback(i)), ", must be one of ",
                                absl::StrJoin(kFeedback, ", ", [](std::string* out, auto& r) {
                                  absl::StrAppend(out, Quoted(r.name));
                                })));
  }
  return feedback;
}

PayloadDescription ReadPayloadType(const pb::PayloadType& in, const std::string& path,
                                   bool rtcp_mux, FieldViolations& violations) {
  CheckNumber(in, path, rtcp_mux, violations);
  if (in.clock_rate_hz() < 1 || in.clock_rate_hz() > kMaxClockRate) {
    violations.Add(absl::StrCat(path, ".clock_rate_hz"),
                   absl::StrCat("is ", in.clock_rate_hz(), ", must be 1..", kMaxClockRate));
  }
  if (in.encoding_name().size() > kMaxEncodingNameBytes ||
      !absl::c_all_of(in.encoding_name(), absl::ascii_isgraph)) {
    violations.Add(absl::StrCat(path, ".encoding_name"),
                   absl::StrCat("must be at most ", kMaxEncodingNameBytes,
                                " printable ASCII characters without blanks"));
  }
  PayloadDescription result;
  result.payload_type = PayloadType(static_cast<uint8_t>(in.number()));
  result.encoding_name = in.encoding_name();
  result.clock_rate = in.clock_rate_hz();
  if (in.has_associated_number()) {
    result.associated = PayloadType(static_cast<uint8_t>(in.associated_number()));
  }
  result.feedback = ReadFeedback(in, path, violations);
  return result;
}

// Whether the payload type that `in` repeats or wraps is one that can be: looked at when all are
// read, since they may be listed in any order.
void CheckAssociation(const pb::LegConfig& config, const pb::PayloadType& in,
                      const std::string& path, FieldViolations& violations) {
  const std::string field = absl::StrCat(path, ".associated_number");
  if (!IsRetransmission(in) && !IsRedundancy(in)) {
    if (in.has_associated_number()) {
      violations.Add(field, "is for \"rtx\" and \"red\" only");
    }
    return;
  }
  if (!in.has_associated_number()) {
    violations.Add(field, IsRetransmission(in)
                              ? "must be given: the payload type that \"rtx\" repeats"
                              : "must be given: the payload type that \"red\" wraps");
    return;
  }
  const auto other = absl::c_find_if(config.payload_types(), [&](const pb::PayloadType& type) {
    return type.number() == in.associated_number();
  });
  if (other == config.payload_types().end()) {
    violations.Add(field, absl::StrCat("is ", in.associated_number(), ", which is not listed"));
  } else if (IsRetransmission(*other)) {
    violations.Add(field, absl::StrCat("is ", in.associated_number(),
                                       ", which is \"rtx\" itself: nothing repeats or wraps it"));
  } else if (IsRedundancy(in) && IsRedundancy(*other)) {
    violations.Add(field, absl::StrCat("is ", in.associated_number(),
                                       ", which is \"red\" itself: it is not wrapped again"));
  }
}

// Adds a violation and gives nothing for what is no SSRC.
std::optional<Ssrc> ReadSsrc(int64_t ssrc, const std::string& path, FieldViolations& violations) {
  if (ssrc < 0 || ssrc > UINT32_MAX) {
    violations.Add(path, absl::StrCat("is ", ssrc, ", must be 0..", UINT32_MAX));
    return std::nullopt;
  }
  return Ssrc(static_cast<uint32_t>(ssrc));
}

}  // namespace

std::vector<PayloadDescription> ReadPayloadTypes(const pb::LegConfig& config, bool rtcp_mux,
                                                 FieldViolations& violations) {
  std::vector<PayloadDescription> payloads;
  if (IsTooLong(config.payload_types_size(), kMaxPayloadTypes, "config.payload_types",
                violations)) {
    return payloads;
  }
  std::array<bool, kPayloadTypes> seen{};
  for (int i = 0; i < config.payload_types_size(); ++i) {
    const std::string path = absl::StrCat("config.payload_types[", i, "]");
    const pb::PayloadType& in = config.payload_types(i);
    payloads.push_back(ReadPayloadType(in, path, rtcp_mux, violations));
    if (in.number() < seen.size() && std::exchange(seen[in.number()], true)) {
      violations.Add(absl::StrCat(path, ".number"), absl::StrCat(in.number(), " is listed twice"));
    }
    CheckAssociation(config, in, path, violations);
  }
  return payloads;
}

std::vector<HeaderExtension> ReadHeaderExtensions(const pb::LegConfig& config,
                                                  FieldViolations& violations) {
  std::vector<HeaderExtension> extensions;
  if (IsTooLong(config.header_extensions_size(), kMaxHeaderExtensions, "config.header_extensions",
                violations)) {
    return extensions;
  }
  std::array<bool, kMaxExtensionId + 1> seen{};
  for (int i = 0; i < config.header_extensions_size(); ++i) {
    const std::string path = absl::StrCat("config.header_extensions[", i, "]");
    const pb::HeaderExtension& in = config.header_extensions(i);
    if (in.id() < 1 || in.id() > kMaxExtensionId) {
      violations.Add(absl::StrCat(path, ".id"),
                     absl::StrCat("is ", in.id(), ", must be 1..", kMaxExtensionId));
    } else if (std::exchange(seen[in.id()], true)) {
      violations.Add(absl::StrCat(path, ".id"), absl::StrCat(in.id(), " is listed twice"));
    }
    if (in.uri().empty() || in.uri().size() > kMaxUriBytes ||
        !absl::c_all_of(in.uri(), absl::ascii_isgraph)) {
      violations.Add(
          absl::StrCat(path, ".uri"),
          absl::StrCat("must be 1..", kMaxUriBytes, " printable ASCII characters without blanks"));
    }
    extensions.push_back({.id = static_cast<uint8_t>(in.id()), .uri = in.uri()});
  }
  return extensions;
}

std::vector<StreamGroup> ReadStreamGroups(const pb::LegConfig& config,
                                          FieldViolations& violations) {
  std::vector<StreamGroup> groups;
  if (IsTooLong(config.remote_streams_size(), kMaxRemoteStreams, "config.remote_streams",
                violations)) {
    return groups;
  }
  absl::flat_hash_set<uint32_t> seen;
  const auto read = [&](int64_t number, const std::string& path) {
    const std::optional<Ssrc> ssrc = ReadSsrc(number, path, violations);
    if (ssrc.has_value() && !seen.insert(ssrc->value()).second) {
      violations.Add(path, absl::StrCat(number, " has a place in a group already"));
    }
    return ssrc;
  };
  for (int i = 0; i < config.remote_streams_size(); ++i) {
    const std::string path = absl::StrCat("config.remote_streams[", i, "]");
    const pb::StreamGroup& in = config.remote_streams(i);
    StreamGroup group;
    group.ssrc = read(in.ssrc(), absl::StrCat(path, ".ssrc")).value_or(Ssrc(0));
    if (in.has_retransmission_ssrc()) {
      group.retransmission_ssrc =
          read(in.retransmission_ssrc(), absl::StrCat(path, ".retransmission_ssrc"));
    }
    if (in.has_repair_ssrc()) {
      group.repair_ssrc = read(in.repair_ssrc(), absl::StrCat(path, ".repair_ssrc"));
    }
    groups.push_back(group);
  }
  return groups;
}

std::vector<Ssrc> ReadRemoteSsrcs(const pb::LegConfig& config, FieldViolations& violations) {
  std::vector<Ssrc> ssrcs;
  if (IsTooLong(config.remote_ssrcs_size(), kMaxRemoteSsrcs, "config.remote_ssrcs", violations)) {
    return ssrcs;
  }
  for (int i = 0; i < config.remote_ssrcs_size(); ++i) {
    const std::optional<Ssrc> ssrc =
        ReadSsrc(config.remote_ssrcs(i), absl::StrCat("config.remote_ssrcs[", i, "]"), violations);
    if (ssrc.has_value()) {
      ssrcs.push_back(*ssrc);
    }
  }
  return ssrcs;
}

void ToProto(const PayloadDescription& payload, pb::PayloadType& out) {
  out.set_number(payload.payload_type.value());
  out.set_encoding_name(payload.encoding_name);
  out.set_clock_rate_hz(payload.clock_rate);
  if (payload.associated.has_value()) {
    out.set_associated_number(payload.associated->value());
  }
  for (const FeedbackRow& row : kFeedback) {
    if (payload.feedback.*(row.field)) {
      out.add_rtcp_feedback(std::string(row.name));
    }
  }
}

void ToProto(const HeaderExtension& extension, pb::HeaderExtension& out) {
  out.set_id(extension.id);
  out.set_uri(extension.uri);
}

}  // namespace sluice
