#include "srtp/crypto/hmac_lanes.h"

#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/secret_bytes.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/hmac_block.h"

namespace sluice {
namespace {

// 20 bytes of state, then bytes that nobody may write.
using State = std::array<uint8_t, 20>;
using Mac = std::array<uint8_t, kMacSize + 4>;

// SHA-1 of one block as intel-ipsec-mb keeps it: words in the CPU's order, which is the other one
// than SHA-1's.
State StateAfter(const SecretBytes<kSha1BlockSize>& block) {
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Transform(&context, block.data());
  State state;
  for (size_t i = 0; i < 5; ++i) {
    for (size_t byte = 0; byte < 4; ++byte) {
      state[4 * i + byte] = static_cast<uint8_t>(context.h[i] >> (8 * byte));
    }
  }
  return state;
}

// A packet with a key of its own.
struct Packet {
  Packet(size_t size, SeededRandom& random) : data(size), key(kMacKeySize) {
    random.Fill(absl::MakeSpan(data));
    random.Fill(absl::MakeSpan(key));
    inner = StateAfter(HmacInnerBlock(key));
    outer = StateAfter(HmacOuterBlock(key));
    mac.fill(0xEE);
  }

  LaneMac AsLaneMac() { return {inner.data(), outer.data(), data.data(), data.size(), mac.data()}; }
  // BoringSSL's answer, and the guard behind it.
  Mac Expected() const {
    std::array<uint8_t, SHA_DIGEST_LENGTH> digest;
    unsigned size = 0;
    HMAC(EVP_sha1(), key.data(), key.size(), data.data(), data.size(), digest.data(), &size);
    Mac expected;
    expected.fill(0xEE);
    CopyBytes(absl::MakeSpan(expected), absl::MakeConstSpan(digest).first(kMacSize));
    return expected;
  }

  std::vector<uint8_t> data;
  std::vector<uint8_t> key;
  State inner;
  State outer;
  Mac mac;
};

class HmacLanesTest : public testing::Test {
 protected:
  // Whether the lanes can be had; there is nothing to test on other machines.
  const bool can_ = CanComputeLaneMacs(DetectCpuFeatures());
  const uint64_t seed_ = SeededRandom::SeedFromEnvOr(160);
  SeededRandom random_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__,
                              absl::StrCat("replay with SLUICE_TEST_SEED=", seed_)};

  void ExpectRight(const std::vector<size_t>& sizes) {
    std::vector<Packet> packets;
    for (const size_t size : sizes) {
      packets.emplace_back(size, random_);
    }
    std::vector<LaneMac> macs;
    for (Packet& packet : packets) {
      macs.push_back(packet.AsLaneMac());
    }
    if (!can_) return;
    ComputeLaneMacs(macs);
    for (size_t i = 0; i < packets.size(); ++i) {
      EXPECT_EQ(packets[i].mac, packets[i].Expected())
          << "lane " << i << " of " << sizes.size() << ", " << sizes[i] << " bytes";
    }
  }
};

TEST_F(HmacLanesTest, EverySizeAroundBlocksIsRightInEveryNumberOfLanes) {
  for (size_t lanes = 0; lanes <= kHmacLanes; ++lanes) {
    for (size_t size = 1; size <= 3 * kSha1BlockSize + 1; ++size) {
      ExpectRight(std::vector<size_t>(lanes, size));
    }
  }
}

TEST_F(HmacLanesTest, LanesOfDifferentSizesEndOneByOne) {
  for (int round = 0; round < 2000; ++round) {
    std::vector<size_t> sizes(1 + random_.Below(kHmacLanes));
    for (size_t& size : sizes) {
      size = 1 + random_.Below(random_.Below(4) == 0 ? 2048 : 130);
    }
    ExpectRight(sizes);
  }
}

TEST_F(HmacLanesTest, TheLongestPacketIsRight) {
  ExpectRight({kMaxMacDataSize, 1, kMaxMacDataSize - 1});
  std::vector<size_t> sizes(kHmacLanes, 1000);
  sizes.back() = kMaxMacDataSize;
  ExpectRight(sizes);
}

TEST_F(HmacLanesTest, NeedsTheRegistersSavedAsWellAsTheInstructions) {
  CpuFeatures features;
  EXPECT_FALSE(CanComputeLaneMacs(features));
  features.avx512 = true;
  EXPECT_FALSE(CanComputeLaneMacs(features));
  features.os_saves_avx512 = true;
  EXPECT_TRUE(CanComputeLaneMacs(features));
}

}  // namespace
}  // namespace sluice
