#ifndef SRTP_CRYPTO_IPSEC_MB_ENGINE_H_
#define SRTP_CRYPTO_IPSEC_MB_ENGINE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/ipsec_mb_manager.h"
#include "srtp/crypto/mac_plan.h"

namespace sluice {

// Many packets at once with intel-ipsec-mb, on x86-64. Counter mode of a batch is one call; HMACs
// are divided between SHA instructions and lanes (mac_plan.h), which with AVX-512 are our own
// (hmac_lanes.h); GCM is a call per packet.
//
// Keys have the form of one level of the library (ipsec_mb_manager.h): use them with engines made
// with the same CpuFeatures. To set one touches no engine, and may be done on any thread.
class IpsecMbEngine final : public CryptoEngine {
 public:
  // Unavailable, with a sentence, when the CPU cannot. What `features` lacks is not used.
  static absl::StatusOr<std::unique_ptr<IpsecMbEngine>> Create(const CpuFeatures& features);

  ~IpsecMbEngine() override;

  EngineKind kind() const override { return EngineKind::kIpsecMb; }

  std::unique_ptr<CounterModeKey> MakeCounterModeKey() override;
  std::unique_ptr<HmacSha1Key> MakeHmacSha1Key() override;
  std::unique_ptr<GcmKey> MakeGcmKey() override;

  void Crypt(absl::Span<const CounterModeJob> jobs) override;
  void Authenticate(absl::Span<const MacJob> jobs) override;

  void Seal(const GcmJob& job) override;
  [[nodiscard]] bool Open(const GcmJob& job) override;

 private:
  struct Scratch;

  IpsecMbEngine(IpsecMbManager best, IpsecMbManager sha, bool has_lanes, const MacCosts& costs);

  // Counter mode of those jobs whose keys have that size.
  void CryptKeySize(absl::Span<const CounterModeJob> jobs, IMB_KEY_SIZE_BYTES key_size);
  void SubmitCipher(size_t count, IMB_KEY_SIZE_BYTES key_size);
  // HMACs of jobs[order[0]], jobs[order[1]] and so on: in lanes of our own, and by the library.
  void HashInLanes(absl::Span<const MacJob> jobs, absl::Span<const uint8_t> order);
  void SubmitMacs(IMB_MGR& manager, absl::Span<const MacJob> jobs, absl::Span<const uint8_t> order);

  // Of the highest level.
  const IpsecMbManager best_;
  // With SHA instructions, where the best one has lanes instead; else null.
  const IpsecMbManager sha_;
  // Whether this CPU can run lanes of our own, which are faster than the library's, and than SHA
  // instructions once enough of them are in use.
  const bool has_lanes_;
  const MacCosts costs_;
  const std::unique_ptr<Scratch> scratch_;
};

}  // namespace sluice

#endif  // SRTP_CRYPTO_IPSEC_MB_ENGINE_H_
