#include "interceptor/interceptor_outbox.h"

#include <utility>

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

InterceptorOutbox::InterceptorOutbox(const InterceptorOutboxLimits& limits, PacketArena& packets,
                                     AttributesArena& attributes)
    : limits_(limits), packets_(packets), attributes_(attributes), staging_(limits.rtcp_bytes) {
  sends_.reserve(limits.rtp_packets);
  deliveries_.reserve(limits.rtp_packets);
  // Each staged packet may end up in a datagram of its own.
  rtcp_.reserve(limits.rtcp_packets);
  staged_.reserve(limits.rtcp_packets);
  events_.reserve(limits.events);
  event_positions_.reserve(limits.events);
}

bool InterceptorOutbox::SendRtp(PacketLoan packet, PacketSource source, AttributesRef attributes) {
  return Push(sends_, std::move(packet), source, attributes);
}

bool InterceptorOutbox::DeliverRtp(PacketLoan packet, PacketSource source,
                                   AttributesRef attributes) {
  return Push(deliveries_, std::move(packet), source, attributes);
}

bool InterceptorOutbox::Push(std::vector<OutboxRtp>& list, PacketLoan packet, PacketSource source,
                             AttributesRef attributes) {
  if (list.size() == limits_.rtp_packets) {
    ++rtp_dropped_;
    return false;
  }
  list.push_back({std::move(packet), source, attributes, position_});
  return true;
}

absl::Span<uint8_t> InterceptorOutbox::ReserveRtcp(size_t max_size) {
  SLUICE_DCHECK(max_size > 0 && max_size % 4 == 0);
  reserved_ = 0;
  if (max_size > kMaxRtcpPacketSize || max_size > staging_.size() - staging_used_ ||
      rtcp_.size() + staged_.size() >= limits_.rtcp_packets) {
    ++rtcp_dropped_;
    return {};
  }
  reserved_ = max_size;
  return absl::MakeSpan(staging_).subspan(staging_used_, max_size);
}

void InterceptorOutbox::CommitRtcp(size_t size) {
  SLUICE_CHECK(size <= reserved_) << size << " bytes of " << reserved_;
  reserved_ = 0;
  if (size == 0) {
    return;
  }
  const uint8_t* packet = staging_.data() + staging_used_;
  SLUICE_DCHECK(size >= 4 && (size_t{LoadBe16(packet + 2)} + 1) * 4 == size);
  static_cast<void>(packet);
  staged_.push_back({static_cast<uint32_t>(staging_used_), static_cast<uint32_t>(size)});
  staging_used_ += size;
}

bool InterceptorOutbox::Raise(const InterceptorEvent& event) {
  if (events_.size() == limits_.events) {
    ++events_dropped_;
    return false;
  }
  events_.push_back(event);
  event_positions_.push_back(position_);
  return true;
}

void InterceptorOutbox::EndBatch() {
  sends_.clear();
  deliveries_.clear();
  rtcp_.clear();
  events_.clear();
  event_positions_.clear();
  staged_.clear();
  staging_used_ = 0;
  reserved_ = 0;
  sends_passed_ = 0;
  deliveries_passed_ = 0;
  rtcp_passed_ = 0;
  events_told_ = 0;
  attributes_.ReturnAll();
}

}  // namespace sluice
