#ifndef SRTP_RECEIVER_STREAMS_H_
#define SRTP_RECEIVER_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "srtp/replay_window.h"
#include "srtp/rtp_types.h"
#include "srtp/stream_context.h"
#include "srtp/stream_history.h"
#include "srtp/stream_table.h"

namespace sluice {

// The streams of a receiver, the memory of their windows, and what is remembered of those that lost
// their place. All memory is taken by the constructor.
class ReceiverStreams {
 public:
  ReceiverStreams(size_t max_streams, size_t rtp_window, size_t rtcp_window,
                  size_t remembered_streams)
      : rtp_words_per_stream_(ReplayWindow::WordCount(rtp_window)),
        rtcp_words_per_stream_(ReplayWindow::WordCount(rtcp_window)),
        // Two more than streams, for `unknown_` and `recalled_`.
        rtp_words_((max_streams + 2) * rtp_words_per_stream_),
        rtcp_words_((max_streams + 2) * rtcp_words_per_stream_),
        table_(max_streams, [this](size_t i) { return MakeStream(i); }),
        history_(remembered_streams),
        unknown_(MakeStream(max_streams)),
        recalled_(MakeStream(max_streams + 1)) {}

  // What is known of an SSRC: nothing, if no packet of it authenticated. Until the next call.
  const ReceiverStream& Look(Ssrc ssrc) {
    if (const ReceiverStream* stream = table_.Find(ssrc)) {
      return *stream;
    }
    if (const RememberedStream* remembered = history_.Find(ssrc)) {
      recalled_.Reset();
      recalled_.Recall(*remembered);
      return recalled_;
    }
    return unknown_;
  }

  // The stream of an SSRC of which a packet just authenticated, made if need be.
  ReceiverStream& Use(Ssrc ssrc) {
    if (ReceiverStream* stream = table_.Find(ssrc)) {
      table_.Touch(*stream);
      return *stream;
    }
    return Add(ssrc);
  }

  StreamTable<ReceiverStream>& table() { return table_; }
  uint64_t forgotten() const { return history_.forgotten(); }

 private:
  // Apart, so that the way of every other packet is short.
  ABSL_ATTRIBUTE_NOINLINE ReceiverStream& Add(Ssrc ssrc) {
    // Before the other is put there, for which it might have to make room.
    const std::optional<RememberedStream> remembered = history_.Take(ssrc);
    if (table_.full()) {
      ReceiverStream& oldest = table_.least_recently_used();
      history_.Put(table_.ssrc(oldest), oldest.Remember());
      table_.Remove(oldest);
    }
    ReceiverStream& stream = table_.Add(ssrc);
    if (remembered.has_value()) {
      stream.Recall(*remembered);
    }
    return stream;
  }
  ReceiverStream MakeStream(size_t i) {
    return ReceiverStream(
        absl::MakeSpan(rtp_words_).subspan(i * rtp_words_per_stream_, rtp_words_per_stream_),
        absl::MakeSpan(rtcp_words_).subspan(i * rtcp_words_per_stream_, rtcp_words_per_stream_));
  }

  const size_t rtp_words_per_stream_;
  const size_t rtcp_words_per_stream_;
  std::vector<uint64_t> rtp_words_;
  std::vector<uint64_t> rtcp_words_;
  StreamTable<ReceiverStream> table_;
  StreamHistory history_;
  // Always empty: an SSRC of which nothing is known is checked against it.
  const ReceiverStream unknown_;
  // What a remembered SSRC would be if its packet authenticates.
  ReceiverStream recalled_;
};

}  // namespace sluice

#endif  // SRTP_RECEIVER_STREAMS_H_
