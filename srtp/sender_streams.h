#ifndef SRTP_SENDER_STREAMS_H_
#define SRTP_SENDER_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "srtp/replay_window.h"
#include "srtp/rtp_types.h"
#include "srtp/stream_context.h"
#include "srtp/stream_history.h"
#include "srtp/stream_table.h"

namespace sluice {

// The streams of a sender, the memory of their windows, and what is remembered of those that lost
// their place. All memory is taken by the constructor.
class SenderStreams {
 public:
  SenderStreams(size_t max_streams, size_t replay_window, size_t remembered_streams)
      : words_(max_streams * ReplayWindow::WordCount(replay_window)),
        table_(max_streams,
               [&](size_t i) {
                 const size_t count = ReplayWindow::WordCount(replay_window);
                 return SenderStream(absl::MakeSpan(words_).subspan(i * count, count));
               }),
        history_(remembered_streams) {}

  // The stream of an SSRC about to send with the key of that slot, made if need be; nullptr when
  // there is no place that can be given away.
  SenderStream* FindOrAdd(Ssrc ssrc, size_t key_slot) {
    SenderStream* stream = table_.Find(ssrc);
    if (stream != nullptr) {
      table_.Touch(*stream);
    } else {
      stream = Add(ssrc);
      if (stream == nullptr) {
        return nullptr;
      }
    }
    stream->sent_under |= Bit(key_slot);
    return stream;
  }

  // Not a live key any more: SSRCs may be forgotten that sent with no other.
  void RetireKey(size_t key_slot) {
    table_.ForEach([&](Ssrc, SenderStream& stream) {
      stream.sent_under &= static_cast<uint8_t>(~Bit(key_slot));
    });
  }

  StreamTable<SenderStream>& table() { return table_; }
  uint64_t forgotten() const { return history_.forgotten(); }

 private:
  static uint8_t Bit(size_t key_slot) { return static_cast<uint8_t>(1u << key_slot); }

  SenderStream* Add(Ssrc ssrc) {
    if (table_.full() && table_.least_recently_used().sent_under != 0) {
      return nullptr;
    }
    // Before the other is put there, for which it might have to make room.
    const std::optional<RememberedStream> remembered = history_.Take(ssrc);
    if (table_.full()) {
      SenderStream& oldest = table_.least_recently_used();
      history_.Put(table_.ssrc(oldest), oldest.Remember());
      table_.Remove(oldest);
    }
    SenderStream& stream = table_.Add(ssrc);
    if (remembered.has_value()) {
      stream.Recall(*remembered);
    }
    return &stream;
  }

  std::vector<uint64_t> words_;
  StreamTable<SenderStream> table_;
  StreamHistory history_;
};

}  // namespace sluice

#endif  // SRTP_SENDER_STREAMS_H_
