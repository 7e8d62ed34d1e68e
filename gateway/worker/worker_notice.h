#ifndef GATEWAY_WORKER_WORKER_NOTICE_H_
#define GATEWAY_WORKER_WORKER_NOTICE_H_

#include <memory>
#include <optional>

#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"

namespace sluice {

// What a worker tells the control plane: exactly one member is set.
struct WorkerNotice {
  std::optional<SessionEvent> event;
  // Ended by a timeout; its sockets are closed already.
  std::unique_ptr<SessionSnapshot> ended;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_NOTICE_H_
