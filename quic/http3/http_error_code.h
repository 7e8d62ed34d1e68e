#ifndef QUIC_HTTP3_HTTP_ERROR_CODE_H_
#define QUIC_HTTP3_HTTP_ERROR_CODE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sluice {

// What a stream or a connection of HTTP/3 ends with (RFC 9114 section 8.1, RFC 9204 section 6).
enum class HttpErrorCode : uint64_t {
  kNone = 0x100,
  kGeneralProtocolError = 0x101,
  kInternalError = 0x102,
  kStreamCreationError = 0x103,
  kClosedCriticalStream = 0x104,
  kFrameUnexpected = 0x105,
  kFrameError = 0x106,
  kExcessiveLoad = 0x107,
  kIdError = 0x108,
  kSettingsError = 0x109,
  kMissingSettings = 0x10a,
  kRequestRejected = 0x10b,
  kRequestCancelled = 0x10c,
  kRequestIncomplete = 0x10d,
  kMessageError = 0x10e,
  kConnectError = 0x10f,
  kVersionFallback = 0x110,
  kQpackDecompressionFailed = 0x200,
  kQpackEncoderStreamError = 0x201,
  kQpackDecoderStreamError = 0x202,
};

// For logs and counters: "frame_error"; "unknown" for a code that is not above. Static.
constexpr absl::string_view HttpErrorCodeName(uint64_t code) {
  constexpr absl::string_view kOfHttp[] = {
      "none",
      "general_protocol_error",
      "internal_error",
      "stream_creation_error",
      "closed_critical_stream",
      "frame_unexpected",
      "frame_error",
      "excessive_load",
      "id_error",
      "settings_error",
      "missing_settings",
      "request_rejected",
      "request_cancelled",
      "request_incomplete",
      "message_error",
      "connect_error",
      "version_fallback",
  };
  constexpr absl::string_view kOfQpack[] = {
      "qpack_decompression_failed", "qpack_encoder_stream_error", "qpack_decoder_stream_error"};
  constexpr auto kFirstOfHttp = static_cast<uint64_t>(HttpErrorCode::kNone);
  constexpr auto kLastOfHttp = static_cast<uint64_t>(HttpErrorCode::kVersionFallback);
  constexpr auto kFirstOfQpack = static_cast<uint64_t>(HttpErrorCode::kQpackDecompressionFailed);
  constexpr auto kLastOfQpack = static_cast<uint64_t>(HttpErrorCode::kQpackDecoderStreamError);
  if (code >= kFirstOfHttp && code <= kLastOfHttp) return kOfHttp[code - kFirstOfHttp];
  if (code >= kFirstOfQpack && code <= kLastOfQpack) return kOfQpack[code - kFirstOfQpack];
  return "unknown";
}

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_ERROR_CODE_H_
