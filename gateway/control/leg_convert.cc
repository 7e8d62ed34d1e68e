#include "gateway/control/leg_convert.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "gateway/control/id_check.h"
#include "gateway/control/remote_convert.h"
#include "gateway/control/time_convert.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// proto/gateway/v1/leg.proto.
constexpr int kMaxPayloadTypes = 32;
constexpr int kMaxRemoteSsrcs = 64;
constexpr size_t kMaxEncodingNameBytes = 64;
constexpr uint32_t kMaxClockRate = 1'000'000;
constexpr TimeDelta kMinLearningWindow = TimeDelta::Millis(1);
constexpr TimeDelta kMaxLearningWindow = TimeDelta::Seconds(60);
constexpr TimeDelta kDefaultLearningWindow = TimeDelta::Seconds(10);

constexpr std::pair<pb::CryptoSuite, SuiteId> kSuites[] = {
    {pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, SuiteId::kAesCm128HmacSha1_80},
    {pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32, SuiteId::kAesCm128HmacSha1_32},
    {pb::CRYPTO_SUITE_AEAD_AES_128_GCM, SuiteId::kAeadAes128Gcm},
    {pb::CRYPTO_SUITE_AEAD_AES_256_GCM, SuiteId::kAeadAes256Gcm},
};

constexpr absl::string_view kSuiteNames =
    "must be AES_CM_128_HMAC_SHA1_80, AES_CM_128_HMAC_SHA1_32, AEAD_AES_128_GCM or "
    "AEAD_AES_256_GCM";

std::optional<SuiteId> ReadSuite(pb::CryptoSuite suite, absl::string_view path,
                                 FieldViolations& violations) {
  for (const auto& [number, id] : kSuites) {
    if (number == suite) {
      return id;
    }
  }
  violations.Add(path, kSuiteNames);
  return std::nullopt;
}

pb::CryptoSuite ToProto(SuiteId suite) {
  for (const auto& [number, id] : kSuites) {
    if (id == suite) {
      return number;
    }
  }
  return pb::CRYPTO_SUITE_UNSPECIFIED;
}

