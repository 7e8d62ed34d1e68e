#include "quic/server/address_tokens.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/bounded_writer.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/sealing_key_ring.h"

namespace sluice {
namespace {

// Before what is sealed, so that the two cannot be taken for each other.
constexpr uint8_t kRetryMark = 0x52;
constexpr uint8_t kNewTokenMark = 0x4e;
constexpr size_t kTimeSize = 8;

// What a token is bound to.
class Binding {
 public:
  Binding(uint8_t mark, const UdpAddress& client) : writer_(absl::MakeSpan(bytes_)) {
    SLUICE_CHECK(writer_.WriteU8(mark) && writer_.WriteU8(client.is_v6() ? 6 : 4) &&
                 writer_.WriteBytes(client.ip()));
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  Binding& AddAttempt(uint16_t port, const ConnectionId& destination) {
    SLUICE_CHECK(writer_.WriteU16(port) && writer_.WriteBytes(destination.bytes()));
    return *this;
  }
  absl::Span<const uint8_t> bytes() const { return writer_.written(); }

 private:
  std::array<uint8_t, 2 + 16 + 2 + ConnectionId::kMaxSize> bytes_;
  ByteWriter writer_;
};

size_t Seal(SealingKeyRing& keys, uint8_t mark, Timestamp now, const ConnectionId& id,
            const Binding& binding, absl::Span<uint8_t> out) {
  std::array<uint8_t, kTimeSize + ConnectionId::kMaxSize> plain;
  StoreBe64(plain.data(), static_cast<uint64_t>(now.us()));
  CopyBytes(absl::MakeSpan(plain).subspan(kTimeSize), id.bytes());
  if (out.empty()) return 0;
  out[0] = mark;
  const size_t size = keys.Seal(absl::MakeConstSpan(plain).first(kTimeSize + id.size()),
                                binding.bytes(), out.subspan(1));
  return size != 0 ? 1 + size : 0;
}

struct Opened {
  Timestamp since = Timestamp::MinusInfinity();
  ConnectionId id;
};

std::optional<Opened> Open(const SealingKeyRing& keys, absl::Span<const uint8_t> sealed,
                           const Binding& binding) {
  std::array<uint8_t, AddressTokens::kMaxSize> plain;
  const std::optional<size_t> size = keys.Open(sealed, binding.bytes(), absl::MakeSpan(plain));
  if (!size.has_value() || *size < kTimeSize) return std::nullopt;
  const auto id = ConnectionId::From(absl::MakeConstSpan(plain).first(*size).subspan(kTimeSize));
  if (!id.has_value()) return std::nullopt;
  return Opened{Timestamp::Micros(static_cast<int64_t>(LoadBe64(plain.data()))), *id};
}

}  // namespace

AddressTokens::AddressTokens(Timestamp now, RandomSource& random)
    : keys_(now, kNewTokenLifetime, random) {}

size_t AddressTokens::WriteRetry(Timestamp now, const UdpAddress& client,
                                 const ConnectionId& retry_source,
                                 const ConnectionId& original_destination,
                                 absl::Span<uint8_t> out) {
  keys_.Advance(now);
  Binding binding(kRetryMark, client);
  binding.AddAttempt(client.port(), retry_source);
  return Seal(keys_, kRetryMark, now, original_destination, binding, out);
}

size_t AddressTokens::WriteNewToken(Timestamp now, const UdpAddress& client,
                                    absl::Span<uint8_t> out) {
  keys_.Advance(now);
  return Seal(keys_, kNewTokenMark, now, ConnectionId(), Binding(kNewTokenMark, client), out);
}

AddressTokens::Reading AddressTokens::Read(Timestamp now, const UdpAddress& client,
                                           const ConnectionId& destination,
                                           absl::Span<const uint8_t> token) {
  keys_.Advance(now);
  if (token.empty()) return {};
  if (token[0] == kRetryMark) {
    Binding binding(kRetryMark, client);
    binding.AddAttempt(client.port(), destination);
    const std::optional<Opened> opened = Open(keys_, token.subspan(1), binding);
    if (!opened.has_value() || now - opened->since > kRetryLifetime) {
      return {Kind::kBadRetry, ConnectionId()};
    }
    return {Kind::kRetry, opened->id};
  }
  if (token[0] == kNewTokenMark) {
    const Binding binding(kNewTokenMark, client);
    const std::optional<Opened> opened = Open(keys_, token.subspan(1), binding);
    if (opened.has_value() && now - opened->since <= kNewTokenLifetime) {
      return {Kind::kNewToken, ConnectionId()};
    }
  }
  return {};
}

}  // namespace sluice
