#ifndef INTERCEPTOR_RTCP_COMPOUND_H_
#define INTERCEPTOR_RTCP_COMPOUND_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "absl/types/span.h"
#include "interceptor/rtcp/app.h"
#include "interceptor/rtcp/bye.h"
#include "interceptor/rtcp/ccfb.h"
#include "interceptor/rtcp/fir.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/rtcp/packet_writer.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/rtcp/receiver_report.h"
#include "interceptor/rtcp/remb.h"
#include "interceptor/rtcp/sdes.h"
#include "interceptor/rtcp/sender_report.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "interceptor/rtcp/xr.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

// ---- Reading. ----

// What became of the packets of one datagram.
struct RtcpReadCounts {
  size_t read = 0;
  // Of a type or format that is not known, or that nobody wanted.
  size_t skipped = 0;
  // Of a wanted type, but not as that type must be; or not of its own length, and then the last.
  size_t malformed = 0;
};

// Lambdas as one reader: RtcpReader{[&](const NackView& nack) {...}, [&](const ByeView&) {...}}.
template <typename... F>
struct RtcpReader : F... {
  using F::operator()...;
};
template <typename... F>
RtcpReader(F...) -> RtcpReader<F...>;

// Calls `reader` with each packet of a type that it takes, in order: `const SenderReportView&`,
// `const ReceiverReportView&`, `const SdesView&`, `const ByeView&`, `const AppView&`,
// `const XrView&`, `const NackView&`, `const PictureLoss&`, `const FullIntraRequestView&`,
// `const RembView&`, `const TransportFeedbackView&`, `const CcfbView&`. Types that it does not take
// are not parsed. A malformed packet is passed over; those before and behind it count. The views
// are good during the call.
template <typename Reader>
RtcpReadCounts ReadCompound(const RtcpPacketView& datagram, Reader&& reader);

// Whether the datagram is a compound that begins with a report and names its source (RFC 3550
// section 6.1); false for reduced-size RTCP (RFC 5506), which is just as legal where it was agreed
// upon.
bool IsFullCompound(const RtcpPacketView& datagram);

// ---- Writing. ----

// Whether packets may leave without a report and a CNAME in front (RFC 5506 section 3.4.1).
enum class RtcpMode : uint8_t { kCompound, kReducedSize };

enum class AddRtcpVerdict : uint8_t {
  kOk,
  // The buffer has no room for it; a smaller one may still fit.
  kNoRoom,
  // Not one packet of its own length (RFC 3550 section 6.4.1).
  kMalformed,
  // A full compound begins with a report (RFC 3550 section 6.1).
  kReportMissing,
};

// Puts RTCP packets behind each other in a buffer of the caller. What is refused leaves the
// datagram as it was.
class CompoundBuilder {
 public:
  CompoundBuilder(RtcpMode mode, absl::Span<uint8_t> buffer) : mode_(mode), buffer_(buffer) {}

  // Where the next packet may be written; then Commit its size.
  absl::Span<uint8_t> room() { return buffer_.subspan(size_); }
  // The first `size` bytes of the room are the next packet; 0, from a writer that found no room, is
  // kNoRoom.
  [[nodiscard]] AddRtcpVerdict Commit(size_t size);
  // Copies a packet. It may lie in the room.
  [[nodiscard]] AddRtcpVerdict Add(absl::Span<const uint8_t> packet);

  // Bytes so far.
  size_t size() const { return size_; }
  // The datagram's size, 0 when it may not leave: it is empty, or kCompound and without CNAME
  // (RFC 3550 section 6.1).
  size_t Finish() const { return mode_ == RtcpMode::kReducedSize || has_cname_ ? size_ : 0; }

 private:
  RtcpMode mode_;
  absl::Span<uint8_t> buffer_;
  size_t size_ = 0;
  bool has_cname_ = false;
};

// ---- What it is made of. ----

namespace compound_internal {

template <typename View, typename Reader>
void Offer(absl::Span<const uint8_t> packet, Reader& reader, RtcpReadCounts& counts) {
  if constexpr (std::is_invocable_v<Reader&, const View&>) {
    const std::optional<View> view = View::Parse(packet);
    if (!view.has_value()) {
      ++counts.malformed;
      return;
    }
    reader(*view);
    ++counts.read;
  } else {
    ++counts.skipped;
  }
}

template <typename Reader>
void OfferTransportFeedback(uint8_t format, absl::Span<const uint8_t> packet, Reader& reader,
                            RtcpReadCounts& counts) {
  switch (format) {
    case kGenericNackFormat:
      return Offer<NackView>(packet, reader, counts);
    case kCongestionControlFormat:
      return Offer<CcfbView>(packet, reader, counts);
    case kTransportFeedbackFormat:
      return Offer<TransportFeedbackView>(packet, reader, counts);
    default:
      ++counts.skipped;
  }
}

template <typename Reader>
void OfferPayloadFeedback(uint8_t format, absl::Span<const uint8_t> packet, Reader& reader,
                          RtcpReadCounts& counts) {
  switch (format) {
    case kPictureLossFormat:
      return Offer<PictureLoss>(packet, reader, counts);
    case kFullIntraRequestFormat:
      return Offer<FullIntraRequestView>(packet, reader, counts);
    case kApplicationLayerFormat:
      // Applications have others.
      if (RembView::IsRemb(packet)) {
        return Offer<RembView>(packet, reader, counts);
      }
      [[fallthrough]];
    default:
      ++counts.skipped;
  }
}

}  // namespace compound_internal

template <typename Reader>
RtcpReadCounts ReadCompound(const RtcpPacketView& datagram, Reader&& reader) {
  using compound_internal::Offer;
  RtcpReadCounts counts;
  const bool complete =
      datagram.ForEachPacket([&](uint8_t type, uint8_t count, absl::Span<const uint8_t> packet) {
        switch (type) {
          case kRtcpSenderReport:
            return Offer<SenderReportView>(packet, reader, counts);
          case kRtcpReceiverReport:
            return Offer<ReceiverReportView>(packet, reader, counts);
          case kRtcpSourceDescription:
            return Offer<SdesView>(packet, reader, counts);
          case kRtcpGoodbye:
            return Offer<ByeView>(packet, reader, counts);
          case kRtcpApplication:
            return Offer<AppView>(packet, reader, counts);
          case kRtcpTransportFeedback:
            return compound_internal::OfferTransportFeedback(count, packet, reader, counts);
          case kRtcpPayloadFeedback:
            return compound_internal::OfferPayloadFeedback(count, packet, reader, counts);
          case kRtcpExtendedReport:
            return Offer<XrView>(packet, reader, counts);
          default:
            ++counts.skipped;
        }
      });
  if (!complete) {
    ++counts.malformed;
  }
  return counts;
}

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_COMPOUND_H_
