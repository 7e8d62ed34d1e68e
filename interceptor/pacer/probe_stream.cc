#include "interceptor/pacer/probe_stream.h"

#include <algorithm>
#include <cstddef>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/initial_sequence_number.h"

namespace sluice {
namespace {

// V = 2, nothing else.
constexpr uint8_t kFirstByte = 0x80;
// Of a video clock; the stream is declared with it.
constexpr int64_t kTicksPerMillisecond = 90;

}  // namespace

ProbeStream::ProbeStream(const ProbeStreamOptions& options, RandomSource& random)
    : options_(options),
      sequence_(InitialSequenceNumber(random).value()),
      timestamp_offset_(random.NextU32()) {}

PacketLoan ProbeStream::Make(Timestamp now, DataSize size, PacketArena& arena) {
  PacketLoan packet = arena.Lend();
  if (!packet) {
    return packet;
  }
  const auto bytes = static_cast<size_t>(std::clamp(size, kMinPacket, kMaxPacket).bytes());
  SLUICE_CHECK(packet.Resize(bytes));
  const absl::Span<uint8_t> to = packet.bytes();
  std::fill(to.begin(), to.end(), uint8_t{0});
  to[0] = kFirstByte;
  to[1] = options_.payload_type.value();
  StoreBe16(to.data() + 2, sequence_++);
  StoreBe32(to.data() + 4,
            timestamp_offset_ + static_cast<uint32_t>(now.us() / 1000 * kTicksPerMillisecond));
  StoreBe32(to.data() + 8, options_.ssrc.value());
  return packet;
}

}  // namespace sluice
