#ifndef INTERCEPTOR_STREAM_SLOTS_H_
#define INTERCEPTOR_STREAM_SLOTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What became of a stream that was to be added.
enum class AddStreamVerdict : uint8_t {
  kOk,
  // One of its SSRCs belongs to a stream already, or two of its own are the same.
  kSsrcInUse,
  // All slots are taken.
  kTooManyStreams,
};

// Which stream an SSRC belongs to, for the streams of one direction. All memory is taken in the
// constructor. One thread.
class StreamSlots {
 public:
  struct Place {
    // kNoStream: unknown.
    StreamSlot slot;
    SsrcRole role;
  };

  // Between 1 and 1024: a slot for every SSRC that a leg may have (srtp_sender.h).
  static constexpr size_t kMaxStreams = 1024;

  // `max_streams` is in 1..kMaxStreams.
  explicit StreamSlots(size_t max_streams);

  // Gives the stream the lowest free slot. Nothing changes unless the answer is kOk.
  [[nodiscard]] AddStreamVerdict Add(const StreamInfo& info, StreamSlot& slot);
  // Gives the stream with this media SSRC one more of its SSRCs, which came to be known only now.
  // False, and no change, when there is no such stream, it has an SSRC for that role, or `ssrc`
  // belongs to a stream.
  [[nodiscard]] bool Join(Ssrc media_ssrc, SsrcRole role, Ssrc ssrc);
  // Frees the slot of the stream with this media SSRC and returns it; nothing when there is none.
  std::optional<StreamSlot> Remove(Ssrc media_ssrc);

  Place Find(Ssrc ssrc) const {
    for (size_t i = IndexOf(ssrc);; i = (i + 1) & mask_) {
      const Cell& cell = cells_[i];
      if (cell.slot == kNoStream.value()) {
        return {kNoStream, SsrcRole::kMedia};
      }
      if (cell.ssrc == ssrc.value()) {
        return {StreamSlot(cell.slot), cell.role};
      }
    }
  }

  size_t size() const { return size_; }
  size_t capacity() const { return streams_.size(); }

 private:
  static constexpr size_t kRoles = 3;

  struct Cell {
    uint32_t ssrc = 0;
    // kNoStream's value: the cell is free.
    uint16_t slot = kNoStream.value();
    SsrcRole role = SsrcRole::kMedia;
  };
  // SSRCs by role; a stream without media SSRC is not there.
  using Stream = std::array<std::optional<Ssrc>, kRoles>;

  // Knuth's multiplicative hash: RTX SSRCs are often the media SSRC plus one.
  size_t IndexOf(Ssrc ssrc) const { return (ssrc.value() * 2654435769u) >> shift_; }
  void Insert(Ssrc ssrc, StreamSlot slot, SsrcRole role);

  // Open addressing, at most half full, so that every search ends.
  std::vector<Cell> cells_;
  size_t mask_;
  unsigned shift_;
  std::vector<Stream> streams_;
  size_t size_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_STREAM_SLOTS_H_
