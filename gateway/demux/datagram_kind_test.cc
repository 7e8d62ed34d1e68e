#include "gateway/demux/datagram_kind.h"

#include <vector>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(DatagramKindTest, EveryFirstByteHasItsPlaceInRfc7983) {
  const struct {
    int first;
    int last;
    DatagramKind kind;
  } kRanges[] = {
      {0, 3, DatagramKind::kStun},          {4, 15, DatagramKind::kUnknown},
      {16, 19, DatagramKind::kZrtp},        {20, 63, DatagramKind::kDtls},
      {64, 79, DatagramKind::kTurnChannel}, {80, 127, DatagramKind::kUnknown},
      {128, 191, DatagramKind::kRtp},       {192, 255, DatagramKind::kUnknown},
  };
  int checked = 0;
  for (const auto& range : kRanges) {
    for (int byte = range.first; byte <= range.last; ++byte, ++checked) {
      const std::vector<uint8_t> datagram = {static_cast<uint8_t>(byte), 0};
      EXPECT_EQ(ClassifyDatagram(datagram), range.kind) << byte;
    }
  }
  EXPECT_EQ(checked, 256);
}

TEST(DatagramKindTest, TheSecondByteTellsRtcpFromRtp) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::vector<uint8_t> datagram = {0x80, static_cast<uint8_t>(byte)};
    const bool rtcp = byte >= 192 && byte <= 223;
    EXPECT_EQ(ClassifyDatagram(datagram), rtcp ? DatagramKind::kRtcp : DatagramKind::kRtp) << byte;
  }
}

TEST(DatagramKindTest, OnlyMediaIsToldApartByTheSecondByte) {
  EXPECT_EQ(ClassifyDatagram(std::vector<uint8_t>{22, 200}), DatagramKind::kDtls);
  EXPECT_EQ(ClassifyDatagram(std::vector<uint8_t>{0, 201}), DatagramKind::kStun);
}

TEST(DatagramKindTest, ShortDatagramsAreClassifiedByWhatIsThere) {
  EXPECT_EQ(ClassifyDatagram({}), DatagramKind::kUnknown);
  EXPECT_EQ(ClassifyDatagram(std::vector<uint8_t>{0x80}), DatagramKind::kRtp);
}

}  // namespace
}  // namespace sluice
