#ifndef INTERCEPTOR_RTCP_ASSEMBLER_H_
#define INTERCEPTOR_RTCP_ASSEMBLER_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/sdes.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Longest canonical name of ours; RFC 7022 section 4.2 asks for 96 bits as text, 16 bytes. With it
// an SDES packet has at most the 76 bytes that kMaxRtcpPacketSize leaves.
inline constexpr size_t kMaxCnameSize = 64;

// How a leg's RTCP leaves.
struct RtcpPolicy {
  // kReducedSize needs the peer's consent (RFC 5506 section 5).
  RtcpMode mode = RtcpMode::kCompound;
  // Who says "nothing to report" where a compound must begin with a report.
  Ssrc ssrc = Ssrc(0);
  // 1..kMaxCnameSize bytes.
  std::string cname;
};

// Puts the RTCP packets of a batch into as few datagrams as they fit: reports first, then the CNAME
// of each reporter (RFC 3550 section 6.1), then the rest in the order of writing. Where the policy
// asks for full compounds and there is no report, an empty one is put in front (RFC 3550
// section 6.4.2).
class RtcpAssembler {
 public:
  // The policy has been checked.
  explicit RtcpAssembler(RtcpPolicy policy) : policy_(std::move(policy)) {}

  // What is staged becomes datagrams of at most kMaxRtcpDatagramSize bytes. What finds no slot is
  // dropped and counted.
  void Assemble(InterceptorOutbox& out) const;

 private:
  // The datagram being filled; no loan: none.
  struct Open {
    PacketLoan packet;
    CompoundBuilder builder;
  };

  Open Begin(InterceptorOutbox& out) const;
  static void Close(Open& open, InterceptorOutbox& out);
  // Reports and CNAMEs. The last datagram stays open.
  Open AddReports(InterceptorOutbox& out) const;
  void AddCnames(absl::Span<const SdesCname> sources, Open& open) const;
  void AddPrefix(Open& open) const;

  const RtcpPolicy policy_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_ASSEMBLER_H_
