#include "gateway/control/stats_watch.h"

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gateway/control/event_log.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/id_check.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/stats_convert.h"
#include "gateway/control/time_convert.h"
#include "gateway/control/watcher_places.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// proto/gateway/v1/gateway_service.proto.
constexpr TimeDelta kDefaultInterval = TimeDelta::Seconds(1);
constexpr TimeDelta kMinInterval = TimeDelta::Millis(100);
constexpr TimeDelta kMaxInterval = TimeDelta::Seconds(3600);
// How late the end of the session, and that nobody listens any more, may be noticed: gRPC's
// synchronous server tells of a cancelled call only when asked.
constexpr absl::Duration kPoll = absl::Milliseconds(200);

absl::StatusOr<absl::Duration> ReadInterval(const pb::WatchStatsRequest& request) {
  FieldViolations violations;
  CheckId("session_id", request.session_id(), violations);
  TimeDelta interval = kDefaultInterval;
  if (request.has_interval()) {
    interval = FromProto(request.interval(), "interval", kMinInterval, kMaxInterval, violations)
                   .value_or(kDefaultInterval);
  }
  if (!violations.empty()) {
    return violations.ToStatus();
  }
  return absl::Microseconds(interval.us());
}

bool HasEnded(const pb::WatchStatsRequest& request, ControlRoom& room) {
  const std::optional<SessionPlace> place = room.directory().Find(request.session_id());
  return !place.has_value() || !place->live();
}

}  // namespace

absl::Status WatchStats(const pb::WatchStatsRequest& request, ControlRoom& room,
                        absl::FunctionRef<bool()> cancelled,
                        absl::FunctionRef<bool(const pb::WatchStatsResponse&)> write) {
  const absl::StatusOr<WatcherPlaces::Place> watcher = room.watchers().Take();
  if (!watcher.ok()) {
    return watcher.status();
  }
  const absl::StatusOr<absl::Duration> interval = ReadInterval(request);
  if (!interval.ok()) {
    return interval.status();
  }
  absl::Time next = room.now();
  while (!cancelled()) {
    const absl::Time now = room.now();
    // A clock that was set back must not make the reader wait for it.
    next = std::min(next, now + *interval);
    if (now >= next || HasEnded(request, room)) {
      const absl::StatusOr<FoundSession> found = room.Find(request.session_id());
      if (!found.ok()) {
        return found.status();
      }
      pb::WatchStatsResponse response;
      const bool live = found->place.live();
      ToProto(found->snapshot, live ? room.now() : found->place.ended, *response.mutable_stats());
      if (!write(response) || !live) {
        return absl::OkStatus();
      }
      // Intervals that a slow reader let pass are left out.
      next = next + *interval > now ? next + *interval : now + *interval;
    }
    const absl::Duration wait = std::clamp(next - room.now(), absl::ZeroDuration(), kPoll);
    if (room.log().WaitForClose(wait)) {
      return absl::UnavailableError("the gateway is stopping");
    }
  }
  return absl::OkStatus();
}

}  // namespace sluice
