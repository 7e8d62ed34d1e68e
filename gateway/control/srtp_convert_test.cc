#include "gateway/control/srtp_convert.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/srtp_policy.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

SrtpOptions Options(const std::string& text, SrtpDirection direction = SrtpDirection::kRemote) {
  FieldViolations violations;
  SrtpOptions options = ToSrtpOptions(Parse<pb::SrtpOptions>(text), direction, "o", violations);
  EXPECT_TRUE(violations.empty()) << text << ": " << violations.ToStatus();
  return options;
}

TEST(SrtpConvertTest, EverySuiteIsOfferedUnderItsName) {
  SeededRandom random(7);
  for (const CipherSuite& suite : kCipherSuites) {
    pb::CryptoSuite number = pb::CRYPTO_SUITE_UNSPECIFIED;
    ASSERT_TRUE(pb::CryptoSuite_Parse(absl::StrCat("CRYPTO_SUITE_", suite.name), &number))
        << suite.name;
    FieldViolations violations;
    EXPECT_EQ(ToSuite(number, "s", violations), suite.id);
    EXPECT_EQ(ToProto(suite.id), number);

    const MasterKey key = MasterKey::Generate(suite.id, random);
    const Mki mki = *Mki::Create(std::vector<uint8_t>{0, 255});
    pb::SrtpKey out;
    ToProto(key, mki, out);
    EXPECT_EQ(out.suite(), number);
    EXPECT_EQ(out.master_key_and_salt(),
              std::string(key.key_and_salt().begin(), key.key_and_salt().end()));
    EXPECT_EQ(out.mki(), std::string("\0\xff", 2));
    const std::optional<MasterKey> back = ToMasterKey(out, "k", violations);
    ASSERT_TRUE(back.has_value()) << violations.ToStatus();
    EXPECT_EQ(*back, key);
    EXPECT_EQ(ToMki(out.mki(), "k.mki", violations), mki);
    EXPECT_TRUE(violations.empty());
  }
  // All but CRYPTO_SUITE_UNSPECIFIED.
  EXPECT_EQ(static_cast<size_t>(pb::CryptoSuite_descriptor()->value_count()),
            std::size(kCipherSuites) + 1);
}

TEST(SrtpConvertTest, KeysOfTheWrongSizeAreToldTheRightOne) {
  const struct {
    const char* suite;
    size_t size;
    const char* description;
  } kCases[] = {
      {"AES_CM_128_HMAC_SHA1_80", 29, "has 29 bytes, AES_CM_128_HMAC_SHA1_80 needs 30: 16 of key"},
      {"AES_CM_128_HMAC_SHA1_32", 31, "AES_CM_128_HMAC_SHA1_32 needs 30: 16 of key and 14 of salt"},
      {"AES_192_CM_HMAC_SHA1_80", 30, "AES_192_CM_HMAC_SHA1_80 needs 38: 24 of key and 14 of salt"},
      {"AES_256_CM_HMAC_SHA1_32", 44, "AES_256_CM_HMAC_SHA1_32 needs 46: 32 of key and 14 of salt"},
      {"AEAD_AES_128_GCM", 30, "AEAD_AES_128_GCM needs 28: 16 of key and 12 of salt"},
      {"AEAD_AES_256_GCM", 28, "AEAD_AES_256_GCM needs 44: 32 of key and 12 of salt"},
      {"NULL_HMAC_SHA1_80", 0, "NULL_HMAC_SHA1_80 needs 30"},
  };
  for (const auto& test : kCases) {
    pb::SrtpKey key;
    pb::CryptoSuite suite = pb::CRYPTO_SUITE_UNSPECIFIED;
    ASSERT_TRUE(pb::CryptoSuite_Parse(absl::StrCat("CRYPTO_SUITE_", test.suite), &suite));
    key.set_suite(suite);
    key.set_master_key_and_salt(std::string(test.size, 'k'));
    FieldViolations violations;
    EXPECT_EQ(ToMasterKey(key, "k", violations), std::nullopt);
    EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())),
                ElementsAreArray({"k.master_key_and_salt"}));
    EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description));
  }
}

TEST(SrtpConvertTest, ASuiteThatWeDoNotKnowIsToldAllThatWeDo) {
  FieldViolations violations;
  EXPECT_EQ(ToSuite(pb::CRYPTO_SUITE_UNSPECIFIED, "s", violations), std::nullopt);
  for (const CipherSuite& suite : kCipherSuites) {
    EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(std::string(suite.name)));
  }
}

TEST(SrtpConvertTest, OptionsThatAreAbsentAreTheDefaults) {
  const SrtpOptions options = Options("");
  EXPECT_EQ(options.rtp_replay_window, 1024u);
  EXPECT_EQ(options.rtcp_replay_window, 128u);
  EXPECT_EQ(options.policy.cryptex, CryptexPolicy::kOff);
  EXPECT_TRUE(options.policy.encrypted_extensions.none());
  EXPECT_EQ(options.policy.key_derivation_rate.packets(), 0u);
  EXPECT_EQ(options.policy.rtp_lifetime.hard, kMaxRtpPacketsPerKey);
  EXPECT_EQ(options.policy.rtp_lifetime.soft, kMaxRtpPacketsPerKey / 8 * 7);
  EXPECT_EQ(options.policy.rtcp_lifetime.hard, kMaxRtcpPacketsPerKey);
  EXPECT_EQ(options.policy.rtcp_lifetime.soft, kMaxRtcpPacketsPerKey / 8 * 7);
  EXPECT_FALSE(options.unencrypted_rtcp);
}

