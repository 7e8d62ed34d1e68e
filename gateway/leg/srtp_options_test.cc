#include "gateway/leg/srtp_options.h"

#include <functional>

#include "gtest/gtest.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/srtp_policy.h"

namespace sluice {
namespace {

TEST(SrtpOptionsTest, AreTheSameOnlyWhenEveryPartIs) {
  EXPECT_TRUE(SrtpOptions() == SrtpOptions());
  const std::function<void(SrtpOptions&)> kChanges[] = {
      [](SrtpOptions& o) { o.policy.key_derivation_rate = *KeyDerivationRate::Create(2); },
      [](SrtpOptions& o) { o.policy.encrypted_extensions.set(1); },
      [](SrtpOptions& o) { o.policy.cryptex = CryptexPolicy::kOn; },
      [](SrtpOptions& o) { --o.policy.rtp_lifetime.soft; },
      [](SrtpOptions& o) { --o.policy.rtp_lifetime.hard; },
      [](SrtpOptions& o) { --o.policy.rtcp_lifetime.soft; },
      [](SrtpOptions& o) { --o.policy.rtcp_lifetime.hard; },
      [](SrtpOptions& o) { o.rtp_replay_window = 64; },
      [](SrtpOptions& o) { o.rtcp_replay_window = 64; },
      [](SrtpOptions& o) { o.unencrypted_rtcp = true; },
  };
  for (const auto& change : kChanges) {
    SrtpOptions changed;
    change(changed);
    EXPECT_FALSE(changed == SrtpOptions()) << (&change - kChanges);
  }
}

}  // namespace
}  // namespace sluice
