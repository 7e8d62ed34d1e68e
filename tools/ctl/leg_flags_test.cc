#include "tools/ctl/leg_flags.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::LegConfig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Bytes 0, 1, 2, ... of a 16-byte key and a 14-byte salt.
constexpr char kKey[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd";

std::string ErrorOf(const LegFlags& flags) {
  const auto config = BuildLegConfig(flags);
  return config.ok() ? "no error" : std::string(config.status().message());
}

TEST(LegFlagsTest, EveryFlagFindsItsField) {
  LegFlags flags;
  flags.kind = "srtp";
  flags.ip_family = "6";
  flags.rtcp_mux = true;
  flags.remote = "[2001:db8::1]:5004";
  flags.remote_rtcp = "[2001:db8::1]:5007";
  flags.source = "[2001:db8::2]:6000";
  flags.source_rtcp = "[2001:db8::2]:6001";
  flags.learn = true;
  flags.learning_window = "5s";
  flags.local_suite = "AEAD_AES_256_GCM";
  flags.remote_key = std::string("AES_CM_128_HMAC_SHA1_80:inline:") + kKey;
  flags.local_options = {"cryptex=on", "key_derivation_rate=16"};
  flags.remote_options = {"rtcp_replay_window=64"};
  flags.payload_types = {"111:opus:48000", "0"};
  flags.remote_ssrcs = {1, 4294967295};
  flags.header_extensions = {"3=urn:a", "4=urn:b"};
  flags.remote_streams = {"5,rtx=6"};
  flags.interceptors = {"nack=on", "pacer=off"};
  flags.rtcp = "terminate";
  flags.reduced_size_rtcp = true;
  flags.hold = true;

  const auto config = BuildLegConfig(flags);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->kind(), gateway::v1::LEG_KIND_SRTP);
  EXPECT_EQ(config->ip_family(), gateway::v1::IP_FAMILY_IPV6);
  EXPECT_TRUE(config->rtcp_mux());
  EXPECT_EQ(config->remote().rtp().ip(), "2001:db8::1");
  EXPECT_EQ(config->remote().rtp().port(), 5004u);
  EXPECT_EQ(config->remote().rtcp().port(), 5007u);
  EXPECT_EQ(config->remote().source_rtp().port(), 6000u);
  EXPECT_EQ(config->remote().source_rtcp().port(), 6001u);
  EXPECT_EQ(config->address_learning(), gateway::v1::ADDRESS_LEARNING_LEARN);
  EXPECT_EQ(config->learning_window().seconds(), 5);
  EXPECT_EQ(config->local_suite(), gateway::v1::CRYPTO_SUITE_AEAD_AES_256_GCM);
  EXPECT_EQ(config->remote_key().suite(), gateway::v1::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80);
  EXPECT_EQ(config->remote_key().master_key_and_salt().size(), 30u);
  EXPECT_EQ(config->remote_key().master_key_and_salt()[29], 29);
  EXPECT_EQ(config->local_options().cryptex(), gateway::v1::CRYPTEX_ON);
  EXPECT_EQ(config->local_options().key_derivation_rate(), 16u);
  EXPECT_EQ(config->remote_options().rtcp_replay_window(), 64u);
  ASSERT_EQ(config->payload_types_size(), 2);
  EXPECT_EQ(config->payload_types(0).number(), 111u);
  EXPECT_EQ(config->payload_types(0).encoding_name(), "opus");
  EXPECT_EQ(config->payload_types(0).clock_rate_hz(), 48000u);
  EXPECT_EQ(config->payload_types(1).number(), 0u);
  EXPECT_THAT(config->remote_ssrcs(), ElementsAre(1, 4294967295));
  ASSERT_EQ(config->header_extensions_size(), 2);
  EXPECT_EQ(config->header_extensions(1).id(), 4u);
  EXPECT_EQ(config->header_extensions(1).uri(), "urn:b");
  ASSERT_EQ(config->remote_streams_size(), 1);
  EXPECT_EQ(config->remote_streams(0).retransmission_ssrc(), 6);
  EXPECT_EQ(config->interceptors().ShortDebugString(),
            "rtcp: RTCP_HANDLING_TERMINATE reduced_size_rtcp: true nack: true pacer: false");
  EXPECT_TRUE(config->hold());
}

