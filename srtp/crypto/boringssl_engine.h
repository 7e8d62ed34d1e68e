#ifndef SRTP_CRYPTO_BORINGSSL_ENGINE_H_
#define SRTP_CRYPTO_BORINGSSL_ENGINE_H_

#include <memory>

#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// One packet after the other with BoringSSL, on every machine that there is. What the other engines
// are compared with.
//
// A thread that opens packets calls PrepareOpensslErrors (openssl_error.h) before its first one, or
// the first false tag allocates; the constructor does so for its own thread. Unlike other engines
// it has no scratch memory: nothing but the keys is read.
class BoringSslEngine final : public CryptoEngine {
 public:
  BoringSslEngine();

  EngineKind kind() const override { return EngineKind::kBoringSsl; }

  std::unique_ptr<CounterModeKey> MakeCounterModeKey() override;
  std::unique_ptr<HmacSha1Key> MakeHmacSha1Key() override;
  std::unique_ptr<GcmKey> MakeGcmKey() override;

  void Crypt(absl::Span<const CounterModeJob> jobs) override;
  void Authenticate(absl::Span<const MacJob> jobs) override;

  void Seal(const GcmJob& job) override;
  [[nodiscard]] bool Open(const GcmJob& job) override;
};

}  // namespace sluice

#endif  // SRTP_CRYPTO_BORINGSSL_ENGINE_H_
