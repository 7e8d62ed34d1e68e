#include "tools/ctl/leg_key_view.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LegKeyViewTest, TheKeyIsShownWhereThereIsOne) {
  gateway::v1::Leg leg;
  leg.set_leg_id("alice");
  gateway::v1::SrtpKey key;
  key.set_suite(gateway::v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  key.set_master_key_and_salt("abc");
  EXPECT_THAT(RenderLegAndKey(leg, true, key),
              EndsWith("\nkey for the peer, told only now: AEAD_AES_128_GCM:inline:YWJj\n"));
  EXPECT_THAT(RenderLegAndKey(leg, false, key), Not(HasSubstr("key for the peer")));
}

}  // namespace
}  // namespace sluice
