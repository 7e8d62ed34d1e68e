#ifndef INTERCEPTOR_RTCP_SDES_H_
#define INTERCEPTOR_RTCP_SDES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What an SDES item says (RFC 3550 section 6.5; MID and the stream ids: RFC 9143 section 15.4, RFC
// 8852 section 4.1). Any other value of eight bits may come too.
enum class SdesItem : uint8_t {
  kEnd = 0,
  kCname = 1,
  kName = 2,
  kEmail = 3,
  kPhone = 4,
  kLocation = 5,
  kTool = 6,
  kNote = 7,
  kPrivate = 8,
  kRtpStreamId = 12,
  kRepairedRtpStreamId = 13,
  kMid = 15,
};

// Five bits count chunks, eight an item's bytes (RFC 3550 section 6.5).
inline constexpr size_t kMaxSdesChunks = 31;
inline constexpr size_t kMaxSdesItemSize = 255;

// A source description: SDES. Points into the bytes it was parsed from.
class SdesView {
 public:
  // nullopt unless `packet` is an SDES packet. Of its chunks nothing is proven yet.
  static std::optional<SdesView> Parse(absl::Span<const uint8_t> packet);

  // 0..31, as the packet says.
  size_t chunk_count() const { return chunk_count_; }

  // Calls `f(Ssrc ssrc, SdesItem item, absl::Span<const uint8_t> text)` for each item in order.
  // A chunk ends with a null byte and zeros up to the next multiple of four (RFC 3550
  // section 6.5). Stops in front of the first chunk or item that is not there in full, and is
  // false then; what came before counts.
  template <typename F>
  bool ForEachItem(F&& f) const;

 private:
  SdesView(size_t chunk_count, absl::Span<const uint8_t> chunks)
      : chunk_count_(chunk_count), chunks_(chunks) {}

  // Skips the zeros behind a chunk's null.
  void SkipToNextChunk(ByteReader& reader) const;

  size_t chunk_count_;
  absl::Span<const uint8_t> chunks_;
};

// A source and its canonical name.
struct SdesCname {
  Ssrc ssrc = Ssrc(0);
  // 1..255 bytes.
  absl::string_view cname;
};

// Bytes of a chunk with a CNAME of `size` bytes.
constexpr size_t SdesCnameChunkSize(size_t size) { return (4 + 2 + size + 1 + 3) / 4 * 4; }

// Writes an SDES packet with one chunk for each source: its size, or 0 when it does not fit, there
// are more than kMaxSdesChunks or a name is empty or longer than kMaxSdesItemSize.
size_t WriteSdes(absl::Span<const SdesCname> sources, absl::Span<uint8_t> buffer);

template <typename F>
bool SdesView::ForEachItem(F&& f) const {
  ByteReader reader(chunks_);
  for (size_t chunk = 0; chunk < chunk_count_; ++chunk) {
    uint32_t ssrc;
    if (!reader.ReadU32(ssrc)) {
      return false;
    }
    while (true) {
      uint8_t type, size;
      absl::Span<const uint8_t> text;
      if (!reader.ReadU8(type)) {
        return false;
      }
      if (type == static_cast<uint8_t>(SdesItem::kEnd)) {
        SkipToNextChunk(reader);
        break;
      }
      if (!reader.ReadU8(size) || !reader.ReadBytes(size, text)) {
        return false;
      }
      f(Ssrc(ssrc), static_cast<SdesItem>(type), text);
    }
  }
  return true;
}

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_SDES_H_
