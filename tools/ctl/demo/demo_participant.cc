#include "tools/ctl/demo/demo_participant.h"

#include <memory>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace sluice {

namespace v1 = ::sluice::signalling::v1;

absl::StatusOr<std::unique_ptr<DemoParticipant>> DemoParticipant::Create(
    const SignallingOptions& options) {
  absl::StatusOr<std::unique_ptr<SignallingOverQuic>> signalling =
      SignallingOverQuic::Create(options);
  if (!signalling.ok()) return signalling.status();
  return std::unique_ptr<DemoParticipant>(new DemoParticipant(*std::move(signalling)));
}

DemoParticipant::~DemoParticipant() {
  if (events_ != nullptr) events_->Cancel();
  if (follower_.joinable()) follower_.join();
}

grpc::Status DemoParticipant::Join(const v1::JoinRequest& request, v1::JoinResponse& response) {
  const grpc::Status status = signalling_->Join(request, response);
  joined_ = absl::Now();
  if (!status.ok()) return status;
  {
    const absl::MutexLock lock(&mutex_);
    story_.join = signalling_->took();
    story_.connection = signalling_->client().connection().report();
  }
  events_ = signalling_->client().WatchEvents(v1::WatchEventsRequest());
  follower_ = std::thread([this] { FollowEvents(); });
  return status;
}

grpc::Status DemoParticipant::Leave(v1::LeaveResponse& response) {
  const grpc::Status status = signalling_->Leave(v1::LeaveRequest(), response);
  const absl::MutexLock lock(&mutex_);
  if (status.ok()) story_.leave = signalling_->took();
  return status;
}

QuicStory DemoParticipant::story() const {
  const absl::MutexLock lock(&mutex_);
  return story_;
}

void DemoParticipant::FollowEvents() {
  v1::WatchEventsResponse response;
  while (events_->Read(response)) {
    if (!response.event().has_media_started()) continue;
    const auto& time = response.event().time();
    const absl::Time started =
        absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
    const absl::MutexLock lock(&mutex_);
    if (!story_.first_packet.has_value()) story_.first_packet = started - joined_;
  }
}

}  // namespace sluice
