#include "tests/alloc/srtp_path.h"

#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

constexpr size_t kSequenceOffset = 2;

}  // namespace

std::vector<SrtpPathCase> AllSrtpPathCases() {
  std::vector<SrtpPathCase> cases;
  for (const SuiteOnEngine& suite : AllSuitesOnAllEngines()) {
    cases.push_back({suite, PacketKind::kRtp});
    cases.push_back({suite, PacketKind::kRtcp});
  }
  return cases;
}

std::string SrtpPathCaseName(const testing::TestParamInfo<SrtpPathCase>& tested) {
  return absl::StrCat(tested.param.kind == PacketKind::kRtp ? "Rtp_" : "Rtcp_",
                      GetCipherSuite(tested.param.suite.suite).name, "_on_",
                      EngineName(tested.param.suite.engine));
}

SrtpPath::SrtpPath(SrtpPathCase tested, const SrtpSenderOptions& sender,
                   const SrtpReceiverOptions& receiver)
    : kind_(tested.kind),
      engine_(MakeEngine(tested.suite.engine)),
      key_(MasterKey::Generate(tested.suite.suite, random_)),
      packet_(arena_.Lend()),
      sender_(*SrtpSender::Create(key_, sender, *engine_)),
      receiver_(*SrtpReceiver::Create(key_, receiver, *engine_)) {
  if (kind_ == PacketKind::kRtp) {
    plain_ = RtpPacketBuilder().WithPayloadSize(160).Build();
  } else {
    plain_ = RtcpPacketBuilder()
                 .AddSenderReport(kSsrc, 1, 2, 3, 4)
                 .AddSourceDescription(kSsrc, "caller")
                 .Build();
  }
  saved_.reserve(kPacketSlotSize);
}

void SrtpPath::Write(uint32_t ssrc, uint16_t sequence) {
  Load(plain_);
  if (kind_ == PacketKind::kRtp) {
    StoreBe16(bytes() + kSequenceOffset, sequence);
  }
  StoreBe32(bytes() + (kind_ == PacketKind::kRtp ? 8 : 4), ssrc);
}

ProtectVerdict SrtpPath::Send() {
  ProtectJob job{sender_.get(), &packet_, kind_, ProtectVerdict::kMalformed};
  Protect(absl::MakeSpan(&job, 1), *engine_);
  return job.verdict;
}

UnprotectVerdict SrtpPath::Receive() {
  UnprotectJob job{receiver_.get(), &packet_, kind_, UnprotectVerdict::kMalformed};
  Unprotect(absl::MakeSpan(&job, 1), arena_, *engine_);
  return job.verdict;
}

bool SrtpPath::Deliver(uint32_t ssrc) {
  Write(ssrc);
  return Send() == ProtectVerdict::kOk && Receive() == UnprotectVerdict::kOk;
}

void SrtpPath::Load(absl::Span<const uint8_t> content) {
  // A slot as it comes from the socket, whatever was put in front of the packet before.
  packet_.Return();
  packet_ = arena_.Lend();
  Cut(content.size());
  CopyBytes(packet_.bytes(), content);
}

}  // namespace sluice
