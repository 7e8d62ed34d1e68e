#include "quic/client/round_trips.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(RoundTripsTest, NothingAskedIsNoRoundTrip) {
  RoundTrips trips;
  trips.OnAnswered();
  EXPECT_EQ(trips.count(), 0u);
  EXPECT_FALSE(trips.open());
}

TEST(RoundTripsTest, QuestionsOneAfterTheOtherCountEach) {
  RoundTrips trips;
  for (uint64_t i = 1; i <= 3; ++i) {
    trips.OnAsked();
    EXPECT_EQ(trips.count(), i);
    EXPECT_TRUE(trips.open());
    trips.OnAnswered();
  }
}

TEST(RoundTripsTest, QuestionsTogetherShareOne) {
  RoundTrips trips;
  trips.OnAsked();
  trips.OnAsked();
  trips.OnAnswered();
  // The answer to the other one.
  trips.OnAnswered();
  EXPECT_EQ(trips.count(), 1u);
  trips.OnAsked();
  EXPECT_EQ(trips.count(), 2u);
}

}  // namespace
}  // namespace sluice
