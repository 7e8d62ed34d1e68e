#ifndef QUIC_RPC_PROTOBUF_FIELDS_H_
#define QUIC_RPC_PROTOBUF_FIELDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

// The encoding of protocol buffers, as far as a header and a status need it: fields one after the
// other, without schema and without allocating. Strings are views of what was read.

// How a field's value is written; the numbers are those on the wire.
enum class ProtobufWireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5,
};

struct ProtobufField {
  // 1 to 2^29 - 1.
  uint32_t number = 0;
  ProtobufWireType type = ProtobufWireType::kVarint;
  // Of kVarint.
  uint64_t value = 0;
  // Of the other types, in the bytes given.
  absl::Span<const uint8_t> bytes;

  absl::string_view text() const;
};

class ProtobufFieldReader {
 public:
  explicit ProtobufFieldReader(absl::Span<const uint8_t> bytes) : rest_(bytes) {}

  // The next field; false at the end and at the first fault, which malformed() tells apart.
  [[nodiscard]] bool Next(ProtobufField& field);

  // A field that ends too early, that has no number, or whose type is none. Groups, which nobody
  // writes any more, are among these.
  bool malformed() const { return malformed_; }

 private:
  absl::Span<const uint8_t> rest_;
  bool malformed_ = false;
};

// Write to the front of `rest` and cut off what was written. False, and nothing happens, for lack
// of room. `number` is 1 to 15.
[[nodiscard]] bool WriteProtobufVarint(absl::Span<uint8_t>& rest, uint32_t number, uint64_t value);
[[nodiscard]] bool WriteProtobufText(absl::Span<uint8_t>& rest, uint32_t number,
                                     absl::string_view text);

}  // namespace sluice

#endif  // QUIC_RPC_PROTOBUF_FIELDS_H_
