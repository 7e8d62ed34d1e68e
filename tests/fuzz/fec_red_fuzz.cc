// Any bytes as a list of operations on two legs with forward error correction and redundancy, and
// on the wire between them: packets that are lost, repeated, swapped and spoilt, repair packets and
// redundancy of any content, numbers that jump, time, streams that come and go. What comes out is a
// packet, and as long as the wire only loses, repeats and swaps, it is one that was sent; every
// slot is returned.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
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
#include "interceptor/fec/forward_error_correction.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/red/redundancy.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "tests/fuzz/fuzz_input.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSlots = 96;
constexpr size_t kWire = 24;
constexpr size_t kParities = 6;
constexpr uint8_t kMediaType = 96;
constexpr uint8_t kRedType = 63;
constexpr uint8_t kFecType = 110;

// The first has parity, the second redundancy, the third both.
constexpr uint8_t kStreams = 3;
constexpr uint32_t SsrcOf(uint8_t stream) { return 0x100 * (stream + 1u); }

StreamInfo InfoOf(uint8_t stream) {
  StreamInfo info;
  info.ssrc = Ssrc(SsrcOf(stream));
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(kMediaType)}));
  if (stream != 1) {
    info.repair_ssrc = Ssrc(SsrcOf(stream) + 1);
    SLUICE_CHECK(info.AddFormat(
        {.payload_type = PayloadType(kFecType), .role = PayloadRole::kForwardErrorCorrection}));
  }
  if (stream != 0) {
    SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(kRedType),
                                 .role = PayloadRole::kRedundancy,
                                 .associated = PayloadType(kMediaType)}));
  }
  return info;
}

Bytes Packet(uint32_t ssrc, uint8_t payload_type, uint16_t sequence,
             absl::Span<const uint8_t> payload) {
  Bytes bytes(12 + payload.size());
  bytes[0] = 0x80;
  bytes[1] = payload_type;
  StoreBe16(&bytes[2], sequence);
  StoreBe32(&bytes[4], 960u * sequence);
  StoreBe32(&bytes[8], ssrc);
  CopyBytes(absl::MakeSpan(bytes).subspan(12), payload);
  return bytes;
}

// The one packet that a stream ever has with this number.
Bytes Media(uint8_t stream, uint16_t sequence) {
  Bytes payload(sequence * 7u % 50);
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<uint8_t>(sequence + (sequence >> 8) + i * (stream + 1u));
  }
  return Packet(SsrcOf(stream), kMediaType, sequence, payload);
}

ForwardErrorCorrectionOptions FecOptions(uint8_t choice) {
  ForwardErrorCorrectionOptions options = {
      .max_streams = 4,
      .encoder = {.layout = {.columns = 3}, .max_packet_size = 100},
      .decoder = {.media_packets = 24, .parity_packets = kParities, .max_packet_size = 100}};
  if (choice % 4 == 1) {
    options.encoder.layout = {.columns = 3, .rows = 3, .column_parity = true};
  } else if (choice % 4 == 2) {
    options.encoder.layout = {.columns = 4, .rows = 5, .row_parity = false, .column_parity = true};
  } else if (choice % 4 == 3) {
    options.encoder.layout = {.columns = 109};
  }
  return options;
}

class Leg {
 public:
  explicit Leg(uint8_t choice)
      : packets_(kSlots), out_({.rtp_packets = 32}, packets_, attributes_) {
    auto fec = ForwardErrorCorrection::Create(FecOptions(choice), random_);
    auto red = Redundancy::Create({.max_streams = 4, .encoder = {.blocks = 1u + choice / 4 % 2}});
    SLUICE_CHECK(fec.ok() && red.ok());
    fec_ = fec->get();
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(*std::move(fec));
    list.push_back(*std::move(red));
    auto chain = InterceptorChain::Create(
        std::move(list),
        {.max_streams = 4, .rtcp = {.mode = RtcpMode::kReducedSize, .cname = "fuzz"}});
    SLUICE_CHECK(chain.ok());
    chain_ = *std::move(chain);
  }
  ~Leg() {
    for (uint8_t stream = 0; stream < kStreams; ++stream) {
      for (const auto direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
        chain_->RemoveStream(now_, direction, Ssrc(SsrcOf(stream)));
      }
    }
    SLUICE_CHECK(packets_.free() == packets_.capacity());
  }

