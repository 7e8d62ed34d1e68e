#include "tools/ctl/media_text.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::HeaderExtension;
using ::sluice::gateway::v1::PayloadType;
using ::sluice::gateway::v1::StreamGroup;

// What a flag says, and PayloadType.rtcp_feedback in leg.proto.
constexpr std::pair<absl::string_view, absl::string_view> kFeedback[] = {
    {"nack", "nack"},           {"nack-pli", "nack pli"},         {"ccm-fir", "ccm fir"},
    {"goog-remb", "goog-remb"}, {"transport-cc", "transport-cc"}, {"ack-ccfb", "ack ccfb"},
};

// Digits only: SimpleAtoi alone would take signs and blanks.
bool ParseNumber(absl::string_view text, uint32_t& number) {
  return !text.empty() && absl::c_all_of(text, absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &number);
}

bool ParseSsrc(absl::string_view text, int64_t& ssrc) {
  uint32_t number = 0;
  const bool hex = absl::StartsWithIgnoreCase(text, "0x");
  if (hex ? !absl::SimpleHexAtoi(text, &number) : !ParseNumber(text, number)) return false;
  ssrc = number;
  return true;
}

// "VP8/90000", or "VP8" alone.
bool ParseEncoding(absl::string_view text, PayloadType& type) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  uint32_t clock_rate = 0;
  if (parts.size() > 2 || (parts.size() == 2 && !ParseNumber(parts[1], clock_rate))) return false;
  type.set_encoding_name(std::string(parts[0]));
  type.set_clock_rate_hz(clock_rate);
  return true;
}

// One of "apt=96", "nack", "nack-pli" and so on.
bool ParseAttribute(absl::string_view text, PayloadType& type) {
  if (absl::ConsumePrefix(&text, "apt=")) {
    uint32_t number = 0;
    if (type.has_associated_number() || !ParseNumber(text, number)) return false;
    type.set_associated_number(number);
    return true;
  }
  const auto* known =
      absl::c_find_if(kFeedback, [text](const auto& row) { return row.first == text; });
  if (known == std::end(kFeedback)) return false;
  type.add_rtcp_feedback(std::string(known->second));
  return true;
}

absl::Status NoPayloadType(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text,
                   "' is not NUMBER:NAME/CLOCK[:FEEDBACK,...]; write 111:opus/48000 or "
                   "96:VP8/90000:nack,nack-pli"));
}

}  // namespace

absl::StatusOr<PayloadType> ParsePayloadType(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  PayloadType type;
  uint32_t number = 0;
  if (!ParseNumber(parts[0], number) || (parts.size() > 1 && !ParseEncoding(parts[1], type))) {
    return NoPayloadType(text);
  }
  type.set_number(number);
  size_t next = 2;
  // The clock rate behind a colon, where it is not behind a slash.
  uint32_t clock_rate = 0;
  if (parts.size() > next && !absl::StrContains(parts[1], '/')) {
    if (!ParseNumber(parts[next++], clock_rate)) return NoPayloadType(text);
    type.set_clock_rate_hz(clock_rate);
  }
  if (parts.size() > next + 1) return NoPayloadType(text);
  if (parts.size() <= next) return type;
  for (const absl::string_view attribute : absl::StrSplit(parts[next], ',')) {
    if (!ParseAttribute(attribute, type)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", attribute, "' in '", text, "' is neither apt=NUMBER, once, nor one of ",
                       absl::StrJoin(kFeedback, ", ", [](std::string* out, const auto& row) {
                         absl::StrAppend(out, row.first);
                       })));
    }
  }
  return type;
}

absl::StatusOr<HeaderExtension> ParseHeaderExtension(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  uint32_t id = 0;
  if (!ParseNumber(parts.first, id) || parts.second.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is not ID=URI; write 3=urn:ietf:params:rtp-hdrext:ssrc-audio-level"));
  }
  HeaderExtension extension;
  extension.set_id(id);
  extension.set_uri(std::string(parts.second));
  return extension;
}

absl::StatusOr<StreamGroup> ParseStreamGroup(absl::string_view text) {
  StreamGroup group;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  int64_t ssrc = 0;
  bool good = ParseSsrc(parts[0], ssrc);
  group.set_ssrc(ssrc);
  for (size_t i = 1; good && i < parts.size(); ++i) {
    absl::string_view part = parts[i];
    if (absl::ConsumePrefix(&part, "rtx=")) {
      good = !group.has_retransmission_ssrc() && ParseSsrc(part, ssrc);
      group.set_retransmission_ssrc(ssrc);
    } else if (absl::ConsumePrefix(&part, "fec=")) {
      good = !group.has_repair_ssrc() && ParseSsrc(part, ssrc);
      group.set_repair_ssrc(ssrc);
    } else {
      good = false;
    }
  }
  if (!good) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not SSRC[,rtx=SSRC][,fec=SSRC]; write 1001,rtx=1002"));
  }
  return group;
}

}  // namespace sluice
