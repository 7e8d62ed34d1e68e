#include "quic/tls/sealing_key_ring.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr TimeDelta kLifetime = TimeDelta::Minutes(60);

class SealingKeyRingTest : public testing::Test {
 protected:
  Bytes Seal(const Bytes& plain, const Bytes& associated = {}) {
    Bytes out(plain.size() + SealingKeyRing::kOverhead);
    EXPECT_EQ(ring_.Seal(plain, associated, absl::MakeSpan(out)), out.size());
    return out;
  }
  std::optional<Bytes> Open(const Bytes& sealed, const Bytes& associated = {}) {
    Bytes out(sealed.size());
    const std::optional<size_t> size = ring_.Open(sealed, associated, absl::MakeSpan(out));
    if (!size.has_value()) return std::nullopt;
    out.resize(*size);
    return out;
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(30)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  Timestamp now_ = Timestamp::Seconds(1000);
  SealingKeyRing ring_{now_, kLifetime, random_};
};

TEST_F(SealingKeyRingTest, OpensWhatItSealed) {
  for (size_t size = 0; size < 300; size += 7) {
    Bytes plain(size);
    random_.Fill(absl::MakeSpan(plain));
    EXPECT_EQ(Open(Seal(plain, {1, 2}), {1, 2}), plain);
  }
}

TEST_F(SealingKeyRingTest, SealsTheSameDifferentlyEachTime) {
  EXPECT_NE(Seal({1, 2, 3}), Seal({1, 2, 3}));
}

TEST_F(SealingKeyRingTest, OpensNothingThatWasTouched) {
  const Bytes sealed = Seal({1, 2, 3}, {4});
  for (size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    Bytes touched = sealed;
    touched[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_EQ(Open(touched, {4}), std::nullopt) << "bit " << bit;
  }
  for (size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_EQ(Open(Bytes(sealed.begin(), sealed.begin() + static_cast<ptrdiff_t>(size)), {4}),
              std::nullopt);
  }
  EXPECT_EQ(Open(sealed, {5}), std::nullopt);
  EXPECT_EQ(Open(sealed), std::nullopt);
}

TEST_F(SealingKeyRingTest, OpensForAtLeastOneLifetimeAndAtMostTwo) {
  ring_.Advance(now_ + kLifetime - TimeDelta::Micros(1));
  const Bytes late = Seal({1});
  ring_.Advance(now_ + kLifetime);
  EXPECT_EQ(Open(late), Bytes{1});
  const Bytes next = Seal({2});
  ring_.Advance(now_ + kLifetime * 2 - TimeDelta::Micros(1));
  EXPECT_EQ(Open(late), Bytes{1});
  ring_.Advance(now_ + kLifetime * 2);
  EXPECT_EQ(Open(late), std::nullopt);
  EXPECT_EQ(Open(next), Bytes{2});
}

TEST_F(SealingKeyRingTest, OpensNothingAfterALongSleep) {
  const Bytes sealed = Seal({1});
  ring_.Advance(now_ + kLifetime * 2);
  EXPECT_EQ(Open(sealed), std::nullopt);
  EXPECT_EQ(ring_.NextRotation(), now_ + kLifetime * 3);
}

TEST_F(SealingKeyRingTest, OpensNothingOfAnotherRing) {
  SealingKeyRing other(now_, kLifetime, random_);
  Bytes sealed(1 + SealingKeyRing::kOverhead);
  ASSERT_EQ(other.Seal(Bytes{1}, {}, absl::MakeSpan(sealed)), sealed.size());
  EXPECT_EQ(Open(sealed), std::nullopt);
}

TEST_F(SealingKeyRingTest, NeedsRoom) {
  Bytes out(2 + SealingKeyRing::kOverhead);
  EXPECT_EQ(ring_.Seal(Bytes{1, 2, 3}, {}, absl::MakeSpan(out)), 0u);
  const Bytes sealed = Seal({1, 2, 3});
  EXPECT_EQ(ring_.Open(sealed, {}, absl::MakeSpan(out).first(2)), std::nullopt);
}

}  // namespace
}  // namespace sluice
