#include "quic/connection/send_streams.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "quic/connection/send_share.h"
#include "quic/connection/send_stream.h"

namespace sluice {

SendStreams::SendStreams(SendStreamPool& pool, const Limits& limits, SendRoomReceiver& receiver)
    : pool_(pool), share_(pool.stock(), limits.streams, limits.blocks, receiver) {
  waiting_.reserve(limits.waiting);
}

SendStream* SendStreams::Find(int64_t id) const {
  SendStream* stream = first_;
  while (stream != nullptr && stream->id() != id) stream = stream->next;
  return stream;
}

SendStream* SendStreams::Take(int64_t id, bool fin) {
  SendStream* stream = pool_.Take(share_, id);
  if (stream != nullptr) {
    Append(*stream);
    return stream;
  }
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [id](const Waiting& waiting) { return waiting.id == id; });
  if (found != waiting_.end()) {
    found->fin = fin;
  } else if (waiting_.size() < waiting_.capacity()) {
    waiting_.push_back({id, fin});
  } else {
    ++waits_lost_;
  }
  return nullptr;
}

void SendStreams::Forget(SendStream& stream) {
  Unlink(stream);
  pool_.GiveBack(stream);
}

void SendStreams::ForgetWaiting(int64_t id) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [id](const Waiting& waiting) { return waiting.id == id; });
  if (found != waiting_.end()) waiting_.erase(found);
}

void SendStreams::ForgetAll() {
  // First, so that nothing of it is promised to itself.
  share_.Withdraw();
  waiting_.clear();
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

std::optional<SendStreams::Waiting> SendStreams::NextPlace() {
  if (waiting_.empty()) return std::nullopt;
  if (!share_.MayTake(SendResource::kStream)) {
    share_.Await(SendResource::kStream);
    return std::nullopt;
  }
  const Waiting next = waiting_.front();
  waiting_.erase(waiting_.begin());
  return next;
}

SendStream* SendStreams::NextWithRoom(uint64_t max_kept) {
  SendStream* stream = first_;
  while (stream != nullptr && (!stream->wants_room || stream->shut || stream->kept() >= max_kept)) {
    stream = stream->next;
  }
  if (stream == nullptr) return nullptr;
  if (!share_.MayTake(SendResource::kBlock)) {
    share_.Await(SendResource::kBlock);
    return nullptr;
  }
  stream->wants_room = false;
  MoveToEnd(*stream);
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
