#include "srtp/testing/single_packet_cipher.h"

#include "base/byte_order.h"
#include "srtp/open_packet.h"
#include "srtp/seal_batch.h"

namespace sluice {

SinglePacketCipher::SinglePacketCipher(const MasterKey& key, CryptoEngine& engine, const Mki& mki)
    : engine_(engine),
      mki_(mki),
      rtp_layout_(LayoutOf(key.suite(), PacketKind::kRtp, mki.size())),
      rtcp_layout_(LayoutOf(key.suite(), PacketKind::kRtcp, mki.size())),
      rtp_(key.suite(), engine),
      rtcp_(key.suite(), engine) {
  rtp_.Set(DeriveSessionKeys(key, PacketKind::kRtp));
  rtcp_.Set(DeriveSessionKeys(key, PacketKind::kRtcp));
}

SinglePacketCipher::SinglePacketCipher(const CipherSuite& suite, const SessionKeys& rtp,
                                       const SessionKeys& rtcp, CryptoEngine& engine)
    : engine_(engine),
      rtp_layout_(LayoutOf(suite, PacketKind::kRtp, 0)),
      rtcp_layout_(LayoutOf(suite, PacketKind::kRtcp, 0)),
      rtp_(suite, engine),
      rtcp_(suite, engine) {
  rtp_.Set(rtp);
  rtcp_.Set(rtcp);
}

void SinglePacketCipher::SealRtp(absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                                 PacketIndex index) {
  SealBatch batch(engine_);
  batch.AddRtp(rtp_, rtp_layout_, mki_, packet, shape, ssrc, index);
  batch.Run();
}

bool SinglePacketCipher::OpenRtp(absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                                 PacketIndex index) {
  return sluice::OpenRtp(engine_, rtp_, rtp_layout_, packet, shape, ssrc, index);
}

void SinglePacketCipher::SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) {
  SealBatch batch(engine_);
  batch.AddRtcp(rtcp_, rtcp_layout_, mki_, packet, ssrc, word);
  batch.Run();
}

bool SinglePacketCipher::OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) {
  return sluice::OpenRtcp(engine_, rtcp_, rtcp_layout_, packet, ssrc, word);
}

EsrtcpWord SinglePacketCipher::ReadWord(absl::Span<const uint8_t> packet) const {
  return EsrtcpWord::FromWire(LoadBe32(packet.data() + packet.size() - rtcp_layout_.word_from_end));
}

}  // namespace sluice
