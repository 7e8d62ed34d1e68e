#include "srtp/crypto/testing/every_engine.h"

#include <utility>

#include "absl/status/statusor.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/cpu_features.h"
#ifdef __x86_64__
#include "srtp/crypto/ipsec_mb_engine.h"
#endif

namespace sluice {

std::vector<NamedEngine> EveryEngine() {
  std::vector<NamedEngine> engines;
  engines.push_back({"boringssl", std::make_unique<BoringSslEngine>()});
  for (NamedEngine& engine : EveryIpsecMbEngine()) {
    engines.push_back(std::move(engine));
  }
  return engines;
}

std::vector<NamedEngine> EveryIpsecMbEngine() {
  std::vector<NamedEngine> engines;
#ifdef __x86_64__
  // What a CPU lacks where its level is chosen.
  struct Lack {
    std::string name;
    std::vector<bool CpuFeatures::*> members;
  };
  const Lack lacks[] = {
      {"ipsec_mb", {}},
      {"ipsec_mb avx512 without sha", {&CpuFeatures::sha}},
      {"ipsec_mb avx512 without vaes", {&CpuFeatures::vaes}},
      {"ipsec_mb avx2", {&CpuFeatures::avx512}},
      {"ipsec_mb avx2 without sha and vaes",
       {&CpuFeatures::avx512, &CpuFeatures::sha, &CpuFeatures::vaes}},
      {"ipsec_mb sse", {&CpuFeatures::avx}},
      {"ipsec_mb sse without sha", {&CpuFeatures::avx, &CpuFeatures::sha}},
  };
  for (const Lack& lack : lacks) {
    CpuFeatures features = DetectCpuFeatures();
    for (bool CpuFeatures::*member : lack.members) {
      features.*member = false;
    }
    absl::StatusOr<std::unique_ptr<IpsecMbEngine>> engine = IpsecMbEngine::Create(features);
    if (engine.ok()) engines.push_back({lack.name, *std::move(engine)});
  }
#endif
  return engines;
}

}  // namespace sluice