TEST(LegFlagsTest, WhatWasNotSaidIsLeftToTheGateway) {
  const auto config = BuildLegConfig({});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->SerializeAsString(), LegConfig().SerializeAsString());
}

TEST(LegFlagsTest, ErrorsBeginWithTheFlag) {
  const auto with = [](auto set) {
    LegFlags flags;
    set(flags);
    return ErrorOf(flags);
  };
  EXPECT_THAT(with([](LegFlags& f) { f.kind = "webrtc"; }), StartsWith("--kind: 'webrtc'"));
  EXPECT_THAT(with([](LegFlags& f) { f.kind = "unspecified"; }), StartsWith("--kind"));
  EXPECT_THAT(with([](LegFlags& f) { f.ip_family = "5"; }), StartsWith("--ip-family"));
  EXPECT_THAT(with([](LegFlags& f) { f.remote = "host:1"; }), StartsWith("--remote: 'host'"));
  EXPECT_THAT(with([](LegFlags& f) { f.source = "1.2.3.4:1"; }), StartsWith("--remote is missing"));
  EXPECT_THAT(with([](LegFlags& f) { f.learning_window = "5"; }), StartsWith("--learning-window"));
  EXPECT_THAT(with([](LegFlags& f) { f.learn = f.strict = true; }), HasSubstr("exclude"));
  EXPECT_THAT(with([](LegFlags& f) { f.hold = f.resume = true; }), HasSubstr("exclude"));
  EXPECT_THAT(with([](LegFlags& f) { f.local_suite = "AES"; }), StartsWith("--local-suite: 'AES'"));
  EXPECT_THAT(with([](LegFlags& f) { f.remote_suite = "AEAD_AES_128_GCM"; }),
              StartsWith("--remote-suite"));
  EXPECT_THAT(with([](LegFlags& f) { f.payload_types = {"opus"}; }), StartsWith("--payload-type"));
  EXPECT_THAT(with([](LegFlags& f) { f.header_extensions = {"a"}; }), StartsWith("--extension: "));
  EXPECT_THAT(with([](LegFlags& f) { f.remote_streams = {"a"}; }), StartsWith("--stream: 'a'"));
  EXPECT_THAT(with([](LegFlags& f) { f.interceptors = {"a"}; }), StartsWith("--interceptor: 'a'"));
  EXPECT_THAT(with([](LegFlags& f) { f.rtcp = "drop"; }), StartsWith("--rtcp: 'drop'"));
  EXPECT_THAT(with([](LegFlags& f) { f.local_options = {"colour=red"}; }),
              StartsWith("--local-option: 'colour=red'"));
  EXPECT_THAT(with([](LegFlags& f) { f.remote_options = {"cryptex=maybe"}; }),
              StartsWith("--remote-option: 'cryptex=maybe'"));
}

TEST(LegFlagsTest, AKeyComesInOnePieceOrTwoOrFromAFile) {
  const std::string whole = std::string("AEAD_AES_128_GCM:inline:") + kKey;
  const std::string path = testing::TempDir() + "/remote_key";
  std::ofstream(path) << whole << "\n";
  for (const auto& [text, suite] : {std::pair<std::string, std::string>(whole, ""),
                                    {whole, "AEAD_AES_128_GCM"},
                                    {kKey, "AEAD_AES_128_GCM"},
                                    {std::string("inline:") + kKey, "AEAD_AES_128_GCM"},
                                    {"@" + path, ""}}) {
    const auto key = ParseSrtpKey(text, suite);
    ASSERT_TRUE(key.ok()) << key.status();
    EXPECT_EQ(FormatSrtpKey(*key), whole);
  }
}

TEST(LegFlagsTest, AKeyMayHaveANameAsInSdes) {
  const std::string whole = std::string("AES_256_CM_HMAC_SHA1_80:inline:") + kKey + "|258:4";
  const auto key = ParseSrtpKey(whole, "");
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(key->mki(), std::string("\0\0\1\2", 4));
  EXPECT_EQ(FormatSrtpKey(*key), whole);
}