  void Toggle(PacketDirection direction, uint8_t stream) {
    if (!chain_->RemoveStream(now_, direction, Ssrc(SsrcOf(stream)))) {
      SLUICE_CHECK(chain_->AddStream(now_, direction, InfoOf(stream)) == AddStreamVerdict::kOk);
    }
  }
  // What goes out, or what is left of what came, in order; nothing for bytes that are no packet.
  std::vector<Bytes> Pass(PacketDirection direction, absl::Span<const uint8_t> bytes) {
    PacketLoan loan = packets_.Lend();
    if (!loan || !loan.Resize(bytes.size())) {
      return {};
    }
    CopyBytes(loan.bytes(), bytes);
    std::optional<InterceptedRtp> row = InterceptedRtp::Of(loan);
    if (!row.has_value()) {
      return {};
    }
    const bool incoming = direction == PacketDirection::kIncoming;
    const absl::Span<InterceptedRtp> left =
        incoming ? chain_->OnIncomingRtp(now_, absl::MakeSpan(&*row, 1), out_)
                 : chain_->OnOutgoingRtp(now_, absl::MakeSpan(&*row, 1), out_);
    SLUICE_CHECK(incoming || left.size() == 1);
    std::vector<Bytes> all;
    for (const InterceptedRtp& packet : left) {
      Add(packet.packet->bytes(), all);
    }
    Collect(all);
    return all;
  }
  std::vector<Bytes> Advance(TimeDelta by) {
    now_ += by;
    std::vector<Bytes> all;
    if (chain_->NextTimeout() <= now_) {
      chain_->OnTimeout(now_, out_);
      SLUICE_CHECK(chain_->NextTimeout() > now_);
      Collect(all);
    }
    return all;
  }
  void CheckBounds() const {
    SLUICE_CHECK(fec_->waiting() <= kParities);
    SLUICE_CHECK(out_.rtp_malformed() == 0);
  }

 private:
  static void Add(absl::Span<const uint8_t> packet, std::vector<Bytes>& all) {
    SLUICE_CHECK(RtpPacketView::Parse(packet).has_value());
    all.emplace_back(packet.begin(), packet.end());
  }
  void Collect(std::vector<Bytes>& all) {
    for (const auto list : {out_.sends(), out_.deliveries()}) {
      for (OutboxRtp& made : list) {
        if (made.packet) Add(made.packet.bytes(), all);
      }
    }
    out_.EndBatch();
  }

  Timestamp now_ = Timestamp::Zero();
  SeededRandom random_{1};
  PacketArena packets_;
  AttributesArena attributes_{0};
  InterceptorOutbox out_;
  ForwardErrorCorrection* fec_;
  std::unique_ptr<InterceptorChain> chain_;
};

class Call {
 public:
  explicit Call(uint8_t choice) : sender_(choice), receiver_(choice) {
    for (uint8_t stream = 0; stream < kStreams; ++stream) {
      sender_.Toggle(PacketDirection::kOutgoing, stream);
      receiver_.Toggle(PacketDirection::kIncoming, stream);
    }
  }

