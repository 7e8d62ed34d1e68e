#include "tools/ctl/demo/quic_story.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/ctl/signalling_over_quic.h"

namespace sluice {
namespace {

double Millis(const WaitingTime& took) { return static_cast<double>(took.elapsed.us()) / 1000; }

}  // namespace

std::string RenderQuicStory(const std::string& name, const QuicStory& story) {
  std::string text =
      absl::StrCat(name, " joined over QUIC (", FormatQuicConnection(story.connection),
                   "): ", FormatWaitingTime(story.join));
  if (story.connection.retries > 0) absl::StrAppend(&text, ", one of them for a Retry");
  if (story.first_packet.has_value()) {
    absl::StrAppend(&text, "; first packet ",
                    absl::StrFormat("%.0f ms", absl::ToDoubleMilliseconds(*story.first_packet)),
                    " after the answer");
  }
  if (story.leave.has_value()) {
    absl::StrAppend(&text, "; leave ", FormatWaitingTime(*story.leave));
  }
  return text;
}

google::protobuf::Struct QuicStoryToJson(const QuicStory& story) {
  google::protobuf::Struct json;
  auto& fields = *json.mutable_fields();
  const auto number = [&](const char* name, double value) { fields[name].set_number_value(value); };
  fields["protocol"].set_string_value(story.connection.protocol);
  number("quicVersion", story.connection.quic_version);
  number("retries", static_cast<double>(story.connection.retries));
  number("joinRoundTrips", static_cast<double>(story.join.round_trips));
  number("joinMs", Millis(story.join));
  if (story.leave.has_value()) {
    number("leaveRoundTrips", static_cast<double>(story.leave->round_trips));
    number("leaveMs", Millis(*story.leave));
  }
  if (story.first_packet.has_value()) {
    number("firstPacketMs", absl::ToDoubleMilliseconds(*story.first_packet));
  }
  return json;
}

}  // namespace sluice
