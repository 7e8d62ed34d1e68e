#ifndef TOOLS_CTL_DEMO_DEMO_PARTICIPANT_H_
#define TOOLS_CTL_DEMO_DEMO_PARTICIPANT_H_

#include <grpcpp/support/status.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/client/signalling/quic_signalling_client.h"
#include "tools/ctl/demo/quic_story.h"
#include "tools/ctl/signalling_client.h"
#include "tools/ctl/signalling_over_quic.h"

namespace sluice {

// A participant of the demo call that manages its leg over QUIC, and follows its events meanwhile.
class DemoParticipant {
 public:
  // As SignallingOverQuic::Create.
  static absl::StatusOr<std::unique_ptr<DemoParticipant>> Create(const SignallingOptions& options);
  ~DemoParticipant();
  DemoParticipant(const DemoParticipant&) = delete;
  DemoParticipant& operator=(const DemoParticipant&) = delete;

  // At most once.
  grpc::Status Join(const signalling::v1::JoinRequest& request,
                    signalling::v1::JoinResponse& response);
  grpc::Status Leave(signalling::v1::LeaveResponse& response);

  QuicStory story() const;

 private:
  explicit DemoParticipant(std::unique_ptr<SignallingOverQuic> signalling)
      : signalling_(std::move(signalling)) {}

  // Reads events until their stream ends.
  void FollowEvents();

  const std::unique_ptr<SignallingOverQuic> signalling_;
  absl::Time joined_;
  std::unique_ptr<QuicEventStream> events_;
  std::thread follower_;
  mutable absl::Mutex mutex_;
  QuicStory story_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_DEMO_PARTICIPANT_H_
