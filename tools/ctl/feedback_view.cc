#include "tools/ctl/feedback_view.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/data_rate.h"
#include "tools/ctl/rate_text.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::BandwidthEstimate;
using ::sluice::gateway::v1::LegStats;
using ::sluice::gateway::v1::RoundTrip;
using ::sluice::gateway::v1::SessionStats;
using ::sluice::gateway::v1::StreamStats;

constexpr auto kRight = TextTable::Align::kRight;

std::string FormatRoundTrip(const RoundTrip& round_trip) {
  if (round_trip.measurements() == 0) return "-";
  return absl::StrFormat("%.1f ms", static_cast<double>(round_trip.last_us()) / 1000);
}

std::string FormatBps(uint64_t bps) {
  return bps == 0 ? "-" : FormatRate(DataRate::BitsPerSec(static_cast<int64_t>(bps)));
}

bool HasFeedback(const StreamStats& s) {
  return s.retransmitted_packets() > 0 || s.nacks() > 0 || s.picture_loss_indications() > 0 ||
         s.full_intra_requests() > 0 || s.has_remote() || s.has_mean_opinion_score();
}

std::string Section(const TextTable& table) {
  return table.empty() ? "" : absl::StrCat("\n", table.Render());
}

}  // namespace

std::string RenderStreamFeedback(const SessionStats& stats) {
  TextTable table({{"LEG"},
                   {"DIR"},
                   {"SSRC"},
                   {"RTX", kRight},
                   {"NACKS", kRight},
                   {"PLIS", kRight},
                   {"FIRS", kRight},
                   {"PEER LOST", kRight},
                   {"PEER JITTER", kRight},
                   {"RTT", kRight},
                   {"MOS", kRight}});
  for (const LegStats& leg : stats.legs()) {
    for (const StreamStats& s : leg.streams()) {
      if (!HasFeedback(s)) continue;
      const auto& remote = s.remote();
      table.AddRow(
          {Printable(leg.leg_id()), s.direction() == gateway::v1::DIRECTION_RECEIVED ? "in" : "out",
           absl::StrFormat("0x%08x", s.ssrc()), absl::StrCat(s.retransmitted_packets()),
           absl::StrCat(s.nacks()), absl::StrCat(s.picture_loss_indications()),
           absl::StrCat(s.full_intra_requests()),
           s.has_remote() ? absl::StrFormat("%d (%.1f %%)", remote.packets_lost(),
                                            remote.fraction_lost() * 100)
                          : "-",
           s.has_remote()
               ? absl::StrFormat("%.1f ms", static_cast<double>(remote.jitter_us()) / 1000)
               : "-",
           FormatRoundTrip(remote.round_trip()),
           s.has_mean_opinion_score() ? absl::StrFormat("%.1f", s.mean_opinion_score()) : "-"});
    }
  }
  return Section(table);
}

std::string RenderEstimates(const SessionStats& stats) {
  TextTable table({{"LEG"},
                   {"TARGET", kRight},
                   {"BY DELAY", kRight},
                   {"BY LOSS", kRight},
                   {"DELIVERED", kRight},
                   {"RTT", kRight},
                   {"NOTES"}});
  for (const LegStats& leg : stats.legs()) {
    if (!leg.has_bandwidth() && leg.round_trip().measurements() == 0) continue;
    const BandwidthEstimate& estimate = leg.bandwidth();
    table.AddRow({Printable(leg.leg_id()), FormatBps(estimate.target_bps()),
                  FormatBps(estimate.delay_based_bps()), FormatBps(estimate.loss_based_bps()),
                  FormatBps(estimate.delivered_bps()), FormatRoundTrip(leg.round_trip()),
                  estimate.application_limited() ? "sends less than it may" : "-"});
  }
  return Section(table);
}

std::string RenderInterceptorCounters(const SessionStats& stats) {
  TextTable table({{"LEG"}, {"INTERCEPTOR"}, {"WHAT IT COUNTED"}});
  for (const LegStats& leg : stats.legs()) {
    // In the order in which the gateway tells them.
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& counter : leg.interceptor_counters()) {
      if (rows.empty() || rows.back().first != counter.interceptor()) {
        rows.emplace_back(counter.interceptor(), "");
      }
      std::string& counted = rows.back().second;
      absl::StrAppend(&counted, counted.empty() ? "" : ", ", Printable(counter.name()), " ",
                      counter.value());
    }
    for (auto& [interceptor, counted] : rows) {
      table.AddRow({Printable(leg.leg_id()), Printable(interceptor), std::move(counted)});
    }
  }
  return Section(table);
}

}  // namespace sluice
