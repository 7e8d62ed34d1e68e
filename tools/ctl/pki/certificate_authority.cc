#include "tools/ctl/pki/certificate_authority.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/bytestring.h>
#include <openssl/digest.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/evp.h>
#include <openssl/nid.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace sluice {
namespace {

// RFC 5280 section 4.1.2.2 wants at most 20 octets; 16 random ones never collide.
constexpr size_t kSerialSize = 16;
// A clock may be this far behind ours and still accept a fresh certificate.
constexpr absl::Duration kClockTolerance = absl::Minutes(10);
// Bits of RFC 5280 section 4.2.1.3.
constexpr int kDigitalSignature = 0;
constexpr int kKeyCertSign = 5;
constexpr int kCrlSign = 6;
constexpr size_t kDnsNameMax = 253;

constexpr char kAuthorityName[] = "Sluice CA";
constexpr char kServerName[] = "Sluice gateway";

absl::Status Failed(absl::string_view what) {
  return absl::InternalError(absl::StrCat("BoringSSL could not ", what));
}

bool IsIp(const std::string& host, std::string& bytes) {
  uint8_t address[sizeof(in6_addr)];
  for (const auto& [family, size] :
       {std::pair(AF_INET, sizeof(in_addr)), {AF_INET6, sizeof(in6_addr)}}) {
    if (inet_pton(family, host.c_str(), address) == 1) {
      bytes.assign(address, address + size);
      return true;
    }
  }
  return false;
}

bssl::UniquePtr<EVP_PKEY> NewKey() {
  bssl::UniquePtr<EC_KEY> ec(EC_KEY_new_by_curve_name(NID_X9_62_prime256v1));
  bssl::UniquePtr<EVP_PKEY> key(EVP_PKEY_new());
  if (!ec || !key || !EC_KEY_generate_key(ec.get()) || !EVP_PKEY_set1_EC_KEY(key.get(), ec.get())) {
    return nullptr;
  }
  return key;
}

template <typename Write>
absl::StatusOr<std::string> ToPem(Write write) {
  bssl::UniquePtr<BIO> bio(BIO_new(BIO_s_mem()));
  const uint8_t* data;
  size_t size;
  if (!bio || !write(bio.get()) || !BIO_mem_contents(bio.get(), &data, &size)) {
    return Failed("write PEM");
  }
  return std::string(data, data + size);
}

absl::StatusOr<PemIdentity> ToPem(X509* certificate, EVP_PKEY* key) {
  absl::StatusOr<std::string> certificate_pem =
      ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
  absl::StatusOr<std::string> key_pem = ToPem([&](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
  if (!certificate_pem.ok()) return certificate_pem.status();
  if (!key_pem.ok()) return key_pem.status();
  return PemIdentity{*std::move(certificate_pem), *std::move(key_pem)};
}

bool SetSerial(X509* certificate) {
  uint8_t bytes[kSerialSize];
  RAND_bytes(bytes, sizeof(bytes));
  // Positive, and of the same length each time.
  bytes[0] = static_cast<uint8_t>((bytes[0] & 0x7f) | 0x40);
  bssl::UniquePtr<BIGNUM> number(BN_bin2bn(bytes, sizeof(bytes), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

bool SetValidity(X509* certificate, const Validity& validity) {
  const absl::Time end = validity.start + absl::Hours(24) * validity.days;
  return ASN1_TIME_set_posix(X509_getm_notBefore(certificate),
                             absl::ToUnixSeconds(validity.start - kClockTolerance)) &&
         ASN1_TIME_set_posix(X509_getm_notAfter(certificate), absl::ToUnixSeconds(end));
}

bool SetName(X509_NAME* name, absl::string_view text) {
  return X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8,
                                    reinterpret_cast<const uint8_t*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0);
}

bool AddExtension(X509* certificate, int nid, void* value, bool critical) {
  return value && X509_add1_ext_i2d(certificate, nid, value, critical ? 1 : 0, X509V3_ADD_DEFAULT);
}

bool AddBasicConstraints(X509* certificate, bool is_authority) {
  bssl::UniquePtr<BASIC_CONSTRAINTS> constraints(BASIC_CONSTRAINTS_new());
  if (!constraints) return false;
  constraints->ca = is_authority ? ASN1_BOOLEAN_TRUE : ASN1_BOOLEAN_FALSE;
  if (is_authority) {
    // It signs certificates of servers and clients, and no other authorities.
    constraints->pathlen = ASN1_INTEGER_new();
    if (!constraints->pathlen || !ASN1_INTEGER_set(constraints->pathlen, 0)) return false;
  }
  return AddExtension(certificate, NID_basic_constraints, constraints.get(), true);
}

bool AddKeyUsage(X509* certificate, std::initializer_list<int> bits) {
  bssl::UniquePtr<ASN1_BIT_STRING> usage(ASN1_BIT_STRING_new());
  if (!usage) return false;
  for (const int bit : bits) {
    if (!ASN1_BIT_STRING_set_bit(usage.get(), bit, 1)) return false;
  }
  return AddExtension(certificate, NID_key_usage, usage.get(), true);
}

bool AddExtendedKeyUsage(X509* certificate, int nid) {
  bssl::UniquePtr<EXTENDED_KEY_USAGE> usage(EXTENDED_KEY_USAGE_new());
  // The object of a NID is static: freeing the stack leaves it alone.
  return usage && sk_ASN1_OBJECT_push(usage.get(), OBJ_nid2obj(nid)) &&
         AddExtension(certificate, NID_ext_key_usage, usage.get(), false);
}

bssl::UniquePtr<ASN1_OCTET_STRING> KeyId(EVP_PKEY* key) {
  bssl::ScopedCBB cbb;
  uint8_t* der = nullptr;
  size_t size = 0;
  if (!CBB_init(cbb.get(), 128) || !EVP_marshal_public_key(cbb.get(), key) ||
      !CBB_finish(cbb.get(), &der, &size)) {
    return nullptr;
  }
  bssl::UniquePtr<uint8_t> owned(der);
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256(der, size, digest);
  bssl::UniquePtr<ASN1_OCTET_STRING> id(ASN1_OCTET_STRING_new());
  // RFC 7093 section 2, method 1: the leftmost 160 bits.
  if (!id || !ASN1_OCTET_STRING_set(id.get(), digest, 20)) return nullptr;
  return id;
}

bool AddKeyIds(X509* certificate, EVP_PKEY* subject, EVP_PKEY* issuer) {
  bssl::UniquePtr<ASN1_OCTET_STRING> subject_id = KeyId(subject);
  bssl::UniquePtr<AUTHORITY_KEYID> authority(AUTHORITY_KEYID_new());
  if (!authority) return false;
  authority->keyid = KeyId(issuer).release();
  return authority->keyid &&
         AddExtension(certificate, NID_subject_key_identifier, subject_id.get(), false) &&
         AddExtension(certificate, NID_authority_key_identifier, authority.get(), false);
}

bool AddHosts(X509* certificate, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return true;
  bssl::UniquePtr<GENERAL_NAMES> names(GENERAL_NAMES_new());
  if (!names) return false;
  for (const std::string& host : hosts) {
    std::string bytes;
    const bool ip = IsIp(host, bytes);
    if (!ip) bytes = host;
    bssl::UniquePtr<GENERAL_NAME> name(GENERAL_NAME_new());
    bssl::UniquePtr<ASN1_STRING> value(
        ASN1_STRING_type_new(ip ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING));
    if (!name || !value ||
        !ASN1_STRING_set(value.get(), bytes.data(), static_cast<int>(bytes.size()))) {
      return false;
    }
    GENERAL_NAME_set0_value(name.get(), ip ? GEN_IPADD : GEN_DNS, value.release());
    if (!bssl::PushToStack(names.get(), std::move(name))) return false;
  }
  return AddExtension(certificate, NID_subject_alt_name, names.get(), false);
}

// What all certificates have in common. `signer` is the authority's key, for its own as well.
bssl::UniquePtr<X509> NewCertificate(absl::string_view subject, EVP_PKEY* key, EVP_PKEY* signer,
                                     const Validity& validity) {
  bssl::UniquePtr<X509> certificate(X509_new());
  if (!certificate || !X509_set_version(certificate.get(), X509_VERSION_3) ||
      !SetSerial(certificate.get()) || !SetValidity(certificate.get(), validity) ||
      !X509_set_pubkey(certificate.get(), key) ||
      !SetName(X509_get_subject_name(certificate.get()), subject) ||
      !SetName(X509_get_issuer_name(certificate.get()), kAuthorityName) ||
      !AddKeyIds(certificate.get(), key, signer)) {
    return nullptr;
  }
  return certificate;
}

absl::StatusOr<PemIdentity> Issue(absl::string_view subject, const std::vector<std::string>& hosts,
                                  int purpose, EVP_PKEY* signer, const Validity& validity) {
  const bssl::UniquePtr<EVP_PKEY> key = NewKey();
  if (!key) return Failed("make a key");
  const bssl::UniquePtr<X509> certificate = NewCertificate(subject, key.get(), signer, validity);
  if (!certificate || !AddBasicConstraints(certificate.get(), false) ||
      !AddKeyUsage(certificate.get(), {kDigitalSignature}) ||
      !AddExtendedKeyUsage(certificate.get(), purpose) || !AddHosts(certificate.get(), hosts) ||
      !X509_sign(certificate.get(), signer, EVP_sha256())) {
    return Failed("make a certificate");
  }
  return ToPem(certificate.get(), key.get());
}

}  // namespace

CertificateAuthority::CertificateAuthority(bssl::UniquePtr<EVP_PKEY> key, PemIdentity identity,
                                           const Validity& validity)
    : key_(std::move(key)), identity_(std::move(identity)), validity_(validity) {}

absl::StatusOr<CertificateAuthority> CertificateAuthority::Create(const Validity& validity) {
  bssl::UniquePtr<EVP_PKEY> key = NewKey();
  if (!key) return Failed("make a key");
  bssl::UniquePtr<X509> certificate =
      NewCertificate(kAuthorityName, key.get(), key.get(), validity);
  if (!certificate || !AddBasicConstraints(certificate.get(), true) ||
      !AddKeyUsage(certificate.get(), {kKeyCertSign, kCrlSign}) ||
      !X509_sign(certificate.get(), key.get(), EVP_sha256())) {
    return Failed("make a certificate");
  }
  absl::StatusOr<PemIdentity> identity = ToPem(certificate.get(), key.get());
  if (!identity.ok()) return identity.status();
  return CertificateAuthority(std::move(key), *std::move(identity), validity);
}

absl::StatusOr<PemIdentity> CertificateAuthority::IssueServer(
    const std::vector<std::string>& hosts) const {
  if (hosts.empty()) return absl::InvalidArgumentError("a server certificate needs a host");
  for (const std::string& host : hosts) {
    if (absl::Status status = CheckCertificateHost(host); !status.ok()) return status;
  }
  return Issue(kServerName, hosts, NID_server_auth, key_.get(), validity_);
}

absl::StatusOr<PemIdentity> CertificateAuthority::IssueClient(absl::string_view name) const {
  return Issue(name, {}, NID_client_auth, key_.get(), validity_);
}

absl::Status CheckCertificateHost(absl::string_view host) {
  std::string bytes;
  if (IsIp(std::string(host), bytes)) return absl::OkStatus();
  bool valid = !host.empty() && host.size() <= kDnsNameMax;
  for (const absl::string_view label : absl::StrSplit(host, '.')) {
    valid = valid && !label.empty() && label.size() <= 63 && label.front() != '-' &&
            label.back() != '-';
    for (const char c : label) valid = valid && (absl::ascii_isalnum(c) || c == '-');
  }
  // All digits and dots is an address with a mistake in it.
  valid = valid && host.find_first_not_of("0123456789.") != absl::string_view::npos;
  if (valid) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", host, "' is neither a host name nor an IP address"));
}

absl::StatusOr<absl::Time> CertificateEnd(absl::string_view pem) {
  bssl::UniquePtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  bssl::UniquePtr<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  int64_t end = 0;
  if (!certificate || !ASN1_TIME_to_posix(X509_get0_notAfter(certificate.get()), &end)) {
    return absl::InvalidArgumentError("there is no certificate in it");
  }
  return absl::FromUnixSeconds(end);
}

}  // namespace sluice
