#include "srtp/mki.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MkiTest, KeepsItsBytes) {
  const absl::StatusOr<Mki> mki = Mki::Create({1, 2, 0});
  ASSERT_TRUE(mki.ok());
  EXPECT_THAT(mki->bytes(), ElementsAre(1, 2, 0));
  EXPECT_EQ(mki->size(), 3u);
  EXPECT_FALSE(mki->empty());
}

TEST(MkiTest, IsEmptyAtFirst) {
  EXPECT_TRUE(Mki().empty());
  EXPECT_EQ(Mki(), *Mki::Create({}));
}

TEST(MkiTest, IsEqualWhenBytesAndSizeAre) {
  EXPECT_EQ(*Mki::Create({1, 2}), *Mki::Create({1, 2}));
  EXPECT_FALSE(*Mki::Create({1, 2}) == *Mki::Create({1, 3}));
  // A leading or trailing zero counts: the size is part of what was agreed.
  EXPECT_FALSE(*Mki::Create({1}) == *Mki::Create({1, 0}));
}

TEST(MkiTest, RefusesMoreThanSdesCanName) {
  EXPECT_TRUE(Mki::Create(std::vector<uint8_t>(128)).ok());
  const absl::StatusOr<Mki> mki = Mki::Create(std::vector<uint8_t>(129));
  EXPECT_EQ(mki.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(mki.status().message(), HasSubstr("129"));
  EXPECT_THAT(mki.status().message(), HasSubstr("0..128"));
}

}  // namespace
}  // namespace sluice
