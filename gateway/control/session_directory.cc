#include "gateway/control/session_directory.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/media_description.h"

namespace sluice {
namespace {

// What the allocator adds to a block, and the blocks that a container has beside its elements.
constexpr size_t kBlock = 48;

// What a report takes, generously, so that the sum of all is bounded.
size_t BytesOf(const SessionSnapshot& report) {
  size_t bytes = sizeof(SessionSnapshot) + 3 * (report.id.size() + kBlock);
  for (const auto& [key, value] : report.labels) {
    bytes += key.size() + value.size() + 2 * sizeof(std::string) + 3 * kBlock;
  }
  for (const LegSnapshot& leg : report.legs) {
    bytes += sizeof(LegSnapshot) + leg.id.size() + leg.streams.size() * sizeof(StreamSnapshot) +
             3 * kBlock;
    bytes += (leg.local_keys.size() + leg.remote_keys.size()) * sizeof(LegKeyState) + 2 * kBlock;
    for (const PayloadDescription& clock : leg.payload_types) {
      bytes += sizeof(PayloadDescription) + clock.encoding_name.size() + kBlock;
    }
    for (const HeaderExtension& extension : leg.header_extensions) {
      bytes += sizeof(HeaderExtension) + extension.uri.size() + kBlock;
    }
    bytes += leg.remote_streams.size() * sizeof(StreamGroup) +
             leg.interceptor_counters.size() * sizeof(InterceptorCounter) + 3 * kBlock;
  }
  for (const ForwardingRule& rule : report.forwarding) {
    bytes += sizeof(ForwardingRule) + rule.from_leg.size() + 2 * kBlock;
    for (const std::string& to : rule.to_legs) {
      bytes += sizeof(std::string) + to.size() + kBlock;
    }
  }
  return bytes;
}

bool Matches(const SessionLabels& labels, const SessionLabels& wanted) {
  return absl::c_all_of(wanted, [&labels](const auto& label) {
    const auto it = labels.find(label.first);
    return it != labels.end() && it->second == label.second;
  });
}

}  // namespace

SessionDirectory::SessionDirectory(const DirectoryLimits& limits, std::function<absl::Time()> now)
    : limits_(limits), now_(std::move(now)), sessions_by_worker_(limits.workers) {
  SLUICE_CHECK(limits_.workers > 0);
}

std::optional<SessionPlace> SessionDirectory::Find(absl::string_view id) {
  absl::MutexLock lock(&mutex_);
  ForgetOld();
  const auto it = entries_.find(id);
  return it == entries_.end() ? std::nullopt : std::optional<SessionPlace>(it->second.place);
}

size_t SessionDirectory::EmptiestWorker() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<size_t>(absl::c_min_element(sessions_by_worker_) -
                             sessions_by_worker_.begin());
}

absl::Status SessionDirectory::Reserve(absl::string_view id, size_t worker,
                                       const SessionLabels& labels) {
  absl::MutexLock lock(&mutex_);
  ForgetOld();
  const auto it = entries_.find(id);
  if (it != entries_.end() && it->second.place.live()) {
    return ResourceExists("session", id, "exists already");
  }
  if (it != entries_.end()) {
    return PreconditionFailed(
        "TOMBSTONE", id,
        absl::StrCat("session \"", id, "\" has ended and its id is not free yet; take another id"));
  }
  if (live_ >= limits_.sessions) {
    ++refused_;
    return LimitReached("sessions", limits_.sessions,
                        "the gateway has as many sessions as it takes");
  }
  if (sessions_by_worker_[worker] >= limits_.sessions_per_worker) {
    return absl::AbortedError("the worker has its share of sessions");
  }
  Entry entry;
  entry.place.worker = worker;
  entry.place.created = now_();
  entry.labels = labels;
  entries_.emplace(std::string(id), std::move(entry));
  ++sessions_by_worker_[worker];
  ++live_;
  return absl::OkStatus();
}

void SessionDirectory::Release(absl::string_view id) {
  absl::MutexLock lock(&mutex_);
  const auto it = entries_.find(id);
  if (it != entries_.end() && it->second.place.live()) {
    --sessions_by_worker_[it->second.place.worker];
    --live_;
    entries_.erase(it);
  }
}

void SessionDirectory::SetLabels(absl::string_view id, const SessionLabels& labels) {
  absl::MutexLock lock(&mutex_);
  const auto it = entries_.find(id);
  if (it != entries_.end()) {
    it->second.labels = labels;
  }
}

std::optional<SessionPlace> SessionDirectory::Bury(SessionSnapshot report) {
  absl::MutexLock lock(&mutex_);
  const auto it = entries_.find(report.id);
  if (it == entries_.end() || !it->second.place.live()) {
    return std::nullopt;
  }
  Entry& entry = it->second;
  --sessions_by_worker_[entry.place.worker];
  --live_;
  report.state = SessionState::kEnded;
  entry.labels.clear();
  entry.bytes = BytesOf(report);
  entry.place.ended = now_();
  entry.place.report = std::make_shared<const SessionSnapshot>(std::move(report));
  const SessionPlace place = entry.place;
  ended_.push_back(it->first);
  ended_bytes_ += entry.bytes;
  ForgetOld();
  return place;
}

std::vector<ListedSession> SessionDirectory::List(const SessionQuery& query,
                                                  absl::string_view after, size_t max, bool& more) {
  absl::MutexLock lock(&mutex_);
  ForgetOld();
  std::vector<ListedSession> sessions;
  more = false;
  auto it =
      after < query.id_prefix ? entries_.lower_bound(query.id_prefix) : entries_.upper_bound(after);
  for (; it != entries_.end() && absl::StartsWith(it->first, query.id_prefix); ++it) {
    const Entry& entry = it->second;
    const SessionLabels& labels = entry.place.live() ? entry.labels : entry.place.report->labels;
    if (entry.place.live() == query.ended || !Matches(labels, query.labels)) {
      continue;
    }
    if (sessions.size() == max) {
      more = true;
      break;
    }
    sessions.push_back({it->first, entry.place});
  }
  return sessions;
}

DirectoryUsage SessionDirectory::usage() {
  absl::MutexLock lock(&mutex_);
  ForgetOld();
  return {live_, refused_, ended_.size(), evicted_};
}

void SessionDirectory::ForgetOld() {
  const absl::Time expired = now_() - limits_.tombstone_lifetime;
  while (!ended_.empty()) {
    const auto it = entries_.find(ended_.front());
    const bool old = it->second.place.ended <= expired;
    const bool many = ended_.size() > limits_.tombstones || ended_bytes_ > limits_.tombstone_bytes;
    if (!old && !many) {
      return;
    }
    evicted_ += old ? 0 : 1;
    ended_bytes_ -= it->second.bytes;
    entries_.erase(it);
    ended_.pop_front();
  }
}

}  // namespace sluice
