// Any bytes as a list of operations on a leg with transport-wide feedback both ways, an estimator
// and a pacer: packets and feedback of any content, feedback about what was really sent, time,
// targets, streams that come and go. Numbers count up without a gap, every packet is somewhere and
// only once, feedback is well formed and bounded, and the target stays within its bounds.

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
#include "base/data_rate.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/bwe/bandwidth_estimator.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/pacer/pacer.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/stream_info.h"
#include "interceptor/twcc/transport_wide_feedback.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "tests/fuzz/fuzz_input.h"

namespace sluice {
namespace {

constexpr size_t kSlots = 64;
constexpr size_t kQueue = 8;
constexpr uint8_t kStreams = 2;
constexpr uint32_t kProbe = 0x300;
constexpr uint8_t kId = 5;
constexpr DataRate kMin = DataRate::KilobitsPerSec(30);
constexpr DataRate kMax = DataRate::KilobitsPerSec(5000);

constexpr uint32_t SsrcOf(uint8_t stream) { return 0x100 + stream; }

StreamInfo InfoOf(uint32_t ssrc) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.feedback.transport_wide = true;
  info.extensions.transport_sequence = kId;
  // The first one is audio.
  info.video = ssrc != SsrcOf(0);
  return info;
}

std::vector<uint8_t> RtpBytes(uint32_t ssrc, uint16_t sequence, absl::Span<const uint8_t> tail) {
  std::vector<uint8_t> bytes(12);
  bytes[0] = 0x80;
  bytes[1] = 96;
  StoreBe16(&bytes[2], sequence);
  StoreBe32(&bytes[8], ssrc);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

class Leg {
 public:
  Leg() : packets_(kSlots), attributes_(8), out_({.rtp_packets = 64}, packets_, attributes_) {
    auto feedback = TransportWideFeedback::Create({.sender = Ssrc(7),
                                                   .max_streams = 4,
                                                   .arrival_log = 64,
                                                   .send_log = 64,
                                                   .max_reports = 32});
    auto estimator = BandwidthEstimator::Create({.min = kMin, .max = kMax, .max_packets = 32});
    auto pacer = Pacer::Create({.max_streams = 4,
                                .queue = kQueue,
                                .retransmission_queue = kQueue,
                                .probe_stream = {{Ssrc(kProbe), PayloadType(127)}}},
                               random_);
    SLUICE_CHECK(feedback.ok() && estimator.ok() && pacer.ok());
    estimator_ = estimator->get();
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(*std::move(feedback));
    list.push_back(*std::move(estimator));
    list.push_back(*std::move(pacer));
    auto chain = InterceptorChain::Create(
        std::move(list),
        {.max_streams = 4, .rtcp = {.mode = RtcpMode::kReducedSize, .cname = "fuzz"}});
    SLUICE_CHECK(chain.ok());
    chain_ = *std::move(chain);
    SLUICE_CHECK(chain_->AddStream(now_, PacketDirection::kOutgoing, InfoOf(kProbe)) ==
                 AddStreamVerdict::kOk);
  }

  void Do(FuzzInput& input) {
    const uint8_t operation = input.Byte();
    const auto stream = static_cast<uint8_t>(operation / 16 % kStreams);
    switch (operation % 16) {
      case 0:
        now_ += TimeDelta::Micros(int64_t{input.Word()} * 16);
        break;
      case 1:
        now_ += TimeDelta::Millis(20);
        Timeout();
        break;
      case 2: {
        const size_t size = input.Byte();
        Pass(PacketDirection::kOutgoing, RtpBytes(SsrcOf(stream), ++sequence_, input.Bytes(size)));
        break;
      }
      case 3:  // The number after the last one, or one further on.
        Numbered(stream, incoming_ = static_cast<uint16_t>(incoming_ + input.Byte() % 8));
        break;
      case 4:
        Numbered(stream, input.Word());
        break;
      case 5:
        Timeout();
        break;
      case 6:
        Feedback(input);
        break;
      case 7:
        Answer(input.Word());
        break;
      case 8:
        Datagram(input.Bytes(input.Byte()));
        break;
      case 9:
        Event(TargetRateChanged{DataRate::KilobitsPerSec(input.Word())});
        break;
      case 10:
        Event(ProbeWanted{input.Byte(), DataRate::KilobitsPerSec(input.Word()),
                          TimeDelta::Millis(input.Byte())});
        break;
      case 11:
        Event(RoundTripMeasured{TimeDelta::Micros(int64_t{input.Word()} * 256 - 4096)});
        break;
      case 12:
        Toggle(PacketDirection::kIncoming, stream);
        break;
      case 13:
        Toggle(PacketDirection::kOutgoing, stream);
        break;
      case 14:
        Pass(PacketDirection::kIncoming, input.Bytes(input.Byte()));
        break;
      default:
        Pass(PacketDirection::kOutgoing, input.Bytes(input.Byte()));
    }
    SLUICE_CHECK(packets_.capacity() - packets_.free() <= 2 * kQueue);
    const DataRate target = estimator_->estimator().target();
    SLUICE_CHECK(target >= kMin && target <= kMax);
  }

 private:
  void Pass(PacketDirection direction, absl::Span<const uint8_t> bytes) {
    PacketLoan loan = packets_.Lend();
    SLUICE_CHECK(loan && loan.Resize(bytes.size()));
    CopyBytes(loan.bytes(), bytes);
    std::optional<InterceptedRtp> row = InterceptedRtp::Of(loan);
    if (!row.has_value()) {
      return;
    }
    if (direction == PacketDirection::kIncoming) {
      SLUICE_CHECK(chain_->OnIncomingRtp(now_, absl::MakeSpan(&*row, 1), out_).size() == 1);
    } else {
      for (const InterceptedRtp& left :
           chain_->OnOutgoingRtp(now_, absl::MakeSpan(&*row, 1), out_)) {
        SLUICE_CHECK(RtpPacketView::Parse(left.packet->bytes()).has_value());
        CheckNumber(left.view);
      }
    }
    Collect();
  }
  void Numbered(uint8_t stream, uint16_t number) {
    std::vector<uint8_t> tail = {0xBE, 0xDE, 0, 1, kId << 4 | 1, 0, 0, 0};
    StoreBe16(&tail[5], number);
    std::vector<uint8_t> bytes = RtpBytes(SsrcOf(stream), 1, tail);
    bytes[0] |= 0x10;
    Pass(PacketDirection::kIncoming, bytes);
  }
  // Any chunks and deltas, about packets near those sent last.
  void Feedback(FuzzInput& input) {
    std::vector<uint8_t> bytes(20);
    bytes[0] = 0x8F;
    bytes[1] = 205;
    StoreBe16(&bytes[12], static_cast<uint16_t>(next_number_ - input.Byte()));
    StoreBe16(&bytes[14], input.Word());
    StoreBe24(&bytes[16], input.Word());
    const absl::Span<const uint8_t> rest = input.Bytes(input.Byte());
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    bytes.resize((bytes.size() + 3) / 4 * 4);
    StoreBe16(&bytes[2], static_cast<uint16_t>(bytes.size() / 4 - 1));
    Datagram(bytes);
  }
  // As an honest peer would answer: the last sixteen packets, of which `arrived` did arrive.
  void Answer(uint16_t arrived) {
    std::vector<TransportArrival> arrivals;
    const int64_t begin = std::max<int64_t>(next_number_ - 16, 0);
    for (int64_t i = begin; i < next_number_; ++i) {
      if ((arrived >> (i - begin) & 1) != 0) {
        arrivals.push_back({i, now_ + TimeDelta::Seconds(1000)});
      }
    }
    std::array<uint8_t, 256> buffer;
    size_t written = 0;
    const size_t size =
        WriteTransportFeedback({}, begin, arrivals, absl::MakeSpan(buffer), written);
    Datagram(absl::MakeConstSpan(buffer).first(size));
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
    // A pacer that has much to send wants to be called again at once, but not for ever.
    for (int i = 0; i < 8; ++i) {
      chain_->OnTimeout(now_, out_);
      Collect();
      if (chain_->NextTimeout() > now_) {
        return;
      }
    }
    SLUICE_CHECK(false) << "never done";
  }
  void Toggle(PacketDirection direction, uint8_t stream) {
    bool& there = there_[static_cast<size_t>(direction)][stream];
    if (there) {
      SLUICE_CHECK(chain_->RemoveStream(now_, direction, Ssrc(SsrcOf(stream))));
    } else {
      SLUICE_CHECK(chain_->AddStream(now_, direction, InfoOf(SsrcOf(stream))) ==
                   AddStreamVerdict::kOk);
    }
    there = !there;
  }

  // What the chain made of a call.
  void Collect() {
    for (OutboxRtp& entry : out_.sends()) {
      const std::optional<InterceptedRtp> row = InterceptedRtp::Of(entry.packet);
      SLUICE_CHECK(row.has_value());
      CheckNumber(row->view);
    }
    for (const PacketLoan& datagram : out_.rtcp()) {
      SLUICE_CHECK(datagram.size() <= kMaxRtcpDatagramSize);
      const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(datagram.bytes());
      SLUICE_CHECK(view.has_value());
      const RtcpReadCounts counts =
          ReadCompound(*view, RtcpReader{[](const TransportFeedbackView& feedback) {
            SLUICE_CHECK(feedback.sender() == Ssrc(7));
          }});
      SLUICE_CHECK(counts.read > 0 && counts.skipped == 0 && counts.malformed == 0);
    }
    out_.EndBatch();
  }
  // Packets of streams that are there have the next number, or none that is ours.
  void CheckNumber(const RtpPacketView& packet) {
    const bool numbered = packet.ssrc() == Ssrc(kProbe) ||
                          (packet.ssrc() == Ssrc(SsrcOf(0)) && there_[1][0]) ||
                          (packet.ssrc() == Ssrc(SsrcOf(1)) && there_[1][1]);
    if (!numbered) {
      return;
    }
    std::optional<uint16_t> number;
    packet.ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
      if (id == kId && data.size() == 2 && !number.has_value()) {
        number = LoadBe16(data.data());
      }
    });
    // Some extensions cannot be written.
    if (number == static_cast<uint16_t>(next_number_)) {
      ++next_number_;
    } else {
      SLUICE_CHECK(!number.has_value());
    }
  }

  SeededRandom random_{1};
  PacketArena packets_;
  AttributesArena attributes_;
  InterceptorOutbox out_;
  BandwidthEstimator* estimator_;
  std::unique_ptr<InterceptorChain> chain_;
  Timestamp now_ = Timestamp::Seconds(1);
  // By direction and stream.
  std::array<std::array<bool, kStreams>, 2> there_ = {};
  uint16_t sequence_ = 0;
  uint16_t incoming_ = 0;
  int64_t next_number_ = 0;
};

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sluice::FuzzInput input(absl::MakeConstSpan(data, size));
  sluice::Leg leg;
  while (!input.empty()) {
    leg.Do(input);
  }
  return 0;
}
