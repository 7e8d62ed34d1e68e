#include "quic/connection/datagram_outbox.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/check.h"
#include "quic/connection/udp_path.h"

namespace sluice {

DatagramOutbox::DatagramOutbox(size_t capacity)
    : capacity_(capacity), bytes_(capacity * kMaxDatagramSize) {
  datagrams_.reserve(capacity);
}

absl::Span<uint8_t> DatagramOutbox::Reserve() {
  if (full()) {
    ++times_full_;
    return {};
  }
  return absl::MakeSpan(bytes_).subspan(datagrams_.size() * kMaxDatagramSize, kMaxDatagramSize);
}

void DatagramOutbox::Commit(size_t size, const UdpPath& path, Ecn ecn) {
  SLUICE_CHECK(!full() && size <= kMaxDatagramSize);
  datagrams_.push_back(
      {path, ecn, absl::MakeConstSpan(bytes_).subspan(datagrams_.size() * kMaxDatagramSize, size)});
}

}  // namespace sluice
