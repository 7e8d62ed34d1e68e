#include "interceptor/rtcp_assembler.h"

#include <utility>

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

void RtcpAssembler::Assemble(InterceptorOutbox& out) const {
  PacketLoan datagram;
  for (size_t i = 0; i < out.staged_.size(); ++i) {
    const absl::Span<const uint8_t> packet = out.staged(i);
    if (datagram && datagram.size() + packet.size() > kMaxRtcpDatagramSize) {
      out.rtcp_.push_back(std::move(datagram));
    }
    if (!datagram) {
      datagram = out.packets_.Lend();
      if (!datagram) {
        ++out.rtcp_dropped_;
        continue;
      }
    }
    const size_t size = datagram.size();
    SLUICE_CHECK(datagram.Resize(size + packet.size()));
    CopyBytes(datagram.bytes().subspan(size), packet);
  }
  if (datagram) {
    out.rtcp_.push_back(std::move(datagram));
  }
  out.staged_.clear();
  out.staging_used_ = 0;
}

}  // namespace sluice
