#include "srtp/testing/srtp_fixture.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {

void PrintTo(ProtectVerdict verdict, std::ostream* out) { *out << VerdictName(verdict); }
void PrintTo(UnprotectVerdict verdict, std::ostream* out) { *out << VerdictName(verdict); }

std::vector<SuiteOnEngine> AllSuitesOnAllEngines() {
  std::vector<SuiteOnEngine> all;
  for (const EngineKind engine : UsableEngines(DetectCpuFeatures())) {
    for (const CipherSuite& suite : kCipherSuites) {
      all.push_back({suite.id, engine});
    }
  }
  return all;
}

std::string SuiteOnEngineName(const testing::TestParamInfo<SuiteOnEngine>& tested) {
  return absl::StrCat(GetCipherSuite(tested.param.suite).name, "_on_",
                      EngineName(tested.param.engine));
}

PacketPipe::PacketPipe(EngineKind engine) : engine_(MakeEngine(engine)) {}

PacketLoan PacketPipe::Load(absl::Span<const uint8_t> bytes) {
  PacketLoan packet = packets_.Lend();
  EXPECT_TRUE(packet && packet.Resize(bytes.size()));
  CopyBytes(packet.bytes(), bytes);
  return packet;
}

Sent PacketPipe::Send(SrtpSender& sender, PacketKind kind, absl::Span<const uint8_t> plain) {
  PacketLoan packet = Load(plain);
  ProtectJob job{&sender, &packet, kind, ProtectVerdict::kMalformed};
  Protect(absl::MakeSpan(&job, 1), *engine_);
  return {job.verdict, {packet.bytes().begin(), packet.bytes().end()}};
}

Received PacketPipe::Receive(SrtpReceiver& receiver, PacketKind kind,
                             absl::Span<const uint8_t> bytes) {
  PacketLoan packet = Load(bytes);
  const size_t free = scratch_.free();
  UnprotectJob job{&receiver, &packet, kind, UnprotectVerdict::kMalformed};
  Unprotect(absl::MakeSpan(&job, 1), scratch_, *engine_);
  EXPECT_EQ(scratch_.free(), free);
  EXPECT_FALSE(HasOpensslErrors());
  return {job.verdict, {packet.bytes().begin(), packet.bytes().end()}};
}

std::unique_ptr<SrtpSender> SrtpFixture::MakeSender(const SrtpSenderOptions& options) {
  absl::StatusOr<std::unique_ptr<SrtpSender>> sender = SrtpSender::Create(key_, options, engine());
  EXPECT_TRUE(sender.ok()) << sender.status();
  return *std::move(sender);
}

std::unique_ptr<SrtpReceiver> SrtpFixture::MakeReceiver(const SrtpReceiverOptions& options) {
  absl::StatusOr<std::unique_ptr<SrtpReceiver>> receiver =
      SrtpReceiver::Create(key_, options, engine());
  EXPECT_TRUE(receiver.ok()) << receiver.status();
  return *std::move(receiver);
}

std::vector<uint8_t> SrtpFixture::PlainRtp(uint16_t sequence, uint32_t ssrc) {
  return RtpPacketBuilder()
      .WithSsrc(ssrc)
      .WithSequence(sequence)
      .WithCsrcs({9})
      .AddOneByteExtension(1, {2})
      .WithPayloadSize(kPayloadSize)
      .Build();
}

std::vector<uint8_t> SrtpFixture::PlainRtcp(uint32_t ssrc) {
  return RtcpPacketBuilder()
      .AddSenderReport(ssrc, 1, 2, 3, 4)
      .AddSourceDescription(ssrc, "x")
      .Build();
}

ProtectVerdict SrtpFixture::SendRtp(SrtpSender& sender, uint16_t sequence, uint32_t ssrc) {
  Sent sent = pipe_.Send(sender, PacketKind::kRtp, PlainRtp(sequence, ssrc));
  sent_ = std::move(sent.bytes);
  return sent.verdict;
}

ProtectVerdict SrtpFixture::SendRtcp(SrtpSender& sender, uint32_t ssrc) {
  Sent sent = pipe_.Send(sender, PacketKind::kRtcp, PlainRtcp(ssrc));
  sent_ = std::move(sent.bytes);
  return sent.verdict;
}

std::vector<uint8_t> SrtpFixture::Protected(SrtpSender& sender, PacketKind kind,
                                            const Bytes& plain) {
  Sent sent = pipe_.Send(sender, kind, plain);
  EXPECT_EQ(sent.verdict, ProtectVerdict::kOk);
  return std::move(sent.bytes);
}

std::vector<uint8_t> SrtpFixture::ProtectedRtp(SrtpSender& sender, uint16_t sequence,
                                               uint32_t ssrc) {
  return Protected(sender, PacketKind::kRtp, PlainRtp(sequence, ssrc));
}

std::vector<uint8_t> SrtpFixture::ProtectedRtcp(SrtpSender& sender, uint32_t ssrc) {
  return Protected(sender, PacketKind::kRtcp, PlainRtcp(ssrc));
}

UnprotectVerdict SrtpFixture::ReceiveRtp(SrtpReceiver& receiver, const Bytes& bytes) {
  Received received = pipe_.Receive(receiver, PacketKind::kRtp, bytes);
  opened_ = std::move(received.bytes);
  return received.verdict;
}

UnprotectVerdict SrtpFixture::ReceiveRtcp(SrtpReceiver& receiver, const Bytes& bytes) {
  Received received = pipe_.Receive(receiver, PacketKind::kRtcp, bytes);
  opened_ = std::move(received.bytes);
  return received.verdict;
}

bool operator==(const WindowState& a, const WindowState& b) {
  return a.highest == b.highest && a.words == b.words;
}

bool operator==(const SenderStreamState& a, const SenderStreamState& b) {
  return a.ssrc == b.ssrc && a.key == b.key && a.rtp == b.rtp &&
         a.next_rtcp_index == b.next_rtcp_index;
}

bool operator==(const ReceiverStreamState& a, const ReceiverStreamState& b) {
  return a.ssrc == b.ssrc && a.key == b.key && a.rtp == b.rtp && a.rtcp == b.rtcp;
}

}  // namespace sluice
