#include "quic/connection/send_streams.h"

#include <cstdint>

#include "quic/connection/send_stream.h"

namespace sluice {

SendStream* SendStreams::Find(int64_t id) const {
  SendStream* stream = first_;
  while (stream != nullptr && stream->id() != id) stream = stream->next;
  return stream;
}

SendStream* SendStreams::FindOrTake(int64_t id) {
  SendStream* stream = Find(id);
  if (stream != nullptr) return stream;
  stream = pool_.Take(id);
  if (stream != nullptr) Append(*stream);
  return stream;
}

void SendStreams::Forget(SendStream& stream) {
  Unlink(stream);
  pool_.GiveBack(stream);
}

void SendStreams::ForgetAll() {
  while (first_ != nullptr) Forget(*first_);
}

SendStream* SendStreams::NextToSend() const {
  SendStream* stream = first_;
  while (stream != nullptr && (stream->blocked || stream->shut || !stream->HasUnsent())) {
    stream = stream->next;
  }
  return stream;
}

void SendStreams::MoveToEnd(SendStream& stream) {
  Unlink(stream);
  Append(stream);
}

SendStream* SendStreams::NextStopped() const {
  SendStream* stream = first_;
  while (stream != nullptr && !stream->stopped) stream = stream->next;
  return stream;
}

void SendStreams::Unblock() {
  for (SendStream* stream = first_; stream != nullptr; stream = stream->next) {
    stream->blocked = false;
  }
}

SendStream* SendStreams::NextWithRoom(uint64_t max_kept) const {
  if (pool_.free_blocks() == 0) return nullptr;
  SendStream* stream = first_;
  while (stream != nullptr && (!stream->wants_room || stream->shut || stream->kept() >= max_kept)) {
    stream = stream->next;
  }
  return stream;
}

void SendStreams::Unlink(SendStream& stream) {
  SendStream* before = nullptr;
  for (SendStream* s = first_; s != &stream; s = s->next) before = s;
  (before != nullptr ? before->next : first_) = stream.next;
  if (last_ == &stream) last_ = before;
  stream.next = nullptr;
}

void SendStreams::Append(SendStream& stream) {
  (last_ != nullptr ? last_->next : first_) = &stream;
  last_ = &stream;
}

}  // namespace sluice
