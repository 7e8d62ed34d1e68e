#include "srtp/verdict.h"

#include <set>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Dashboards and the control API's clients know these words.
TEST(VerdictTest, ProtectVerdictsHaveTheirNames) {
  EXPECT_EQ(VerdictName(ProtectVerdict::kOk), "ok");
  EXPECT_EQ(VerdictName(ProtectVerdict::kMalformed), "malformed");
  EXPECT_EQ(VerdictName(ProtectVerdict::kNoTailroom), "no_tailroom");
  EXPECT_EQ(VerdictName(ProtectVerdict::kIndexReused), "index_reused");
  EXPECT_EQ(VerdictName(ProtectVerdict::kKeyExhausted), "key_exhausted");
  EXPECT_EQ(VerdictName(ProtectVerdict::kTooManyStreams), "too_many_streams");
}

TEST(VerdictTest, UnprotectVerdictsHaveTheirNames) {
  EXPECT_EQ(VerdictName(UnprotectVerdict::kOk), "ok");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kMalformed), "malformed");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kReplayed), "replayed");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kTooOld), "too_old");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kAuthFailed), "auth_failed");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kUnencrypted), "unencrypted");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kKeyExhausted), "key_exhausted");
  EXPECT_EQ(VerdictName(UnprotectVerdict::kNoScratch), "no_scratch");
}

TEST(VerdictTest, EveryVerdictHasANameOfItsOwn) {
  std::set<absl::string_view> protect;
  for (size_t i = 0; i < kProtectVerdictCount; ++i) {
    protect.insert(VerdictName(static_cast<ProtectVerdict>(i)));
  }
  EXPECT_EQ(protect.size(), kProtectVerdictCount);
  std::set<absl::string_view> unprotect;
  for (size_t i = 0; i < kUnprotectVerdictCount; ++i) {
    unprotect.insert(VerdictName(static_cast<UnprotectVerdict>(i)));
  }
  EXPECT_EQ(unprotect.size(), kUnprotectVerdictCount);
}

}  // namespace
}  // namespace sluice
