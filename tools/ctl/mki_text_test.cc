#include "tools/ctl/mki_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

TEST(MkiTextTest, IsADecimalValueAndASize) {
  const struct {
    std::string text;
    std::string bytes;
  } kCases[] = {
      {"0:1", std::string("\0", 1)},
      {"1:4", std::string("\0\0\0\1", 4)},
      {"255:1", "\xFF"},
      {"256:2", std::string("\1\0", 2)},
      {"4294967295:4", "\xFF\xFF\xFF\xFF"},
      {"18446744073709551616:9", std::string("\1\0\0\0\0\0\0\0\0", 9)},
      {"0:128", std::string(128, '\0')},
  };
  for (const auto& test : kCases) {
    const auto bytes = ParseMki(test.text);
    ASSERT_TRUE(bytes.ok()) << test.text << ": " << bytes.status();
    EXPECT_EQ(*bytes, test.bytes) << test.text;
    EXPECT_EQ(FormatMki(test.bytes), test.text);
  }
}

TEST(MkiTextTest, TheLongestOneComesBackAsItWas) {
  const std::string bytes(128, '\xFF');
  const auto back = ParseMki(FormatMki(bytes));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, bytes);
}

TEST(MkiTextTest, ZerosInFrontDoNotMatter) { EXPECT_EQ(*ParseMki("0007:1"), "\7"); }

TEST(MkiTextTest, NoBytesAreADash) { EXPECT_EQ(FormatMki(""), "-"); }

TEST(MkiTextTest, WhatIsNoneIsRefused) {
  for (const char* text : {"", "1", "1:", ":4", "a:4", "-1:4", "1:-4", "1:0", "1:129", "1:4:4",
                           "+1:4", "1:99999999999999999999"}) {
    const auto mki = ParseMki(text);
    ASSERT_FALSE(mki.ok()) << text;
    EXPECT_THAT(std::string(mki.status().message()), HasSubstr("write 1:4")) << text;
  }
  EXPECT_FALSE(ParseMki(std::string(1000, '0') + ":4").ok());
  EXPECT_THAT(std::string(ParseMki("256:1").status().message()),
              HasSubstr("does not fit into 1 bytes"));
}

}  // namespace
}  // namespace sluice
