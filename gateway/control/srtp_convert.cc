#include "gateway/control/srtp_convert.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "gateway/leg/srtp_memory.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/srtp_policy.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

constexpr std::pair<pb::CryptoSuite, SuiteId> kSuites[] = {
    {pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, SuiteId::kAesCm128HmacSha1_80},
    {pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32, SuiteId::kAesCm128HmacSha1_32},
    {pb::CRYPTO_SUITE_AEAD_AES_128_GCM, SuiteId::kAeadAes128Gcm},
    {pb::CRYPTO_SUITE_AEAD_AES_256_GCM, SuiteId::kAeadAes256Gcm},
    {pb::CRYPTO_SUITE_AES_192_CM_HMAC_SHA1_80, SuiteId::kAes192CmHmacSha1_80},
    {pb::CRYPTO_SUITE_AES_192_CM_HMAC_SHA1_32, SuiteId::kAes192CmHmacSha1_32},
    {pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80, SuiteId::kAes256CmHmacSha1_80},
    {pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_32, SuiteId::kAes256CmHmacSha1_32},
    {pb::CRYPTO_SUITE_NULL_HMAC_SHA1_80, SuiteId::kNullHmacSha1_80},
    {pb::CRYPTO_SUITE_NULL_HMAC_SHA1_32, SuiteId::kNullHmacSha1_32},
};

constexpr std::pair<pb::Cryptex, CryptexPolicy> kCryptex[] = {
    {pb::CRYPTEX_OFF, CryptexPolicy::kOff},
    {pb::CRYPTEX_ON, CryptexPolicy::kOn},
    {pb::CRYPTEX_REQUIRED, CryptexPolicy::kRequired},
};

// RFC 3711 section 3.3.2 and srtp/replay_window.h.
constexpr uint32_t kMinWindow = 64;
constexpr uint32_t kMaxWindow = 32'768;

// One byte in the two-byte form of RFC 8285 section 4.3; 0 is padding.
constexpr uint32_t kMaxExtensionId = 255;

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

std::string TextOf(absl::Span<const uint8_t> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

void ReadExtensionIds(const pb::SrtpOptions& in, absl::string_view path, SrtpPolicy& policy,
                      FieldViolations& violations) {
  EncryptedExtensionIds& ids = policy.encrypted_extensions;
  for (int i = 0; i < in.encrypted_extension_ids_size(); ++i) {
    const uint32_t id = in.encrypted_extension_ids(i);
    const std::string field = absl::StrCat(path, ".encrypted_extension_ids[", i, "]");
    if (id < 1 || id > kMaxExtensionId) {
      violations.Add(field, absl::StrCat("is ", id, ", must be 1..", kMaxExtensionId));
    } else if (ids.test(id)) {
      violations.Add(field, absl::StrCat(id, " is listed twice"));
    } else {
      ids.set(id);
    }
    if (i >= static_cast<int>(kMaxExtensionId)) {
      // All that follow are listed twice.
      return;
    }
  }
}

CryptexPolicy ReadCryptex(pb::Cryptex cryptex, absl::string_view path,
                          FieldViolations& violations) {
  for (const auto& [number, policy] : kCryptex) {
    if (number == cryptex) {
      return policy;
    }
  }
  if (cryptex != pb::CRYPTEX_UNSPECIFIED) {
    violations.Add(path, "must be CRYPTEX_OFF, CRYPTEX_ON or CRYPTEX_REQUIRED");
  }
  return CryptexPolicy::kOff;
}

size_t ReadWindow(uint32_t window, const std::string& path, FieldViolations& violations) {
  if (window < kMinWindow || window > kMaxWindow || !std::has_single_bit(window)) {
    violations.Add(path, absl::StrCat("is ", window, ", must be a power of two ", kMinWindow, "..",
                                      kMaxWindow));
  }
  return window;
}

void ReadLifetime(const pb::KeyLifetime& in, const std::string& path, uint64_t max,
                  KeyLifetime& out, FieldViolations& violations) {
  if (in.has_hard() && (in.hard() < 1 || in.hard() > max)) {
    violations.Add(absl::StrCat(path, ".hard"),
                   absl::StrCat("is ", in.hard(), ", must be 1..", max));
    return;
  }
  out.hard = in.has_hard() ? in.hard() : max;
  out.soft = in.has_soft() ? in.soft() : out.hard - out.hard / 8;
  if (out.soft < 1 || out.soft > out.hard) {
    violations.Add(
        absl::StrCat(path, ".soft"),
        absl::StrCat("is ", out.soft, ", must be 1..", out.hard, ", which is the hard limit"));
  }
}

}  // namespace

