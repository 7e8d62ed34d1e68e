#include "tools/ctl/event_view.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/data_rate.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/rate_text.h"
#include "tools/ctl/session_view.h"
#include "tools/ctl/text_table.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Event;

// The name of the event as in the proto, so that an event of tomorrow needs no change here.
std::string NameOf(const Event& event) {
  const auto* descriptor = Event::descriptor()->FindFieldByNumber(event.event_case());
  return descriptor == nullptr ? "unknown" : descriptor->name();
}

// "out soft": a key of the gateway; "in hard": one of the peer.
std::string FormatKeyLimit(const gateway::v1::KeyLimitReached& reached) {
  const bool out = reached.direction() == gateway::v1::DIRECTION_SENT;
  const gateway::v1::KeyLimit limit = reached.limit();
  return absl::StrCat(out ? "out " : "in ",
                      gateway::v1::KeyLimit_IsValid(limit)
                          ? absl::AsciiStrToLower(
                                absl::StripPrefix(gateway::v1::KeyLimit_Name(limit), "KEY_LIMIT_"))
                          : absl::StrCat(static_cast<int>(limit)));
}

std::string FormatSsrc(uint32_t ssrc) { return absl::StrFormat("0x%08x", ssrc); }

std::string DetailOf(const Event& event) {
  switch (event.event_case()) {
    case Event::kSessionEnded:
      return FormatEndReason(event.session_ended().reason());
    case Event::kLegAdded:
      return FormatLegKind(event.leg_added().kind());
    case Event::kRemoteAddressChanged:
      return absl::StrCat(FormatTransportAddress(event.remote_address_changed().old_rtp()), " -> ",
                          FormatTransportAddress(event.remote_address_changed().new_rtp()));
    case Event::kStreamAdded:
      return FormatSsrc(event.stream_added().ssrc());
    case Event::kKeyLimitReached:
      return FormatKeyLimit(event.key_limit_reached());
    case Event::kTargetRateChanged:
      return FormatRate(
          DataRate::BitsPerSec(static_cast<int64_t>(event.target_rate_changed().target_bps())));
    case Event::kKeyFrameRequested:
      return FormatSsrc(event.key_frame_requested().ssrc());
    default:
      return "";
  }
}

}  // namespace

std::string RenderEvent(const Event& event) {
  const std::string detail = DetailOf(event);
  return Printable(absl::StrCat(event.sequence(), "  ", FormatTime(event.time()), "  ",
                                event.session_id(), "  ",
                                event.leg_id().empty() ? "-" : event.leg_id(), "  ", NameOf(event),
                                detail.empty() ? "" : " ", detail));
}

}  // namespace sluice
