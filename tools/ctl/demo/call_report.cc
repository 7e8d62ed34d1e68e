#include "tools/ctl/demo/call_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/ctl/demo/ffmpeg_media.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

// Of what was sent. A decoder may need a moment to start and swallow the last packet.
constexpr uint64_t kHeardPercentMin = 80;

uint64_t DecodedPackets(const DirectionEvidence& e) {
  return e.decoded_samples / kSamplesPerPacket;
}

double DecodedSeconds(const DirectionEvidence& e) {
  return static_cast<double>(e.decoded_samples) / kAudioSampleRate;
}

uint64_t TonePercent(const DirectionEvidence& e) {
  return e.blocks == 0 ? 0 : e.blocks_with_tone * 100 / e.blocks;
}

std::string FormatDecoded(const DirectionEvidence& e) {
  return absl::StrFormat("%d (%.1f s, %d Hz tone in %d %%)", DecodedPackets(e), DecodedSeconds(e),
                         e.tone_hz, TonePercent(e));
}

std::string Rejected(const DirectionEvidence& e) {
  return e.last_reject.empty() ? ""
                               : absl::StrCat(" (last reject: ", Printable(e.last_reject), ")");
}

}  // namespace

uint64_t LostPackets(const DirectionEvidence& e) {
  const uint64_t sent = e.sent.value_or(e.received);
  return sent > e.forwarded ? sent - e.forwarded : 0;
}

std::vector<std::string> FindFaults(const DirectionEvidence& e) {
  std::vector<std::string> faults;
  const auto add = [&](auto... parts) {
    faults.push_back(absl::StrCat(e.from, " -> ", e.to, ": ", parts...));
  };
  if (!e.sent.has_value()) {
    add("the sender did not say how many packets it sent");
    return faults;
  }
  if (*e.sent == 0) {
    add("nothing was sent");
    return faults;
  }
  if (e.received != *e.sent) {
    add("the gateway accepted ", e.received, " of ", *e.sent, " packets", Rejected(e));
  }
  if (e.forwarded != e.received) {
    add("the gateway forwarded ", e.forwarded, " of ", e.received, " packets", Rejected(e));
  }
  if (e.missed != 0) {
    add("the gateway counts ", e.missed, " packets lost by their sequence numbers");
  }
  if (DecodedPackets(e) * 100 < *e.sent * kHeardPercentMin) {
    add("the receiver decoded ", DecodedPackets(e), " of ", *e.sent, " packets");
  } else if (e.blocks == 0) {
    add("the call was too short to tell a tone from noise: less than a tenth of a second");
  } else if (TonePercent(e) < kHeardPercentMin) {
    add("what the receiver decoded is the tone of ", e.tone_hz, " Hz in ", TonePercent(e),
        " % of the time only");
  }
  return faults;
}

std::string RenderReport(const std::vector<DirectionEvidence>& directions) {
  constexpr auto kRight = TextTable::Align::kRight;
  TextTable table({{"DIRECTION"},
                   {"SENT BY SOURCE", kRight},
                   {"GATEWAY RECEIVED", kRight},
                   {"FORWARDED", kRight},
                   {"LOST", kRight},
                   {"DECODED AT THE FAR END"}});
  for (const DirectionEvidence& e : directions) {
    table.AddRow({absl::StrCat(e.from, " -> ", e.to), e.sent ? absl::StrCat(*e.sent) : "?",
                  absl::StrCat(e.received), absl::StrCat(e.forwarded), absl::StrCat(LostPackets(e)),
                  FormatDecoded(e)});
  }
  return table.Render();
}

google::protobuf::Struct ReportToJson(const std::vector<DirectionEvidence>& directions) {
  google::protobuf::Struct report;
  auto* list = (*report.mutable_fields())["directions"].mutable_list_value();
  bool ok = true;
  for (const DirectionEvidence& e : directions) {
    auto& row = *list->add_values()->mutable_struct_value()->mutable_fields();
    const auto number = [&](const char* name, auto value) {
      row[name].set_number_value(static_cast<double>(value));
    };
    row["from"].set_string_value(e.from);
    row["to"].set_string_value(e.to);
    number("sent", e.sent.value_or(0));
    number("received", e.received);
    number("forwarded", e.forwarded);
    number("lost", LostPackets(e));
    number("decoded", DecodedPackets(e));
    number("decodedSeconds", DecodedSeconds(e));
    number("tonePercent", TonePercent(e));
    const std::vector<std::string> faults = FindFaults(e);
    ok = ok && faults.empty();
    auto* texts = row["faults"].mutable_list_value();
    for (const std::string& fault : faults) texts->add_values()->set_string_value(fault);
  }
  (*report.mutable_fields())["ok"].set_bool_value(ok);
  return report;
}

}  // namespace sluice