std::optional<SuiteId> ToSuite(pb::CryptoSuite suite, absl::string_view path,
                               FieldViolations& violations) {
  for (const auto& [number, id] : kSuites) {
    if (number == suite) {
      return id;
    }
  }
  violations.Add(path, absl::StrCat("must be one of ",
                                    absl::StrJoin(kSuites, ", ", [](std::string* out, auto& row) {
                                      absl::StrAppend(out, GetCipherSuite(row.second).name);
                                    })));
  return std::nullopt;
}

std::optional<MasterKey> ToMasterKey(const pb::SrtpKey& in, absl::string_view path,
                                     FieldViolations& violations) {
  const std::optional<SuiteId> id = ToSuite(in.suite(), absl::StrCat(path, ".suite"), violations);
  if (!id.has_value()) {
    return std::nullopt;
  }
  const std::string& bytes = in.master_key_and_salt();
  const CipherSuite& suite = GetCipherSuite(*id);
  if (bytes.size() != suite.key_size + suite.salt_size) {
    violations.Add(absl::StrCat(path, ".master_key_and_salt"),
                   absl::StrCat("has ", bytes.size(), " bytes, ", suite.name, " needs ",
                                suite.key_size + suite.salt_size, ": ", suite.key_size,
                                " of key and ", suite.salt_size, " of salt"));
    return std::nullopt;
  }
  absl::StatusOr<MasterKey> key = MasterKey::Create(*id, BytesOf(bytes));
  if (!key.ok()) {
    violations.Add(absl::StrCat(path, ".master_key_and_salt"), "is not a key of the suite");
    return std::nullopt;
  }
  return *std::move(key);
}

Mki ToMki(const std::string& bytes, absl::string_view path, FieldViolations& violations) {
  const absl::StatusOr<Mki> mki = Mki::Create(BytesOf(bytes));
  if (!mki.ok()) {
    violations.Add(path, absl::StrCat("has ", bytes.size(), " bytes, must have 1..", kMaxMkiSize,
                                      ", or none where packets carry no MKI"));
    return Mki();
  }
  return *mki;
}

std::vector<Mki> ToMkis(const google::protobuf::RepeatedPtrField<std::string>& in,
                        absl::string_view path, FieldViolations& violations) {
  std::vector<Mki> mkis;
  if (static_cast<size_t>(in.size()) > kMaxKeysPerDirection) {
    violations.Add(path,
                   absl::StrCat("has ", in.size(), " entries, at most ", kMaxKeysPerDirection));
    return mkis;
  }
  for (int i = 0; i < in.size(); ++i) {
    mkis.push_back(ToMki(in.Get(i), absl::StrCat(path, "[", i, "]"), violations));
  }
  return mkis;
}

