#include "tools/ctl/node_view.h"

#include "absl/strings/str_cat.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

// "NAME 12, OTHER 3"; "-" for nothing.
template <typename Counts>
std::string RenderCounts(const Counts& counts) {
  std::string text;
  for (const auto& count : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Printable(count.name()), " ", count.count());
  }
  return text.empty() ? "-" : text;
}

std::string RenderQuic(const gateway::v1::QuicStatus& quic) {
  constexpr auto kRight = TextTable::Align::kRight;
  std::string text =
      absl::StrCat("QUIC at ", Printable(quic.address()), ": ", quic.connections(),
                   " connections, ", quic.half_open(), " half open, ", quic.event_streams(),
                   " event streams\n", "datagrams received: ", RenderCounts(quic.datagrams()), "\n",
                   "datagrams sent: ", quic.datagrams_sent(), ", lost ", quic.datagrams_lost(),
                   "\n", "connections closed here: ", RenderCounts(quic.closed()), "\n",
                   "limits reached: ", RenderCounts(quic.limits_reached()), "\n",
                   "calls lost: ", RenderCounts(quic.calls_lost()), "\n", "certificate: replaced ",
                   quic.certificates_replaced(), ", refused ", quic.certificates_refused(), "\n");
  TextTable protocols(
      {{"PROTOCOL"}, {"CONNECTIONS", kRight}, {"REFUSED", kRight}, {"CALLS"}, {"ENDED"}});
  for (const auto& protocol : quic.protocols()) {
    protocols.AddRow({Printable(protocol.name()), absl::StrCat(protocol.connections()),
                      absl::StrCat(protocol.refused()), RenderCounts(protocol.calls()),
                      RenderCounts(protocol.ended())});
  }
  absl::StrAppend(&text, protocols.Render());
  for (const auto& protocol : quic.protocols()) {
    absl::StrAppend(&text, Printable(protocol.name()),
                    " requests: ", RenderCounts(protocol.requests()), "\n");
  }
  return text;
}

}  // namespace

std::string RenderNode(const gateway::v1::Node& node) {
  constexpr auto kRight = TextTable::Align::kRight;
  std::string text = absl::StrCat(
      "gateway ", Printable(node.version()), "  instance ", Printable(node.instance_id()), "  up ",
      FormatDuration(node.uptime()), " since ", FormatTime(node.start_time()), "\n",
      "crypto engine: ", node.crypto_engine().empty() ? "-" : Printable(node.crypto_engine()),
      "  open file descriptors: ", node.open_file_descriptors(), "\n");
  const auto& defaults = node.default_session_config();
  absl::StrAppend(&text, "default timeouts: offer ", FormatDuration(defaults.offer_timeout()),
                  ", idle ", FormatDuration(defaults.idle_timeout()), ", hold ",
                  FormatDuration(defaults.hold_timeout()), ", absolute ",
                  FormatDuration(defaults.absolute_timeout()), "\n\n");
  TextTable workers({{"WORKER"},
                     {"SESSIONS", kRight},
                     {"LEGS", kRight},
                     {"PACKET SLOTS", kRight},
                     {"FREE", kRight},
                     {"EVENTS DROPPED", kRight},
                     {"INTERCEPTORS DROPPED"}});
  for (const auto& worker : node.workers()) {
    workers.AddRow({absl::StrCat(worker.worker()), absl::StrCat(worker.sessions()),
                    absl::StrCat(worker.legs()), absl::StrCat(worker.packet_slots()),
                    absl::StrCat(worker.packet_slots_free()), absl::StrCat(worker.events_dropped()),
                    RenderCounts(worker.interceptors_dropped())});
  }
  TextTable limits({{"LIMIT"}, {"USED", kRight}, {"OF", kRight}, {"REFUSED", kRight}});
  for (const auto& limit : node.limits()) {
    limits.AddRow({Printable(limit.name()), absl::StrCat(limit.used()), absl::StrCat(limit.limit()),
                   absl::StrCat(limit.refused())});
  }
  return absl::StrCat(text, workers.Render(), "\n", limits.Render(),
                      "\nparticipants refused: ", RenderCounts(node.participants_refused()), "\n",
                      node.has_quic() ? absl::StrCat("\n", RenderQuic(node.quic())) : "");
}

}  // namespace sluice
