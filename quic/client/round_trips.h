#ifndef QUIC_CLIENT_ROUND_TRIPS_H_
#define QUIC_CLIENT_ROUND_TRIPS_H_

#include <cstdint>

namespace sluice {

// Counts how often a client had to wait for its server. A round trip begins when the client asks
// for something while it waits for nothing: the ClientHello, the ClientHello once more after a
// Retry, the request of a call. It ends when the handshake is done, when a Retry was taken, or when
// the first message or the end of a call comes; all that was asked for meanwhile shares it. What
// nobody waits for (the client's Finished, acknowledgements, tickets) makes none, and neither does
// what got lost and is sent again: that shows in the time only. One thread.
class RoundTrips {
 public:
  void OnAsked() {
    if (!open_) ++count_;
    open_ = true;
  }
  void OnAnswered() { open_ = false; }

  uint64_t count() const { return count_; }
  // Something was asked for and nothing has come since.
  bool open() const { return open_; }

 private:
  uint64_t count_ = 0;
  bool open_ = false;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_ROUND_TRIPS_H_