SrtpOptions ToSrtpOptions(const pb::SrtpOptions& in, SrtpDirection direction,
                          absl::string_view path, FieldViolations& violations) {
  SrtpOptions out;
  const auto field = [path](absl::string_view name) { return absl::StrCat(path, ".", name); };
  ReadExtensionIds(in, path, out.policy, violations);
  out.policy.cryptex = ReadCryptex(in.cryptex(), field("cryptex"), violations);
  if (out.policy.cryptex != CryptexPolicy::kOff && in.encrypted_extension_ids_size() > 0) {
    violations.Add(field("encrypted_extension_ids"),
                   "must be empty with cryptex, which encrypts all extensions");
  }
  if (in.has_rtp_replay_window()) {
    out.rtp_replay_window =
        ReadWindow(in.rtp_replay_window(), field("rtp_replay_window"), violations);
  }
  if (in.has_rtcp_replay_window() && direction == SrtpDirection::kLocal) {
    violations.Add(field("rtcp_replay_window"),
                   "is for remote_options only: what the gateway sends has consecutive indices");
  } else if (in.has_rtcp_replay_window()) {
    out.rtcp_replay_window =
        ReadWindow(in.rtcp_replay_window(), field("rtcp_replay_window"), violations);
  }
  if (const absl::StatusOr<KeyDerivationRate> rate =
          KeyDerivationRate::Create(in.key_derivation_rate());
      rate.ok()) {
    out.policy.key_derivation_rate = *rate;
  } else {
    violations.Add(field("key_derivation_rate"), absl::StrCat("is ", in.key_derivation_rate(),
                                                              ", must be 0 or a power of two 1..",
                                                              KeyDerivationRate::kMaxPackets));
  }
  out.unencrypted_rtcp = in.unencrypted_rtcp();
  ReadLifetime(in.rtp_lifetime(), field("rtp_lifetime"), kMaxRtpPacketsPerKey,
               out.policy.rtp_lifetime, violations);
  ReadLifetime(in.rtcp_lifetime(), field("rtcp_lifetime"), kMaxRtcpPacketsPerKey,
               out.policy.rtcp_lifetime, violations);
  return out;
}

pb::CryptoSuite ToProto(SuiteId suite) {
  for (const auto& [number, id] : kSuites) {
    if (id == suite) {
      return number;
    }
  }
  return pb::CRYPTO_SUITE_UNSPECIFIED;
}

void ToProto(const MasterKey& key, const Mki& mki, pb::SrtpKey& out) {
  out.set_suite(ToProto(key.suite().id));
  out.set_master_key_and_salt(TextOf(key.key_and_salt()));
  out.set_mki(TextOf(mki.bytes()));
}

void ToProto(const SrtpOptions& options, SrtpDirection direction, pb::SrtpOptions& out) {
  const SrtpPolicy& policy = options.policy;
  for (uint32_t id = 1; id <= kMaxExtensionId; ++id) {
    if (policy.encrypted_extensions.test(id)) {
      out.add_encrypted_extension_ids(id);
    }
  }
  for (const auto& [number, cryptex] : kCryptex) {
    if (cryptex == policy.cryptex) {
      out.set_cryptex(number);
    }
  }
  out.set_rtp_replay_window(static_cast<uint32_t>(options.rtp_replay_window));
  if (direction == SrtpDirection::kRemote) {
    out.set_rtcp_replay_window(static_cast<uint32_t>(options.rtcp_replay_window));
  }
  out.set_key_derivation_rate(policy.key_derivation_rate.packets());
  out.set_unencrypted_rtcp(options.unencrypted_rtcp);
  out.mutable_rtp_lifetime()->set_soft(policy.rtp_lifetime.soft);
  out.mutable_rtp_lifetime()->set_hard(policy.rtp_lifetime.hard);
  out.mutable_rtcp_lifetime()->set_soft(policy.rtcp_lifetime.soft);
  out.mutable_rtcp_lifetime()->set_hard(policy.rtcp_lifetime.hard);
}

void ToProto(const std::vector<LegKeyState>& keys,
             google::protobuf::RepeatedPtrField<pb::LiveKey>& out) {
  for (const LegKeyState& key : keys) {
    pb::LiveKey& live = *out.Add();
    live.set_mki(TextOf(key.mki.bytes()));
    live.set_sending(key.sending);
  }
}

}  // namespace sluice
