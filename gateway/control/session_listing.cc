#include "gateway/control/session_listing.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/id_check.h"
#include "gateway/control/page_token.h"
#include "gateway/control/session_convert.h"
#include "gateway/session/session_spec.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// proto/gateway/v1/gateway_service.proto.
constexpr size_t kDefaultPageSize = 100;
constexpr size_t kMaxPageSize = 1000;
constexpr size_t kMaxFilterLabels = 16;
// gRPC clients take 4 MiB in one message unless told otherwise.
constexpr size_t kMaxPageBytes = 1 << 20;

// What one page is to hold.
struct PageRequest {
  SessionQuery query;
  // Behind this id.
  std::string after;
  size_t size = kDefaultPageSize;
};

PageRequest ReadRequest(const pb::ListSessionsRequest& request, FieldViolations& violations) {
  PageRequest page;
  const pb::SessionFilter& filter = request.filter();
  if (request.page_size() < 0) {
    violations.Add("page_size", absl::StrCat("is ", request.page_size(), ", must not be negative"));
  } else if (request.page_size() > 0) {
    page.size = std::min<size_t>(static_cast<size_t>(request.page_size()), kMaxPageSize);
  }
  page.query.id_prefix = filter.session_id_prefix();
  if (page.query.id_prefix.size() > kMaxIdSize || !HasIdCharacters(page.query.id_prefix)) {
    violations.Add("filter.session_id_prefix", absl::StrCat("must be at most ", kMaxIdSize,
                                                            " characters of A-Z a-z 0-9 . _ ~ -"));
  }
  if (filter.labels().size() > kMaxFilterLabels) {
    violations.Add("filter.labels", absl::StrCat("has ", filter.labels().size(),
                                                 " entries, at most ", kMaxFilterLabels));
  }
  page.query.labels = SessionLabels(filter.labels().begin(), filter.labels().end());
  page.query.ended = filter.state() == pb::SESSION_STATE_ENDED;
  if (!pb::SessionState_IsValid(filter.state())) {
    violations.Add("filter.state", "is not a state of sessions");
  }
  if (!request.page_token().empty()) {
    std::optional<std::string> after = ParsePageToken(filter, request.page_token());
    if (!after.has_value()) {
      violations.Add("page_token", "is not from a listing with this filter");
    } else {
      page.after = *std::move(after);
    }
  }
  return page;
}

// What workers tell of those that are live; who has ended meanwhile is left out.
absl::StatusOr<absl::flat_hash_map<std::string, SessionSnapshot>> AskWorkers(
    const std::vector<ListedSession>& sessions, WorkerPool& workers) {
  std::map<size_t, std::vector<std::string>> by_worker;
  for (const ListedSession& session : sessions) {
    if (session.place.live()) {
      by_worker[session.place.worker].push_back(session.id);
    }
  }
  absl::flat_hash_map<std::string, SessionSnapshot> snapshots;
  for (auto& [worker, ids] : by_worker) {
    absl::StatusOr<std::vector<SessionSnapshot>> answer =
        workers.worker(worker).GetSessions(std::move(ids));
    if (!answer.ok()) {
      return answer.status();
    }
    for (SessionSnapshot& snapshot : *answer) {
      std::string id = snapshot.id;
      snapshots.emplace(std::move(id), std::move(snapshot));
    }
  }
  return snapshots;
}

bool HasState(const SessionSnapshot& snapshot, pb::SessionState wanted) {
  return wanted == pb::SESSION_STATE_UNSPECIFIED || ToProto(snapshot.state) == wanted;
}

}  // namespace

absl::Status ListSessions(const pb::ListSessionsRequest& request, ControlRoom& room,
                          pb::ListSessionsResponse& response) {
  FieldViolations violations;
  const PageRequest page = ReadRequest(request, violations);
  if (!violations.empty()) {
    return violations.ToStatus();
  }
  bool more = false;
  const std::vector<ListedSession> sessions =
      room.directory().List(page.query, page.after, page.size, more);
  const auto snapshots = AskWorkers(sessions, room.workers());
  if (!snapshots.ok()) {
    return snapshots.status();
  }
  size_t bytes = 0;
  const std::string* last = nullptr;
  for (const ListedSession& session : sessions) {
    if (bytes > kMaxPageBytes) {
      more = true;
      break;
    }
    last = &session.id;
    const auto it = snapshots->find(session.id);
    const SessionSnapshot* snapshot = session.place.live()
                                          ? (it == snapshots->end() ? nullptr : &it->second)
                                          : session.place.report.get();
    if (snapshot == nullptr || !HasState(*snapshot, request.filter().state())) {
      continue;
    }
    pb::Session& out = *response.add_sessions();
    ToProto(*snapshot, session.place, out);
    bytes += out.ByteSizeLong();
  }
  if (more && last != nullptr) {
    response.set_next_page_token(MakePageToken(request.filter(), *last));
  }
  return absl::OkStatus();
}

}  // namespace sluice
