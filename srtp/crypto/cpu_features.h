#ifndef SRTP_CRYPTO_CPU_FEATURES_H_
#define SRTP_CRYPTO_CPU_FEATURES_H_

#include <cstdint>
#include <string>

namespace sluice {

// What of an x86-64 CPU matters to an engine. A plain struct, so that a test can make one up; all
// false on other architectures.
struct CpuFeatures {
  // What the CPU has.
  bool sse42 = false;
  bool aes = false;
  bool pclmulqdq = false;
  bool sha = false;
  bool bmi2 = false;
  bool avx = false;
  bool avx2 = false;
  // All of F, CD, BW, DQ and VL, as servers have them.
  bool avx512 = false;
  bool vaes = false;
  bool vpclmulqdq = false;
  // Made by AMD, whose SHA instructions cost less than Intel's.
  bool amd = false;
  // What the operating system keeps of a thread when another one runs (XCR0). Where it does not,
  // the instructions fault, whatever the CPU has.
  bool os_saves_avx = false;
  bool os_saves_avx512 = false;
};

// What CPUID and XGETBV answer, in the registers that matter here.
struct CpuidWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;
  uint32_t leaf7_ecx = 0;
  // 0 when the operating system has not enabled XGETBV (OSXSAVE of leaf 1).
  uint64_t xcr0 = 0;
  // The maker's first four letters.
  uint32_t leaf0_ebx = 0;
};

CpuFeatures DecodeCpuFeatures(const CpuidWords& words);

// Of the CPU that this runs on. Any thread.
CpuFeatures DetectCpuFeatures();

// For people: the names of what is there, as Linux writes them, between blanks. "none" if nothing
// is.
std::string CpuFeatureNames(const CpuFeatures& features);

}  // namespace sluice

#endif  // SRTP_CRYPTO_CPU_FEATURES_H_
