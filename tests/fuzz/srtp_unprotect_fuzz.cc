// Any packets to SRTP receivers with any suite and options, between changes of keys and restarts.
// The same is told to lanes on every engine, to one of them packet by packet and to the others in
// batches: all have to answer alike. What does not open changes nothing; what opens is what was
// sent, and opens once.
//
// Four bytes choose the options, see srtp_fuzz_options.h. After that each byte is an operation in
// the low four bits, see Step, and its variant in the high four; operands follow.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/srtp_fuzz_options.h"
#include "tests/fuzz/srtp_lane.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// Bounds of one input, so that a second has thousands of them.
constexpr size_t kMaxSteps = 200;
constexpr size_t kMaxWires = 100;
constexpr size_t kMaxDeliveries = 400;
// More than can be live.
constexpr size_t kMaxKeys = 12;
// More than there are places for.
constexpr size_t kMaxSsrcs = kMaxFuzzStreams + 1;

// Kept for all inputs: engines take a millisecond. The first lane is the one that is given packets
// one by one, on BoringSSL.
std::vector<SrtpLaneMemory*> LaneMemories() {
  std::vector<SrtpLaneMemory*> memories = {new SrtpLaneMemory(EngineKind::kBoringSsl)};
  for (const EngineKind kind : UsableEngines(DetectCpuFeatures())) {
    memories.push_back(new SrtpLaneMemory(kind));
  }
  return memories;
}

// A packet that was protected, and what it was before.
struct Wire {
  LanePacket packet;
  Bytes plain;
  bool opened = false;
};

// A packet on its way to the receivers.
struct Delivery {
  LanePacket packet;
  // The wire that it is, unchanged. Otherwise nobody sent it.
  std::optional<size_t> wire;
  // Made of a wire by damaging it.
  bool damaged = false;
};

class Target {
 public:
  explicit Target(FuzzInput& input) : input_(input), options_(ChooseSrtpFuzzOptions(input)) {
    static const std::vector<SrtpLaneMemory*>& memories =
        *new std::vector<SrtpLaneMemory*>(LaneMemories());
    for (SrtpLaneMemory* memory : memories) {
      lanes_.push_back(
          std::make_unique<SrtpLane>(*memory, options_.Key(0), options_.sender, options_.receiver));
    }
  }

  void Run() {
    for (size_t i = 0; i < kMaxSteps && !input_.empty(); ++i) {
      Step();
    }
    Flush();
  }

 private:
  void Step() {
    const uint8_t code = input_.Byte();
    const uint8_t variant = code >> 4;
    switch (code & 15) {
      case 0:
        return Deliver({{Raw(), PacketKind::kRtp}, std::nullopt});
      case 1:
        return Deliver({{Raw(), PacketKind::kRtcp}, std::nullopt});
      case 2:
        return Send({Raw(), PacketKind::kRtp});
      case 3:
        return Send({Raw(), PacketKind::kRtcp});
      case 4:
        return Send({MakeRtp(variant), PacketKind::kRtp});
      case 5:
        return Send({MakeRtcp(variant), PacketKind::kRtcp});
      case 6:
        return DeliverWire(variant);
      case 7:
        return Flush();
      case 8:
        Flush();
        return ChangeKeys(variant);
      case 9:
        Flush();
        return Restart(variant);
      case 10:
        // All that was sent, in order: the rest of an input need not name it.
        ProtectAll();
        for (size_t i = 0; i < wires_.size(); ++i) {
          Deliver({wires_[i].packet, i});
        }
        return;
      default:
        return;
    }
  }

  // --- Packets ---------------------------------------------------------------------------------

  Bytes Raw() {
    const absl::Span<const uint8_t> bytes =
        input_.Bytes(std::min<size_t>(input_.Word(), kMaxDatagramSize));
    return {bytes.begin(), bytes.end()};
  }

  Bytes MakeRtp(uint8_t variant) {
    const uint8_t choice = input_.Byte();
    const uint32_t ssrc = choice % kMaxSsrcs;
    const auto step = static_cast<int8_t>(input_.Byte());
    uint16_t& sequence = sequences_[ssrc];
    sequence = static_cast<uint16_t>(sequence + (step == INT8_MIN ? input_.Word() : step));
    RtpPacketBuilder builder;
    builder.WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(size_t{input_.Byte()} * 5);
    if ((variant & 3) != 0) {
      builder.WithCsrcs(std::vector<uint32_t>(variant & 3, 0x01020304));
    }
    const Bytes element(1 + choice / 16, 0xE7);
    switch (variant >> 2) {
      case 1:
        builder.AddOneByteExtension(1, element).AddOneByteExtension(2, element);
        break;
      case 2:
        builder.AddTwoByteExtension(200, element, choice % 16).AddTwoByteExtension(2, {});
        break;
      case 3:
        builder.WithRawExtension(input_.Word(), element);
        break;
      default:
        break;
    }
    return builder.Build();
  }

