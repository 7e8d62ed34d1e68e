#include "interceptor/packet_attributes.h"

#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

TEST(ExtensionTextTest, HoldsWhatItWasGivenByValue) {
  std::vector<uint8_t> text = {'h', 'i'};
  const std::optional<ExtensionText> held = ExtensionText::From(text);
  text[0] = 'x';
  ASSERT_TRUE(held.has_value());
  EXPECT_THAT(held->bytes(), ElementsAre('h', 'i'));
  EXPECT_EQ(*held, *ExtensionText::From(std::vector<uint8_t>{'h', 'i'}));
  EXPECT_FALSE(*held == *ExtensionText::From(std::vector<uint8_t>{'h', 'i', 0}));
}

TEST(ExtensionTextTest, TakesOneToSixteenBytes) {
  EXPECT_FALSE(ExtensionText::From({}).has_value());
  EXPECT_TRUE(ExtensionText::From(std::vector<uint8_t>(1)).has_value());
  EXPECT_TRUE(ExtensionText::From(std::vector<uint8_t>(16)).has_value());
  EXPECT_FALSE(ExtensionText::From(std::vector<uint8_t>(17)).has_value());
  EXPECT_FALSE(ExtensionText::From(std::vector<uint8_t>(255)).has_value());
}

}  // namespace
}  // namespace sluice
