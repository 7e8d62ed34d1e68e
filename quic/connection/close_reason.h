#ifndef QUIC_CONNECTION_CLOSE_REASON_H_
#define QUIC_CONNECTION_CLOSE_REASON_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sluice {

// How a connection came to its end.
enum class CloseCause : uint8_t {
  // We said so: `code` is what we said.
  kLocalApplication,
  // The peer broke the rules, or something failed here: `code` is what the peer was told.
  kLocalTransport,
  // The peer said so.
  kRemoteApplication,
  kRemoteTransport,
  // Nobody said anything for too long (RFC 9000 section 10.1). No code, nothing was sent.
  kIdleTimeout,
  // The handshake took too long. No code, nothing was sent.
  kHandshakeTimeout,
  // The peer has lost its state (RFC 9000 section 10.3). No code.
  kStatelessReset,
  // The first packet was not good enough to answer. No code, nothing was sent.
  kDropped,
};
inline constexpr size_t kCloseCauseCount = 8;

struct CloseReason {
  friend bool operator==(const CloseReason& a, const CloseReason& b) = default;
  // "remote_transport 0x2"
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const CloseReason& reason);

  CloseCause cause = CloseCause::kDropped;
  // RFC 9000 section 20: of the transport, 0x100 to 0x1ff for an alert of TLS, or of the
  // application.
  uint64_t code = 0;
};

// For counters: "idle_timeout". Static.
constexpr absl::string_view CloseCauseName(CloseCause cause) {
  constexpr absl::string_view kNames[kCloseCauseCount] = {
      "local_application", "local_transport",   "remote_application", "remote_transport",
      "idle_timeout",      "handshake_timeout", "stateless_reset",    "dropped"};
  return kNames[static_cast<size_t>(cause)];
}

template <typename Sink>
void AbslStringify(Sink& sink, const CloseReason& reason) {
  sink.Append(absl::StrCat(CloseCauseName(reason.cause), " 0x", absl::Hex(reason.code)));
}

}  // namespace sluice

#endif  // QUIC_CONNECTION_CLOSE_REASON_H_
