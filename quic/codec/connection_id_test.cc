#include "quic/codec/connection_id.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

ConnectionId Id(absl::string_view hex) { return *ConnectionId::From(HexBytes(hex)); }

TEST(ConnectionIdTest, HasZeroToTwentyBytes) {
  for (size_t size = 0; size <= 20; ++size) {
    const std::vector<uint8_t> bytes(size, 0xA5);
    const std::optional<ConnectionId> id = ConnectionId::From(bytes);
    ASSERT_TRUE(id.has_value()) << size;
    EXPECT_EQ(id->size(), size);
    EXPECT_EQ(id->empty(), size == 0);
    EXPECT_THAT(id->bytes(), ElementsAreArray(bytes));
  }
  EXPECT_FALSE(ConnectionId::From(std::vector<uint8_t>(21)).has_value());
  EXPECT_FALSE(ConnectionId::From(std::vector<uint8_t>(255)).has_value());
}

TEST(ConnectionIdDeathTest, MoreThanTwentyBytesUncheckedStop) {
  EXPECT_DEATH(ConnectionId id(std::vector<uint8_t>(21)), "size");
}

TEST(ConnectionIdTest, IsEmptyAtFirst) {
  EXPECT_TRUE(ConnectionId().empty());
  EXPECT_EQ(ConnectionId(), *ConnectionId::From({}));
}

TEST(ConnectionIdTest, ZerosBehindItAreNotPartOfIt) {
  EXPECT_NE(Id("01"), Id("0100"));
  EXPECT_NE(Id(""), Id("00"));
  EXPECT_EQ(Id("0102"), Id("0102"));
  std::vector<uint8_t> padded(20);
  padded[0] = 0xAB;
  EXPECT_THAT(Id("ab").padded(), ElementsAreArray(padded));
}

TEST(ConnectionIdTest, HashesAsItCompares) {
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {Id(""), Id("00"), Id("0000"), Id("01"), Id("0100"), Id("0102030405060708"),
       Id("000102030405060708090a0b0c0d0e0f10111213")}));
}

TEST(ConnectionIdTest, PrintsAsHex) {
  EXPECT_EQ(absl::StrCat(Id("00deadBEEF0a")), "00deadbeef0a");
  EXPECT_EQ(absl::StrCat(Id("")), "(empty)");
}

}  // namespace
}  // namespace sluice