  void Do(FuzzInput& input) {
    const uint8_t operation = input.Byte();
    const auto stream = static_cast<uint8_t>(operation / 16 % kStreams);
    switch (operation % 16) {
      case 0:
        Put(sender_.Advance(TimeDelta::Micros(int64_t{input.Word()} * 16)));
        break;
      case 1:
      case 2:
        Put(sender_.Pass(PacketDirection::kOutgoing, Media(stream, next_[stream]++)));
        break;
      case 3:  // Several, and what they were lost with.
        for (int i = input.Byte() % 16; i > 0; --i) {
          Put(sender_.Pass(PacketDirection::kOutgoing, Media(stream, next_[stream]++)));
        }
        break;
      case 4:
        Jump(stream, static_cast<uint16_t>(next_[stream] + input.Byte() - 100));
        break;
      case 5:
        Jump(stream, input.Word());
        break;
      case 6:
      case 7:
        Arrive(wire_.size());
        break;
      case 8:
        Arrive(1);
        break;
      case 9:
        if (!wire_.empty()) wire_.pop_front();
        break;
      case 10:
        if (!wire_.empty()) wire_.push_back(wire_[input.Byte() % wire_.size()]);
        break;
      case 11:
        if (wire_.size() > 1) std::swap(wire_[0], wire_[input.Byte() % wire_.size()]);
        break;
      case 12:
        Spoil(input);
        break;
      case 13:
        Hostile(stream, input);
        break;
      case 14:
        sender_.Toggle(PacketDirection::kOutgoing, stream);
        break;
      default:
        receiver_.Toggle(PacketDirection::kIncoming, stream);
    }
    sender_.CheckBounds();
    receiver_.CheckBounds();
  }

 private:
  void Jump(uint8_t stream, uint16_t to) {
    next_[stream] = to;
    // What a packet repeats depends on what was before it: where both mechanisms are at work, a
    // number that is used again is another packet, and parity cannot know.
    honest_ = honest_ && stream != 2;
  }
  // What has no room is lost.
  void Put(const std::vector<Bytes>& packets) {
    for (const Bytes& packet : packets) {
      if (wire_.size() < kWire) wire_.push_back(packet);
    }
  }
  void Arrive(size_t count) {
    for (; count > 0 && !wire_.empty(); --count) {
      const Bytes packet = std::move(wire_.front());
      wire_.pop_front();
      Come(packet);
    }
  }
  void Come(absl::Span<const uint8_t> bytes) {
    for (const Bytes& packet : receiver_.Pass(PacketDirection::kIncoming, bytes)) {
      if (honest_) CheckSent(packet);
    }
  }
  void CheckSent(const Bytes& packet) const {
    const RtpPacketView view = *RtpPacketView::Parse(packet);
    for (uint8_t stream = 0; stream < kStreams; ++stream) {
      if (view.ssrc() == Ssrc(SsrcOf(stream)) && view.payload_type() == PayloadType(kMediaType)) {
        SLUICE_CHECK(packet == Media(stream, view.sequence_number().value()));
        return;
      }
    }
    // Repair or redundancy of a stream that the receiver does not have.
  }
  void Spoil(FuzzInput& input) {
    if (wire_.empty()) {
      return;
    }
    honest_ = false;
    Bytes& packet = wire_[input.Byte() % wire_.size()];
    const size_t at = input.Byte() % packet.size();
    packet[at] = static_cast<uint8_t>(packet[at] ^ input.Byte());
  }
  // Repair, redundancy, or any bytes.
  void Hostile(uint8_t stream, FuzzInput& input) {
    honest_ = false;
    const uint8_t kind = input.Byte();
    const uint16_t sequence = static_cast<uint16_t>(next_[stream] + kind / 4 - 20);
    Bytes payload;
    const absl::Span<const uint8_t> taken = input.Bytes(input.Byte());
    payload.assign(taken.begin(), taken.end());
    if (kind % 4 == 0 && payload.size() >= 20) {
      payload[0] &= 0x3F;
      payload[8] = 1;
      StoreBe32(&payload[12], SsrcOf(stream));
      StoreBe16(&payload[16], sequence);
    }
    switch (kind % 4) {
      case 0:
      case 1:
        Come(Packet(SsrcOf(stream) + 1, kFecType, sequence, payload));
        break;
      case 2:
        Come(Packet(SsrcOf(stream), kRedType, sequence, payload));
        break;
      default:
        Come(payload);
        sender_.Pass(PacketDirection::kOutgoing, payload);
    }
  }

  Leg sender_;
  Leg receiver_;
  std::array<uint16_t, kStreams> next_ = {0, 65530, 1000};
  std::deque<Bytes> wire_;
  // Nobody spoilt anything yet.
  bool honest_ = true;
};

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sluice::FuzzInput input(absl::MakeConstSpan(data, size));
  sluice::Call call(input.Byte());
  while (!input.empty()) {
    call.Do(input);
  }
  return 0;
}
