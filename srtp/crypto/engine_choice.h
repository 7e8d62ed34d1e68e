#ifndef SRTP_CRYPTO_ENGINE_CHOICE_H_
#define SRTP_CRYPTO_ENGINE_CHOICE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// Which engine a process uses. Chosen once, at start: keys of one engine mean nothing to another.

// What an operator asks for.
enum class EngineRequest : uint8_t { kAuto, kBoringSsl, kIpsecMb };

// As in counters, flags and the control API: "boringssl", "ipsec_mb".
absl::string_view EngineName(EngineKind kind);

// "auto" or the name of an engine; InvalidArgument, listing these, for anything else.
absl::StatusOr<EngineRequest> ParseEngineRequest(absl::string_view text);

// The engine to use on a machine with `features`. kAuto is intel-ipsec-mb where it runs and passes
// the self-test, else BoringSSL. An engine that was asked for by name and does not is
// FailedPrecondition: the message says why and what to do. Allocates, and takes a millisecond.
absl::StatusOr<EngineKind> ChooseEngine(EngineRequest request, const CpuFeatures& features);

// All engines that ChooseEngine would agree to, the preferred one first. BoringSSL is always among
// them. For tests and benchmarks.
std::vector<EngineKind> UsableEngines(const CpuFeatures& features);

// An engine for one thread; keys of all engines of a kind can be mixed. `kind` is one that
// ChooseEngine gave for the features of this machine. Never null.
std::unique_ptr<CryptoEngine> MakeEngine(EngineKind kind);

}  // namespace sluice

#endif  // SRTP_CRYPTO_ENGINE_CHOICE_H_
