#include "quic/codec/version_information.h"

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"
#include "quic/codec/quic_version.h"

namespace sluice {
namespace {

TEST(VersionInformationTest, KeepsAvailableVersionsInTheirOrder) {
  VersionInformation information(kQuicVersion1);
  EXPECT_EQ(information.chosen(), kQuicVersion1);
  EXPECT_EQ(information.available_count(), 0u);
  EXPECT_TRUE(information.AddAvailable(kQuicVersion2));
  EXPECT_TRUE(information.AddAvailable(kQuicVersion1));
  ASSERT_EQ(information.available_count(), 2u);
  EXPECT_EQ(information.available(0), kQuicVersion2);
  EXPECT_EQ(information.available(1), kQuicVersion1);
}

TEST(VersionInformationTest, WhatIsChosenIsNotThereforeAvailable) {
  VersionInformation information(kQuicVersion1);
  EXPECT_FALSE(information.IsAvailable(kQuicVersion1));
  // Nor is what unused places hold.
  EXPECT_FALSE(information.IsAvailable(QuicVersion(0)));
  EXPECT_TRUE(information.AddAvailable(kQuicVersion1));
  EXPECT_TRUE(information.IsAvailable(kQuicVersion1));
  EXPECT_FALSE(information.IsAvailable(kQuicVersion2));
}

TEST(VersionInformationTest, IsFullWithItsMaximum) {
  VersionInformation information(kQuicVersion1);
  for (size_t i = 0; i < VersionInformation::kMaxAvailable; ++i) {
    EXPECT_TRUE(information.AddAvailable(QuicVersion(static_cast<uint32_t>(100 + i))));
  }
  const VersionInformation full = information;
  EXPECT_FALSE(information.AddAvailable(kQuicVersion2));
  EXPECT_EQ(information, full);
  EXPECT_FALSE(information.IsAvailable(kQuicVersion2));
  EXPECT_TRUE(information.IsAvailable(QuicVersion(107)));
}

TEST(VersionInformationTest, TheChosenOneFindsAPlaceWhereThereIsNone) {
  VersionInformation information(kQuicVersion1);
  for (size_t i = 0; i < VersionInformation::kMaxAvailable; ++i) {
    EXPECT_TRUE(information.AddAvailable(QuicVersion(static_cast<uint32_t>(100 + i))));
  }
  EXPECT_TRUE(information.AddAvailable(kQuicVersion1));
  EXPECT_EQ(information.available_count(), VersionInformation::kMaxAvailable);
  EXPECT_EQ(information.available(7), kQuicVersion1);
  EXPECT_EQ(information.available(6), QuicVersion(106));
  // Once is enough.
  EXPECT_FALSE(information.AddAvailable(kQuicVersion1));
}

TEST(VersionInformationTest, DiffersInAnyVersionAndInTheirNumber) {
  VersionInformation a(kQuicVersion1);
  EXPECT_NE(a, VersionInformation(kQuicVersion2));
  VersionInformation b = a;
  EXPECT_EQ(a, b);
  EXPECT_TRUE(b.AddAvailable(kQuicVersion1));
  EXPECT_NE(a, b);
  EXPECT_TRUE(a.AddAvailable(kQuicVersion2));
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace sluice