  Bytes MakeRtcp(uint8_t variant) {
    const uint32_t ssrc = variant % kMaxSsrcs;
    RtcpPacketBuilder builder;
    builder.AddSenderReport(ssrc, 1, 2, 3, 4);
    if (variant >= kMaxSsrcs) {
      builder.AddSourceDescription(ssrc, std::string(input_.Byte(), 'c'));
    }
    return builder.Build();
  }

  void DeliverWire(uint8_t variant) {
    ProtectAll();
    if (wires_.empty()) {
      return;
    }
    const size_t index = input_.Byte() % wires_.size();
    Delivery delivery{wires_[index].packet, index};
    Bytes& bytes = delivery.packet.bytes;
    switch (variant) {
      case 1:
        bytes[input_.Word() % bytes.size()] ^= static_cast<uint8_t>(1 << (input_.Byte() % 8));
        break;
      case 2:
        bytes[input_.Word() % bytes.size()] = input_.Byte();
        break;
      case 3:
        bytes.resize(input_.Word() % bytes.size());
        break;
      case 4:
        // From the end, where tag and MKI are.
        bytes[bytes.size() - 1 - input_.Byte() % bytes.size()] ^= input_.Byte();
        break;
      case 5:
        bytes.push_back(input_.Byte());
        break;
      case 6:
        delivery.packet.kind =
            delivery.packet.kind == PacketKind::kRtp ? PacketKind::kRtcp : PacketKind::kRtp;
        break;
      default:
        break;
    }
    if (bytes != wires_[index].packet.bytes || delivery.packet.kind != wires_[index].packet.kind) {
      delivery.damaged = true;
      delivery.wire.reset();
    }
    Deliver(std::move(delivery));
  }

  // --- Protect ---------------------------------------------------------------------------------

  void Send(LanePacket packet) {
    outbox_.push_back(std::move(packet));
    if (outbox_.size() == SrtpLaneMemory::kMaxBatch) {
      ProtectAll();
    }
  }

  void ProtectAll() {
    const std::vector<LanePacket> plain = std::exchange(outbox_, {});
    std::vector<LanePacket> sent = plain;
    for (LanePacket& packet : sent) {
      lanes_[0]->Protect(absl::MakeSpan(&packet, 1));
    }
    const std::string state = lanes_[0]->SenderState();
    for (size_t lane = 1; lane < lanes_.size(); ++lane) {
      std::vector<LanePacket> batch = plain;
      lanes_[lane]->Protect(absl::MakeSpan(batch));
      for (size_t i = 0; i < plain.size(); ++i) {
        SLUICE_CHECK(batch[i].sent == sent[i].sent && batch[i].bytes == sent[i].bytes)
            << "lane " << lane << ", packet " << i << ": " << VerdictName(batch[i].sent)
            << ", but one by one " << VerdictName(sent[i].sent);
      }
      SLUICE_CHECK(lanes_[lane]->SenderState() == state) << "lane " << lane;
    }
    for (size_t i = 0; i < plain.size(); ++i) {
      if (sent[i].sent != ProtectVerdict::kOk) {
        SLUICE_CHECK(sent[i].bytes == plain[i].bytes) << VerdictName(sent[i].sent);
      } else if (wires_.size() < kMaxWires && sent[i].bytes.size() <= kMaxDatagramSize) {
        wires_.push_back({std::move(sent[i]), plain[i].bytes});
      }
    }
  }

  // --- Unprotect -------------------------------------------------------------------------------

  void Deliver(Delivery delivery) {
    if (++deliveries_ > kMaxDeliveries) {
      return;
    }
    inbox_.push_back(std::move(delivery));
    if (inbox_.size() == SrtpLaneMemory::kMaxBatch) {
      UnprotectAll();
    }
  }

