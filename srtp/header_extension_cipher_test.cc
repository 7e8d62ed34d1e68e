#include "srtp/header_extension_cipher.h"

#include <openssl/aes.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/packet_index.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

using Bytes = std::vector<uint8_t>;

constexpr Ssrc kSsrc(0xCAFEBABE);
constexpr PacketIndex kIndex = MakeIndex(Roc(3), SequenceNumber(0x1234));
// Fixed header and the extension's own.
constexpr size_t kDataOffset = 12 + 4;

HeaderKeys MakeKeys(absl::Span<const uint8_t> encryption, absl::Span<const uint8_t> salt) {
  HeaderKeys keys;
  keys.encryption = *decltype(keys.encryption)::From(encryption);
  keys.salt = *decltype(keys.salt)::From(salt);
  return keys;
}

Bytes PacketWith(uint16_t profile, const Bytes& extension) {
  return RtpPacketBuilder()
      .WithSsrc(kSsrc.value())
      .WithSequence(SequenceOf(kIndex).value())
      .WithRawExtension(profile, extension)
      .WithPayloadSize(40)
      .Build();
}

EncryptedExtensionIds AllIds() { return EncryptedExtensionIds().set(); }

Bytes Crypted(const HeaderExtensionCipher& cipher, Bytes packet, const EncryptedExtensionIds& ids,
              Ssrc ssrc = kSsrc, PacketIndex index = kIndex) {
  cipher.Crypt(absl::MakeSpan(packet), ssrc, index, ids);
  return packet;
}

TEST(HeaderExtensionCipherTest, AgreesWithRfc6904AppendixA2) {
  ForEachVector("tests/vectors/rfc6904_header_extension.txt", [](VectorBlock& block) {
    const HeaderExtensionCipher cipher(
        GetCipherSuite(SuiteId::kAesCm128HmacSha1_80),
        MakeKeys(block.Bytes("session_key"), block.Bytes("session_salt")));
    const Ssrc ssrc(static_cast<uint32_t>(block.Number("ssrc")));
    const PacketIndex index =
        MakeIndex(Roc(static_cast<uint32_t>(block.Number("roc"))),
                  SequenceNumber(static_cast<uint16_t>(block.Number("sequence"))));
    EncryptedExtensionIds ids;
    while (block.Has("encrypted_id")) {
      ids.set(block.Number("encrypted_id"));
    }
    const auto profile = static_cast<uint16_t>(block.Number("profile"));
    const Bytes mask = block.Bytes("mask");
    const Bytes keystream = block.Bytes("keystream");
    const Bytes ciphertext = block.Bytes("ciphertext");
    Bytes extension = block.Bytes("plaintext");
    const Bytes plain = PacketWith(profile, extension);
    EXPECT_THAT(Crypted(cipher, plain, ids, ssrc, index),
                ElementsAreArray(PacketWith(profile, ciphertext)));
    EXPECT_THAT(Crypted(cipher, PacketWith(profile, ciphertext), ids, ssrc, index),
                ElementsAreArray(plain));
    // The RFC's own sum.
    for (size_t i = 0; i < extension.size(); ++i) {
      extension[i] ^= keystream[i] & mask[i];
    }
    EXPECT_THAT(extension, ElementsAreArray(ciphertext));
  });
}

class HeaderExtensionCipherSuiteTest : public testing::TestWithParam<SuiteId> {
 protected:
  const CipherSuite& suite() const { return GetCipherSuite(GetParam()); }
  Bytes RandomBytes(size_t size) {
    Bytes bytes(size);
    random_.Fill(absl::MakeSpan(bytes));
    return bytes;
  }

