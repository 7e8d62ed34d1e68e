#ifndef QUIC_SERVER_TURN_WORK_H_
#define QUIC_SERVER_TURN_WORK_H_

#include "base/timestamp.h"

namespace sluice {

// Something that is done in each turn of the thread that has connections, after everything that
// came from outside: to say on them what other threads have found out meanwhile. Cheap when there
// is nothing to do.
class TurnWork {
 public:
  virtual ~TurnWork() = default;

  virtual void OnTurn(Timestamp now) = 0;
};

}  // namespace sluice

#endif  // QUIC_SERVER_TURN_WORK_H_
