#include "gateway/control/leg_convert.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/time_delta.h"
#include "gateway/control/id_check.h"
#include "gateway/control/interceptors_convert.h"
#include "gateway/control/media_convert.h"
#include "gateway/control/remote_convert.h"
#include "gateway/control/srtp_convert.h"
#include "gateway/control/time_convert.h"
#include "gateway/leg/media_description.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// proto/gateway/v1/leg.proto.
constexpr TimeDelta kMinLearningWindow = TimeDelta::Millis(1);
constexpr TimeDelta kMaxLearningWindow = TimeDelta::Seconds(60);
constexpr TimeDelta kDefaultLearningWindow = TimeDelta::Seconds(10);

constexpr absl::string_view kSrtpOnly = "is for LEG_KIND_SRTP only";

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

void RefuseKeysOfPlainLeg(const pb::LegConfig& config, FieldViolations& violations) {
  const std::pair<bool, absl::string_view> rows[] = {
      {config.has_remote_key(), "config.remote_key"},
      {config.local_suite() != pb::CRYPTO_SUITE_UNSPECIFIED, "config.local_suite"},
      {!config.local_mki().empty(), "config.local_mki"},
      {config.has_local_options(), "config.local_options"},
      {config.has_remote_options(), "config.remote_options"}};
  for (const auto& [given, path] : rows) {
    if (given) {
      violations.Add(path, kSrtpOnly);
    }
  }
}

SrtpOptions ReadLocalOptions(const pb::LegConfig& config, FieldViolations& violations) {
  return ToSrtpOptions(config.local_options(), SrtpDirection::kLocal, "config.local_options",
                       violations);
}

SrtpOptions ReadRemoteOptions(const pb::LegConfig& config, FieldViolations& violations) {
  return ToSrtpOptions(config.remote_options(), SrtpDirection::kRemote, "config.remote_options",
                       violations);
}

void ReadKeys(const pb::LegConfig& config, NewLeg& leg, FieldViolations& violations) {
  leg.local_suite = SuiteId::kAeadAes128Gcm;
  if (config.has_remote_key()) {
    leg.spec.remote_key = ToMasterKey(config.remote_key(), "config.remote_key", violations);
    leg.spec.remote_mki = ToMki(config.remote_key().mki(), "config.remote_key.mki", violations);
    if (leg.spec.remote_key.has_value()) {
      leg.local_suite = leg.spec.remote_key->suite().id;
    }
  }
  if (config.local_suite() != pb::CRYPTO_SUITE_UNSPECIFIED) {
    leg.local_suite = ToSuite(config.local_suite(), "config.local_suite", violations);
  } else if (GetCipherSuite(*leg.local_suite).transform == PacketTransform::kNull) {
    violations.Add("config.local_suite",
                   "must be named beside a remote key of a NULL suite, such as AEAD_AES_128_GCM: "
                   "that nothing is encrypted is never chosen for you");
  }
  leg.spec.local_mki = ToMki(config.local_mki(), "config.local_mki", violations);
  leg.spec.local_options = ReadLocalOptions(config, violations);
  leg.spec.remote_options = ReadRemoteOptions(config, violations);
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
         violations.Add("config.remote_key", kSrtpOnly);
       } else if (!config.has_remote_key()) {
         violations.Add("config.remote_key", "must be given when update_mask names it");
       } else {
         update.remote_key = ToMasterKey(config.remote_key(), "config.remote_key", violations);
         update.remote_mki = ToMki(config.remote_key().mki(), "config.remote_key.mki", violations);
       }
     }},
    {"local_options",
     [](const pb::LegConfig& config, const LegSnapshot& leg, LegUpdate& update,
        FieldViolations& violations) {
       if (leg.kind != LegKind::kSrtp) {
         violations.Add("config.local_options", kSrtpOnly);
       } else {
         update.local_options = ReadLocalOptions(config, violations);
       }
     }},
    {"remote_options",
     [](const pb::LegConfig& config, const LegSnapshot& leg, LegUpdate& update,
        FieldViolations& violations) {
       if (leg.kind != LegKind::kSrtp) {
         violations.Add("config.remote_options", kSrtpOnly);
       } else {
         update.remote_options = ReadRemoteOptions(config, violations);
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
    {"header_extensions",
     [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
        FieldViolations& violations) {
       update.header_extensions = ReadHeaderExtensions(config, violations);
     }},
    {"remote_streams",
     [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
        FieldViolations& violations) {
       update.remote_streams = ReadStreamGroups(config, violations);
     }},
    {"interceptors",
     [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
        FieldViolations& violations) {
       update.interceptors = ReadInterceptors(config, violations);
     }},
    {"hold", [](const pb::LegConfig& config, const LegSnapshot&, LegUpdate& update,
                FieldViolations&) { update.hold = config.hold(); }},
};
constexpr absl::string_view kFixedPaths[] = {"kind", "ip_family", "rtcp_mux", "local_suite",
                                             "local_mki"};

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
    violations.Add(
        "update_mask",
        absl::StrCat(Quoted(path), " is not one of ",
                     absl::StrJoin(kUpdates, ", ", [](std::string* out, const UpdateRow& row) {
                       absl::StrAppend(out, row.path);
                     })));
  }
}

