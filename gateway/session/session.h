#ifndef GATEWAY_SESSION_SESSION_H_
#define GATEWAY_SESSION_SESSION_H_

#include <string>
#include <vector>

#include "base/timestamp.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/session/forwarding.h"
#include "gateway/session/session_spec.h"

namespace sluice {

// One call: its legs by handle, who gets whose packets, and when it ends by itself. Knows no
// packet.
class Session {
 public:
  Session(Timestamp now, SessionSpec spec);

  void Update(const SessionUpdate& update);

  // A leg accepted a packet. `media`: RTP, not RTCP. True when the session became active with it.
  bool OnAccepted(Timestamp now, bool media);
  // To be told whenever it may have changed. False for a session without legs.
  void SetAllOnHold(Timestamp now, bool all_on_hold);

  struct Deadline {
    Timestamp at;
    EndReason reason;
  };
  // When the session ends by itself if nothing happens:
  //  - offer: no media was ever accepted;
  //  - idle: after that, no leg accepted a packet for so long. Packets of legs on hold count, since
  //    their peers are there;
  //  - hold: replaces idle while all legs are on hold, counted anew when that begins and ends;
  //  - absolute: whatever happens.
  Deadline NextDeadline() const;

  const std::string& id() const { return id_; }
  bool active() const { return active_; }
  // State, timeouts, labels and times; legs and forwarding are the caller's.
  SessionSnapshot Snapshot(Timestamp now) const;

  // In the order of their addition.
  std::vector<LegHandle>& legs() { return legs_; }
  const std::vector<LegHandle>& legs() const { return legs_; }
  Forwarding& forwarding() { return forwarding_; }
  const Forwarding& forwarding() const { return forwarding_; }

 private:
  std::string id_;
  SessionTimeouts timeouts_;
  SessionLabels labels_;
  Timestamp created_;
  // What idle and hold timeouts are counted from.
  Timestamp quiet_since_;
  bool active_ = false;
  bool all_on_hold_ = false;
  std::vector<LegHandle> legs_;
  Forwarding forwarding_;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_SESSION_H_
