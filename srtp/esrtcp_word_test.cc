#include "srtp/esrtcp_word.h"

#include <cstdint>
#include <vector>

#include "base/testing/hex.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(EsrtcpWordTest, HasTheFlagInTheTopBit) {
  EXPECT_EQ((EsrtcpWord{true, SrtcpIndex(0x5d4)}.ToWire()), 0x800005d4u);
  EXPECT_EQ((EsrtcpWord{false, SrtcpIndex(0x5d4)}.ToWire()), 0x5d4u);
  const EsrtcpWord last = EsrtcpWord::FromWire(0xFFFFFFFF);
  EXPECT_TRUE(last.encrypted);
  EXPECT_EQ(last.index.value(), 0x7FFFFFFFu);
  EXPECT_FALSE(EsrtcpWord::FromWire(0x7FFFFFFF).encrypted);
}

TEST(EsrtcpWordTest, StandsBeforeTheTagOfHmacAndBehindTheTagOfAead) {
  const std::vector<uint8_t> hmac = HexBytes("81c80001 01020304 800005d4 00112233445566778899");
  const std::vector<uint8_t> aead =
      HexBytes("81c80001 01020304 00112233445566778899aabbccddeeff 800005d4");
  for (const CipherSuite& suite : kCipherSuites) {
    const EsrtcpWord word = ReadEsrtcpWord(suite, suite.aead() ? aead : hmac);
    EXPECT_TRUE(word.encrypted) << suite.name;
    EXPECT_EQ(word.index.value(), 0x5d4u) << suite.name;
  }
}

}  // namespace
}  // namespace sluice
