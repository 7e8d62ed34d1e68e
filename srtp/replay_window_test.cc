#include "srtp/replay_window.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {

void PrintTo(ReplayVerdict verdict, std::ostream* out) {
  constexpr const char* kNames[] = {"kFresh", "kReplayed", "kTooOld"};
  *out << kNames[static_cast<size_t>(verdict)];
}

namespace {

constexpr uint64_t kMaxIndex = (uint64_t{1} << 48) - 1;

// A window with its words.
struct OwnedWindow {
  explicit OwnedWindow(size_t size, uint64_t garbage = 0xA5A5A5A5A5A5A5A5)
      : words(ReplayWindow::WordCount(size), garbage), window(absl::MakeSpan(words)) {}

  ReplayVerdict Check(uint64_t index) const { return window.Check(index).verdict(); }
  bool CheckAndAccept(uint64_t index) { return window.Accept(window.Check(index)); }

  std::vector<uint64_t> words;
  ReplayWindow window;
};

// What the window ought to know, without any bits.
class Model {
 public:
  explicit Model(size_t size) : size_(size) {}

  ReplayVerdict Check(uint64_t index) const {
    if (seen_.empty() || index > *seen_.rbegin()) return ReplayVerdict::kFresh;
    if (*seen_.rbegin() - index >= size_) return ReplayVerdict::kTooOld;
    return seen_.count(index) > 0 ? ReplayVerdict::kReplayed : ReplayVerdict::kFresh;
  }
  bool Accept(uint64_t index) {
    if (Check(index) != ReplayVerdict::kFresh) return false;
    seen_.insert(index);
    return true;
  }
  uint64_t highest() const { return seen_.empty() ? 0 : *seen_.rbegin(); }

 private:
  const size_t size_;
  std::set<uint64_t> seen_;
};

TEST(ReplayWindowTest, SizesArePowersOfTwoFrom64To32768) {
  for (const size_t size : {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}) {
    EXPECT_TRUE(ReplayWindow::IsValidSize(size)) << size;
    EXPECT_EQ(OwnedWindow(size).window.size(), size);
  }
  for (const size_t size : {0, 1, 32, 63, 65, 96, 192, 1000, 32767, 65536}) {
    EXPECT_FALSE(ReplayWindow::IsValidSize(size)) << size;
  }
}

TEST(ReplayWindowDeathTest, StopsOnStorageOfAnotherSize) {
  std::vector<uint64_t> words(3);
  EXPECT_DEATH(ReplayWindow window(absl::MakeSpan(words)), "IsValidSize");
}

TEST(ReplayWindowTest, IsSmallBesideItsWords) { EXPECT_LE(sizeof(ReplayWindow), 24u); }

TEST(ReplayWindowTest, EverythingIsFreshAtFirst) {
  OwnedWindow owned(64);
  EXPECT_TRUE(owned.window.empty());
  for (const uint64_t index : {uint64_t{0}, uint64_t{1}, uint64_t{63}, uint64_t{64}, kMaxIndex}) {
    EXPECT_EQ(owned.Check(index), ReplayVerdict::kFresh) << index;
  }
  EXPECT_TRUE(owned.window.empty());
}

TEST(ReplayWindowTest, IndexZeroCountsAsSeen) {
  OwnedWindow owned(64);
  EXPECT_TRUE(owned.CheckAndAccept(0));
  EXPECT_FALSE(owned.window.empty());
  EXPECT_EQ(owned.window.highest(), 0u);
  EXPECT_EQ(owned.Check(0), ReplayVerdict::kReplayed);
  EXPECT_EQ(owned.Check(1), ReplayVerdict::kFresh);
}

TEST(ReplayWindowTest, CheckChangesNothing) {
  OwnedWindow owned(64);
  EXPECT_TRUE(owned.CheckAndAccept(100));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(owned.Check(5000), ReplayVerdict::kFresh);
    EXPECT_EQ(owned.Check(101), ReplayVerdict::kFresh);
    EXPECT_EQ(owned.Check(99), ReplayVerdict::kFresh);
  }
  EXPECT_EQ(owned.window.highest(), 100u);
  EXPECT_EQ(owned.Check(100), ReplayVerdict::kReplayed);
}