  void UnprotectAll() {
    const std::vector<Delivery> inbox = std::exchange(inbox_, {});
    std::vector<LanePacket> received;
    for (const Delivery& delivery : inbox) {
      const std::string before = lanes_[0]->ReceiverState();
      received.push_back(delivery.packet);
      lanes_[0]->Unprotect(absl::MakeSpan(&received.back(), 1), options_.scratch);
      if (received.back().received == UnprotectVerdict::kOk) {
        CheckOpened(delivery, received.back());
      } else {
        SLUICE_CHECK(lanes_[0]->ReceiverState() == before) << VerdictName(received.back().received);
        CheckRefused(delivery, received.back());
      }
    }
    const std::string state = lanes_[0]->ReceiverState();
    for (size_t lane = 1; lane < lanes_.size(); ++lane) {
      std::vector<LanePacket> batch;
      for (const Delivery& delivery : inbox) {
        batch.push_back(delivery.packet);
      }
      lanes_[lane]->Unprotect(absl::MakeSpan(batch), options_.scratch);
      for (size_t i = 0; i < inbox.size(); ++i) {
        SLUICE_CHECK(batch[i].received == received[i].received &&
                     batch[i].bytes == received[i].bytes)
            << "lane " << lane << ", packet " << i << ": " << VerdictName(batch[i].received)
            << ", but one by one " << VerdictName(received[i].received);
      }
      SLUICE_CHECK(lanes_[lane]->ReceiverState() == state) << "lane " << lane;
    }
  }

  void CheckOpened(const Delivery& delivery, const LanePacket& opened) {
    SLUICE_CHECK(!delivery.damaged) << "a damaged packet was taken for true";
    anything_opened_ = true;
    opened_ssrcs_.insert(SsrcOf(opened));
    if (!delivery.wire.has_value()) {
      return;
    }
    Wire& wire = wires_[*delivery.wire];
    SLUICE_CHECK(!wire.opened || MayHaveForgotten()) << "a packet was opened twice";
    wire.opened = true;
    const Bytes& plain = wire.plain;
    if (opened.bytes.size() == plain.size()) {
      SLUICE_CHECK(opened.bytes == plain);
      return;
    }
    // RFC 9335 section 5.2: an extension that was added to say "cryptex" stays, empty.
    SLUICE_CHECK(opened.kind == PacketKind::kRtp &&
                 options_.sender.policy.cryptex != CryptexPolicy::kOff);
    SLUICE_CHECK(opened.bytes.size() == plain.size() + kRtpExtensionHeaderSize);
    const std::optional<RtpPacketView> after = RtpPacketView::ParseHeader(opened.bytes);
    const std::optional<RtpPacketView> before = RtpPacketView::ParseHeader(plain);
    SLUICE_CHECK(after.has_value() && after->extension_data().empty());
    SLUICE_CHECK(after->payload() == before->payload());
  }

  void CheckRefused(const Delivery& delivery, const LanePacket& refused) {
    const UnprotectVerdict verdict = refused.received;
    const Bytes& was = delivery.packet.bytes;
    SLUICE_CHECK(refused.bytes.size() == was.size());
    const bool tried =
        verdict == UnprotectVerdict::kAuthFailed || verdict == UnprotectVerdict::kNoScratch;
    if (!tried || !GetCipherSuite(options_.suite).aead()) {
      SLUICE_CHECK(refused.bytes == was) << VerdictName(verdict);
    }
    // What was to be decrypted is zeros and everything else is there.
    for (size_t i = 0; i < was.size(); ++i) {
      SLUICE_CHECK(refused.bytes[i] == was[i] || refused.bytes[i] == 0) << "byte " << i;
    }
    if (delivery.wire == std::optional<size_t>(0) && !anything_opened_ && !keys_changed_) {
      // Nothing is in the way of the first packet of all.
      const bool unencrypted =
          !options_.sender.encrypt_rtcp && !options_.receiver.accept_unencrypted_rtcp;
      const bool looks_like_cryptex = options_.sender.policy.cryptex == CryptexPolicy::kOff;
      SLUICE_CHECK((verdict == UnprotectVerdict::kUnencrypted && unencrypted) ||
                   (verdict == UnprotectVerdict::kCryptexRefused && looks_like_cryptex))
          << VerdictName(verdict);
    }
  }

  static uint32_t SsrcOf(const LanePacket& packet) {
    return LoadBe32(packet.bytes.data() + (packet.kind == PacketKind::kRtp ? 8 : 4));
  }