std::optional<MasterKey> ReadKey(const pb::SrtpKey& in, absl::string_view path,
                                 FieldViolations& violations) {
  const std::optional<SuiteId> id = ReadSuite(in.suite(), absl::StrCat(path, ".suite"), violations);
  if (!id.has_value()) {
    return std::nullopt;
  }
  const std::string& bytes = in.master_key_and_salt();
  const CipherSuite& suite = GetCipherSuite(*id);
  if (bytes.size() != suite.key_size + suite.salt_size) {
    violations.Add(absl::StrCat(path, ".master_key_and_salt"),
                   absl::StrCat("has ", bytes.size(), " bytes, ", suite.name, " needs ",
                                suite.key_size + suite.salt_size, ": ", suite.key_size,
                                " of key and ", suite.salt_size, " of salt"));
    return std::nullopt;
  }
  absl::StatusOr<MasterKey> key = MasterKey::Create(
      *id, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  if (!key.ok()) {
    violations.Add(absl::StrCat(path, ".master_key_and_salt"), "is not a key of the suite");
    return std::nullopt;
  }
  return *std::move(key);
}

std::optional<LegKind> ReadKind(pb::LegKind kind, FieldViolations& violations) {
  switch (kind) {
    case pb::LEG_KIND_RTP:
      return LegKind::kRtp;
    case pb::LEG_KIND_SRTP:
      return LegKind::kSrtp;
    default:
      violations.Add("config.kind", "must be LEG_KIND_RTP or LEG_KIND_SRTP");
      return std::nullopt;
  }
}

// An update has no default: whether the leg's address was signalled or learned is the worker's to
// know.
AddressLearning ReadLearning(pb::AddressLearning learning, FieldViolations& violations) {
  switch (learning) {
    case pb::ADDRESS_LEARNING_STRICT:
      return AddressLearning::kStrict;
    case pb::ADDRESS_LEARNING_LEARN:
      return AddressLearning::kLearn;
    default:
      violations.Add("config.address_learning",
                     "must be ADDRESS_LEARNING_STRICT or ADDRESS_LEARNING_LEARN");
      return AddressLearning::kStrict;
  }
}

TimeDelta ReadLearningWindow(const pb::LegConfig& config, FieldViolations& violations) {
  if (!config.has_learning_window()) {
    return kDefaultLearningWindow;
  }
  return FromProto(config.learning_window(), "config.learning_window", kMinLearningWindow,
                   kMaxLearningWindow, violations)
      .value_or(kDefaultLearningWindow);
}

// RFC 5761 section 4: with RTCP on the same port these numbers are RTCP packet types.
bool CollidesWithRtcp(uint32_t payload_type) { return payload_type >= 64 && payload_type <= 95; }

PayloadClock ReadPayloadType(const pb::PayloadType& in, const std::string& path, bool rtcp_mux,
                             FieldViolations& violations) {
  if (in.number() > 127) {
    violations.Add(absl::StrCat(path, ".number"),
                   absl::StrCat("is ", in.number(), ", must be 0..127"));
  } else if (rtcp_mux && CollidesWithRtcp(in.number())) {
    violations.Add(absl::StrCat(path, ".number"),
                   absl::StrCat("is ", in.number(),
                                ", must not be 64..95 with rtcp_mux (RFC 5761 section 4)"));
  }
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
  return {PayloadType(static_cast<uint8_t>(in.number())), in.encoding_name(), in.clock_rate_hz()};
}

std::vector<PayloadClock> ReadPayloadTypes(const pb::LegConfig& config, bool rtcp_mux,
                                           FieldViolations& violations) {
  std::vector<PayloadClock> clocks;
  if (config.payload_types_size() > kMaxPayloadTypes) {
    violations.Add("config.payload_types", absl::StrCat("has ", config.payload_types_size(),
                                                        " entries, at most ", kMaxPayloadTypes));
    return clocks;
  }
  std::array<bool, 128> seen{};
  for (int i = 0; i < config.payload_types_size(); ++i) {
    const std::string path = absl::StrCat("config.payload_types[", i, "]");
    const pb::PayloadType& in = config.payload_types(i);
    clocks.push_back(ReadPayloadType(in, path, rtcp_mux, violations));
    if (in.number() < seen.size() && std::exchange(seen[in.number()], true)) {
      violations.Add(absl::StrCat(path, ".number"), absl::StrCat(in.number(), " is listed twice"));
    }
  }
  return clocks;
}

std::vector<Ssrc> ReadRemoteSsrcs(const pb::LegConfig& config, FieldViolations& violations) {
  std::vector<Ssrc> ssrcs;
  if (config.remote_ssrcs_size() > kMaxRemoteSsrcs) {
    violations.Add("config.remote_ssrcs", absl::StrCat("has ", config.remote_ssrcs_size(),
                                                       " entries, at most ", kMaxRemoteSsrcs));
    return ssrcs;
  }
  for (int i = 0; i < config.remote_ssrcs_size(); ++i) {
    const int64_t ssrc = config.remote_ssrcs(i);
    if (ssrc < 0 || ssrc > UINT32_MAX) {
      violations.Add(absl::StrCat("config.remote_ssrcs[", i, "]"),
                     absl::StrCat("is ", ssrc, ", must be 0..", UINT32_MAX));
    } else {
      ssrcs.push_back(Ssrc(static_cast<uint32_t>(ssrc)));
    }
  }
  return ssrcs;
}

void RefuseKeysOfPlainLeg(const pb::LegConfig& config, FieldViolations& violations) {
  if (config.has_remote_key()) {
    violations.Add("config.remote_key", "is for LEG_KIND_SRTP only");
  }
  if (config.local_suite() != pb::CRYPTO_SUITE_UNSPECIFIED) {
    violations.Add("config.local_suite", "is for LEG_KIND_SRTP only");
  }
}

void ReadKeys(const pb::LegConfig& config, NewLeg& leg, FieldViolations& violations) {
  leg.local_suite = SuiteId::kAeadAes128Gcm;
  if (config.has_remote_key()) {
    leg.spec.remote_key = ReadKey(config.remote_key(), "config.remote_key", violations);
    if (leg.spec.remote_key.has_value()) {
      leg.local_suite = leg.spec.remote_key->suite().id;
    }
  }
  if (config.local_suite() != pb::CRYPTO_SUITE_UNSPECIFIED) {
    leg.local_suite = ReadSuite(config.local_suite(), "config.local_suite", violations);
  }
}

// One path of an update mask.
struct UpdateRow {
  absl::string_view path;
  void (*read)(const pb::LegConfig&, const LegSnapshot&, LegUpdate&, FieldViolations&);
};
constexpr UpdateRow kUpdates[] = {
    {"remote",
     [](const pb::LegConfig& config, const LegSnapshot& leg, LegUpdate& update,
        FieldViolations& violations) {
       if (!config.has_remote()) {
         violations.Add("config.remote", "must be given when update_mask names it");
         return;
       }
       update.remote = ToRemoteTransport(config.remote(), "config.remote",
                                         leg.local.rtp.ip.family(), leg.rtcp_mux, violations);
     }},
    {"remote_key",
     [](const pb::LegConfig& config, const LegSnapshot& leg, LegUpdate& update,
        FieldViolations& violations) {
       if (leg.kind != LegKind::kSrtp) {
         violations.Add("config.remote_key", "is for LEG_KIND_SRTP only");
       } else if (!config.has_remote_key()) {
         violations.Add("config.remote_key", "must be given when update_mask names it");
       } else {
         update.remote_key = ReadKey(config.remote_key(), "config.remote_key", violations);
       }
     }},
    {"address_learning",
     [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
        FieldViolations& violations) {
       update.learning = ReadLearning(config.address_learning(), violations);
     }},
    {"learning_window",
     [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
        FieldViolations& violations) {
       update.learning_window = ReadLearningWindow(config, violations);
     }},
    {"payload_types",
     [](const pb::LegConfig& config, const LegSnapshot& leg, LegUpdate& update,
        FieldViolations& violations) {
       update.payload_types = ReadPayloadTypes(config, leg.rtcp_mux, violations);
     }},
    {"remote_ssrcs",
     [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
        FieldViolations& violations) {
       update.remote_ssrcs = ReadRemoteSsrcs(config, violations);
     }},
    {"hold", [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
                FieldViolations&) { update.hold = config.hold(); }},
};
constexpr absl::string_view kFixedPaths[] = {"kind", "ip_family", "rtcp_mux", "local_suite"};

void ReadMaskedPath(const std::string& path, const pb::LegConfig& config, const LegSnapshot& leg,
                    LegUpdate& update, FieldViolations& violations) {
  for (const UpdateRow& row : kUpdates) {
    if (row.path == path) {
      row.read(config, leg, update, violations);
      return;
    }
  }
  if (absl::c_linear_search(kFixedPaths, path)) {
    violations.Add("update_mask", absl::StrCat(Quoted(path),
                                               " is fixed for the leg's life; remove "
                                               "the leg and add another"));
  } else {
    violations.Add("update_mask",
                   absl::StrCat(Quoted(path),
                                " is not one of remote, remote_key, address_learning, "
                                "learning_window, payload_types, remote_ssrcs, hold"));
  }
}

}  // namespace

