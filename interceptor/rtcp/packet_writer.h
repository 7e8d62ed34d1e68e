#ifndef INTERCEPTOR_RTCP_PACKET_WRITER_H_
#define INTERCEPTOR_RTCP_PACKET_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/bounded_writer.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Formats of feedback packets (RFC 4585 sections 6.2 and 6.3, RFC 5104 section 4.3.1, RFC 8888
// section 3.1, draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1,
// draft-alvestrand-rmcat-remb-03 section 2.2).
inline constexpr uint8_t kGenericNackFormat = 1;
inline constexpr uint8_t kCongestionControlFormat = 11;
inline constexpr uint8_t kTransportFeedbackFormat = 15;
inline constexpr uint8_t kPictureLossFormat = 1;
inline constexpr uint8_t kFullIntraRequestFormat = 4;
inline constexpr uint8_t kApplicationLayerFormat = 15;

// Writes one RTCP packet into a buffer of the caller, who keeps it alive. Once something did not
// fit, the packet cannot be finished any more; the codecs check nothing in between.
class RtcpPacketWriter {
 public:
  // Writes the header; its length is filled in by Finish. `count` is below 32.
  RtcpPacketWriter(absl::Span<uint8_t> buffer, uint8_t count, uint8_t type);

  void U8(uint8_t v) { ok_ = ok_ && writer_.WriteU8(v); }
  void U16(uint16_t v) { ok_ = ok_ && writer_.WriteU16(v); }
  void U24(uint32_t v) { ok_ = ok_ && writer_.WriteU24(v); }
  void U32(uint32_t v) { ok_ = ok_ && writer_.WriteU32(v); }
  void U64(uint64_t v) { ok_ = ok_ && writer_.WriteU64(v); }
  void PutSsrc(Ssrc ssrc) { U32(ssrc.value()); }
  void Bytes(absl::Span<const uint8_t> bytes) { ok_ = ok_ && writer_.WriteBytes(bytes); }
  // Zeros up to a multiple of four bytes.
  void Align();

  // Bytes that still fit; 0 once something did not.
  size_t remaining() const { return ok_ ? writer_.remaining() : 0; }

  // The packet's bytes, a multiple of four; 0 when something did not fit, or the packet is longer
  // than its length field can say: the buffer then holds no packet.
  size_t Finish();

 private:
  absl::Span<uint8_t> buffer_;
  ByteWriter writer_;
  bool ok_ = true;
};

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_PACKET_WRITER_H_
