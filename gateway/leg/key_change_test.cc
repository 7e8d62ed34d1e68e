#include "gateway/leg/key_change.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/testing/seeded_random.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"

namespace sluice {
namespace {

constexpr SuiteId kSuite = SuiteId::kAeadAes128Gcm;

TEST(KeyChangeTest, OneTableDecidesForAllCases) {
  SeededRandom random(1);
  const MasterKey a = MasterKey::Generate(kSuite, random);
  const MasterKey same = a.Clone();
  const MasterKey b = MasterKey::Generate(kSuite, random);
  const MasterKey other_suite = MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random);
  const std::optional<TransportAddress> none;
  const std::optional<TransportAddress> here =
      TransportAddress{IpAddress::V4({192, 0, 2, 1}), 5004};
  const std::optional<TransportAddress> there =
      TransportAddress{IpAddress::V4({192, 0, 2, 2}), 5004};
  const std::optional<TransportAddress> port =
      TransportAddress{IpAddress::V4({192, 0, 2, 1}), 5006};

  const struct {
    const char* what;
    CryptoParameters before;
    CryptoParameters after;
    KeyChange change;
  } kTable[] = {
      {"no key, still none", {nullptr, here}, {nullptr, here}, KeyChange::kKeep},
      {"no key, new address", {nullptr, here}, {nullptr, there}, KeyChange::kKeep},
      {"first key", {nullptr, none}, {&a, none}, KeyChange::kNewContext},
      {"first key with an address", {nullptr, here}, {&a, there}, KeyChange::kNewContext},
      {"nothing changed", {&a, here}, {&a, here}, KeyChange::kKeep},
      {"same key said again (re-INVITE)", {&a, here}, {&same, here}, KeyChange::kKeep},
      // RFC 3711 section 9.1: never start again under one key.
      {"same key, new address", {&a, here}, {&same, there}, KeyChange::kKeep},
      {"same key, new port", {&a, here}, {&same, port}, KeyChange::kKeep},
      {"same key, address becomes known", {&a, none}, {&same, here}, KeyChange::kKeep},
      // RFC 3711 section 3.3.1.
      {"new key", {&a, here}, {&b, here}, KeyChange::kRekey},
      {"new key, no address ever", {&a, none}, {&b, none}, KeyChange::kRekey},
      {"new key, address becomes known", {&a, none}, {&b, here}, KeyChange::kRekey},
      // RFC 4568 section 7.1.4.
      {"new key, new address", {&a, here}, {&b, there}, KeyChange::kNewContext},
      {"new key, new port", {&a, here}, {&b, port}, KeyChange::kNewContext},
      {"new suite", {&a, here}, {&other_suite, here}, KeyChange::kNewContext},
      {"new suite, new address", {&a, here}, {&other_suite, there}, KeyChange::kNewContext},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(DecideKeyChange(row.before, row.after), row.change) << row.what;
  }
}

TEST(SharesKeystreamTest, IsAskedOfTheKeyWithoutSaltAndSuite) {
  SeededRandom random(1);
  const MasterKey a = MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random);
  const MasterKey other_tag = *MasterKey::Create(SuiteId::kAesCm128HmacSha1_32, a.key_and_salt());
  EXPECT_FALSE(a == other_tag);
  EXPECT_TRUE(SharesKeystream(a, other_tag));
  std::vector<uint8_t> other_salt(a.key_and_salt().begin(), a.key_and_salt().end());
  other_salt.back() ^= 1;
  EXPECT_TRUE(SharesKeystream(a, *MasterKey::Create(a.suite().id, other_salt)));
  EXPECT_FALSE(SharesKeystream(a, MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random)));
}

}  // namespace
}  // namespace sluice
