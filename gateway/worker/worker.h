#ifndef GATEWAY_WORKER_WORKER_H_
#define GATEWAY_WORKER_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/packet_logs.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/worker_limits.h"
#include "gateway/worker/worker_notice.h"
#include "gateway/worker/worker_usage.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// One media thread with its own sockets, packet arena, crypto engine, timers and sessions. The
// public calls are made by control threads: each is carried to the worker in its mailbox and waits
// for the answer; ResourceExhausted when the mailbox is full, Unavailable once the worker is
// stopping.
class Worker {
 public:
  // Starts the thread. `engine` is one that ChooseEngine gave. `ports` outlives the worker. `wake`
  // is called on the worker's thread when notices wait that did not before; it must not block.
  // `packet_logs` outlives the worker; null: legs cannot be logged. InvalidArgument when the limits
  // do not fit together.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(size_t index, const WorkerLimits& limits,
                                                        EngineKind engine, MediaPortPool& ports,
                                                        std::function<void()> wake,
                                                        PacketLogs* packet_logs = nullptr);
  // Stop().
  ~Worker();

  // Stops the thread, ends its sessions and closes their sockets. Calls under way and later ones
  // are answered Unavailable. Notices that wait can still be taken. Any thread, any number of
  // times.
  void Stop();

  size_t index() const;

  absl::StatusOr<SessionSnapshot> CreateSession(SessionSpec spec);
  absl::StatusOr<SessionSnapshot> GetSession(absl::string_view session_id);
  // Unknown ids are left out. Not one moment: the worker carries media between portions.
  absl::StatusOr<std::vector<SessionSnapshot>> GetSessions(std::vector<std::string> session_ids);
  absl::StatusOr<SessionSnapshot> UpdateSession(absl::string_view session_id, SessionUpdate update);
  absl::StatusOr<SessionSnapshot> DeleteSession(absl::string_view session_id);
  // Takes ports from the pool, binds them and begins the packet log, if the leg asks for one, on
  // the calling thread, then adds the leg. Nothing remains of a call that fails, but for a log
  // without packets. FailedPrecondition ("NO_PACKET_LOG_FOLDER").
  absl::StatusOr<LegSnapshot> AddLeg(absl::string_view session_id, LegSpec spec, IpFamily family);
  absl::StatusOr<LegSnapshot> UpdateLeg(absl::string_view session_id, absl::string_view leg_id,
                                        LegUpdate update);
  absl::StatusOr<LegSnapshot> RemoveLeg(absl::string_view session_id, absl::string_view leg_id);
  absl::StatusOr<SessionSnapshot> SetForwarding(absl::string_view session_id,
                                                std::vector<ForwardingRule> rules);
  absl::StatusOr<WorkerUsage> GetUsage();

  // Takes what the worker told since the last call. One thread at a time.
  std::vector<WorkerNotice> TakeNotices();

  // Turns of the loop so far; the loop turns at least once a second, so a number that stands still
  // for longer means a stuck worker. Any thread, without waiting.
  uint64_t turns() const;
  // As of the last turn. Any thread, without waiting.
  size_t session_count() const;

 private:
  struct State;
  explicit Worker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_H_
