#include "tests/e2e/event_watcher.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/e2e/deadline.h"

namespace sluice {

EventWatcher::EventWatcher(ControlClient& client, const pb::WatchEventsRequest& request) {
  // For the whole stream, so longer than that of a single step.
  context_.set_deadline(Deadline::After(std::chrono::minutes(4)).ForGrpc());
  reader_ = client.stub().WatchEvents(&context_, request);
  pb::WatchEventsResponse first;
  if (Read(first)) {
    EXPECT_FALSE(first.has_event()) << "the first message must come alone: " << first.DebugString();
    instance_id_ = first.instance_id();
    latest_sequence_ = first.latest_sequence();
  }
}

bool EventWatcher::Read(pb::WatchEventsResponse& response) {
  ended_ = ended_ || !reader_->Read(&response);
  return !ended_;
}

EventWatcher::~EventWatcher() {
  if (!finished_) {
    Finish().IgnoreError();
  }
}

std::optional<pb::Event> EventWatcher::Next() {
  pb::WatchEventsResponse response;
  if (!Read(response)) {
    return std::nullopt;
  }
  return response.event();
}

pb::Event EventWatcher::Await(pb::Event::EventCase kind, absl::string_view session_id,
                              absl::string_view leg_id) {
  std::string seen;
  while (std::optional<pb::Event> event = Next()) {
    if (event->event_case() == kind && event->session_id() == session_id &&
        (leg_id.empty() || event->leg_id() == leg_id)) {
      return *std::move(event);
    }
    absl::StrAppend(&seen, "  ", event->ShortDebugString(), "\n");
  }
  ADD_FAILURE() << "no event of kind " << kind << " for " << session_id << "/" << leg_id
                << "; the stream had:\n"
                << seen;
  return {};
}

grpc::Status EventWatcher::Finish() {
  finished_ = true;
  if (!ended_) {
    context_.TryCancel();
  }
  return reader_->Finish();
}

}  // namespace sluice
