#include "tools/ctl/session_view.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/interceptor_text.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/mki_text.h"
#include "tools/ctl/srtp_option_text.h"
#include "tools/ctl/text_table.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Leg;
using ::sluice::gateway::v1::LiveKey;
using ::sluice::gateway::v1::Session;
using ::sluice::gateway::v1::SessionConfig;

std::string FormatLabels(const SessionConfig& config) {
  // A protobuf map has no order of its own.
  const std::map<std::string, std::string> labels(config.labels().begin(), config.labels().end());
  if (labels.empty()) return "-";
  return Printable(absl::StrJoin(labels, ",", absl::PairFormatter("=")));
}

std::string FormatForwarding(const Session& session) {
  if (session.forwarding().empty()) return "nobody gets anything";
  return Printable(
      absl::StrJoin(session.forwarding(), ", ", [](std::string* out, const auto& rule) {
        absl::StrAppend(
            out, rule.from_leg_id(), " -> ",
            rule.to_leg_ids().empty() ? "nobody" : absl::StrJoin(rule.to_leg_ids(), " + "));
      }));
}

std::string Timeout(bool set, const google::protobuf::Duration& duration) {
  return set ? FormatDuration(duration) : "-";
}

TextTable LegTable() {
  return TextTable({{"LEG"},
                    {"KIND"},
                    {"GATEWAY RECEIVES AT"},
                    {"RTCP AT"},
                    {"GATEWAY SENDS TO"},
                    {"RTCP TO"},
                    {"IN"},
                    {"OUT"},
                    {"NOTES"}});
}

void AddLeg(const Leg& leg, TextTable& table) {
  std::vector<std::string> notes;
  if (leg.rtcp_mux()) notes.push_back("rtcp-mux");
  if (leg.address_learning() == gateway::v1::ADDRESS_LEARNING_LEARN) notes.push_back("learns");
  if (leg.remote_learned()) notes.push_back("learned");
  if (leg.hold()) notes.push_back("hold");
  table.AddRow({Printable(leg.leg_id()), FormatLegKind(leg.kind()),
                FormatTransportAddress(leg.local_rtp()), FormatTransportAddress(leg.local_rtcp()),
                FormatTransportAddress(leg.remote_rtp()), FormatTransportAddress(leg.remote_rtcp()),
                FormatCryptoSuite(leg.remote_suite()), FormatCryptoSuite(leg.local_suite()),
                notes.empty() ? "-" : absl::StrJoin(notes, ",")});
}

// "1:4*,2:4": the star is at the one that packets are protected with, where there are several.
std::string FormatKeys(const google::protobuf::RepeatedPtrField<LiveKey>& keys) {
  if (keys.empty()) return "-";
  return absl::StrJoin(keys, ",", [&](std::string* out, const LiveKey& key) {
    absl::StrAppend(out, FormatMki(key.mki()), key.sending() && keys.size() > 1 ? "*" : "");
  });
}

// Of each leg that has keys with MKIs, prepared keys or options other than the defaults: one row
// for each direction.
TextTable SrtpTable(absl::Span<const Leg* const> legs) {
  TextTable table({{"LEG"}, {"WAY"}, {"KEYS"}, {"OPTIONS"}});
  for (const Leg* leg : legs) {
    const struct {
      absl::string_view way;
      std::string keys;
      std::string options;
    } kWays[] = {
        {"in", FormatKeys(leg->remote_keys()), FormatSrtpOptions(leg->remote_options())},
        {"out", FormatKeys(leg->local_keys()), FormatSrtpOptions(leg->local_options())},
    };
    for (const auto& way : kWays) {
      if (way.keys == "-" && way.options == "-") continue;
      table.AddRow({Printable(leg->leg_id()), std::string(way.way), way.keys, way.options});
    }
  }
  return table;
}

