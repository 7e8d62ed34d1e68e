#ifndef TOOLS_CTL_STOP_SIGNAL_H_
#define TOOLS_CTL_STOP_SIGNAL_H_

#include <signal.h>

#include "absl/time/time.h"

namespace sluice {

// Turns Ctrl-C, and being told to end, into something that can be waited for, as long as this
// object lives. One at a time in a process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();

  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Readable once a signal has come, and from then on.
  int fd() const;

  bool received() const;

  // Waits for a signal at most this long; true when there was one.
  bool Wait(absl::Duration at_most) const;

 private:
  // SIGINT, SIGTERM, SIGHUP: what they did before.
  struct sigaction before_[3];
};

}  // namespace sluice

#endif  // TOOLS_CTL_STOP_SIGNAL_H_
