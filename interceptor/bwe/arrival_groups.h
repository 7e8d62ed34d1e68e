#ifndef INTERCEPTOR_BWE_ARRIVAL_GROUPS_H_
#define INTERCEPTOR_BWE_ARRIVAL_GROUPS_H_

#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// How one group of packets compares with the group before it.
struct GroupDelta {
  // Between their last packets, at our end and at the peer's.
  TimeDelta sent;
  TimeDelta arrived;
};

// Puts packets that were sent together into groups, whose spacing at both ends shows whether a
// queue grows in between (draft-ietf-rmcat-gcc-02 sections 5.1 and 5.2): those sent within five
// milliseconds, and those that a path held back and delivered in one burst. One thread.
class ArrivalGroups {
 public:
  // The next packet by arrival; `reported` is when we heard of it. When it begins a group, the
  // answer is how the group before it compares with its own predecessor.
  std::optional<GroupDelta> Add(Timestamp sent, Timestamp arrived, Timestamp reported);

  // Begins anew: what was before has nothing to do with what comes.
  void Reset();

 private:
  struct Group {
    Timestamp first_sent;
    Timestamp last_sent;
    Timestamp first_arrived;
    Timestamp last_arrived;
    Timestamp last_reported;
  };

  bool BelongsToBurst(Timestamp sent, Timestamp arrived) const;
  // Nothing when the two do not compare.
  std::optional<GroupDelta> Compare();

  std::optional<Group> current_;
  std::optional<Group> previous_;
  int reordered_groups_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_ARRIVAL_GROUPS_H_
