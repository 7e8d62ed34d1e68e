#include "tools/ctl/stats_view.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/feedback_view.h"
#include "tools/ctl/rate_text.h"
#include "tools/ctl/session_view.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Direction;
using ::sluice::gateway::v1::LegStats;
using ::sluice::gateway::v1::SessionStats;

constexpr auto kRight = TextTable::Align::kRight;

std::string FormatJitter(uint64_t us) {
  return absl::StrFormat("%.1f ms", static_cast<double>(us) / 1000);
}

void AddLegRows(const LegStats& leg, const LegRates* rates, TextTable& table) {
  const StreamSums in = SumStreams(leg, gateway::v1::DIRECTION_RECEIVED);
  const StreamSums out = SumStreams(leg, gateway::v1::DIRECTION_SENT);
  table.AddRow({Printable(leg.leg_id()), "in", absl::StrCat(leg.packets_received()),
                rates ? absl::StrCat(rates->packets_received_per_second) : "-",
                rates ? FormatRate(rates->received) : "-",
                in.streams ? absl::StrCat(in.packets_lost) : "-",
                in.streams ? FormatJitter(in.jitter_us) : "-", absl::StrCat(in.streams)});
  table.AddRow({"", "out", absl::StrCat(leg.packets_sent()),
                rates ? absl::StrCat(rates->packets_sent_per_second) : "-",
                rates ? FormatRate(rates->sent) : "-", "-", "-", absl::StrCat(out.streams)});
}

std::string RenderStreams(const SessionStats& stats) {
  TextTable table({{"LEG"},
                   {"DIR"},
                   {"SSRC"},
                   {"PT", kRight},
                   {"PACKETS", kRight},
                   {"PAYLOAD BYTES", kRight},
                   {"LOST", kRight},
                   {"JITTER", kRight},
                   {"HIGHEST SEQ", kRight}});
  for (const LegStats& leg : stats.legs()) {
    for (const auto& s : leg.streams()) {
      const bool received = s.direction() == gateway::v1::DIRECTION_RECEIVED;
      table.AddRow({Printable(leg.leg_id()), received ? "in" : "out",
                    absl::StrFormat("0x%08x", s.ssrc()), absl::StrCat(s.payload_type()),
                    absl::StrCat(s.packets()), absl::StrCat(s.payload_bytes()),
                    received ? absl::StrCat(s.packets_lost()) : "-",
                    received ? FormatJitter(s.jitter_us()) : "-",
                    absl::StrCat(s.extended_highest_sequence())});
    }
  }
  return table.empty() ? "" : absl::StrCat("\n", table.Render());
}

std::string RenderVerdicts(const SessionStats& stats) {
  TextTable table({{"LEG"}, {"WHAT BECAME OF ITS PACKETS"}});
  for (const LegStats& leg : stats.legs()) {
    std::string verdicts = FormatVerdicts(leg);
    if (!leg.last_reject().empty()) {
      absl::StrAppend(&verdicts, "; last reject: ", Printable(leg.last_reject()));
    }
    table.AddRow({Printable(leg.leg_id()), std::move(verdicts)});
  }
  return table.empty() ? "" : absl::StrCat("\n", table.Render());
}

}  // namespace

StreamSums SumStreams(const LegStats& leg, Direction direction) {
  StreamSums sums;
  for (const auto& stream : leg.streams()) {
    if (stream.direction() != direction) continue;
    ++sums.streams;
    sums.packets += stream.packets();
    sums.packets_lost += stream.packets_lost();
    sums.jitter_us = std::max<uint64_t>(sums.jitter_us, stream.jitter_us());
  }
  return sums;
}

std::string FormatVerdicts(const LegStats& leg) {
  if (leg.verdicts().empty()) return "nothing yet";
  return absl::StrJoin(leg.verdicts(), ", ", [](std::string* out, const auto& count) {
    absl::StrAppend(out, Printable(count.verdict()), " ", count.packets());
  });
}

std::string RenderStats(const SessionStats& stats, const std::map<std::string, LegRates>& rates,
                        bool streams) {
  TextTable table({{"LEG"},
                   {"DIR"},
                   {"PACKETS", kRight},
                   {"PKT/S", kRight},
                   {"RATE", kRight},
                   {"LOST", kRight},
                   {"JITTER", kRight},
                   {"STREAMS", kRight}});
  for (const LegStats& leg : stats.legs()) {
    const auto found = rates.find(leg.leg_id());
    AddLegRows(leg, found == rates.end() ? nullptr : &found->second, table);
  }
  return absl::StrCat(
      "session ", Printable(stats.session_id()), "  ", FormatState(stats.state()), "  ",
      FormatTime(stats.sample_time()), "\n", table.Render(), RenderVerdicts(stats),
      RenderEstimates(stats), RenderInterceptorCounters(stats),
      streams ? absl::StrCat(RenderStreams(stats), RenderStreamFeedback(stats)) : "");
}

}  // namespace sluice
