#include "gateway/signalling/json_codec.h"

#include <google/protobuf/util/json_util.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gateway/control/status_convert.h"
#include "gateway/errors/error_detail.h"
#include "gateway/signalling/status_message.h"

namespace sluice {
namespace {

namespace util = ::google::protobuf::util;
using ::google::protobuf::Message;

// As much of a status as sluice/1 tells.
constexpr size_t kMaxStatusBytes = 4096;

// How protobuf ends its sentence about a name that the message does not have.
constexpr absl::string_view kNoField = ": Cannot find field.";

// protobuf says where it was as "(config.remote) name: Cannot find field." or "(config.hold):
// invalid value ...". Values are not repeated: they may be keys.
absl::Status ExplainJsonError(absl::string_view text) {
  absl::string_view path;
  if (absl::ConsumePrefix(&text, "(")) {
    const size_t end = text.find(')');
    path = text.substr(0, end);
    text = end == absl::string_view::npos ? "" : text.substr(end + 1);
    absl::ConsumePrefix(&text, ":");
    absl::ConsumePrefix(&text, " ");
  }
  absl::string_view name = text;
  if (absl::ConsumeSuffix(&name, kNoField)) {
    return InvalidField(path.empty() ? std::string(name) : absl::StrCat(path, ".", name),
                        "there is no such field");
  }
  if (!path.empty()) {
    return InvalidField(path, "the value cannot be one of this field");
  }
  if (absl::StartsWith(text, "invalid value")) {
    return absl::InvalidArgumentError("the body is no JSON object of the request's message");
  }
  return absl::InvalidArgumentError(absl::StrCat("the body is no JSON: ", text));
}

absl::StatusOr<std::string> ToJson(const Message& message) {
  std::string json;
  util::JsonPrintOptions options;
  options.always_print_primitive_fields = false;
  if (!util::MessageToJsonString(message, &json, options).ok()) {
    // Text that is not UTF-8 is refused at the door; nothing of ours has any.
    return absl::InternalError("the answer cannot be written as JSON");
  }
  return json;
}

class Codec final : public CallCodec {
 public:
  grpc::Status Decode(absl::Span<const uint8_t> body, Message& request) const override {
    if (body.empty()) {
      return grpc::Status::OK;
    }
    const std::string json(body.begin(), body.end());
    util::JsonParseOptions options;
    options.ignore_unknown_fields = false;
    const auto status = util::JsonStringToMessage(json, &request, options);
    if (status.ok()) {
      return grpc::Status::OK;
    }
    return ToGrpcStatus(
        ExplainJsonError(absl::string_view(status.message().data(), status.message().size())));
  }

  absl::StatusOr<std::string> Encode(const SignallingMethodRow& method,
                                     const Message& message) const override {
    absl::StatusOr<std::string> json = ToJson(message);
    if (json.ok() && method.kind == MethodKind::kStream) {
      return absl::StrCat("{\"result\":", *json, "}\n");
    }
    return json;
  }
};

}  // namespace

const CallCodec& JsonCodec() {
  static const Codec codec;
  return codec;
}

std::string StatusJson(const grpc::Status& status) {
  google::rpc::Status message = ToStatusMessage(status, kMaxStatusBytes);
  absl::StatusOr<std::string> json = ToJson(message);
  if (!json.ok()) {
    // A detail that has no JSON; the message is ASCII.
    message.clear_details();
    json = ToJson(message);
  }
  return json.value_or("{}");
}

std::string ErrorLine(const grpc::Status& status) {
  return absl::StrCat("{\"error\":", StatusJson(status), "}\n");
}

}  // namespace sluice
