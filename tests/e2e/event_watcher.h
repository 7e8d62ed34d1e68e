#ifndef TESTS_E2E_EVENT_WATCHER_H_
#define TESTS_E2E_EVENT_WATCHER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "tests/e2e/control_client.h"

namespace sluice {

// An open WatchEvents stream. Tests wait on it for whatever takes the gateway time.
class EventWatcher {
 public:
  explicit EventWatcher(ControlClient& client, const pb::WatchEventsRequest& request = {});
  // Gives the stream up.
  ~EventWatcher();

  // Told first by the gateway; empty when it refused, see Finish.
  const std::string& instance_id() const { return instance_id_; }
  uint64_t latest_sequence() const { return latest_sequence_; }

  // The next event; nothing, and no failed test, when the stream ends or nothing comes for a long
  // time.
  std::optional<pb::Event> Next();
  // Skips others. Fails the test when it does not come. An empty `leg_id` means any.
  pb::Event Await(pb::Event::EventCase kind, absl::string_view session_id,
                  absl::string_view leg_id = "");

  // How the stream ended; cancels it when it has not.
  grpc::Status Finish();

 private:
  // False at the end of the stream.
  bool Read(pb::WatchEventsResponse& response);

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<pb::WatchEventsResponse>> reader_;
  std::string instance_id_;
  uint64_t latest_sequence_ = 0;
  bool ended_ = false;
  bool finished_ = false;
};

}  // namespace sluice

#endif  // TESTS_E2E_EVENT_WATCHER_H_
