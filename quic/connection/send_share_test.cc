#include "quic/connection/send_share.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

constexpr SendResource kStream = SendResource::kStream;
constexpr SendResource kBlock = SendResource::kBlock;

// Writes down who was told.
class Waiter : public SendRoomReceiver {
 public:
  Waiter(std::vector<int>& log, int name) : log_(log), name_(name) {}
  void OnRoom() override { log_.push_back(name_); }

 private:
  std::vector<int>& log_;
  const int name_;
};

class SendShareTest : public testing::Test {
 protected:
  void Return(SendShare& share, SendResource resource = kBlock) { stock_.Return(share, resource); }
  void ReturnAll(SendShare& share) {
    share.Withdraw();
    while (share.used(kBlock) > 0) Return(share);
    while (share.used(kStream) > 0) Return(share, kStream);
  }

  std::vector<int> told_;
  Waiter waiters_[4] = {{told_, 0}, {told_, 1}, {told_, 2}, {told_, 3}};
  SendStock stock_{2, 4};
};

TEST_F(SendShareTest, NobodyHasMoreThanAShare) {
  SendShare share(stock_, 1, 3, waiters_[0]);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stock_.Take(share, kBlock));
  EXPECT_FALSE(stock_.Take(share, kBlock));
  EXPECT_EQ(stock_.counters().blocks_over_share, 1u);
  EXPECT_EQ(stock_.counters().no_block, 0u);
  EXPECT_TRUE(stock_.Take(share, kStream));
  EXPECT_FALSE(stock_.Take(share, kStream));
  EXPECT_EQ(stock_.counters().streams_over_share, 1u);
  EXPECT_EQ(stock_.free(kBlock), 1u);
  // What it gives back is what it waits for.
  EXPECT_THAT(told_, ElementsAre());
  Return(share);
  EXPECT_THAT(told_, ElementsAre(0));
  EXPECT_TRUE(share.MayTake(kBlock));
  Return(share);
  EXPECT_THAT(told_, ElementsAre(0)) << "once is enough";
  ReturnAll(share);
}

TEST_F(SendShareTest, ThoseWhoWaitAreToldInTurnAndNobodyGoesBefore) {
  SendShare hog(stock_, 2, 4, waiters_[0]);
  SendShare a(stock_, 2, 4, waiters_[1]);
  SendShare b(stock_, 2, 4, waiters_[2]);
  SendShare late(stock_, 2, 4, waiters_[3]);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(stock_.Take(hog, kBlock));
  EXPECT_FALSE(stock_.Take(a, kBlock));
  EXPECT_FALSE(stock_.Take(a, kBlock)) << "which is the same wait";
  EXPECT_FALSE(stock_.Take(b, kBlock));
  EXPECT_EQ(stock_.counters().no_block, 3u);
  Return(hog);
  EXPECT_THAT(told_, ElementsAre(1));
  // It is a's, whoever comes before a does.
  EXPECT_FALSE(stock_.Take(late, kBlock));
  EXPECT_FALSE(stock_.Take(hog, kBlock));
  EXPECT_TRUE(stock_.Take(a, kBlock));
  EXPECT_FALSE(stock_.Take(a, kBlock)) << "behind the others now";
  for (int i = 0; i < 3; ++i) Return(hog);
  EXPECT_THAT(told_, ElementsAre(1, 2, 3, 0));
  for (SendShare* share : {&hog, &a, &b, &late}) ReturnAll(*share);
  EXPECT_EQ(stock_.free(kBlock), 4u);
}

TEST_F(SendShareTest, WhatIsNotTakenIsTheNextOnes) {
  SendShare hog(stock_, 2, 4, waiters_[0]);
  SendShare a(stock_, 2, 4, waiters_[1]);
  SendShare b(stock_, 2, 4, waiters_[2]);
  ASSERT_TRUE(stock_.Take(hog, kStream));
  ASSERT_TRUE(stock_.Take(hog, kStream));
  a.Await(kStream);
  b.Await(kStream);
  Return(hog, kStream);
  EXPECT_THAT(told_, ElementsAre(1));
  a.ReleasePromises();
  EXPECT_THAT(told_, ElementsAre(1, 2));
  EXPECT_FALSE(a.MayTake(kStream));
  EXPECT_TRUE(b.MayTake(kStream));
  b.ReleasePromises();
  EXPECT_TRUE(a.MayTake(kStream)) << "nobody waits";
  Return(hog, kStream);
  EXPECT_THAT(told_, ElementsAre(1, 2));
}

