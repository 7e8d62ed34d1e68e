#include "interceptor/fec/parity_sum.h"

#include <algorithm>

#include "base/byte_order.h"
#include "interceptor/fec/xor_bytes.h"

namespace sluice {
namespace {

constexpr uint16_t kVersionBits = 0xC000;
constexpr uint8_t kVersion = 0x80;

}  // namespace

bool ParitySum::Begin(const RecoveryFields& fields, absl::Span<const uint8_t> payload) {
  if (payload.size() > storage_.size()) {
    return false;
  }
  fields_ = fields;
  size_ = payload.size();
  CopyBytes(storage_, payload);
  return true;
}

bool ParitySum::Add(const RtpPacketView& packet, const StreamExtensions& extensions) {
  const absl::Span<const uint8_t> bytes = packet.bytes();
  const absl::Span<const uint8_t> rest = bytes.subspan(kRtpFixedHeaderSize);
  if (rest.size() > storage_.size()) {
    return false;
  }
  fields_.flags ^= LoadBe16(&bytes[0]) & static_cast<uint16_t>(~kVersionBits);
  fields_.length ^= static_cast<uint16_t>(rest.size());
  fields_.timestamp ^= packet.timestamp().value();
  // What lies behind the longest packet so far is not zero but old: it is copied over.
  const size_t shared = std::min(size_, rest.size());
  XorBytes(storage_, rest.first(shared));
  CopyBytes(storage_.subspan(shared), rest.subspan(shared));
  size_ = std::max(size_, rest.size());
  if (packet.has_extension()) {
    packet.ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
      if (id == extensions.transport_sequence || id == extensions.absolute_send_time) {
        const auto offset = static_cast<size_t>(data.data() - rest.data());
        XorBytes(storage_.subspan(offset), data);
      }
    });
  }
  return true;
}

bool ParitySum::WritePacket(Ssrc ssrc, SequenceNumber sequence, PacketLoan& to) const {
  const size_t size = kRtpFixedHeaderSize + fields_.length;
  if (fields_.length > size_ || size > kMaxDatagramSize || !to.Resize(size)) {
    return false;
  }
  const absl::Span<uint8_t> bytes = to.bytes();
  StoreBe16(&bytes[0], static_cast<uint16_t>(fields_.flags & ~kVersionBits));
  bytes[0] |= kVersion;
  StoreBe16(&bytes[2], sequence.value());
  StoreBe32(&bytes[4], fields_.timestamp);
  StoreBe32(&bytes[8], ssrc.value());
  CopyBytes(bytes.subspan(kRtpFixedHeaderSize), payload().first(fields_.length));
  return true;
}

}  // namespace sluice
