#ifndef QUIC_CONNECTION_SEND_STREAMS_H_
#define QUIC_CONNECTION_SEND_STREAMS_H_

#include <cstdint>

#include "quic/connection/send_stream.h"

namespace sluice {

// The streams of one connection that have, or had, something to send: taken from the pool when they
// are first written to, served in turn. As many as the peer allows streams, so that looking for one
// is a short walk.
class SendStreams {
 public:
  explicit SendStreams(SendStreamPool& pool) : pool_(pool) {}
  // Gives all back.
  ~SendStreams() { ForgetAll(); }
  SendStreams(const SendStreams&) = delete;
  SendStreams& operator=(const SendStreams&) = delete;

  // Null when there is none of that id.
  SendStream* Find(int64_t id) const;
  // Null when the pool has none left.
  SendStream* FindOrTake(int64_t id);
  void Forget(SendStream& stream);
  void ForgetAll();

  // The next one that has something to send and may, or null.
  SendStream* NextToSend() const;
  // It had its turn.
  void MoveToEnd(SendStream& stream);
  // One that the peer stopped without anybody being told, or null.
  SendStream* NextStopped() const;
  // All may try again.
  void Unblock();
  // One that wants room and has it now, or null.
  SendStream* NextWithRoom(uint64_t max_kept) const;

 private:
  void Unlink(SendStream& stream);
  void Append(SendStream& stream);

  SendStreamPool& pool_;
  SendStream* first_ = nullptr;
  SendStream* last_ = nullptr;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_SEND_STREAMS_H_
