#ifndef QUIC_CONNECTION_SEND_STREAMS_H_
#define QUIC_CONNECTION_SEND_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "quic/connection/send_share.h"
#include "quic/connection/send_stream.h"

namespace sluice {

// The streams of one connection that have, or had, something to send: taken from the pool when they
// are first written to, served in turn. As many as the peer allows streams, so that looking for one
// is a short walk.
class SendStreams {
 public:
  // One that found no place in the pool.
  struct Waiting {
    int64_t id = -1;
    // Its end was to be sent, and nothing else.
    bool fin = false;
  };
  // What the pool is asked for by one connection at most, and how many of its streams can wait for
  // a place in it.
  struct Limits {
    size_t streams = 0;
    size_t blocks = 0;
    size_t waiting = 0;
  };

  // `receiver` hears when NextPlace or NextWithRoom has something again.
  SendStreams(SendStreamPool& pool, const Limits& limits, SendRoomReceiver& receiver);
  // Gives all back.
  ~SendStreams() { ForgetAll(); }
  SendStreams(const SendStreams&) = delete;
  SendStreams& operator=(const SendStreams&) = delete;

  // Null when there is none of that id.
  SendStream* Find(int64_t id) const;
  // A new one. Null when there is no place for it: it waits then for its turn, or is counted in
  // waits_lost if too many do. `fin`: all that it wants is to end.
  SendStream* Take(int64_t id, bool fin);
  void Forget(SendStream& stream);
  // One that waits for a place wants none any more.
  void ForgetWaiting(int64_t id);
  void ForgetAll();

  // The next one that has something to send and may, or null.
  SendStream* NextToSend() const;
  // It had its turn.
  void MoveToEnd(SendStream& stream);
  // One that the peer stopped without anybody being told, or null.
  SendStream* NextStopped() const;
  // All may try again.
  void Unblock();

  // One that waits for a place and for which there is one now; it waits no more.
  std::optional<Waiting> NextPlace();
  // One that wants room and has it now, or null; it wants none any more. In turn.
  SendStream* NextWithRoom(uint64_t max_kept);
  // All who could be told of room have been: what they left is for other connections.
  void LeaveRoom() { share_.ReleasePromises(); }

  // How many could not even wait.
  uint64_t waits_lost() const { return waits_lost_; }

 private:
  void Unlink(SendStream& stream);
  void Append(SendStream& stream);

  SendStreamPool& pool_;
  SendShare share_;
  SendStream* first_ = nullptr;
  SendStream* last_ = nullptr;
  // For a place, the first one first; never more than it has capacity for.
  std::vector<Waiting> waiting_;
  uint64_t waits_lost_ = 0;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_SEND_STREAMS_H_
