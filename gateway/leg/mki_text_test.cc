#include "gateway/leg/mki_text.h"

#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

Mki MkiOf(const std::vector<uint8_t>& bytes) { return *Mki::Create(bytes); }

TEST(MkiTextTest, WritesEveryByteWithTwoDigits) {
  EXPECT_EQ(MkiText(Mki()), "");
  EXPECT_EQ(MkiText(MkiOf({0x00, 0x0A, 0xFF})), "000aff");
}

TEST(MkiTextTest, ListsThoseOfManyKeys) {
  struct Key {
    Mki mki;
  };
  EXPECT_EQ(MkiTexts(std::vector<Key>{}), "");
  EXPECT_EQ(MkiTexts(std::vector<Key>{{MkiOf({1})}, {MkiOf({2})}}), "01, 02");
}

}  // namespace
}  // namespace sluice
