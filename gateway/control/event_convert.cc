#include "gateway/control/event_convert.h"

#include <string>

#include "gateway/control/leg_convert.h"
#include "gateway/control/remote_convert.h"
#include "gateway/control/session_convert.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

pb::Event About(absl::string_view session_id, absl::string_view leg_id = "") {
  pb::Event event;
  event.set_session_id(std::string(session_id));
  event.set_leg_id(std::string(leg_id));
  return event;
}

}  // namespace

pb::Event ToEvent(const SessionEvent& event) {
  pb::Event out = About(event.session_id.view(), event.leg_id.view());
  switch (event.kind) {
    case SessionEventKind::kMediaStarted:
      out.mutable_media_started();
      break;
    case SessionEventKind::kRemoteAddressChanged:
      if (event.old_rtp.has_value()) {
        ToProto(*event.old_rtp, *out.mutable_remote_address_changed()->mutable_old_rtp());
      }
      ToProto(event.new_rtp, *out.mutable_remote_address_changed()->mutable_new_rtp());
      break;
    case SessionEventKind::kStreamAdded:
      out.mutable_stream_added()->set_ssrc(event.ssrc.value());
      break;
    case SessionEventKind::kKeyLimitReached:
      out.mutable_key_limit_reached()->set_direction(
          event.direction == StreamDirection::kSent ? pb::DIRECTION_SENT : pb::DIRECTION_RECEIVED);
      out.mutable_key_limit_reached()->set_limit(
          event.limit == KeyLimit::kHard ? pb::KEY_LIMIT_HARD : pb::KEY_LIMIT_SOFT);
      break;
    case SessionEventKind::kTargetRateChanged:
      out.mutable_target_rate_changed()->set_target_bps(static_cast<uint64_t>(event.target.bps()));
      break;
    case SessionEventKind::kKeyFrameRequested:
      out.mutable_key_frame_requested()->set_ssrc(event.ssrc.value());
      break;
  }
  return out;
}

pb::Event SessionCreatedEvent(absl::string_view session_id) {
  pb::Event event = About(session_id);
  event.mutable_session_created();
  return event;
}

pb::Event SessionEndedEvent(absl::string_view session_id, EndReason reason) {
  pb::Event event = About(session_id);
  event.mutable_session_ended()->set_reason(ToProto(reason));
  return event;
}

pb::Event LegAddedEvent(absl::string_view session_id, absl::string_view leg_id, LegKind kind) {
  pb::Event event = About(session_id, leg_id);
  event.mutable_leg_added()->set_kind(ToProto(kind));
  return event;
}

pb::Event LegUpdatedEvent(absl::string_view session_id, absl::string_view leg_id) {
  pb::Event event = About(session_id, leg_id);
  event.mutable_leg_updated();
  return event;
}

pb::Event LegRemovedEvent(absl::string_view session_id, absl::string_view leg_id) {
  pb::Event event = About(session_id, leg_id);
  event.mutable_leg_removed();
  return event;
}

}  // namespace sluice
