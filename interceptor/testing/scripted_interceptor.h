#ifndef INTERCEPTOR_TESTING_SCRIPTED_INTERCEPTOR_H_
#define INTERCEPTOR_TESTING_SCRIPTED_INTERCEPTOR_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"

namespace sluice {

// An interceptor that does what the test says, and writes down each call as "<kind>: <call>" with
// the sequence numbers of RTP packets or the number of RTCP datagrams.
class ScriptedInterceptor : public Interceptor {
 public:
  using Log = std::vector<std::string>;

  // The log outlives the interceptor.
  ScriptedInterceptor(InterceptorKind kind, Log& log, InterceptorHooks hooks = AllHooks())
      : kind_(kind), hooks_(hooks), log_(log) {}

  static InterceptorHooks AllHooks() {
    return {.incoming_rtp = true,
            .incoming_rtcp = true,
            .outgoing_rtp = true,
            .outgoing_rtcp = true,
            .events = true,
            .timeout = true,
            .takes_packets = true};
  }

  // May be empty.
  std::function<void(absl::Span<InterceptedRtp>, InterceptorOutbox&)> on_incoming_rtp;
  std::function<void(absl::Span<InterceptedRtcp>, InterceptorOutbox&)> on_incoming_rtcp;
  std::function<void(absl::Span<InterceptedRtp>, InterceptorOutbox&)> on_outgoing_rtp;
  std::function<void(absl::Span<InterceptedRtcp>, InterceptorOutbox&)> on_outgoing_rtcp;
  std::function<void(const InterceptorEvent&, InterceptorOutbox&)> on_event;
  std::function<void(InterceptorOutbox&)> on_timeout;
  Timestamp next_timeout = Timestamp::PlusInfinity();

  InterceptorKind kind() const override { return kind_; }
  InterceptorHooks hooks() const override { return hooks_; }
  void OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override {
    Write(absl::StrCat("added ", Name(direction), " ", slot, " ", info.ssrc));
  }
  void OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) override {
    Write(absl::StrCat("removed ", Name(direction), " ", slot));
  }
  void OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override {
    Write(absl::StrCat("in", Numbers(packets)));
    if (on_incoming_rtp) on_incoming_rtp(packets, out);
  }
  void OnIncomingRtcp(Timestamp, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override {
    Write(absl::StrCat("rtcp in ", packets.size()));
    if (on_incoming_rtcp) on_incoming_rtcp(packets, out);
  }
  void OnOutgoingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override {
    Write(absl::StrCat("out", Numbers(packets)));
    if (on_outgoing_rtp) on_outgoing_rtp(packets, out);
  }
  void OnOutgoingRtcp(Timestamp, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override {
    Write(absl::StrCat("rtcp out ", packets.size()));
    if (on_outgoing_rtcp) on_outgoing_rtcp(packets, out);
  }
  void OnEvent(Timestamp, const InterceptorEvent& event, InterceptorOutbox& out) override {
    Write(absl::StrCat("event ", event.index()));
    if (on_event) on_event(event, out);
  }
  void OnTimeout(Timestamp, InterceptorOutbox& out) override {
    Write("timeout");
    if (on_timeout) on_timeout(out);
  }
  Timestamp NextTimeout() const override { return next_timeout; }

 private:
  static const char* Name(PacketDirection direction) {
    return direction == PacketDirection::kIncoming ? "incoming" : "outgoing";
  }
  static std::string Numbers(absl::Span<InterceptedRtp> packets) {
    std::string numbers;
    for (const InterceptedRtp& row : packets) {
      absl::StrAppend(&numbers, " ", row.view.sequence_number());
    }
    return numbers;
  }
  void Write(const std::string& what) {
    log_.push_back(absl::StrCat(InterceptorKindName(kind_), ": ", what));
  }

  const InterceptorKind kind_;
  const InterceptorHooks hooks_;
  Log& log_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TESTING_SCRIPTED_INTERCEPTOR_H_
