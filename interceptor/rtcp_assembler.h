#ifndef INTERCEPTOR_RTCP_ASSEMBLER_H_
#define INTERCEPTOR_RTCP_ASSEMBLER_H_

#include "interceptor/interceptor_outbox.h"

namespace sluice {

// Puts the RTCP packets of a batch into as few datagrams as they fit.
class RtcpAssembler {
 public:
  // Staged packets become datagrams of at most kMaxRtcpDatagramSize bytes.
  void Assemble(InterceptorOutbox& out) const;
};

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_ASSEMBLER_H_
