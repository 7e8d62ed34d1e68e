#include "tools/ctl/signalling_trust.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

TEST(SignallingTrustTest, InsecureIsForThisMachine) {
  EXPECT_EQ(*ReadTrustedAuthority({.insecure = true}, "127.0.0.1"), "");
  EXPECT_EQ(*ReadTrustedAuthority({.insecure = true}, "localhost"), "");
  const auto elsewhere = ReadTrustedAuthority({.insecure = true}, "192.0.2.1");
  EXPECT_TRUE(absl::IsInvalidArgument(elsewhere.status()));
  EXPECT_THAT(elsewhere.status().message(), HasSubstr("could take the token"));
}

TEST(SignallingTrustTest, TheAuthorityIsInTheFolder) {
  const std::string folder = testing::TempDir() + "/trust";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/ca.crt") << "a certificate";
  EXPECT_EQ(*ReadTrustedAuthority({.tls_dir = folder}, "192.0.2.1"), "a certificate");
  const auto nowhere = ReadTrustedAuthority({.tls_dir = folder + "/no"}, "192.0.2.1");
  EXPECT_THAT(nowhere.status().message(), HasSubstr("/trust/no/ca.crt"));
}

}  // namespace
}  // namespace sluice
