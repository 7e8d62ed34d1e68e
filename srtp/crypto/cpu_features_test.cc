#include "srtp/crypto/cpu_features.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace sluice {
namespace {

// What a server with everything answers: all bits of each word.
constexpr uint32_t kAll = 0xFFFFFFFF;

TEST(CpuFeaturesTest, EachComesFromItsBit) {
  EXPECT_EQ(CpuFeatureNames(DecodeCpuFeatures({})), "none");
  struct Case {
    CpuidWords words;
    std::string names;
  };
  const Case cases[] = {
      {{0x00000002, 0, 0, 0}, "pclmulqdq"},
      {{0x00100000, 0, 0, 0}, "sse4_2"},
      {{0x02000000, 0, 0, 0}, "aes"},
      {{0x10000000, 0, 0, 0}, "avx"},
      {{0, 0x00000020, 0, 0}, "avx2"},
      {{0, 0x00000100, 0, 0}, "bmi2"},
      {{0, 0x20000000, 0, 0}, "sha_ni"},
      {{0, 0xD0030000, 0, 0}, "avx512"},
      {{0, 0, 0x00000200, 0}, "vaes"},
      {{0, 0, 0x00000400, 0}, "vpclmulqdq"},
      {{0, 0, 0, 0, 0x68747541}, "amd"},
      // "Genu", of "GenuineIntel".
      {{0, 0, 0, 0, 0x756e6547}, "none"},
      {{0x08000000, 0, 0, 0x07}, "os_saves_avx"},
      {{0x08000000, 0, 0, 0xE7}, "os_saves_avx os_saves_avx512"},
      {{kAll, kAll, kAll, kAll},
       "sse4_2 aes pclmulqdq sha_ni bmi2 avx avx2 avx512 vaes vpclmulqdq os_saves_avx "
       "os_saves_avx512"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(CpuFeatureNames(DecodeCpuFeatures(c.words)), c.names);
  }
}

TEST(CpuFeaturesTest, Avx512NeedsAllOfItsFiveParts) {
  for (const uint32_t part : {1u << 16, 1u << 17, 1u << 28, 1u << 30, 1u << 31}) {
    EXPECT_FALSE(DecodeCpuFeatures({kAll, kAll & ~part, kAll, kAll}).avx512) << part;
  }
}

// Mask registers, upper halves and upper registers are three bits; AVX and SSE two more.
TEST(CpuFeaturesTest, StateCountsAsSavedWhenAllOfItIs) {
  for (const uint64_t part : {0x20, 0x40, 0x80}) {
    const CpuFeatures features = DecodeCpuFeatures({kAll, kAll, kAll, 0xE7 & ~part});
    EXPECT_TRUE(features.os_saves_avx) << part;
    EXPECT_FALSE(features.os_saves_avx512) << part;
  }
  for (const uint64_t part : {0x02, 0x04}) {
    const CpuFeatures features = DecodeCpuFeatures({kAll, kAll, kAll, 0xE7 & ~part});
    EXPECT_FALSE(features.os_saves_avx) << part;
    EXPECT_FALSE(features.os_saves_avx512) << part;
  }
}

TEST(CpuFeaturesTest, NothingIsSavedWithoutOsxsave) {
  const CpuFeatures features = DecodeCpuFeatures({kAll & ~0x08000000u, kAll, kAll, kAll});
  EXPECT_TRUE(features.avx);
  EXPECT_FALSE(features.os_saves_avx);
  EXPECT_FALSE(features.os_saves_avx512);
}

// The compiler's own check counts an extension only if the operating system saves its state.
TEST(CpuFeaturesTest, DetectionAgreesWithTheCompilers) {
  const CpuFeatures features = DetectCpuFeatures();
#ifdef __x86_64__
  const auto supported = [](int answer) { return answer != 0; };
  EXPECT_EQ(features.sse42, supported(__builtin_cpu_supports("sse4.2")));
  EXPECT_EQ(features.aes, supported(__builtin_cpu_supports("aes")));
  EXPECT_EQ(features.pclmulqdq, supported(__builtin_cpu_supports("pclmul")));
  EXPECT_EQ(features.bmi2, supported(__builtin_cpu_supports("bmi2")));
  EXPECT_EQ(features.avx && features.os_saves_avx, supported(__builtin_cpu_supports("avx")));
  EXPECT_EQ(features.avx2 && features.os_saves_avx, supported(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(features.avx512 && features.os_saves_avx512,
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl"));
#else
  EXPECT_EQ(CpuFeatureNames(features), "none");
#endif
}

}  // namespace
}  // namespace sluice