TEST(SrtpConvertTest, OptionsComeBackAsTheyWere) {
  const std::string text =
      "encrypted_extension_ids: [1, 14, 255] cryptex: CRYPTEX_OFF rtp_replay_window: 32768 "
      "rtcp_replay_window: 64 key_derivation_rate: 16777216 unencrypted_rtcp: true "
      "rtp_lifetime { soft: 1 hard: 281474976710656 } rtcp_lifetime { soft: 5 hard: 5 }";
  pb::SrtpOptions out;
  ToProto(Options(text), SrtpDirection::kRemote, out);
  EXPECT_EQ(out.DebugString(), Parse<pb::SrtpOptions>(text).DebugString());
  for (const char* cryptex : {"CRYPTEX_ON", "CRYPTEX_REQUIRED"}) {
    out.Clear();
    ToProto(Options(absl::StrCat("cryptex: ", cryptex)), SrtpDirection::kLocal, out);
    EXPECT_EQ(pb::Cryptex_Name(out.cryptex()), cryptex);
    EXPECT_FALSE(out.has_rtcp_replay_window()) << "what we send has none";
  }
}

TEST(SrtpConvertTest, ASoftLimitThatIsNotSaidFollowsTheHardOne) {
  EXPECT_EQ(Options("rtp_lifetime { hard: 1000 }").policy.rtp_lifetime.soft, 875u);
  EXPECT_EQ(Options("rtp_lifetime { hard: 1 }").policy.rtp_lifetime.soft, 1u);
  EXPECT_EQ(Options("rtcp_lifetime { soft: 9 }").policy.rtcp_lifetime.hard, kMaxRtcpPacketsPerKey);
}

TEST(SrtpConvertTest, NamesWhatIsWrongWithOptions) {
  const struct {
    std::string options;
    std::vector<std::string> fields;
    std::string description;
  } kCases[] = {
      {"encrypted_extension_ids: [0, 1, 256]",
       {"o.encrypted_extension_ids[0]", "o.encrypted_extension_ids[2]"},
       "is 0, must be 1..255"},
      {"encrypted_extension_ids: [7, 7]", {"o.encrypted_extension_ids[1]"}, "7 is listed twice"},
      {"cryptex: CRYPTEX_ON encrypted_extension_ids: 1",
       {"o.encrypted_extension_ids"},
       "must be empty with cryptex"},
      {"cryptex: 4", {"o.cryptex"}, "must be CRYPTEX_OFF, CRYPTEX_ON or CRYPTEX_REQUIRED"},
      {"rtp_replay_window: 0", {"o.rtp_replay_window"}, "is 0, must be a power of two 64..32768"},
      {"rtp_replay_window: 32", {"o.rtp_replay_window"}, "is 32, must be a power of two 64..32768"},
      {"rtp_replay_window: 65536 rtcp_replay_window: 100",
       {"o.rtp_replay_window", "o.rtcp_replay_window"},
       "is 65536, must be a power of two 64..32768"},
      {"key_derivation_rate: 3", {"o.key_derivation_rate"}, "must be 0 or a power of two"},
      {"key_derivation_rate: 33554432", {"o.key_derivation_rate"}, "1..16777216"},
      {"rtp_lifetime { hard: 0 }", {"o.rtp_lifetime.hard"}, "is 0, must be 1..281474976710656"},
      {"rtp_lifetime { hard: 281474976710657 }", {"o.rtp_lifetime.hard"}, "must be 1.."},
      {"rtcp_lifetime { hard: 2147483649 }", {"o.rtcp_lifetime.hard"}, "must be 1..2147483648"},
      {"rtp_lifetime { soft: 6 hard: 5 }",
       {"o.rtp_lifetime.soft"},
       "is 6, must be 1..5, which is the hard limit"},
      {"rtcp_lifetime { soft: 0 }", {"o.rtcp_lifetime.soft"}, "is 0, must be 1.."},
  };
  for (const auto& test : kCases) {
    FieldViolations violations;
    ToSrtpOptions(Parse<pb::SrtpOptions>(test.options), SrtpDirection::kRemote, "o", violations);
    EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
        << test.options;
    EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
        << test.options;
  }
  FieldViolations violations;
  ToSrtpOptions(Parse<pb::SrtpOptions>("rtcp_replay_window: 128"), SrtpDirection::kLocal, "o",
                violations);
  EXPECT_THAT(std::string(violations.ToStatus().message()),
              HasSubstr("o.rtcp_replay_window: is for remote_options only"));
}

TEST(SrtpConvertTest, AListOfIdsCannotBeLongerThanThereAreIds) {
  pb::SrtpOptions options;
  for (int i = 0; i < 100'000; ++i) {
    options.add_encrypted_extension_ids(1);
  }
  FieldViolations violations;
  ToSrtpOptions(options, SrtpDirection::kLocal, "o", violations);
  EXPECT_LE(BadFields(ToGrpcStatus(violations.ToStatus())).size(), 256u);
}

TEST(SrtpConvertTest, MkisAreBoundedInSizeAndNumber) {
  FieldViolations violations;
  EXPECT_EQ(ToMki(std::string(128, 'm'), "mki", violations).size(), 128u);
  EXPECT_TRUE(violations.empty());
  ToMki(std::string(129, 'm'), "mki", violations);
  EXPECT_THAT(std::string(violations.ToStatus().message()),
              HasSubstr("mki: has 129 bytes, must have 1..128"));
}

}  // namespace
}  // namespace sluice