TEST_F(SendShareTest, WhoGoesLeavesTheLineAndWhatWasPromised) {
  SendShare hog(stock_, 2, 4, waiters_[0]);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(stock_.Take(hog, kBlock));
  {
    SendShare first(stock_, 2, 4, waiters_[1]);
    SendShare last(stock_, 2, 4, waiters_[3]);
    first.Await(kBlock);
    auto between = std::make_unique<SendShare>(stock_, 2, 4, waiters_[2]);
    between->Await(kBlock);
    last.Await(kBlock);
    between.reset();
    Return(hog);
    EXPECT_THAT(told_, ElementsAre(1));
  }
  EXPECT_THAT(told_, ElementsAre(1)) << "the last one went first";
  EXPECT_TRUE(stock_.Take(hog, kBlock));
  ReturnAll(hog);
}

TEST_F(SendShareTest, AwaitingWhatIsThereIsAPromiseAtOnce) {
  SendShare a(stock_, 2, 4, waiters_[1]);
  a.Await(kBlock);
  EXPECT_THAT(told_, ElementsAre(1));
  EXPECT_TRUE(stock_.Take(a, kBlock));
  ReturnAll(a);
}

// The line for blocks, written out as one.
class LineModel {
 public:
  LineModel(size_t shares, size_t blocks, size_t max) : free(blocks), max_(max), members_(shares) {}

  bool MayTake(size_t i) const {
    return members_[i].used < max_ && (members_[i].promised || free > Promised());
  }
  void Take(size_t i) {
    if (!MayTake(i)) return Wait(i);
    members_[i].promised = false;
    ++members_[i].used;
    --free;
  }
  void Return(size_t i) {
    --members_[i].used;
    ++free;
    Promise();
    if (!members_[i].full) return;
    members_[i].full = false;
    if (MayTake(i)) {
      told.push_back(static_cast<int>(i));
    } else {
      Wait(i);
    }
  }
  void Release(size_t i) {
    members_[i].promised = false;
    Promise();
  }
  void Withdraw(size_t i) {
    members_[i].full = false;
    line_.erase(std::remove(line_.begin(), line_.end(), i), line_.end());
    Release(i);
  }
  size_t used(size_t i) const { return members_[i].used; }

  size_t free;
  std::vector<int> told;

 private:
  struct Member {
    size_t used = 0;
    bool full = false;
    bool promised = false;
  };

  size_t Promised() const {
    return static_cast<size_t>(std::count_if(members_.begin(), members_.end(),
                                             [](const Member& member) { return member.promised; }));
  }
  void Wait(size_t i) {
    if (members_[i].used == max_) {
      members_[i].full = true;
    } else if (!members_[i].promised && std::find(line_.begin(), line_.end(), i) == line_.end()) {
      line_.push_back(i);
    }
  }
  void Promise() {
    while (!line_.empty() && free > Promised()) {
      members_[line_.front()].promised = true;
      told.push_back(static_cast<int>(line_.front()));
      line_.pop_front();
    }
  }

  const size_t max_;
  std::vector<Member> members_;
  std::deque<size_t> line_;
};

TEST(SendShareModelTest, AnyOrderOfTakingAndReturningKeepsTheLine) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(41));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  constexpr size_t kShares = 6;
  constexpr size_t kBlocks = 9;
  constexpr size_t kMax = 4;
  std::vector<int> told;
  SendStock stock(1, kBlocks);
  LineModel model(kShares, kBlocks, kMax);
  std::vector<std::unique_ptr<Waiter>> waiters;
  std::vector<std::unique_ptr<SendShare>> shares;
  for (size_t i = 0; i < kShares; ++i) {
    waiters.push_back(std::make_unique<Waiter>(told, static_cast<int>(i)));
    shares.push_back(std::make_unique<SendShare>(stock, 1, kMax, *waiters[i]));
  }
  for (int step = 0; step < 100'000; ++step) {
    const size_t i = random.Below(kShares);
    const uint64_t action = random.Below(8);
    if (action < 4) {
      ASSERT_EQ(stock.Take(*shares[i], kBlock), model.MayTake(i)) << "step " << step;
      model.Take(i);
    } else if (action < 6 && model.used(i) > 0) {
      stock.Return(*shares[i], kBlock);
      model.Return(i);
    } else if (action == 6) {
      shares[i]->ReleasePromises();
      model.Release(i);
    } else if (action == 7) {
      shares[i]->Withdraw();
      model.Withdraw(i);
    }
    ASSERT_EQ(told, model.told) << "step " << step;
    ASSERT_EQ(stock.free(kBlock), model.free);
    ASSERT_EQ(shares[i]->used(kBlock), model.used(i));
    ASSERT_EQ(shares[i]->MayTake(kBlock), model.MayTake(i));
    told.clear();
    model.told.clear();
  }
  for (size_t i = 0; i < kShares; ++i) {
    shares[i]->Withdraw();
    while (shares[i]->used(kBlock) > 0) stock.Return(*shares[i], kBlock);
  }
}

}  // namespace
}  // namespace sluice
