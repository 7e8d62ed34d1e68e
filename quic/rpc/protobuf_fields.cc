#include "quic/rpc/protobuf_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/check.h"

namespace sluice {
namespace {

// Seven bits a byte, lowest first. 64 bits are ten bytes, a tag's 32 bits five.
constexpr size_t kMaxVarint64 = 10;
constexpr uint64_t kMaxTag = 0xFFFF'FFFF;

// False when `rest` ends too early or the number has more than 64 bits.
bool ReadBase128(absl::Span<const uint8_t>& rest, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < std::min(rest.size(), kMaxVarint64); ++i) {
    const uint64_t bits = rest[i] & 0x7F;
    if (i == kMaxVarint64 - 1 && bits > 1) return false;
    value |= bits << 7 * i;
    if ((rest[i] & 0x80) == 0) {
      rest.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

size_t WriteBase128(uint64_t value, uint8_t* to) {
  size_t size = 0;
  while (value >= 0x80) {
    to[size++] = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  to[size++] = static_cast<uint8_t>(value);
  return size;
}

bool TakeBytes(absl::Span<const uint8_t>& rest, uint64_t size, absl::Span<const uint8_t>& out) {
  if (size > rest.size()) return false;
  out = rest.first(static_cast<size_t>(size));
  rest.remove_prefix(static_cast<size_t>(size));
  return true;
}

uint8_t Tag(uint32_t number, ProtobufWireType type) {
  SLUICE_DCHECK(number >= 1 && number <= 15);
  return static_cast<uint8_t>(number << 3 | static_cast<uint32_t>(type));
}

}  // namespace

absl::string_view ProtobufField::text() const {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool ProtobufFieldReader::Next(ProtobufField& field) {
  if (rest_.empty() || malformed_) return false;
  malformed_ = true;
  uint64_t tag = 0;
  if (!ReadBase128(rest_, tag) || tag > kMaxTag) return false;
  field = {.number = static_cast<uint32_t>(tag >> 3),
           .type = static_cast<ProtobufWireType>(tag & 7),
           .value = 0,
           .bytes = {}};
  if (field.number == 0) return false;
  uint64_t size = 0;
  switch (field.type) {
    case ProtobufWireType::kVarint:
      malformed_ = !ReadBase128(rest_, field.value);
      break;
    case ProtobufWireType::kFixed64:
      malformed_ = !TakeBytes(rest_, 8, field.bytes);
      break;
    case ProtobufWireType::kBytes:
      malformed_ = !ReadBase128(rest_, size) || !TakeBytes(rest_, size, field.bytes);
      break;
    case ProtobufWireType::kFixed32:
      malformed_ = !TakeBytes(rest_, 4, field.bytes);
      break;
  }
  return !malformed_;
}

bool WriteProtobufVarint(absl::Span<uint8_t>& rest, uint32_t number, uint64_t value) {
  std::array<uint8_t, 1 + kMaxVarint64> bytes;
  bytes[0] = Tag(number, ProtobufWireType::kVarint);
  const size_t size = 1 + WriteBase128(value, bytes.data() + 1);
  if (rest.size() < size) return false;
  std::copy_n(bytes.begin(), size, rest.begin());
  rest.remove_prefix(size);
  return true;
}

bool WriteProtobufText(absl::Span<uint8_t>& rest, uint32_t number, absl::string_view text) {
  std::array<uint8_t, 1 + kMaxVarint64> bytes;
  bytes[0] = Tag(number, ProtobufWireType::kBytes);
  const size_t size = 1 + WriteBase128(text.size(), bytes.data() + 1);
  if (rest.size() < size || rest.size() - size < text.size()) return false;
  std::copy_n(bytes.begin(), size, rest.begin());
  std::copy(text.begin(), text.end(), rest.begin() + size);
  rest.remove_prefix(size + text.size());
  return true;
}

}  // namespace sluice
