#include "tools/ctl/pki/pki_folder.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

class PkiFolderTest : public testing::Test {
 protected:
  PkiFolderTest() : folder_(testing::TempDir() + "/state/pki") {
    fs::remove_all(testing::TempDir() + "/state");
  }

  PkiRequest Request() const {
    return {.folder = folder_, .hosts = {}, .validity = {kNow, 30}, .force = false};
  }
  std::string Read(const char* name) const {
    std::stringstream text;
    text << std::ifstream(fs::path(folder_) / name).rdbuf();
    return text.str();
  }

  std::string folder_;
};

TEST_F(PkiFolderTest, WritesSixFilesAndKeysForTheOwnerOnly) {
  const auto paths = InitPkiFolder(Request());
  ASSERT_TRUE(paths.ok()) << paths.status();
  EXPECT_THAT(*paths, SizeIs(6));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 6);
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms(0700));
  for (const char* key : {kAuthorityKeyFile, kServerKeyFile, kClientKeyFile}) {
    EXPECT_EQ(fs::status(fs::path(folder_) / key).permissions(), fs::perms(0600)) << key;
    EXPECT_THAT(Read(key), HasSubstr("BEGIN PRIVATE KEY"));
  }
  for (const char* certificate :
       {kAuthorityCertificateFile, kServerCertificateFile, kClientCertificateFile}) {
    EXPECT_THAT(Read(certificate), HasSubstr("BEGIN CERTIFICATE"));
  }
}

TEST_F(PkiFolderTest, ReadsBackWhatAClientNeeds) {
  ASSERT_TRUE(InitPkiFolder(Request()).ok());
  const auto pki = ReadClientPki(folder_, kNow);
  ASSERT_TRUE(pki.ok()) << pki.status();
  EXPECT_EQ(pki->authority_certificate, Read(kAuthorityCertificateFile));
  EXPECT_EQ(pki->client.certificate, Read(kClientCertificateFile));
  EXPECT_EQ(pki->client.private_key, Read(kClientKeyFile));
}

TEST_F(PkiFolderTest, OverwritesOnlyWhenForced) {
  ASSERT_TRUE(InitPkiFolder(Request()).ok());
  const std::string before = Read(kAuthorityKeyFile);
  fs::remove(fs::path(folder_) / kAuthorityCertificateFile);
  const auto refused = InitPkiFolder(Request());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--force"));
  EXPECT_EQ(Read(kAuthorityKeyFile), before);
  EXPECT_EQ(Read(kAuthorityCertificateFile), "");

  PkiRequest forced = Request();
  forced.force = true;
  ASSERT_TRUE(InitPkiFolder(forced).ok());
  EXPECT_NE(Read(kAuthorityKeyFile), before);
}

TEST_F(PkiFolderTest, ABadHostLeavesNothingBehind) {
  PkiRequest request = Request();
  request.hosts = {"not a host"};
  EXPECT_FALSE(InitPkiFolder(request).ok());
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(PkiFolderTest, SaysWhatIsMissingOrExpired) {
  EXPECT_THAT(std::string(ReadClientPki(folder_, kNow).status().message()),
              AllOf(HasSubstr("ca.crt"), HasSubstr("pki init")));
  ASSERT_TRUE(InitPkiFolder(Request()).ok());
  EXPECT_THAT(std::string(ReadClientPki(folder_, kNow + absl::Hours(24 * 31)).status().message()),
              HasSubstr("expired on 2023-12-14"));
  std::ofstream(fs::path(folder_) / kClientCertificateFile) << "garbage";
  EXPECT_THAT(std::string(ReadClientPki(folder_, kNow).status().message()),
              HasSubstr("client.crt: there is no certificate in it"));
}

TEST_F(PkiFolderTest, TheDefaultFollowsTheEnvironment) {
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(*DefaultPkiFolder(), "/state/sluice/pki");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(*DefaultPkiFolder(), "/home/me/.local/state/sluice/pki");
  unsetenv("HOME");
  EXPECT_FALSE(DefaultPkiFolder().ok());
}

}  // namespace
}  // namespace sluice