TEST(ReplayWindowTest, KnowsExactlyItsSizeOfIndices) {
  for (const size_t size : {64, 1024, 32768}) {
    OwnedWindow owned(size);
    const uint64_t highest = 10 * size + 5;
    EXPECT_TRUE(owned.CheckAndAccept(highest));
    EXPECT_EQ(owned.Check(highest - size), ReplayVerdict::kTooOld);
    EXPECT_EQ(owned.Check(highest - size + 1), ReplayVerdict::kFresh);
    EXPECT_EQ(owned.Check(0), ReplayVerdict::kTooOld);
    EXPECT_TRUE(owned.CheckAndAccept(highest - size + 1));
    EXPECT_EQ(owned.Check(highest - size + 1), ReplayVerdict::kReplayed);
    EXPECT_TRUE(owned.CheckAndAccept(highest + 1));
    EXPECT_EQ(owned.Check(highest - size + 1), ReplayVerdict::kTooOld);
  }
}

TEST(ReplayWindowTest, ForgetsWhatFellOutWhenItMoves) {
  for (const uint64_t jump : {1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000000}) {
    OwnedWindow owned(256);
    for (uint64_t index = 1000; index < 1256; ++index) ASSERT_TRUE(owned.CheckAndAccept(index));
    const uint64_t highest = 1255 + jump;
    ASSERT_TRUE(owned.CheckAndAccept(highest));
    for (uint64_t index = highest - 255; index <= highest; ++index) {
      const bool seen = index <= 1255 || index == highest;
      ASSERT_EQ(owned.Check(index), seen ? ReplayVerdict::kReplayed : ReplayVerdict::kFresh)
          << "index " << index << " after a jump of " << jump;
    }
  }
}

// A token is a promise that was true when it was made, no more.
TEST(ReplayWindowTest, TwoTokensOfOneIndexAreAcceptedOnce) {
  OwnedWindow owned(64);
  const ReplayToken first = owned.window.Check(7);
  const ReplayToken second = owned.window.Check(7);
  EXPECT_TRUE(first.fresh());
  EXPECT_TRUE(second.fresh());
  EXPECT_TRUE(owned.window.Accept(second));
  EXPECT_FALSE(owned.window.Accept(first));
  EXPECT_FALSE(owned.window.Accept(second));
}

TEST(ReplayWindowTest, TokensMayBeAcceptedInAnyOrder) {
  OwnedWindow owned(64);
  const ReplayToken a = owned.window.Check(10);
  const ReplayToken b = owned.window.Check(11);
  const ReplayToken c = owned.window.Check(12);
  EXPECT_TRUE(owned.window.Accept(c));
  EXPECT_TRUE(owned.window.Accept(a));
  EXPECT_TRUE(owned.window.Accept(b));
  for (const ReplayToken& token : {a, b, c}) EXPECT_FALSE(owned.window.Accept(token));
  EXPECT_EQ(owned.window.highest(), 12u);
}

TEST(ReplayWindowTest, ATokenThatFellOutOfTheWindowIsRefused) {
  OwnedWindow owned(64);
  const ReplayToken late = owned.window.Check(10);
  EXPECT_TRUE(owned.CheckAndAccept(10 + 64));
  EXPECT_FALSE(owned.window.Accept(late));
  EXPECT_EQ(owned.window.highest(), 74u);
  // Its place belongs to index 74 now, which must not be taken for it.
  EXPECT_EQ(owned.Check(74), ReplayVerdict::kReplayed);
}

TEST(ReplayWindowTest, ATokenThatWasNotFreshIsRefusedForEver) {
  OwnedWindow owned(64);
  EXPECT_TRUE(owned.CheckAndAccept(5));
  const ReplayToken replayed = owned.window.Check(5);
  owned.window.Clear();
  EXPECT_FALSE(owned.window.Accept(replayed));
  EXPECT_TRUE(owned.window.empty());
}