NewLeg ToNewLeg(const pb::AddLegRequest& request, FieldViolations& violations) {
  const pb::LegConfig& config = request.config();
  NewLeg leg;
  CheckId("session_id", request.session_id(), violations);
  CheckId("leg_id", request.leg_id(), violations);
  leg.spec.id = request.leg_id();
  const std::optional<LegKind> kind = ReadKind(config.kind(), violations);
  leg.spec.kind = kind.value_or(LegKind::kRtp);
  leg.spec.rtcp_mux = config.rtcp_mux();
  leg.family = ToIpFamily(config, violations);
  if (config.has_remote()) {
    leg.spec.remote = ToRemoteTransport(config.remote(), "config.remote", leg.family,
                                        config.rtcp_mux(), violations);
  }
  if (config.address_learning() != pb::ADDRESS_LEARNING_UNSPECIFIED) {
    leg.spec.learning = ReadLearning(config.address_learning(), violations);
  } else if (kind == LegKind::kSrtp && !config.has_remote()) {
    // Where nothing is signalled, only packets that authenticate can tell.
    leg.spec.learning = AddressLearning::kLearn;
  }
  leg.spec.learning_window = ReadLearningWindow(config, violations);
  if (kind == LegKind::kSrtp) {
    ReadKeys(config, leg, violations);
  } else if (kind == LegKind::kRtp) {
    RefuseKeysOfPlainLeg(config, violations);
  }
  leg.spec.payload_types = ReadPayloadTypes(config, config.rtcp_mux(), violations);
  leg.spec.remote_ssrcs = ReadRemoteSsrcs(config, violations);
  leg.spec.hold = config.hold();
  return leg;
}