void ReadLocalKeyChange(const pb::UpdateLegRequest& request, const LegSnapshot& leg,
                        LegUpdate& update, FieldViolations& violations) {
  update.local_mki = ToMki(request.local_mki(), "local_mki", violations);
  switch (request.local_key_change()) {
    case pb::LOCAL_KEY_CHANGE_UNSPECIFIED:
      if (!request.local_mki().empty()) {
        violations.Add("local_mki", "says nothing without local_key_change");
      }
      return;
    case pb::LOCAL_KEY_CHANGE_PREPARE:
      break;
    case pb::LOCAL_KEY_CHANGE_ACTIVATE:
      update.activate_local_key = true;
      break;
    case pb::LOCAL_KEY_CHANGE_RETIRE:
      update.retire_local_key = true;
      break;
    default:
      violations.Add("local_key_change",
                     "must be LOCAL_KEY_CHANGE_PREPARE, LOCAL_KEY_CHANGE_ACTIVATE or "
                     "LOCAL_KEY_CHANGE_RETIRE");
      return;
  }
  if (leg.kind != LegKind::kSrtp) {
    violations.Add("local_key_change", kSrtpOnly);
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
  leg.spec.header_extensions = ReadHeaderExtensions(config, violations);
  leg.spec.remote_streams = ReadStreamGroups(config, violations);
  leg.spec.interceptors = ReadInterceptors(config, violations);
  leg.spec.hold = config.hold();
  return leg;
}

LegUpdate ToLegUpdate(const pb::UpdateLegRequest& request, const LegSnapshot& leg,
                      FieldViolations& violations) {
  LegUpdate update;
  if (request.update_mask().paths().empty() && request.retire_remote_mkis().empty() &&
      request.local_key_change() == pb::LOCAL_KEY_CHANGE_UNSPECIFIED) {
    violations.Add("update_mask",
                   "must name what is to change, such as \"remote\", unless local_key_change or "
                   "retire_remote_mkis is set");
  }
  for (const std::string& path : request.update_mask().paths()) {
    ReadMaskedPath(path, request.config(), leg, update, violations);
  }
  ReadLocalKeyChange(request, leg, update, violations);
  if (leg.kind != LegKind::kSrtp && !request.retire_remote_mkis().empty()) {
    violations.Add("retire_remote_mkis", kSrtpOnly);
  }
  update.retire_remote_keys =
      ToMkis(request.retire_remote_mkis(), "retire_remote_mkis", violations);
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
  if (leg.local_options.has_value()) {
    ToProto(*leg.local_options, SrtpDirection::kLocal, *out.mutable_local_options());
  }
  if (leg.remote_options.has_value()) {
    ToProto(*leg.remote_options, SrtpDirection::kRemote, *out.mutable_remote_options());
  }
  ToProto(leg.local_keys, *out.mutable_local_keys());
  ToProto(leg.remote_keys, *out.mutable_remote_keys());
  out.set_hold(leg.hold);
  for (const PayloadDescription& payload : leg.payload_types) {
    ToProto(payload, *out.add_payload_types());
  }
  for (const HeaderExtension& extension : leg.header_extensions) {
    ToProto(extension, *out.add_header_extensions());
  }
  ToProto(leg.interceptors, *out.mutable_interceptors());
}

pb::LegKind ToProto(LegKind kind) {
  return kind == LegKind::kSrtp ? pb::LEG_KIND_SRTP : pb::LEG_KIND_RTP;
}

}  // namespace sluice
