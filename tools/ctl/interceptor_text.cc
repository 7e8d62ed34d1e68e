#include "tools/ctl/interceptor_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace sluice {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::sluice::gateway::v1::Interceptors;
using ::sluice::gateway::v1::RtcpHandling;

constexpr absl::string_view kRtcpPrefix = "RTCP_HANDLING_";

// The switches of the message: what can be on, off, or not said.
std::vector<const FieldDescriptor*> Switches() {
  std::vector<const FieldDescriptor*> switches;
  const auto* descriptor = Interceptors::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL && field->has_presence()) {
      switches.push_back(field);
    }
  }
  return switches;
}

}  // namespace

absl::Status SetInterceptor(absl::string_view text, Interceptors& interceptors) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  const bool on = parts.second == "on";
  for (const FieldDescriptor* field : Switches()) {
    if (field->name() != parts.first) continue;
    if (!on && parts.second != "off") {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "': write ", parts.first, "=on or ", parts.first, "=off"));
    }
    if (interceptors.GetReflection()->HasField(interceptors, field)) {
      return absl::InvalidArgumentError(absl::StrCat("'", text, "': it was said already"));
    }
    interceptors.GetReflection()->SetBool(&interceptors, field, on);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not NAME=on or NAME=off with one of ", InterceptorNames()));
}

std::string FormatInterceptors(const Interceptors& interceptors) {
  std::vector<std::string> on;
  for (const FieldDescriptor* field : Switches()) {
    if (interceptors.GetReflection()->GetBool(interceptors, field)) {
      on.push_back(std::string(field->name()));
    }
  }
  return on.empty() ? "-" : absl::StrJoin(on, ",");
}

std::string InterceptorNames() {
  return absl::StrJoin(Switches(), ", ", [](std::string* out, const FieldDescriptor* field) {
    absl::StrAppend(out, field->name());
  });
}

absl::StatusOr<RtcpHandling> ParseRtcpHandling(absl::string_view text) {
  if (text == "forward") return gateway::v1::RTCP_HANDLING_FORWARD;
  if (text == "terminate") return gateway::v1::RTCP_HANDLING_TERMINATE;
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is neither forward nor terminate"));
}

std::string FormatRtcpHandling(RtcpHandling handling) {
  if (handling == gateway::v1::RTCP_HANDLING_UNSPECIFIED) return "-";
  if (!gateway::v1::RtcpHandling_IsValid(handling)) return absl::StrCat(static_cast<int>(handling));
  return absl::AsciiStrToLower(
      absl::StripPrefix(gateway::v1::RtcpHandling_Name(handling), kRtcpPrefix));
}

}  // namespace sluice