  // A receiver forgets when there are too many SSRCs; what it only remembers is lost in a restart.
  bool MayHaveForgotten() {
    return lanes_[0]->receiver().forgotten_streams() > 0 || forgot_in_restart_;
  }

  // --- Keys and restarts -----------------------------------------------------------------------

  void ChangeKeys(uint8_t variant) {
    keys_changed_ = true;
    const size_t sender_next = std::min(sender_key_ + 1, kMaxKeys);
    const size_t receiver_next = std::min(receiver_key_ + 1, kMaxKeys);
    const size_t named = input_.Byte() % kMaxKeys;
    const auto add_to_sender = [&](SrtpLane& lane) { return AddTo(lane.sender(), sender_next); };
    const auto add_to_receiver = [&](SrtpLane& lane) {
      return AddTo(lane.receiver(), receiver_next);
    };
    switch (variant) {
      case 0:
        sender_key_ = Tell(add_to_sender) ? sender_next : sender_key_;
        [[fallthrough]];
      case 1:
        receiver_key_ = Tell(add_to_receiver) ? receiver_next : receiver_key_;
        return;
      case 2:
        sender_key_ = Tell(add_to_sender) ? sender_next : sender_key_;
        return;
      case 3:
        Tell([&](SrtpLane& lane) {
          lane.receiver().RetirePreviousKey();
          return absl::OkStatus();
        });
        return;
      case 4:
        Tell([&](SrtpLane& lane) { return lane.sender().SendWith(options_.MkiOf(named)); });
        return;
      case 5:
        Tell([&](SrtpLane& lane) { return lane.sender().RetireKey(options_.MkiOf(named)); });
        return;
      case 6:
        Tell([&](SrtpLane& lane) { return lane.receiver().RetireKey(options_.MkiOf(named)); });
        return;
      default:
        return;
    }
  }

  template <typename Direction>
  absl::Status AddTo(Direction& direction, size_t key) {
    return options_.sender.mki.empty() ? direction.Rekey(options_.Key(key))
                                       : direction.AddKey(options_.Key(key), options_.MkiOf(key));
  }

  // Whether all said yes; all say the same.
  template <typename F>
  bool Tell(F f) {
    const absl::Status first = f(*lanes_[0]);
    for (size_t lane = 1; lane < lanes_.size(); ++lane) {
      SLUICE_CHECK(f(*lanes_[lane]) == first) << first.message();
    }
    return first.ok();
  }

  void Restart(uint8_t variant) {
    keys_changed_ = true;
    const size_t key = input_.Byte() % kMaxKeys;
    const auto to_status = [](bool ok) {
      return ok ? absl::OkStatus() : absl::FailedPreconditionError("refused");
    };
    if ((variant & 1) != 0) {
      const RestoreMargin margin = {variant >= 8 ? 0u : 16u, variant >= 8 ? 0u : 16u};
      const bool restarted = Tell([&](SrtpLane& lane) {
        return to_status(lane.RestartSender(options_.Key(key), options_.MkiOf(key), margin));
      });
      sender_key_ = restarted ? key : sender_key_;
    } else {
      const bool restarted = Tell([&](SrtpLane& lane) {
        return to_status(lane.RestartReceiver(options_.Key(key), options_.MkiOf(key)));
      });
      receiver_key_ = restarted ? key : receiver_key_;
      forgot_in_restart_ |= restarted && opened_ssrcs_.size() > options_.receiver.max_streams;
    }
  }

  void Flush() {
    ProtectAll();
    UnprotectAll();
  }

  FuzzInput& input_;
  const SrtpFuzzOptions options_;
  std::vector<std::unique_ptr<SrtpLane>> lanes_;
  // Plain packets that are still to be protected, and protected ones still to be opened.
  std::vector<LanePacket> outbox_;
  std::vector<Delivery> inbox_;
  std::vector<Wire> wires_;
  size_t deliveries_ = 0;
  std::map<uint32_t, uint16_t> sequences_;
  // The newest ones.
  size_t sender_key_ = 0;
  size_t receiver_key_ = 0;
  // What was done to the receivers so far.
  std::set<uint32_t> opened_ssrcs_;
  bool anything_opened_ = false;
  bool keys_changed_ = false;
  bool forgot_in_restart_ = false;
};

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sluice::FuzzInput input(absl::MakeConstSpan(data, size));
  sluice::Target(input).Run();
  return 0;
}
