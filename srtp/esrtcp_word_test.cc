#include "srtp/esrtcp_word.h"

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

}  // namespace
}  // namespace sluice