LegUpdate ToLegUpdate(const pb::UpdateLegRequest& request, const LegSnapshot& leg,
                      FieldViolations& violations) {
  LegUpdate update;
  if (request.update_mask().paths().empty() &&
      request.local_key_change() == pb::LOCAL_KEY_CHANGE_UNSPECIFIED) {
    violations.Add(
        "update_mask",
        "must name what is to change, such as \"remote\", unless local_key_change is set");
  }
  for (const std::string& path : request.update_mask().paths()) {
    ReadMaskedPath(path, request.config(), leg, update, violations);
  }
  switch (request.local_key_change()) {
    case pb::LOCAL_KEY_CHANGE_UNSPECIFIED:
      break;
    case pb::LOCAL_KEY_CHANGE_PREPARE:
    case pb::LOCAL_KEY_CHANGE_ACTIVATE:
      if (leg.kind != LegKind::kSrtp) {
        violations.Add("local_key_change", "is for LEG_KIND_SRTP only");
      }
      update.activate_local_key = request.local_key_change() == pb::LOCAL_KEY_CHANGE_ACTIVATE;
      break;
    default:
      violations.Add("local_key_change",
                     "must be LOCAL_KEY_CHANGE_PREPARE or LOCAL_KEY_CHANGE_ACTIVATE");
  }
  return update;
}

void ToProto(absl::string_view session_id, const LegSnapshot& leg, pb::Leg& out) {
  out.set_session_id(std::string(session_id));
  out.set_leg_id(leg.id);
  out.set_kind(ToProto(leg.kind));
  out.set_rtcp_mux(leg.rtcp_mux);
  ToProto(leg.local.rtp, *out.mutable_local_rtp());
  ToProto(leg.local.rtcp, *out.mutable_local_rtcp());
  if (leg.remote_rtp.has_value()) {
    ToProto(*leg.remote_rtp, *out.mutable_remote_rtp());
  }
  if (leg.remote_rtcp.has_value()) {
    ToProto(*leg.remote_rtcp, *out.mutable_remote_rtcp());
  }
  out.set_remote_learned(leg.remote_learned);
  out.set_address_learning(leg.learning == AddressLearning::kLearn ? pb::ADDRESS_LEARNING_LEARN
                                                                   : pb::ADDRESS_LEARNING_STRICT);
  if (leg.local_suite.has_value()) {
    out.set_local_suite(ToProto(*leg.local_suite));
  }
  if (leg.remote_suite.has_value()) {
    out.set_remote_suite(ToProto(*leg.remote_suite));
  }
  out.set_hold(leg.hold);
  for (const PayloadClock& clock : leg.payload_types) {
    pb::PayloadType& type = *out.add_payload_types();
    type.set_number(clock.payload_type.value());
    type.set_encoding_name(clock.encoding_name);
    type.set_clock_rate_hz(clock.clock_rate);
  }
}

pb::LegKind ToProto(LegKind kind) {
  return kind == LegKind::kSrtp ? pb::LEG_KIND_SRTP : pb::LEG_KIND_RTP;
}

void ToProto(const MasterKey& key, pb::SrtpKey& out) {
  out.set_suite(ToProto(key.suite().id));
  const absl::Span<const uint8_t> bytes = key.key_and_salt();
  out.set_master_key_and_salt(std::string(bytes.begin(), bytes.end()));
}

}  // namespace sluice