  // The bytes that RFC 6904 section 3.2 XORs with the extension where nothing is masked.
  Bytes Keystream(Ssrc ssrc, PacketIndex index, size_t size) {
    if (suite().transform == PacketTransform::kNull) {
      return Bytes(size);
    }
    uint8_t block[16] = {};
    CopyBytes(block, keys_.salt.span());
    StoreBe32(block + 4, LoadBe32(block + 4) ^ ssrc.value());
    StoreBe48(block + 8, LoadBe48(block + 8) ^ index.value());
    AES_KEY key;
    AES_set_encrypt_key(keys_.encryption.data(), static_cast<unsigned>(8 * suite().key_size), &key);
    Bytes keystream(size);
    uint8_t buffer[16];
    unsigned used = 0;
    AES_ctr128_encrypt(keystream.data(), keystream.data(), size, &key, block, buffer, &used);
    return keystream;
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(6904)};
  const testing::ScopedTrace seed_{__FILE__, __LINE__,
                                   absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  const HeaderKeys keys_ = DeriveHeaderKeys(MasterKey::Generate(GetParam(), random_));
  const HeaderExtensionCipher cipher_{suite(), keys_};
};

std::vector<SuiteId> AllSuites() {
  std::vector<SuiteId> suites;
  for (const CipherSuite& suite : kCipherSuites) {
    suites.push_back(suite.id);
  }
  return suites;
}

INSTANTIATE_TEST_SUITE_P(All, HeaderExtensionCipherSuiteTest, testing::ValuesIn(AllSuites()),
                         [](const testing::TestParamInfo<SuiteId>& tested) {
                           return std::string(GetCipherSuite(tested.param).name);
                         });

// Elements and padding by chance, with a note beside each byte whether it is to change.
TEST_P(HeaderExtensionCipherSuiteTest, ChangesTheDataOfChosenElementsAndNoOtherByte) {
  for (int round = 0; round < 500; ++round) {
    const bool two_byte = random_.Below(2) == 1;
    EncryptedExtensionIds ids;
    for (size_t id = 0; id < ids.size(); ++id) {
      ids.set(id, random_.Below(2) == 1);
    }
    Bytes extension;
    std::vector<bool> mask;
    for (uint64_t elements = random_.Below(6); elements > 0; --elements) {
      const uint64_t padding = random_.Below(3) == 0 ? random_.Below(5) : 0;
      extension.insert(extension.end(), padding, 0);
      const auto id = static_cast<uint8_t>(1 + random_.Below(two_byte ? 255 : 14));
      const Bytes data = RandomBytes(two_byte ? random_.Below(60) : 1 + random_.Below(16));
      if (two_byte) {
        extension.push_back(id);
        extension.push_back(static_cast<uint8_t>(data.size()));
      } else {
        extension.push_back(static_cast<uint8_t>((id << 4) | (data.size() - 1)));
      }
      mask.resize(extension.size(), false);
      extension.insert(extension.end(), data.begin(), data.end());
      mask.resize(extension.size(), ids[id]);
    }
    const uint16_t profile =
        two_byte ? static_cast<uint16_t>(0x1000 | random_.Below(16)) : uint16_t{0xBEDE};
    const Ssrc ssrc(random_.NextU32());
    const PacketIndex index(random_.NextU64() & kMaxPacketIndex.value());

    const Bytes plain = PacketWith(profile, extension);
    Bytes expected = plain;
    const Bytes keystream = Keystream(ssrc, index, extension.size());
    for (size_t i = 0; i < extension.size(); ++i) {
      expected[kDataOffset + i] ^= mask[i] ? keystream[i] : uint8_t{0};
    }
    const Bytes crypted = Crypted(cipher_, plain, ids, ssrc, index);
    ASSERT_THAT(crypted, ElementsAreArray(expected)) << "round " << round;
    ASSERT_THAT(Crypted(cipher_, crypted, ids, ssrc, index), ElementsAreArray(plain));
  }
}

// 65535 words, which is more than 2^14 blocks of keystream.
TEST_P(HeaderExtensionCipherSuiteTest, LongestExtensionIsEncryptedToItsEnd) {
  constexpr size_t kSize = size_t{65535} * 4;
  Bytes extension;
  // 1020 elements, and no byte is left.
  while (extension.size() < kSize) {
    extension.push_back(1);
    extension.push_back(255);
    extension.insert(extension.end(), 255, 0);
  }
  ASSERT_EQ(extension.size(), kSize);
  const Bytes keystream = Keystream(kSsrc, kIndex, kSize);
  Bytes expected = extension;
  for (size_t i = 0; i < kSize; ++i) {
    expected[i] ^= i % 257 >= 2 ? keystream[i] : uint8_t{0};
  }
  EXPECT_TRUE(Crypted(cipher_, PacketWith(0x1000, extension), AllIds()) ==
              PacketWith(0x1000, expected));
}

TEST_P(HeaderExtensionCipherSuiteTest, NullSuitesEncryptNothingAndTheOthersDo) {
  const Bytes plain = PacketWith(0xBEDE, HexBytes("13 aabbccdd 21 aabb"));
  EXPECT_EQ(Crypted(cipher_, plain, AllIds()) == plain,
            suite().transform == PacketTransform::kNull);
}

TEST_P(HeaderExtensionCipherSuiteTest, AllocatesNothing) {
  Bytes packet = PacketWith(0x1000, HexBytes("01 20" + std::string(64, 'a')));
  const EncryptedExtensionIds ids = AllIds();
  const uint64_t before = ThreadAllocations();
  for (uint64_t i = 0; i < 1000; ++i) {
    cipher_.Crypt(absl::MakeSpan(packet), kSsrc, PacketIndex(i), ids);
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

class HeaderExtensionBytesTest : public testing::Test {
 protected:
  // `extension` after encryption of all ids.
  Bytes CryptedExtension(uint16_t profile, const Bytes& extension) {
    const Bytes packet = Crypted(cipher_, PacketWith(profile, extension), AllIds());
    return Bytes(packet.begin() + kDataOffset,
                 packet.begin() + static_cast<ptrdiff_t>(kDataOffset + extension.size()));
  }

  SeededRandom random_{1};
  HeaderExtensionCipher cipher_{
      GetCipherSuite(SuiteId::kAesCm128HmacSha1_80),
      DeriveHeaderKeys(MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random_))};
};

TEST_F(HeaderExtensionBytesTest, NothingIsTouchedBehindWhatEndsTheWalk) {
  // Id 15, id 0 with a length, and a length past the end; RFC 8285 sections 4.1.2 and 4.2.
  for (const char* end : {"f0", "02", "5f"}) {
    const Bytes plain = HexBytes(absl::StrCat("10 aa ", end, " bb 20 cc 0000"));
    const Bytes crypted = CryptedExtension(0xBEDE, plain);
    EXPECT_NE(crypted[1], plain[1]) << end;
    EXPECT_THAT(absl::MakeConstSpan(crypted).subspan(2),
                ElementsAreArray(absl::MakeConstSpan(plain).subspan(2)))
        << end;
  }
  // The two-byte form: a length past the end, and an id without one.
  for (const char* end : {"02 ff bb cc dd", "00 00 00 00 02"}) {
    const Bytes plain = HexBytes(absl::StrCat("01 01 aa ", end));
    const Bytes crypted = CryptedExtension(0x1000, plain);
    EXPECT_NE(crypted[2], plain[2]) << end;
    EXPECT_THAT(absl::MakeConstSpan(crypted).subspan(3),
                ElementsAreArray(absl::MakeConstSpan(plain).subspan(3)))
        << end;
  }
}

TEST_F(HeaderExtensionBytesTest, ExtensionsOfOtherProfilesStayAsTheyAre) {
  const Bytes plain = HexBytes("13 aabbccdd 21 aabb");
  // The last two are encrypted already, and wholly so (RFC 9335).
  for (const uint16_t profile : {0x0000, 0xBEDF, 0x1010, 0x2000, 0xC0DE, 0xC2DE}) {
    EXPECT_THAT(CryptedExtension(profile, plain), ElementsAreArray(plain)) << profile;
  }
}

TEST_F(HeaderExtensionBytesTest, AnythingButAWholeRtpHeaderStaysAsItIs) {
  const Bytes whole = PacketWith(0xBEDE, HexBytes("13 aabbccdd 21 aabb"));
  constexpr size_t kHeaderSize = kDataOffset + 8;
  for (size_t size = 0; size < kHeaderSize; ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_THAT(Crypted(cipher_, cut, AllIds()), ElementsAreArray(cut)) << size;
  }
  // The header alone is enough.
  const Bytes header(whole.begin(), whole.begin() + kHeaderSize);
  EXPECT_NE(Crypted(cipher_, header, AllIds()), header);
  Bytes other_version = whole;
  other_version[0] ^= 0x40;
  EXPECT_THAT(Crypted(cipher_, other_version, AllIds()), ElementsAreArray(other_version));
  const Bytes without = RtpPacketBuilder().WithPayloadSize(40).Build();
  EXPECT_THAT(Crypted(cipher_, without, AllIds()), ElementsAreArray(without));
}

// RFC 7714 section 8.3 with section 11's open question answered as for the payload.
TEST(HeaderExtensionCipherTest, GcmIsAesCmWithTwoZerosBehindTheSalt) {
  SeededRandom random(2);
  const Bytes plain = PacketWith(0xBEDE, HexBytes("13 aabbccdd 21 aabb"));
  const struct {
    SuiteId gcm;
    SuiteId cm;
  } kPairs[] = {{SuiteId::kAeadAes128Gcm, SuiteId::kAesCm128HmacSha1_80},
                {SuiteId::kAeadAes256Gcm, SuiteId::kAes256CmHmacSha1_80}};
  for (const auto& pair : kPairs) {
    Bytes key(GetCipherSuite(pair.gcm).key_size);
    random.Fill(absl::MakeSpan(key));
    Bytes salt(12);
    random.Fill(absl::MakeSpan(salt));
    const HeaderExtensionCipher gcm(GetCipherSuite(pair.gcm), MakeKeys(key, salt));
    salt.resize(14);
    const HeaderExtensionCipher cm(GetCipherSuite(pair.cm), MakeKeys(key, salt));
    EXPECT_THAT(Crypted(gcm, plain, AllIds()), ElementsAreArray(Crypted(cm, plain, AllIds())));
  }
}

}  // namespace
}  // namespace sluice
