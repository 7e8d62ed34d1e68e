#include "quic/server/stateless_reset.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/random_source.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

StatelessReset::StatelessReset(Secret secret) : secret_(std::move(secret)) {}

StatelessResetToken StatelessReset::TokenOf(const ConnectionId& id) const {
  std::array<uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  SLUICE_CHECK(HMAC(EVP_sha256(), secret_.data(), Secret::kSize, id.bytes().data(), id.size(),
                    digest.data(), &size) != nullptr);
  StatelessResetToken token;
  CopyBytes(absl::MakeSpan(token), absl::MakeConstSpan(digest).first(token.size()));
  return token;
}

size_t StatelessReset::Write(const ConnectionId& id, size_t trigger, RandomSource& random,
                             absl::Span<uint8_t> out) const {
  if (trigger < kMinTrigger) return 0;
  const size_t size = std::min(trigger - 1, kMaxSize);
  if (out.size() < size) return 0;
  const absl::Span<uint8_t> packet = out.first(size);
  const absl::Span<uint8_t> front = packet.first(size - kStatelessResetTokenSize);
  random.Fill(front);
  // A short header with the fixed bit (section 10.3).
  front[0] = static_cast<uint8_t>((front[0] & 0x3f) | 0x40);
  CopyBytes(packet.subspan(front.size()), TokenOf(id));
  return size;
}

}  // namespace sluice