TEST(LegFlagsTest, ErrorsAboutKeysDoNotRepeatThem) {
  const struct {
    std::string text;
    std::string suite;
    std::string reason;
  } kCases[] = {
      {kKey, "", "suite is missing"},
      {std::string("inline:") + kKey, "", "suite is missing"},
      {std::string("AEAD_AES_128_GCM:inline:") + kKey + "|2^31", "", "lifetime"},
      {std::string("AEAD_AES_128_GCM:inline:") + kKey + "|2^31|1:4", "", "lifetime"},
      {std::string("AEAD_AES_128_GCM:inline:") + kKey + "|256:1", "", "does not fit"},
      {std::string("AEAD_AES_128_GCM:inline:") + kKey, "AEAD_AES_256_GCM", "differ"},
      {std::string("AEAD_AES_128_GCM:inline:!") + kKey, "", "not base64"},
      {"AEAD_AES_128_GCM:inline:", "", "not base64"},
      {"@/no/such/file", "", "cannot be read"},
  };
  for (const auto& c : kCases) {
    const auto key = ParseSrtpKey(c.text, c.suite);
    ASSERT_FALSE(key.ok()) << c.reason;
    EXPECT_THAT(std::string(key.status().message()), HasSubstr(c.reason));
    EXPECT_THAT(std::string(key.status().message()), Not(HasSubstr(kKey)));
  }
}

TEST(LegFlagsTest, TheUpdateMaskNamesWhatWasGiven) {
  LegFlags flags;
  EXPECT_THAT(BuildLegUpdateMask(flags).paths(), IsEmpty());
  flags.resume = true;
  flags.remote = "192.0.2.1:5004";
  flags.learn = true;
  EXPECT_THAT(BuildLegUpdateMask(flags).paths(), ElementsAre("remote", "address_learning", "hold"));
  flags = {};
  flags.remote_key = kKey;
  flags.payload_types = {"0"};
  flags.remote_ssrcs = {7};
  flags.learning_window = "1s";
  flags.local_options = {"cryptex=on"};
  flags.remote_options = {"cryptex=on"};
  EXPECT_THAT(BuildLegUpdateMask(flags).paths(),
              ElementsAre("remote_key", "local_options", "remote_options", "learning_window",
                          "payload_types", "remote_ssrcs"));
}

TEST(LegFlagsTest, EachFlagAboutInterceptorsNamesThemAll) {
  const auto mask_of = [](auto set) {
    LegFlags flags;
    set(flags);
    return BuildLegUpdateMask(flags);
  };
  for (const auto& mask : {mask_of([](LegFlags& f) { f.interceptors = {"nack=on"}; }),
                           mask_of([](LegFlags& f) { f.rtcp = "forward"; }),
                           mask_of([](LegFlags& f) { f.reduced_size_rtcp = true; })}) {
    EXPECT_THAT(mask.paths(), ElementsAre("interceptors"));
  }
  EXPECT_THAT(mask_of([](LegFlags& f) {
                f.header_extensions = {"1=a"};
                f.remote_streams = {"1"};
              }).paths(),
              ElementsAre("header_extensions", "remote_streams"));
}

TEST(LegFlagsTest, NamesOfSuitesAndKindsAreTheirRfcNames) {
  EXPECT_EQ(FormatCryptoSuite(gateway::v1::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32),
            "AES_CM_128_HMAC_SHA1_32");
  EXPECT_EQ(FormatCryptoSuite(gateway::v1::CRYPTO_SUITE_UNSPECIFIED), "-");
  EXPECT_EQ(FormatLegKind(gateway::v1::LEG_KIND_SRTP), "srtp");
  EXPECT_EQ(FormatLegKind(static_cast<gateway::v1::LegKind>(77)), "77");
  EXPECT_EQ(CryptoSuiteNames().find("UNSPECIFIED"), std::string::npos);
  EXPECT_THAT(CryptoSuiteNames(), HasSubstr("AES_256_CM_HMAC_SHA1_80, "));
  EXPECT_TRUE(ParseLocalKeyChange("prepare").ok());
  EXPECT_TRUE(ParseLocalKeyChange("retire").ok());
  EXPECT_FALSE(ParseLocalKeyChange("now").ok());
}

}  // namespace
}  // namespace sluice
