#ifndef QUIC_CODEC_TRANSPORT_PARAMETER_ERROR_H_
#define QUIC_CODEC_TRANSPORT_PARAMETER_ERROR_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace sluice {

// What is wrong with a transport parameter.
enum class TransportParameterFault : uint8_t {
  // The bytes end within its id, length or value.
  kTruncated,
  // It was there before. Also said of parameters that we do not know.
  kDuplicate,
  // Its length is not one that its value can have.
  kWrongLength,
  // A number, version or connection id that is not among the legal ones.
  kOutOfRange,
  // From a client, who must not say it (RFC 9000 section 18.2).
  kServerOnly,
  // It must be there and is not.
  kMissing,
  // A server without a connection id of its own may not say it (RFC 9000 section 18.2).
  kNeedsConnectionId,
  // In a ticket, where it does not belong (RFC 9000 section 7.4.1) or says nothing to us.
  kNotRemembered,
  // One more that we do not know than we look at.
  kTooManyUnknown,
};
inline constexpr size_t kTransportParameterFaultCount = 9;

// For counters and traces: "truncated", "wrong_length". Static.
absl::string_view FaultName(TransportParameterFault fault);

// RFC 9000 section 20.1: what the connection is closed with, whatever the fault.
inline constexpr uint64_t kTransportParameterErrorCode = 0x08;

// Why transport parameters were refused.
struct TransportParameterError {
  // In the place of an id where the bytes end before there is one. Not a varint.
  static constexpr uint64_t kNoId = UINT64_MAX;

  // The name of the parameter, "unknown" for those that we do not know. Static.
  absl::string_view name() const;

  friend bool operator==(const TransportParameterError& a,
                         const TransportParameterError& b) = default;

  // "initial_max_streams_bidi (0x8): out_of_range"
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const TransportParameterError& error) {
    if (error.id == kNoId) {
      absl::Format(&sink, "no parameter: %s", FaultName(error.fault));
    } else {
      absl::Format(&sink, "%s (%#x): %s", error.name(), error.id, FaultName(error.fault));
    }
  }

  TransportParameterFault fault;
  uint64_t id;
};

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETER_ERROR_H_
