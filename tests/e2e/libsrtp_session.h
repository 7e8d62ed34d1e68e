#ifndef TESTS_E2E_LIBSRTP_SESSION_H_
#define TESTS_E2E_LIBSRTP_SESSION_H_

#include <srtp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "absl/types/span.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tests/e2e/peer_socket.h"

namespace sluice {

// A key that depends on the suite and `number` only; different numbers give unrelated keys. Of any
// suite; libsrtp has all but AES-192 and the NULL suite with 32 bits.
pb::SrtpKey MakeTestKey(pb::CryptoSuite suite, uint32_t number);

// The bytes that SRTP adds to an RTP packet under the suite (RFC 3711 section 3.1, RFC 7714).
size_t RtpTagSize(pb::CryptoSuite suite);

struct LibsrtpDeleter {
  void operator()(srtp_t session) const { srtp_dealloc(session); }
};
using LibsrtpSession = std::unique_ptr<srtp_ctx_t_, LibsrtpDeleter>;

// What a peer protects with: libsrtp, which shares no SRTP code with the gateway. Failures fail the
// running test and give empty packets.
class LibsrtpSender {
 public:
  enum class Rtcp : uint8_t {
    kEncrypted,
    // Authenticated only, E = 0 (RFC 3711 section 3.4).
    kInTheClear,
  };

  explicit LibsrtpSender(const pb::SrtpKey& key, Rtcp rtcp = Rtcp::kEncrypted);

  Bytes ProtectRtp(absl::Span<const uint8_t> packet);
  Bytes ProtectRtcp(absl::Span<const uint8_t> packet);
  // Another key of the same suite; rollover counters and SRTCP indices go on (RFC 3711
  // section 3.3.1).
  void ChangeKey(const pb::SrtpKey& key);

 private:
  LibsrtpSession session_;
};

// What a peer opens packets with.
class LibsrtpReceiver {
 public:
  explicit LibsrtpReceiver(const pb::SrtpKey& key);
  // With the rollover counters that `before` has reached, as after a change of key.
  LibsrtpReceiver(const pb::SrtpKey& key, const LibsrtpReceiver& before);

  // Nothing when it does not open: forged, another key, replayed.
  std::optional<Bytes> OpenRtp(absl::Span<const uint8_t> packet);
  std::optional<Bytes> OpenRtcp(absl::Span<const uint8_t> packet);

 private:
  LibsrtpSession session_;
  // SSRCs of RTP packets that opened.
  std::set<uint32_t> ssrcs_;
};

}  // namespace sluice

#endif  // TESTS_E2E_LIBSRTP_SESSION_H_
