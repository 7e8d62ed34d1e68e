// Any bytes as a list of operations on a leg with NACK both ways and a key-frame throttle: packets,
// retransmissions and feedback of any content, time, reports, streams that come and go. Every
// packet is somewhere and only once, what is asked for did not come before, retransmissions have
// one number after the other, and all that is held stays within its limits.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/keyframe/key_frame_throttle.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "tests/fuzz/fuzz_input.h"

namespace sluice {
namespace {

constexpr size_t kSlots = 64;
constexpr size_t kMaxMissing = 24;
constexpr uint8_t kStreams = 3;

// Media SSRC of a stream; its retransmissions have the next one. The third has none.
constexpr uint32_t SsrcOf(uint8_t stream) { return 0x100 + 2u * stream; }

constexpr std::array<uint32_t, kStreams> kMediaSsrcs = {SsrcOf(0), SsrcOf(1), SsrcOf(2)};

StreamInfo InfoOf(uint8_t stream) {
  StreamInfo info;
  info.ssrc = Ssrc(SsrcOf(stream));
  info.feedback.nack = true;
  info.feedback.picture_loss_indication = stream == 0;
  info.feedback.full_intra_request = true;
  info.video = stream != 1;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96), .codec = PayloadCodec::kVp8}));
  if (stream != 2) {
    info.retransmission_ssrc = Ssrc(SsrcOf(stream) + 1);
    SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(97),
                                 .role = PayloadRole::kRetransmission,
                                 .associated = PayloadType(96)}));
  }
  return info;
}

class Leg {
 public:
  // Whether packets may be sent again as they were.
  explicit Leg(bool plain)
      : plain_(plain),
        packets_(kSlots),
        attributes_(4),
        out_({.rtp_packets = 32}, packets_, attributes_) {
    auto generator = NackGenerator::Create(
        {.max_streams = 4, .window = 64, .max_missing = kMaxMissing, .max_gap = 16});
    auto responder = NackResponder::Create({.max_streams = 4,
                                            .history_packets = 16,
                                            .history_bytes = 4096,
                                            .max_requests = 64,
                                            .plain_retransmission = plain},
                                           random_);
    auto throttle = KeyFrameThrottle::Create({.max_streams = 4});
    SLUICE_CHECK(generator.ok() && responder.ok() && throttle.ok());
    generator_ = generator->get();
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(*std::move(generator));
    list.push_back(*std::move(responder));
    list.push_back(*std::move(throttle));
    auto chain = InterceptorChain::Create(
        std::move(list),
        {.max_streams = 4, .rtcp = {.mode = RtcpMode::kReducedSize, .cname = "fuzz"}});
    SLUICE_CHECK(chain.ok());
    chain_ = *std::move(chain);
  }

  void Do(FuzzInput& input) {
    const uint8_t operation = input.Byte();
    const auto stream = static_cast<uint8_t>(operation / 16 % kStreams);
    switch (operation % 16) {
      case 0:
        now_ += TimeDelta::Micros(int64_t{input.Word()} * 16);
        break;
      case 1: {
        const uint16_t sequence = input.Word();
        Rtp(PacketDirection::kIncoming, SsrcOf(stream), 96, sequence, input.Bytes(4));
        break;
      }
      case 2:  // The next one, or one further on.
        incoming_[stream] = static_cast<uint16_t>(incoming_[stream] + input.Byte() % 20);
        Rtp(PacketDirection::kIncoming, SsrcOf(stream), 96, incoming_[stream], {});
        break;
      case 3: {
        const uint16_t sequence = input.Word();
        const size_t size = input.Byte() % 8;
        Rtp(PacketDirection::kIncoming, SsrcOf(stream) + 1, 97, sequence, input.Bytes(size));
        break;
      }
      case 4: {
        const size_t size = input.Byte();
        Rtp(PacketDirection::kOutgoing, SsrcOf(stream), 96, ++outgoing_[stream], input.Bytes(size));
        break;
      }
      case 5: {
        const auto payload_type = static_cast<uint8_t>(input.Byte() & 0x7F);
        Rtp(PacketDirection::kOutgoing, SsrcOf(stream), payload_type, input.Word(), {});
        break;
      }
      case 6:
        NackItems(stream, input.Byte() % 16, input);
        break;
      case 7:  // What was sent last.
        NackLast(stream, input.Word());
        break;
      case 8:
        Datagram(input.Bytes(input.Byte()));
        break;
      case 9:
        Event(RoundTripMeasured{TimeDelta::Micros(int64_t{input.Word()} * 256 - 4096)});
        break;
      case 10:
        Event(KeyFrameNeeded{Ssrc(SsrcOf(stream))});
        break;
      case 11:
        Timeout();
        break;
      case 12:
        Toggle(PacketDirection::kIncoming, stream);
        break;
      case 13:
        Toggle(PacketDirection::kOutgoing, stream);
        break;
      case 14:
        Raw(input.Bytes(input.Byte()));
        break;
      default:
        now_ += TimeDelta::Millis(100);
        Timeout();
    }
    SLUICE_CHECK(generator_->missing() <= kMaxMissing * kStreams);
    SLUICE_CHECK(packets_.free() == packets_.capacity());
  }