TEST(ReplayWindowTest, ClearForgetsAll) {
  OwnedWindow owned(128);
  for (uint64_t index = 0; index < 500; ++index) EXPECT_TRUE(owned.CheckAndAccept(index));
  owned.window.Clear();
  EXPECT_TRUE(owned.window.empty());
  for (uint64_t index = 500; index-- > 400;) EXPECT_TRUE(owned.CheckAndAccept(index));
}

TEST(ReplayWindowTest, EverythingUpToTheAssumedIndexCountsAsSeen) {
  for (const uint64_t highest : {uint64_t{0}, uint64_t{5}, uint64_t{1000}, kMaxIndex}) {
    OwnedWindow owned(128);
    EXPECT_TRUE(owned.CheckAndAccept(3));
    owned.window.AssumeAccepted(highest);
    EXPECT_FALSE(owned.window.empty());
    EXPECT_EQ(owned.window.highest(), highest);
    for (uint64_t index = highest > 127 ? highest - 127 : 0; index <= highest; ++index) {
      ASSERT_EQ(owned.Check(index), ReplayVerdict::kReplayed) << index;
    }
    if (highest > 127) {
      EXPECT_EQ(owned.Check(highest - 128), ReplayVerdict::kTooOld);
    }
    // What it moves over is fresh again.
    EXPECT_TRUE(owned.CheckAndAccept(highest + 10));
    for (uint64_t index = highest + 1; index < highest + 10; ++index) {
      ASSERT_EQ(owned.Check(index), ReplayVerdict::kFresh) << index;
    }
    EXPECT_EQ(owned.Check(highest), ReplayVerdict::kReplayed);
  }
}

TEST(ReplayWindowTest, RestoredItKnowsTheSame) {
  for (const uint64_t start : {uint64_t{0}, uint64_t{70001}, kMaxIndex - 300}) {
    OwnedWindow owned(256);
    for (uint64_t i = 0; i < 300; i += 1 + i % 3) ASSERT_TRUE(owned.CheckAndAccept(start + i));
    OwnedWindow restored(256);
    ASSERT_TRUE(restored.window.Restore(owned.window.highest(), owned.window.words()));
    EXPECT_EQ(restored.window.highest(), owned.window.highest());
    for (uint64_t index = start; index < start + 310; ++index) {
      ASSERT_EQ(restored.Check(index), owned.Check(index)) << index;
    }
    EXPECT_TRUE(restored.CheckAndAccept(start + 400));
    EXPECT_TRUE(owned.CheckAndAccept(start + 400));
    EXPECT_EQ(restored.words, owned.words);
  }
}

// The highest index was accepted, whatever the words say: else it would be accepted once more.
TEST(ReplayWindowTest, TheHighestIndexIsSeenWhateverTheWordsSay) {
  OwnedWindow owned(64);
  const std::vector<uint64_t> words = {0};
  ASSERT_TRUE(owned.window.Restore(77, words));
  EXPECT_EQ(owned.Check(77), ReplayVerdict::kReplayed);
  EXPECT_EQ(owned.Check(76), ReplayVerdict::kFresh);
}

TEST(ReplayWindowTest, WordsOfAnotherSizeChangeNothing) {
  OwnedWindow owned(128);
  EXPECT_TRUE(owned.CheckAndAccept(9));
  for (const size_t count : {0, 1, 3, 4}) {
    EXPECT_FALSE(owned.window.Restore(500, std::vector<uint64_t>(count)));
  }
  EXPECT_EQ(owned.window.highest(), 9u);
  EXPECT_EQ(owned.Check(8), ReplayVerdict::kFresh);
}

TEST(ReplayWindowTest, GoesOnWhereItIsMoved) {
  OwnedWindow owned(64);
  EXPECT_TRUE(owned.CheckAndAccept(3));
  ReplayWindow moved = std::move(owned.window);
  EXPECT_EQ(moved.Check(3).verdict(), ReplayVerdict::kReplayed);
  EXPECT_TRUE(moved.Accept(moved.Check(4)));
}