// Of each leg whose packets something works on.
TextTable InterceptorTable(absl::Span<const Leg* const> legs) {
  TextTable table({{"LEG"}, {"RTCP"}, {"INTERCEPTORS"}});
  for (const Leg* leg : legs) {
    const gateway::v1::Interceptors& interceptors = leg->interceptors();
    const std::string on = FormatInterceptors(interceptors);
    if (on == "-" && interceptors.rtcp() != gateway::v1::RTCP_HANDLING_TERMINATE) continue;
    table.AddRow({Printable(leg->leg_id()),
                  absl::StrCat(FormatRtcpHandling(interceptors.rtcp()),
                               interceptors.reduced_size_rtcp() ? ",reduced-size" : ""),
                  on});
  }
  return table;
}

std::string RenderLegs(absl::Span<const Leg* const> legs) {
  TextTable table = LegTable();
  for (const Leg* leg : legs) AddLeg(*leg, table);
  std::string text = table.Render();
  for (const TextTable& more : {SrtpTable(legs), InterceptorTable(legs)}) {
    if (!more.empty()) absl::StrAppend(&text, "\n", more.Render());
  }
  return text;
}

}  // namespace

std::string FormatState(gateway::v1::SessionState state) {
  if (state == gateway::v1::SESSION_STATE_UNSPECIFIED) return "-";
  if (!gateway::v1::SessionState_IsValid(state)) return absl::StrCat(static_cast<int>(state));
  return absl::AsciiStrToLower(
      absl::StripPrefix(gateway::v1::SessionState_Name(state), "SESSION_STATE_"));
}

std::string FormatEndReason(gateway::v1::EndReason reason) {
  if (reason == gateway::v1::END_REASON_UNSPECIFIED) return "-";
  if (!gateway::v1::EndReason_IsValid(reason)) return absl::StrCat(static_cast<int>(reason));
  return absl::AsciiStrToLower(
      absl::StripPrefix(gateway::v1::EndReason_Name(reason), "END_REASON_"));
}

std::string RenderLeg(const Leg& leg) { return RenderLegs({&leg}); }

std::string RenderSession(const Session& session) {
  const SessionConfig& config = session.config();
  std::string text = absl::StrCat("session ", Printable(session.session_id()), "  ",
                                  FormatState(session.state()), "  worker ", session.worker(),
                                  "  created ", FormatTime(session.create_time()), "\n");
  if (session.has_end_time()) {
    absl::StrAppend(&text, "ended ", FormatTime(session.end_time()), " by ",
                    FormatEndReason(session.end_reason()), "\n");
  }
  absl::StrAppend(&text, "timeouts: offer ",
                  Timeout(config.has_offer_timeout(), config.offer_timeout()), ", idle ",
                  Timeout(config.has_idle_timeout(), config.idle_timeout()), ", hold ",
                  Timeout(config.has_hold_timeout(), config.hold_timeout()), ", absolute ",
                  Timeout(config.has_absolute_timeout(), config.absolute_timeout()), "\n");
  absl::StrAppend(&text, "labels: ", FormatLabels(config), "\n");
  absl::StrAppend(&text, "forwarding: ", FormatForwarding(session), "\n");
  if (session.legs().empty()) return text;
  std::vector<const Leg*> legs;
  for (const Leg& leg : session.legs()) legs.push_back(&leg);
  return absl::StrCat(text, "\n", RenderLegs(legs));
}

std::string RenderSessions(const std::vector<Session>& sessions) {
  TextTable table({{"SESSION"}, {"STATE"}, {"LEGS"}, {"CREATED"}, {"ENDED BY"}, {"LABELS"}});
  for (const Session& session : sessions) {
    std::vector<std::string> legs;
    for (const Leg& leg : session.legs()) legs.push_back(Printable(leg.leg_id()));
    table.AddRow({Printable(session.session_id()), FormatState(session.state()),
                  legs.empty() ? "-" : absl::StrJoin(legs, ","), FormatTime(session.create_time()),
                  FormatEndReason(session.end_reason()), FormatLabels(session.config())});
  }
  return table.Render();
}

}  // namespace sluice
