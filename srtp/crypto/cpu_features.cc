#include "srtp/crypto/cpu_features.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sluice {
namespace {

// Intel SDM volume 2A, CPUID; the names are those of the bits there.
constexpr uint32_t kLeaf1EcxPclmulqdq = 1u << 1;
constexpr uint32_t kLeaf1EcxSse42 = 1u << 20;
constexpr uint32_t kLeaf1EcxAes = 1u << 25;
constexpr uint32_t kLeaf1EcxOsxsave = 1u << 27;
constexpr uint32_t kLeaf1EcxAvx = 1u << 28;
constexpr uint32_t kLeaf7EbxAvx2 = 1u << 5;
constexpr uint32_t kLeaf7EbxBmi2 = 1u << 8;
constexpr uint32_t kLeaf7EbxSha = 1u << 29;
// F, DQ, CD, BW, VL.
constexpr uint32_t kLeaf7EbxAvx512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
constexpr uint32_t kLeaf7EcxVaes = 1u << 9;
constexpr uint32_t kLeaf7EcxVpclmulqdq = 1u << 10;
// Intel SDM volume 1 section 13.3: SSE and AVX state; with the mask registers, the upper halves of
// ZMM0-15 and ZMM16-31.
constexpr uint64_t kXcr0Avx = 1u << 1 | 1u << 2;
constexpr uint64_t kXcr0Avx512 = kXcr0Avx | 1u << 5 | 1u << 6 | 1u << 7;

// AMD64 APM volume 3, CPUID: "Auth", of "AuthenticAMD".
constexpr uint32_t kLeaf0EbxAmd = 0x68747541;

constexpr bool HasAll(uint64_t word, uint64_t bits) { return (word & bits) == bits; }

struct Name {
  bool CpuFeatures::*member;
  absl::string_view name;
};
constexpr Name kNames[] = {
    {&CpuFeatures::sse42, "sse4_2"},
    {&CpuFeatures::aes, "aes"},
    {&CpuFeatures::pclmulqdq, "pclmulqdq"},
    {&CpuFeatures::sha, "sha_ni"},
    {&CpuFeatures::bmi2, "bmi2"},
    {&CpuFeatures::avx, "avx"},
    {&CpuFeatures::avx2, "avx2"},
    {&CpuFeatures::avx512, "avx512"},
    {&CpuFeatures::vaes, "vaes"},
    {&CpuFeatures::vpclmulqdq, "vpclmulqdq"},
    {&CpuFeatures::amd, "amd"},
    {&CpuFeatures::os_saves_avx, "os_saves_avx"},
    {&CpuFeatures::os_saves_avx512, "os_saves_avx512"},
};

}  // namespace

CpuFeatures DecodeCpuFeatures(const CpuidWords& words) {
  CpuFeatures features;
  features.sse42 = HasAll(words.leaf1_ecx, kLeaf1EcxSse42);
  features.aes = HasAll(words.leaf1_ecx, kLeaf1EcxAes);
  features.pclmulqdq = HasAll(words.leaf1_ecx, kLeaf1EcxPclmulqdq);
  features.sha = HasAll(words.leaf7_ebx, kLeaf7EbxSha);
  features.bmi2 = HasAll(words.leaf7_ebx, kLeaf7EbxBmi2);
  features.avx = HasAll(words.leaf1_ecx, kLeaf1EcxAvx);
  features.avx2 = HasAll(words.leaf7_ebx, kLeaf7EbxAvx2);
  features.avx512 = HasAll(words.leaf7_ebx, kLeaf7EbxAvx512);
  features.vaes = HasAll(words.leaf7_ecx, kLeaf7EcxVaes);
  features.vpclmulqdq = HasAll(words.leaf7_ecx, kLeaf7EcxVpclmulqdq);
  features.amd = words.leaf0_ebx == kLeaf0EbxAmd;
  const uint64_t saved = HasAll(words.leaf1_ecx, kLeaf1EcxOsxsave) ? words.xcr0 : 0;
  features.os_saves_avx = HasAll(saved, kXcr0Avx);
  features.os_saves_avx512 = HasAll(saved, kXcr0Avx512);
  return features;
}

CpuFeatures DetectCpuFeatures() {
  CpuidWords words;
#ifdef __x86_64__
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) != 0) {
    words.leaf0_ebx = ebx;
  }
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    words.leaf1_ecx = ecx;
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    words.leaf7_ebx = ebx;
    words.leaf7_ecx = ecx;
  }
  // Without the bit the instruction is undefined.
  if (HasAll(words.leaf1_ecx, kLeaf1EcxOsxsave)) {
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words.xcr0 = uint64_t{high} << 32 | low;
  }
#endif
  return DecodeCpuFeatures(words);
}

std::string CpuFeatureNames(const CpuFeatures& features) {
  std::string names;
  for (const Name& name : kNames) {
    if (features.*name.member) {
      absl::StrAppend(&names, names.empty() ? "" : " ", name.name);
    }
  }
  return names.empty() ? "none" : names;
}

}  // namespace sluice