 private:
  void Rtp(PacketDirection direction, uint32_t ssrc, uint8_t payload_type, uint16_t sequence,
           absl::Span<const uint8_t> payload) {
    std::vector<uint8_t> bytes(12);
    bytes[0] = 0x80;
    bytes[1] = payload_type;
    StoreBe16(&bytes[2], sequence);
    StoreBe32(&bytes[8], ssrc);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    Pass(direction, bytes);
  }
  // Any bytes that are a packet.
  void Raw(absl::Span<const uint8_t> bytes) {
    Pass(PacketDirection::kIncoming, bytes);
    Pass(PacketDirection::kOutgoing, bytes);
  }
  void Pass(PacketDirection direction, absl::Span<const uint8_t> bytes) {
    PacketLoan loan = packets_.Lend();
    SLUICE_CHECK(loan && loan.Resize(bytes.size()));
    CopyBytes(loan.bytes(), bytes);
    std::optional<InterceptedRtp> row = InterceptedRtp::Of(loan);
    if (!row.has_value()) {
      return;
    }
    const bool incoming = direction == PacketDirection::kIncoming;
    const Ssrc ssrc = row->view.ssrc();
    const uint64_t far = generator_->counters().far;
    const absl::Span<InterceptedRtp> left =
        incoming ? chain_->OnIncomingRtp(now_, absl::MakeSpan(&*row, 1), out_)
                 : chain_->OnOutgoingRtp(now_, absl::MakeSpan(&*row, 1), out_);
    if (!incoming) {
      SLUICE_CHECK(left.size() == 1);
    }
    // Media is never taken.
    SLUICE_CHECK(left.size() == 1 || IsRetransmission(ssrc));
    if (incoming && left.size() == 1 && generator_->counters().far == far) {
      Remember(left[0].view);
    }
    Collect();
  }
  static bool IsRetransmission(Ssrc ssrc) {
    return ssrc == Ssrc(SsrcOf(0) + 1) || ssrc == Ssrc(SsrcOf(1) + 1);
  }
  void Nack(uint32_t ssrc, absl::Span<const uint8_t> items) {
    std::vector<uint8_t> bytes(12);
    bytes[0] = 0x81;
    bytes[1] = 205;
    StoreBe16(&bytes[2], static_cast<uint16_t>(2 + items.size() / 4));
    StoreBe32(&bytes[8], ssrc);
    bytes.insert(bytes.end(), items.begin(), items.end());
    Datagram(bytes);
  }
  void NackItems(uint8_t stream, size_t count, FuzzInput& input) {
    const absl::Span<const uint8_t> items = input.Bytes(4 * count);
    Nack(SsrcOf(stream), items.first(items.size() / 4 * 4));
  }
  void NackLast(uint8_t stream, uint16_t mask) {
    std::array<uint8_t, 4> item;
    StoreBe16(&item[0], static_cast<uint16_t>(outgoing_[stream] - 10));
    StoreBe16(&item[2], mask);
    Nack(SsrcOf(stream), item);
  }
  void Datagram(absl::Span<const uint8_t> bytes) {
    PacketLoan loan = packets_.Lend();
    SLUICE_CHECK(loan && loan.Resize(bytes.size()));
    CopyBytes(loan.bytes(), bytes);
    std::optional<InterceptedRtcp> row = InterceptedRtcp::Of(loan);
    if (row.has_value()) {
      SLUICE_CHECK(chain_->OnIncomingRtcp(now_, absl::MakeSpan(&*row, 1), out_).size() == 1);
      Collect();
    }
  }
  void Event(const InterceptorEvent& event) {
    chain_->OnEvent(now_, event, out_);
    Collect();
  }
  void Timeout() {
    chain_->OnTimeout(now_, out_);
    Collect();
    // Or the worker would turn in a loop.
    SLUICE_CHECK(chain_->NextTimeout() > now_);
  }
  void Toggle(PacketDirection direction, uint8_t stream) {
    bool& there = there_[static_cast<size_t>(direction)][stream];
    if (there) {
      SLUICE_CHECK(chain_->RemoveStream(now_, direction, Ssrc(SsrcOf(stream))));
    } else {
      SLUICE_CHECK(chain_->AddStream(now_, direction, InfoOf(stream)) == AddStreamVerdict::kOk);
    }
    there = !there;
    if (direction == PacketDirection::kIncoming) {
      last_received_[stream].reset();
    }
  }

