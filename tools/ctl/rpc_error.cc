#include "tools/ctl/rpc_error.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

struct FieldFlag {
  absl::string_view path;
  absl::string_view flag;
};

// A path of a request, and the flag that sets it. Longer paths first: the first prefix wins.
constexpr FieldFlag kFieldFlags[] = {
    {"offered_keys", "--offer SUITE:inline:BASE64"},
    {"config.remote.rtp", "--remote ADDRESS:PORT"},
    {"config.remote.rtcp", "--remote-rtcp ADDRESS:PORT"},
    {"config.remote.source_rtp", "--source ADDRESS:PORT"},
    {"config.remote.source_rtcp", "--source-rtcp ADDRESS:PORT"},
    {"config.remote_key.mki", "--remote-key SUITE:inline:BASE64|VALUE:BYTES"},
    {"config.remote_key", "--remote-key SUITE:inline:BASE64"},
    {"config.local_mki", "--local-mki VALUE:BYTES"},
    {"config.local_options", "--local-option KEY=VALUE"},
    {"config.remote_options", "--remote-option KEY=VALUE"},
    {"config.remote_ssrcs", "--remote-ssrc NUMBER"},
    {"config.remote", "--remote ADDRESS:PORT"},
    {"config.kind", "--kind rtp|srtp"},
    {"config.ip_family", "--ip-family 4|6"},
    {"config.rtcp_mux", "--rtcp-mux"},
    {"config.address_learning", "--learn or --strict"},
    {"config.learning_window", "--learning-window 10s"},
    {"config.local_suite", "--local-suite SUITE"},
    {"config.payload_types", "--payload-type NUMBER:NAME/CLOCK[:FEEDBACK,...]"},
    {"config.header_extensions", "--extension ID=URI"},
    {"config.remote_streams", "--stream SSRC[,rtx=SSRC][,fec=SSRC]"},
    {"config.interceptors.rtcp", "--rtcp forward|terminate"},
    {"config.interceptors.reduced_size_rtcp", "--reduced-size-rtcp"},
    {"config.interceptors", "--interceptor NAME=on|off"},
    {"config.hold", "--hold or --resume"},
    {"config.idle_timeout", "--idle-timeout 30s"},
    {"config.offer_timeout", "--offer-timeout 1m"},
    {"config.absolute_timeout", "--absolute-timeout 2h"},
    {"config.hold_timeout", "--hold-timeout 10m"},
    {"config.labels", "--label KEY=VALUE"},
    {"local_key_change", "--local-key prepare|activate|retire"},
    {"local_mki", "--local-mki VALUE:BYTES"},
    {"retire_remote_mkis", "--retire-remote-key VALUE:BYTES"},
    {"update_mask", "give at least one flag that changes something"},
    {"rules", "FROM=TO[,TO...]"},
    {"session_id", "SESSION: 1 to 128 of A-Z a-z 0-9 . _ ~ -"},
    {"leg_id", "LEG: 1 to 128 of A-Z a-z 0-9 . _ ~ -"},
    {"filter.session_id_prefix", "--prefix TEXT"},
    {"filter.labels", "--label KEY=VALUE"},
    {"after_sequence", "--after NUMBER"},
    {"instance_id", "--instance ID"},
    {"interval", "--interval 1s"},
    {"rights", "--right join|update|leave|events"},
    {"lifetime", "--lifetime 10s to 24h"},
    {"token_id", "ID: as `token create` showed it"},
};

// Collects what a status says beside its sentence, without saying anything twice: often the
// sentence is made of the only detail.
class Parts {
 public:
  explicit Parts(std::string sentence) : sentence_(std::move(sentence)) {}

  // `what` is a field, a limit, a resource; `hint` what to do about it.
  void Add(absl::string_view what, absl::string_view reason, absl::string_view hint) {
    const bool told = absl::StrContains(sentence_, what);
    if (absl::StrContains(sentence_, reason)) reason = "";
    std::string part = told && reason.empty() ? "" : std::string(what);
    if (!reason.empty()) absl::StrAppend(&part, ": ", reason);
    if (!hint.empty()) absl::StrAppend(&part, part.empty() ? "" : " ", "(", hint, ")");
    if (!part.empty()) parts_.push_back(std::move(part));
  }

  std::string Join() const { return absl::StrJoin(parts_, "; "); }

 private:
  const std::string sentence_;
  std::vector<std::string> parts_;
};

void AddDetail(const google::protobuf::Any& any, Parts& parts) {
  google::rpc::BadRequest request;
  google::rpc::ResourceInfo resource;
  google::rpc::QuotaFailure quota;
  google::rpc::PreconditionFailure precondition;
  if (any.UnpackTo(&request)) {
    for (const auto& v : request.field_violations()) {
      parts.Add(v.field(), v.description(), FlagOfField(v.field()));
    }
  } else if (any.UnpackTo(&resource)) {
    parts.Add(resource.resource_name(), resource.description(), "");
  } else if (any.UnpackTo(&quota)) {
    for (const auto& v : quota.violations()) {
      parts.Add(v.subject(), v.description(), absl::StrCat("limit ", v.subject()));
    }
  } else if (any.UnpackTo(&precondition)) {
    for (const auto& v : precondition.violations()) {
      parts.Add(v.subject(), v.description(), v.type());
    }
  }
}

absl::string_view WhatToDo(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
      return "is the gateway running at this --gateway, with certificates of this --tls-dir?";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "give it longer with --timeout";
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::PERMISSION_DENIED:
      return "`sluicectl token create` makes participants' tokens; controllers use a client "
             "certificate of the gateway's own CA (--tls-dir)";
    case grpc::StatusCode::OUT_OF_RANGE:
      return "start anew without --after";
    default:
      return "";
  }
}

}  // namespace

absl::string_view FlagOfField(absl::string_view path) {
  for (const FieldFlag& known : kFieldFlags) {
    if (!absl::StartsWith(path, known.path)) continue;
    const absl::string_view rest = path.substr(known.path.size());
    if (rest.empty() || rest[0] == '.' || rest[0] == '[') return known.flag;
  }
  return "";
}

std::string StatusCodeName(grpc::StatusCode code) {
  static constexpr absl::string_view kNames[] = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "UNAUTHENTICATED",
  };
  if (code < 0 || code >= static_cast<int>(std::size(kNames))) return absl::StrCat("CODE_", code);
  return std::string(kNames[code]);
}

std::string RenderRpcError(const grpc::Status& status) {
  std::string line =
      absl::StrCat(StatusCodeName(status.error_code()), ": ", status.error_message());
  Parts parts(status.error_message());
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& any : details.details()) AddDetail(any, parts);
  }
  const std::string more = parts.Join();
  if (!more.empty()) absl::StrAppend(&line, more.front() == '(' ? " " : "; ", more);
  const absl::string_view advice = WhatToDo(status.error_code());
  if (!advice.empty()) absl::StrAppend(&line, "; ", advice);
  return Printable(line);
}

}  // namespace sluice
