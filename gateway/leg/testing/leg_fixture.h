#ifndef GATEWAY_LEG_TESTING_LEG_FIXTURE_H_
#define GATEWAY_LEG_TESTING_LEG_FIXTURE_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {

// One leg and its peer, who has SRTP contexts of its own.
class LegFixture : public testing::Test {
 protected:
  using Bytes = std::vector<uint8_t>;

  static constexpr Timestamp kStart = Timestamp::Seconds(1000);
  static constexpr SuiteId kSuite = SuiteId::kAeadAes128Gcm;
  static constexpr size_t kMaxStreams = 4;

  static LocalTransport Local() {
    LocalTransport local;
    local.rtp_socket = {1, 1};
    local.rtcp_socket = {2, 1};
    local.rtp = {IpAddress::V4({192, 0, 2, 200}), 20'000};
    local.rtcp = {IpAddress::V4({192, 0, 2, 200}), 20'001};
    return local;
  }

  static RemoteTransport Remote(const TransportAddress& rtp, const TransportAddress& rtcp) {
    RemoteTransport remote;
    remote.rtp = rtp;
    remote.rtcp = rtcp;
    return remote;
  }

  LegSpec PlainSpec() const {
    LegSpec spec;
    spec.id = "leg";
    spec.remote = Remote(kRemoteRtp, kRemoteRtcp);
    return spec;
  }

  // The field or precondition that an error names.
  static std::string Subject(const absl::Status& status) {
    const std::optional<ErrorDetail> detail = GetErrorDetail(status);
    return detail.has_value() ? detail->subject : "no detail";
  }

  LegSpec SecureSpec() {
    LegSpec spec = PlainSpec();
    spec.kind = LegKind::kSrtp;
    spec.local_key = local_key_.Clone();
    spec.remote_key = remote_key_.Clone();
    return spec;
  }

  Leg Make(LegSpec spec) {
    absl::StatusOr<Leg> leg =
        Leg::Create(kStart, std::move(spec), Local(), kMaxStreams, engine_, {&random_, 0});
    EXPECT_TRUE(leg.ok()) << leg.status();
    return *std::move(leg);
  }

  MasterKey NewKey(SuiteId suite = kSuite) { return MasterKey::Generate(suite, random_); }

  std::unique_ptr<SrtpSender> Sender(const MasterKey& key, const SrtpSenderOptions& options = {}) {
    return *SrtpSender::Create(key, options, engine_);
  }
  std::unique_ptr<SrtpReceiver> Receiver(const MasterKey& key,
                                         const SrtpReceiverOptions& options = {}) {
    return *SrtpReceiver::Create(key, options, engine_);
  }

  static Bytes Plain(uint16_t sequence, uint32_t ssrc = 1) {
    return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(20).Build();
  }

  Bytes Protected(SrtpSender& sender, const Bytes& plain) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(plain.size()));
    std::copy(plain.begin(), plain.end(), packet.bytes().begin());
    ProtectJob job{&sender, &packet, PacketKind::kRtp, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine_);
    EXPECT_EQ(job.verdict, ProtectVerdict::kOk);
    return Bytes(packet.bytes().begin(), packet.bytes().end());
  }

  bool Opens(SrtpReceiver& receiver, const Bytes& bytes) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), packet.bytes().begin());
    UnprotectJob job{&receiver, &packet, PacketKind::kRtp, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_, engine_);
    return job.verdict == UnprotectVerdict::kOk;
  }

  // The whole way of one RTP datagram into the leg. nullopt: it may be forwarded.
  std::optional<PacketVerdict> Receive(Leg& leg, const Bytes& datagram,
                                       const TransportAddress& source = kRemoteRtp) {
    const Leg::Admission admission = leg.Admit(now_, Component::kRtp, source, datagram, false);
    if (admission.reject.has_value()) {
      return admission.reject;
    }
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(datagram.size()));
    std::copy(datagram.begin(), datagram.end(), packet.bytes().begin());
    if (leg.receiver() != nullptr) {
      UnprotectJob job{leg.receiver(), &packet, admission.kind, UnprotectVerdict::kMalformed};
      Unprotect(absl::MakeSpan(&job, 1), arena_, engine_);
      if (job.verdict != UnprotectVerdict::kOk) {
        return ToPacketVerdict(job.verdict);
      }
    }
    last_ = leg.Accept(now_, Component::kRtp, admission.kind, source, packet.bytes());
    return last_.reject;
  }

  static inline const TransportAddress kRemoteRtp{IpAddress::V4({192, 0, 2, 1}), 5004};
  static inline const TransportAddress kRemoteRtcp{IpAddress::V4({192, 0, 2, 1}), 5005};
  static inline const TransportAddress kElsewhere{IpAddress::V4({192, 0, 2, 66}), 6666};

  SeededRandom random_{7};
  BoringSslEngine engine_;
  PacketArena arena_{4};
  Timestamp now_ = kStart;
  MasterKey local_key_ = MasterKey::Generate(kSuite, random_);
  MasterKey remote_key_ = MasterKey::Generate(kSuite, random_);
  // What the packet before brought about.
  Leg::Acceptance last_;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_TESTING_LEG_FIXTURE_H_
