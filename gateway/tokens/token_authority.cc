#include "gateway/tokens/token_authority.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/secret_bytes.h"

namespace sluice {
namespace {

// {"alg":"HS256","typ":"JWT"} in base64url, and the dot behind it. Compared as it is: a header that
// is never parsed cannot choose an algorithm (RFC 8725 section 3.1).
constexpr absl::string_view kHeader = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.";

// 32 bytes in base64url without padding.
constexpr size_t kSignatureSize = 43;

absl::Span<const uint8_t> ToBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// Signatures are compared as text, since base64 has several texts for the same bytes and a token is
// to have one.
std::string Sign(const TokenKey& key, absl::string_view text) {
  std::array<uint8_t, kTokenKeySize> digest;
  unsigned size = 0;
  SLUICE_CHECK(HMAC(EVP_sha256(), key.data(), TokenKey::kSize, ToBytes(text).data(), text.size(),
                    digest.data(), &size) != nullptr &&
               size == digest.size());
  return absl::WebSafeBase64Escape(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

bool IsSignedWith(const TokenKey& key, absl::string_view text, absl::string_view signature) {
  return ConstantTimeEquals(ToBytes(Sign(key, text)), ToBytes(signature));
}

}  // namespace

TokenAuthority::TokenAuthority(TokenKeys keys, size_t max_revoked)
    : keys_(std::move(keys)), revoked_(max_revoked) {}

std::string TokenAuthority::Mint(const ParticipantClaims& claims) const {
  const std::string text = absl::StrCat(kHeader, absl::WebSafeBase64Escape(ToJson(claims)));
  std::string token = absl::StrCat(text, ".", Sign(keys_.current, text));
  SLUICE_CHECK(token.size() <= kMaxTokenSize);
  return token;
}

TokenVerdict TokenAuthority::Verify(absl::string_view token, absl::Time now,
                                    ParticipantClaims& claims) {
  const TokenVerdict verdict = Judge(token, now, claims);
  counts_[static_cast<size_t>(verdict)].fetch_add(1, std::memory_order_relaxed);
  return verdict;
}

TokenVerdict TokenAuthority::Judge(absl::string_view token, absl::Time now,
                                   ParticipantClaims& claims) const {
  absl::string_view payload = token;
  if (token.size() > kMaxTokenSize || !absl::ConsumePrefix(&payload, kHeader)) {
    return TokenVerdict::kMalformed;
  }
  const size_t dot = payload.find('.');
  if (dot == absl::string_view::npos || payload.size() - dot - 1 != kSignatureSize) {
    return TokenVerdict::kMalformed;
  }
  const absl::string_view signature = payload.substr(dot + 1);
  payload = payload.substr(0, dot);
  const absl::string_view text = token.substr(0, kHeader.size() + payload.size());
  if (!IsSignedWith(keys_.current, text, signature) &&
      !(keys_.previous.has_value() && IsSignedWith(*keys_.previous, text, signature))) {
    return TokenVerdict::kBadSignature;
  }
  std::string json;
  if (!absl::WebSafeBase64Unescape(payload, &json)) {
    return TokenVerdict::kMalformed;
  }
  std::optional<ParticipantClaims> parsed = ParseClaims(json);
  if (!parsed.has_value()) {
    return TokenVerdict::kMalformed;
  }
  const TokenVerdict verdict = Recheck(*parsed, now);
  if (verdict == TokenVerdict::kOk) {
    claims = *std::move(parsed);
  }
  return verdict;
}

TokenVerdict TokenAuthority::Recheck(const ParticipantClaims& claims, absl::Time now) const {
  if (now < claims.issued) {
    return TokenVerdict::kNotYetValid;
  }
  if (now >= claims.expires) {
    return TokenVerdict::kExpired;
  }
  return revoked_.Contains(claims.id) ? TokenVerdict::kRevoked : TokenVerdict::kOk;
}

absl::Status TokenAuthority::Revoke(const TokenId& id, absl::Time now) {
  // Nothing is known of the token but its id; none is valid for longer.
  return revoked_.Revoke(id, now + kMaxTokenLifetime, now);
}

}  // namespace sluice
