#ifndef INTERCEPTOR_TESTING_CHAIN_HARNESS_H_
#define INTERCEPTOR_TESTING_CHAIN_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "base/timestamp.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp_assembler.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What came out of one call of a chain, copied, so that it may be compared at leisure.
struct ChainOutput {
  using Bytes = std::vector<uint8_t>;

  // What the call left of its batch.
  std::vector<Bytes> passed;
  // What interceptors made, in order.
  std::vector<Bytes> sent;
  std::vector<Bytes> delivered;
  std::vector<Bytes> rtcp;
  std::vector<InterceptorEvent> events;

  // The events of one type, in order.
  template <typename Event>
  std::vector<Event> EventsOf() const {
    std::vector<Event> result;
    for (const InterceptorEvent& event : events) {
      if (const Event* wanted = std::get_if<Event>(&event)) {
        result.push_back(*wanted);
      }
    }
    return result;
  }
};

struct ChainHarnessOptions {
  size_t packet_slots = 1024;
  size_t attributes = 256;
  InterceptorOutboxLimits outbox;
  // Reduced-size, so that a test finds what its interceptor wrote and nothing in front of it.
  ChainOptions chain = {
      .rtcp = {.mode = RtcpMode::kReducedSize, .ssrc = Ssrc(1), .cname = "harness"}};
};

// A chain with arenas and outbox, given packets as bytes. Each call is one batch, ended before it
// returns. A packet that is no RTP or RTCP, or finds no slot, fails the test.
class ChainHarness {
 public:
  using Bytes = std::vector<uint8_t>;

  explicit ChainHarness(std::vector<std::unique_ptr<Interceptor>> interceptors,
                        const ChainHarnessOptions& options = {});
  // With one interceptor.
  explicit ChainHarness(std::unique_ptr<Interceptor> interceptor,
                        const ChainHarnessOptions& options = {});

  ChainOutput IncomingRtp(Timestamp now, const std::vector<Bytes>& packets);
  ChainOutput OutgoingRtp(Timestamp now, const std::vector<Bytes>& packets);
  ChainOutput IncomingRtcp(Timestamp now, const std::vector<Bytes>& packets);
  ChainOutput OutgoingRtcp(Timestamp now, const std::vector<Bytes>& packets);
  ChainOutput Event(Timestamp now, const InterceptorEvent& event);
  ChainOutput Timeout(Timestamp now);

  InterceptorChain& chain() { return *chain_; }
  InterceptorOutbox& outbox() { return outbox_; }
  PacketArena& packets() { return packets_; }
  AttributesArena& attributes() { return attributes_; }
  // Slots that are not free: those that interceptors hold.
  size_t slots_held() const { return packets_.capacity() - packets_.free(); }

 private:
  template <auto kCall, typename Row>
  ChainOutput Pass(Timestamp now, const std::vector<Bytes>& packets);
  // What the outbox has; ends the batch.
  void Collect(ChainOutput& output);

  // The chain goes first: its interceptors hold loans.
  PacketArena packets_;
  AttributesArena attributes_;
  InterceptorOutbox outbox_;
  std::unique_ptr<InterceptorChain> chain_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TESTING_CHAIN_HARNESS_H_
