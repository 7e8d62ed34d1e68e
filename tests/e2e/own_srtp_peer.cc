#include "tests/e2e/own_srtp_peer.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/verdict.h"
#include "tests/e2e/libsrtp_session.h"

namespace sluice {
namespace {

// One being handled, one tried with another rollover counter.
constexpr size_t kSlots = 2;

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

Mki ToMki(const std::string& text) { return Mki::Create(BytesOf(text)).value(); }

MasterKey ToMasterKey(const pb::SrtpKey& key) {
  const std::string name =
      pb::CryptoSuite_Name(key.suite()).substr(absl::string_view("CRYPTO_SUITE_").size());
  return MasterKey::Create(FindCipherSuite(name)->id, BytesOf(key.master_key_and_salt())).value();
}

SrtpPolicy ToPolicy(const pb::SrtpOptions& options) {
  SrtpPolicy policy;
  for (const uint32_t id : options.encrypted_extension_ids()) {
    policy.encrypted_extensions.set(id);
  }
  policy.cryptex = options.cryptex() == pb::CRYPTEX_REQUIRED ? CryptexPolicy::kRequired
                   : options.cryptex() == pb::CRYPTEX_ON     ? CryptexPolicy::kOn
                                                             : CryptexPolicy::kOff;
  policy.key_derivation_rate = KeyDerivationRate::Create(options.key_derivation_rate()).value();
  return policy;
}

pb::SrtpKey FirstKey(const OwnSrtpPeerOptions& options) {
  pb::SrtpKey key = MakeTestKey(options.suite, options.key_number);
  key.set_mki(options.mki);
  return key;
}

}  // namespace

OwnSrtpPeer::OwnSrtpPeer(const OwnSrtpPeerOptions& options)
    : MediaPeer(options.transport),
      options_(options),
      policy_(ToPolicy(options.srtp)),
      key_(FirstKey(options)),
      arena_(kSlots) {
  SrtpSenderOptions sender;
  sender.encrypt_rtcp = !options.srtp.unencrypted_rtcp();
  sender.mki = ToMki(options.mki);
  sender.policy = policy_;
  sender_ = SrtpSender::Create(ToMasterKey(key_), sender, engine_).value();
}

pb::LegConfig OwnSrtpPeer::Config() const {
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_SRTP);
  config.set_rtcp_mux(transport().rtcp_mux());
  *config.mutable_remote() = transport().Remote();
  *config.mutable_remote_key() = key_;
  config.set_local_suite(options_.suite);
  config.set_local_mki(options_.mki);
  *config.mutable_local_options() = options_.srtp;
  *config.mutable_remote_options() = options_.srtp;
  return config;
}

void OwnSrtpPeer::Connect(const pb::AddLegResponse& answer) {
  MediaPeer::Connect(answer);
  SrtpReceiverOptions options;
  options.accept_unencrypted_rtcp = options_.srtp.unencrypted_rtcp();
  options.mki = ToMki(answer.local_key().mki());
  options.policy = policy_;
  receiver_ = SrtpReceiver::Create(ToMasterKey(answer.local_key()), options, engine_).value();
}

void OwnSrtpPeer::AddKey(const pb::SrtpKey& key) {
  EXPECT_TRUE(sender_->AddKey(ToMasterKey(key), ToMki(key.mki())).ok());
}

void OwnSrtpPeer::SendWith(const std::string& mki) {
  EXPECT_TRUE(sender_->SendWith(ToMki(mki)).ok());
}

void OwnSrtpPeer::ChangeKey(const pb::SrtpKey& key) {
  EXPECT_TRUE(sender_->Rekey(ToMasterKey(key)).ok());
}

void OwnSrtpPeer::AddGatewayKey(const pb::SrtpKey& key) {
  const absl::Status status = key.mki().empty()
                                  ? receiver_->Rekey(ToMasterKey(key))
                                  : receiver_->AddKey(ToMasterKey(key), ToMki(key.mki()));
  EXPECT_TRUE(status.ok()) << status;
}

void OwnSrtpPeer::RetireGatewayKey(const std::string& mki) {
  EXPECT_TRUE(receiver_->RetireKey(ToMki(mki)).ok());
}

Bytes OwnSrtpPeer::WrapRtp(absl::Span<const uint8_t> packet) {
  return Wrap(packet, PacketKind::kRtp);
}

Bytes OwnSrtpPeer::WrapRtcp(absl::Span<const uint8_t> packet) {
  return Wrap(packet, PacketKind::kRtcp);
}

std::optional<Bytes> OwnSrtpPeer::UnwrapRtp(absl::Span<const uint8_t> datagram) {
  return Unwrap(datagram, PacketKind::kRtp);
}

std::optional<Bytes> OwnSrtpPeer::UnwrapRtcp(absl::Span<const uint8_t> datagram) {
  return Unwrap(datagram, PacketKind::kRtcp);
}

Bytes OwnSrtpPeer::Wrap(absl::Span<const uint8_t> packet, PacketKind kind) {
  PacketLoan loan = arena_.Lend();
  EXPECT_TRUE(loan.Resize(packet.size()));
  std::copy(packet.begin(), packet.end(), loan.bytes().begin());
  ProtectJob job{sender_.get(), &loan, kind, ProtectVerdict::kMalformed};
  Protect(absl::MakeSpan(&job, 1), engine_);
  EXPECT_EQ(VerdictName(job.verdict), "ok");
  return Bytes(loan.bytes().begin(), loan.bytes().end());
}

std::optional<Bytes> OwnSrtpPeer::Unwrap(absl::Span<const uint8_t> datagram, PacketKind kind) {
  PacketLoan loan = arena_.Lend();
  if (receiver_ == nullptr || !loan.Resize(datagram.size())) {
    return std::nullopt;
  }
  std::copy(datagram.begin(), datagram.end(), loan.bytes().begin());
  UnprotectJob job{receiver_.get(), &loan, kind, UnprotectVerdict::kMalformed};
  Unprotect(absl::MakeSpan(&job, 1), arena_, engine_);
  if (job.verdict != UnprotectVerdict::kOk) {
    return std::nullopt;
  }
  return Bytes(loan.bytes().begin(), loan.bytes().end());
}

}  // namespace sluice
