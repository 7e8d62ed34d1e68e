#ifndef SRTP_CRYPTO_ENGINE_SELF_TEST_H_
#define SRTP_CRYPTO_ENGINE_SELF_TEST_H_

#include "absl/status/status.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// Asks the engine what published vectors answer: counter mode with keys of 128, 192 and 256 bits
// (RFC 3711 appendix B.2, RFC 6188 section 7), HMAC-SHA1 (RFC 2202 section 3), AES-GCM with keys of
// 128 and 256 bits (RFC 7714 section 16), a false tag among them; one job at a time and in batches
// that fill all lanes. Internal, naming the first vector that it got wrong. Takes less than a
// millisecond; allocates.
absl::Status SelfTestEngine(CryptoEngine& engine);

}  // namespace sluice

#endif  // SRTP_CRYPTO_ENGINE_SELF_TEST_H_