TEST(ReplayWindowTest, WorksUpToTheLastIndices) {
  for (const uint64_t last : {kMaxIndex, UINT64_MAX}) {
    OwnedWindow owned(64);
    EXPECT_TRUE(owned.CheckAndAccept(0));
    EXPECT_TRUE(owned.CheckAndAccept(last - 1));
    EXPECT_TRUE(owned.CheckAndAccept(last));
    EXPECT_EQ(owned.Check(last), ReplayVerdict::kReplayed);
    EXPECT_EQ(owned.Check(last - 2), ReplayVerdict::kFresh);
    EXPECT_EQ(owned.Check(0), ReplayVerdict::kTooOld);
  }
}

TEST(ReplayWindowTest, WindowsSideBySideDoNotTouchEachOther) {
  constexpr size_t kWords = ReplayWindow::WordCount(64);
  std::vector<uint64_t> words(3 * kWords);
  const absl::Span<uint64_t> all = absl::MakeSpan(words);
  ReplayWindow left(all.subspan(0, kWords));
  ReplayWindow middle(all.subspan(kWords, kWords));
  ReplayWindow right(all.subspan(2 * kWords, kWords));
  for (uint64_t index = 0; index < 1000; index += 3) {
    EXPECT_TRUE(middle.Accept(middle.Check(index)));
  }
  EXPECT_TRUE(left.Accept(left.Check(63)));
  EXPECT_TRUE(right.Accept(right.Check(63)));
  for (uint64_t index = 0; index < 63; ++index) {
    EXPECT_TRUE(left.Check(index).fresh());
    EXPECT_TRUE(right.Check(index).fresh());
  }
}

// One operation list: indices near, far and repeated, tokens held back and accepted later.
void RunOperations(size_t size, uint64_t start, SeededRandom& random) {
  OwnedWindow owned(size);
  Model model(size);
  struct Held {
    uint64_t index;
    ReplayToken token;
  };
  std::vector<Held> held;
  uint64_t around = start;
  for (int operation = 0; operation < 4000; ++operation) {
    const uint64_t jump = random.Below(200) == 0 ? 3 * size : random.Below(8) == 0 ? size + 2 : 8;
    const uint64_t distance = random.Below(jump);
    const uint64_t index = random.Below(2) == 0 ? around + distance
                           : around > distance  ? around - distance
                                                : 0;
    const ReplayToken token = owned.window.Check(index);
    ASSERT_EQ(token.verdict(), model.Check(index)) << "index " << index;
    switch (random.Below(4)) {
      case 0:  // Does not authenticate.
        break;
      case 1:  // Authenticates later.
        held.push_back({index, token});
        break;
      default:
        ASSERT_EQ(owned.window.Accept(token), model.Accept(index)) << "index " << index;
    }
    if (!held.empty() && random.Below(3) == 0) {
      const size_t which = random.Below(held.size());
      const Held late = held[which];
      held.erase(held.begin() + static_cast<ptrdiff_t>(which));
      ASSERT_EQ(owned.window.Accept(late.token), late.token.fresh() && model.Accept(late.index))
          << "index " << late.index << ", held back";
    }
    around = model.highest() == 0 ? start : model.highest();
  }
}

TEST(ReplayWindowTest, DoesWhatASetOfAllIndicesWouldDo) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SeededRandom random(seed);
  for (size_t size = ReplayWindow::kMinSize; size <= ReplayWindow::kMaxSize; size *= 2) {
    for (const uint64_t start : {uint64_t{0}, uint64_t{65530}, kMaxIndex - 1000}) {
      for (int round = 0; round < 2; ++round) {
        SCOPED_TRACE(absl::StrCat("size ", size, ", start ", start, ", round ", round,
                                  ", SLUICE_TEST_SEED=", seed));
        RunOperations(size, start, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace sluice
