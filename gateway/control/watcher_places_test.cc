#include "gateway/control/watcher_places.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(WatcherPlacesTest, ThereAreAsManyAsTheLimitAndItIsNamed) {
  WatcherPlaces places(2);
  std::optional<absl::StatusOr<WatcherPlaces::Place>> first = places.Take();
  const absl::StatusOr<WatcherPlaces::Place> second = places.Take();
  ASSERT_TRUE(first->ok() && second.ok());
  EXPECT_EQ(places.used(), 2u);
  EXPECT_EQ(ReachedLimit(ToGrpcStatus(places.Take().status())), "watchers");
  EXPECT_EQ(places.refused(), 1u);
  first.reset();
  EXPECT_EQ(places.used(), 1u);
  EXPECT_TRUE(places.Take().ok());
  EXPECT_EQ(places.used(), 1u) << "what nobody kept is free again";
}

TEST(WatcherPlacesTest, APlaceThatMovesIsFreedOnce) {
  WatcherPlaces places(1);
  {
    WatcherPlaces::Place place = *places.Take();
    const WatcherPlaces::Place moved = std::move(place);
    EXPECT_EQ(places.used(), 1u);
  }
  EXPECT_EQ(places.used(), 0u);
}

TEST(WatcherPlacesTest, ManyWhoComeAtOnceGetNoMoreThanThereAre) {
  constexpr size_t kPlaces = 3;
  constexpr int kThreads = 4;
  constexpr int kTries = 1000;
  WatcherPlaces places(kPlaces);
  std::atomic<size_t> inside{0};
  std::atomic<uint64_t> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kTries; ++n) {
        if (const absl::StatusOr<WatcherPlaces::Place> place = places.Take(); place.ok()) {
          EXPECT_LE(++inside, kPlaces);
          --inside;
        } else {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(places.used(), 0u);
  EXPECT_EQ(places.refused(), refused);
}

}  // namespace
}  // namespace sluice
