#include "srtp/crypto/engine_choice.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/engine_self_test.h"
#ifdef __x86_64__
#include "srtp/crypto/ipsec_mb_engine.h"
#endif

namespace sluice {
namespace {

struct RequestName {
  EngineRequest request;
  absl::string_view text;
};
constexpr RequestName kRequestNames[] = {
    {EngineRequest::kAuto, "auto"},
    {EngineRequest::kBoringSsl, "boringssl"},
    {EngineRequest::kIpsecMb, "ipsec_mb"},
};

absl::StatusOr<std::unique_ptr<CryptoEngine>> Make(EngineKind kind, const CpuFeatures& features) {
  if (kind == EngineKind::kBoringSsl) return std::make_unique<BoringSslEngine>();
#ifdef __x86_64__
  return IpsecMbEngine::Create(features);
#else
  static_cast<void>(features);
  return absl::UnavailableError("intel-ipsec-mb is for x86-64 only");
#endif
}

absl::Status Try(EngineKind kind, const CpuFeatures& features) {
  const absl::StatusOr<std::unique_ptr<CryptoEngine>> engine = Make(kind, features);
  if (!engine.ok()) return engine.status();
  return SelfTestEngine(**engine);
}

absl::StatusOr<EngineKind> Force(EngineKind kind, const CpuFeatures& features,
                                 absl::string_view advice) {
  const absl::Status status = Try(kind, features);
  if (status.ok()) return kind;
  return absl::FailedPreconditionError(absl::StrCat(
      "the crypto engine ", EngineName(kind), " cannot be used: ", status.message(), "; ", advice));
}

}  // namespace

absl::string_view EngineName(EngineKind kind) {
  switch (kind) {
    case EngineKind::kBoringSsl:
      return "boringssl";
    case EngineKind::kIpsecMb:
      return "ipsec_mb";
  }
  return "unknown";
}

absl::StatusOr<EngineRequest> ParseEngineRequest(absl::string_view text) {
  std::string valid;
  for (const RequestName& name : kRequestNames) {
    if (name.text == text) return name.request;
    absl::StrAppend(&valid, valid.empty() ? "" : ", ", name.text);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no crypto engine \"", text, "\"; choose one of: ", valid));
}

absl::StatusOr<EngineKind> ChooseEngine(EngineRequest request, const CpuFeatures& features) {
  switch (request) {
    case EngineRequest::kAuto:
      if (Try(EngineKind::kIpsecMb, features).ok()) return EngineKind::kIpsecMb;
      break;
    case EngineRequest::kIpsecMb:
      return Force(EngineKind::kIpsecMb, features, "choose auto or boringssl");
    case EngineRequest::kBoringSsl:
      break;
  }
  return Force(EngineKind::kBoringSsl, features, "this machine or this build is broken");
}

std::vector<EngineKind> UsableEngines(const CpuFeatures& features) {
  std::vector<EngineKind> kinds;
  for (const EngineKind kind : {EngineKind::kIpsecMb, EngineKind::kBoringSsl}) {
    if (Try(kind, features).ok()) kinds.push_back(kind);
  }
  return kinds;
}

std::unique_ptr<CryptoEngine> MakeEngine(EngineKind kind) {
  absl::StatusOr<std::unique_ptr<CryptoEngine>> engine = Make(kind, DetectCpuFeatures());
  SLUICE_CHECK(engine.ok()) << engine.status();
  return *std::move(engine);
}

}  // namespace sluice
