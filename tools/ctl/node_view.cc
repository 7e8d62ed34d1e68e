#include "tools/ctl/node_view.h"

#include "absl/strings/str_cat.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/text_table.h"

namespace sluice {

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
                     {"EVENTS DROPPED", kRight}});
  for (const auto& worker : node.workers()) {
    workers.AddRow({absl::StrCat(worker.worker()), absl::StrCat(worker.sessions()),
                    absl::StrCat(worker.legs()), absl::StrCat(worker.packet_slots()),
                    absl::StrCat(worker.packet_slots_free()),
                    absl::StrCat(worker.events_dropped())});
  }
  TextTable limits({{"LIMIT"}, {"USED", kRight}, {"OF", kRight}, {"REFUSED", kRight}});
  for (const auto& limit : node.limits()) {
    limits.AddRow({Printable(limit.name()), absl::StrCat(limit.used()), absl::StrCat(limit.limit()),
                   absl::StrCat(limit.refused())});
  }
  return absl::StrCat(text, workers.Render(), "\n", limits.Render());
}

}  // namespace sluice