  // The packet is in the receive log of its stream now, original or restored.
  void Remember(const RtpPacketView& packet) {
    for (uint8_t stream = 0; stream < kStreams; ++stream) {
      if (packet.ssrc() == Ssrc(SsrcOf(stream))) {
        last_received_[stream] = packet.sequence_number().value();
      }
    }
  }

  // What the chain made of a call.
  void Collect() {
    for (OutboxRtp& entry : out_.sends()) {
      SLUICE_CHECK(entry.source == PacketSource::kRetransmission);
      const std::optional<InterceptedRtp> row = InterceptedRtp::Of(entry.packet);
      SLUICE_CHECK(row.has_value());
      CheckRetransmission(*row);
    }
    for (const PacketLoan& datagram : out_.rtcp()) {
      CheckFeedback(datagram.bytes());
    }
    out_.EndBatch();
  }
  void CheckRetransmission(const InterceptedRtp& packet) {
    for (uint8_t stream = 0; stream < kStreams; ++stream) {
      if (packet.view.ssrc() == Ssrc(SsrcOf(stream) + 1)) {
        const uint16_t sequence = packet.view.sequence_number().value();
        std::optional<uint16_t>& last = last_retransmission_[stream];
        SLUICE_CHECK(!last.has_value() || sequence == static_cast<uint16_t>(*last + 1));
        SLUICE_CHECK(packet.view.payload().size() >= 2);
        last = sequence;
        return;
      }
    }
    SLUICE_CHECK(plain_);
    SLUICE_CHECK(std::any_of(kMediaSsrcs.begin(), kMediaSsrcs.end(),
                             [&](uint32_t ssrc) { return packet.view.ssrc() == Ssrc(ssrc); }));
  }
  void CheckFeedback(absl::Span<const uint8_t> datagram) {
    const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(datagram);
    SLUICE_CHECK(view.has_value());
    const RtcpReadCounts counts =
        ReadCompound(*view, RtcpReader{[&](const NackView& nack) { CheckNack(nack); },
                                       [&](const PictureLoss& loss) { CheckPresent(loss.media); },
                                       [&](const FullIntraRequestView& request) {
                                         for (size_t i = 0; i < request.target_count(); ++i) {
                                           CheckPresent(request.target(i).ssrc);
                                         }
                                       }});
    SLUICE_CHECK(counts.skipped == 0 && counts.malformed == 0);
  }
  void CheckNack(const NackView& nack) {
    const uint8_t stream = CheckPresent(nack.media());
    size_t asked = 0;
    nack.ForEachMissing([&](SequenceNumber) { ++asked; });
    SLUICE_CHECK(asked <= kMaxMissing);
    // Nothing came behind the last packet, so it is not missing.
    nack.ForEachMissing(
        [&](SequenceNumber number) { SLUICE_CHECK(last_received_[stream] != number.value()); });
  }
  // Feedback is about streams that are there.
  uint8_t CheckPresent(Ssrc ssrc) const {
    for (uint8_t stream = 0; stream < kStreams; ++stream) {
      if (ssrc == Ssrc(SsrcOf(stream))) {
        SLUICE_CHECK(there_[static_cast<size_t>(PacketDirection::kIncoming)][stream]);
        return stream;
      }
    }
    SLUICE_CHECK(false) << "feedback about nobody";
    return 0;
  }

  const bool plain_;
  SeededRandom random_{1};
  PacketArena packets_;
  AttributesArena attributes_;
  InterceptorOutbox out_;
  std::unique_ptr<InterceptorChain> chain_;
  NackGenerator* generator_;
  Timestamp now_ = Timestamp::Zero();
  // By direction and stream.
  std::array<std::array<bool, kStreams>, 2> there_ = {};
  std::array<uint16_t, kStreams> incoming_ = {};
  std::array<uint16_t, kStreams> outgoing_ = {};
  // The last packet that came, where it is known to be in the log.
  std::array<std::optional<uint16_t>, kStreams> last_received_;
  std::array<std::optional<uint16_t>, kStreams> last_retransmission_;
};

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const bool plain : {false, true}) {
    sluice::FuzzInput input(absl::MakeConstSpan(data, size));
    sluice::Leg leg(plain);
    while (!input.empty()) {
      leg.Do(input);
    }
  }
  return 0;
}
