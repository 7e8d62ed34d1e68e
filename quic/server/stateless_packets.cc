#include "quic/server/stateless_packets.h"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/tls/ngtcp2_parameters.h"

namespace sluice {
namespace {

size_t SizeOf(ngtcp2_ssize result) { return result > 0 ? static_cast<size_t>(result) : 0; }

}  // namespace

size_t WriteVersionNegotiation(absl::Span<const uint8_t> source,
                               absl::Span<const uint8_t> destination, bool version2,
                               RandomSource& random, absl::Span<uint8_t> out) {
  std::array<uint32_t, 3> versions;
  size_t count = 0;
  versions[count++] = DrawReservedVersion(random).value();
  if (version2) versions[count++] = kQuicVersion2.value();
  versions[count++] = kQuicVersion1.value();
  return SizeOf(ngtcp2_pkt_write_version_negotiation(
      out.data(), out.size(), static_cast<uint8_t>(random.NextU32()), source.data(), source.size(),
      destination.data(), destination.size(), versions.data(), count));
}

size_t WriteRetry(const PacketNames& received, const ConnectionId& own,
                  absl::Span<const uint8_t> token, absl::Span<uint8_t> out) {
  // RFC 9000 section 17.2.5: a client drops one without a token. ngtcp2 would assert it.
  if (token.empty()) return 0;
  const ngtcp2_cid client = ToNgtcp2(received.source);
  const ngtcp2_cid source = ToNgtcp2(own);
  const ngtcp2_cid original = ToNgtcp2(received.destination);
  return SizeOf(ngtcp2_crypto_write_retry(out.data(), out.size(), received.version.value(), &client,
                                          &source, &original, token.data(), token.size()));
}

size_t WriteRefusal(const PacketNames& received, uint64_t code, absl::Span<uint8_t> out) {
  const ngtcp2_cid client = ToNgtcp2(received.source);
  const ngtcp2_cid server = ToNgtcp2(received.destination);
  return SizeOf(ngtcp2_crypto_write_connection_close(
      out.data(), out.size(), received.version.value(), &client, &server, code, nullptr, 0));
}

}  // namespace sluice
