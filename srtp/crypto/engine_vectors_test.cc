// Published vectors, all of each, with every engine that this machine can run.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/testing/every_engine.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

using Bytes = std::vector<uint8_t>;

void ForEachEngine(absl::FunctionRef<void(CryptoEngine&)> test) {
  for (const NamedEngine& named : EveryEngine()) {
    SCOPED_TRACE(named.name);
    test(*named.engine);
  }
}

// RFC 3711 section 4.1.1: (salt * 2^16) XOR (SSRC * 2^64) XOR (i * 2^16).
Bytes CounterBlock(const Bytes& salt, uint32_t ssrc, uint32_t roc, uint16_t sequence) {
  Bytes block = salt;
  block.resize(kCounterBlockSize);
  StoreBe32(block.data() + 4, LoadBe32(block.data() + 4) ^ ssrc);
  StoreBe32(block.data() + 8, LoadBe32(block.data() + 8) ^ roc);
  StoreBe16(block.data() + 12, static_cast<uint16_t>(LoadBe16(block.data() + 12) ^ sequence));
  return block;
}

void TestKeystream(VectorBlock& block) {
  const Bytes key = block.Bytes("session_key");
  const Bytes salt = block.Bytes("session_salt");
  const auto ssrc = static_cast<uint32_t>(block.Number("ssrc"));
  const auto roc = static_cast<uint32_t>(block.Number("roc"));
  const auto sequence = static_cast<uint16_t>(block.Number("sequence"));
  const Bytes counter_block = CounterBlock(salt, ssrc, roc, sequence);
  const size_t size = block.Number("segment_size");
  std::vector<std::pair<size_t, Bytes>> expected;
  while (block.Has("block")) {
    const size_t number = block.Number("block");
    expected.emplace_back(number * 16, block.Bytes("keystream"));
  }
  ForEachEngine([&](CryptoEngine& engine) {
    const std::unique_ptr<CounterModeKey> engine_key = engine.MakeCounterModeKey();
    engine_key->Set(key);
    // Zeros, so that what comes out is the keystream.
    Bytes data(size);
    const CounterModeJob job{engine_key.get(), counter_block.data(), data.data(), data.size()};
    engine.Crypt(absl::MakeConstSpan(&job, 1));
    for (const auto& [offset, keystream] : expected) {
      ASSERT_LE(offset + keystream.size(), size);
      EXPECT_THAT(absl::MakeConstSpan(data).subspan(offset, keystream.size()),
                  ElementsAreArray(keystream))
          << "offset " << offset;
    }
  });
}

TEST(EngineVectorsTest, CounterModeAgreesWithRfc3711AppendixB2) {
  ForEachVector("tests/vectors/rfc3711_aes_cm.txt", TestKeystream);
}

TEST(EngineVectorsTest, CounterModeAgreesWithRfc6188Section7) {
  ForEachVector("tests/vectors/rfc6188_aes_cm.txt", TestKeystream);
}

TEST(EngineVectorsTest, MacAgreesWithRfc2202Section3) {
  ForEachVector("tests/vectors/rfc2202_hmac_sha1.txt", [](VectorBlock& block) {
    const Bytes key = block.Bytes("key");
    const Bytes data = block.Bytes("data");
    const Bytes digest = block.Bytes("digest");
    ASSERT_EQ(digest.size(), 20u);
    ForEachEngine([&](CryptoEngine& engine) {
      const std::unique_ptr<HmacSha1Key> engine_key = engine.MakeHmacSha1Key();
      engine_key->Set(key);
      // Alone, and in every lane.
      for (const size_t count : {1, 16, 40}) {
        std::vector<std::array<uint8_t, kMacSize>> macs(count);
        std::vector<MacJob> jobs;
        for (std::array<uint8_t, kMacSize>& mac : macs) {
          jobs.push_back({engine_key.get(), data.data(), data.size(), mac.data()});
        }
        engine.Authenticate(jobs);
        for (const std::array<uint8_t, kMacSize>& mac : macs) {
          EXPECT_THAT(mac, ElementsAreArray(absl::MakeConstSpan(digest).first(kMacSize)));
        }
      }
    });
  });
}

TEST(EngineVectorsTest, GcmAgreesWithRfc7714Section16) {
  ForEachVector("tests/vectors/rfc7714_rtp.txt", [](VectorBlock& block) {
    const std::string operation = block.Text("operation");
    const std::string suite = block.Text("suite");
    const Bytes key = block.Bytes("key");
    ASSERT_EQ(key.size(), suite == "AEAD_AES_128_GCM" ? 16u : 32u);
    const Bytes salt = block.Bytes("salt");
    const auto roc = static_cast<uint32_t>(block.Number("roc"));
    const size_t header_size = block.Number("header_size");
    const Bytes packet = block.Bytes("packet");
    const Bytes sealed = block.Bytes("protected");
    ASSERT_EQ(sealed.size(), packet.size() + kGcmTagSize);
    // RFC 7714 section 8.1: salt XOR (00 00 || SSRC || ROC || SEQ).
    Bytes iv = salt;
    iv.resize(kCounterBlockSize);
    StoreBe32(iv.data() + 2, LoadBe32(iv.data() + 2) ^ LoadBe32(packet.data() + 8));
    StoreBe32(iv.data() + 6, LoadBe32(iv.data() + 6) ^ roc);
    StoreBe16(iv.data() + 10,
              static_cast<uint16_t>(LoadBe16(iv.data() + 10) ^ LoadBe16(packet.data() + 2)));
    ForEachEngine([&](CryptoEngine& engine) {
      const std::unique_ptr<GcmKey> engine_key = engine.MakeGcmKey();
      engine_key->Set(key);
      const bool opens = operation == "decryption" || operation == "verification";
      Bytes bytes = opens ? sealed : packet;
      bytes.resize(sealed.size());
      const GcmJob job{engine_key.get(),
                       iv.data(),
                       bytes.data(),
                       header_size,
                       bytes.data() + header_size,
                       packet.size() - header_size,
                       bytes.data() + packet.size()};
      if (opens) {
        EXPECT_TRUE(engine.Open(job));
        bytes.resize(packet.size());
        EXPECT_THAT(bytes, ElementsAreArray(packet));
      } else {
        engine.Seal(job);
        EXPECT_THAT(bytes, ElementsAreArray(sealed));
      }
    });
  });
}

}  // namespace
}  // namespace sluice
