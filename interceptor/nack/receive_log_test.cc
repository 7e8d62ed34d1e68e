#include "interceptor/nack/receive_log.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum ReceiveVerdict;

// Short enough to walk out of.
constexpr size_t kWindow = 64;
constexpr size_t kMaxGap = 20;

// What a record says, as text: "newest 5", "newest 9 without 6..8", "far".
std::string Say(const ReceiveRecord& record) {
  constexpr const char* kNames[] = {"newest", "late", "duplicate", "far", "restarted"};
  std::string text = kNames[static_cast<size_t>(record.verdict)];
  if (record.verdict == kFar) {
    return text;
  }
  absl::StrAppend(&text, " ", record.sequence);
  if (record.missing_from != record.sequence) {
    absl::StrAppend(&text, " without ", record.missing_from, "..", record.sequence - 1);
  }
  return text;
}

TEST(ReceiveLogTest, WindowsArePowersOfTwo) {
  for (const size_t window : {64, 128, 1024, 16384}) {
    EXPECT_TRUE(ReceiveLog::IsValidWindow(window)) << window;
  }
  for (const size_t window : {0, 1, 32, 63, 65, 1000, 32768, 65536}) {
    EXPECT_FALSE(ReceiveLog::IsValidWindow(window)) << window;
  }
}

TEST(ReceiveLogTest, TheFirstPacketIsTheBase) {
  for (const uint16_t first : {0, 1, 0x7FFF, 0x8000, 0xFFFF}) {
    ReceiveLog log(kWindow, kMaxGap);
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(Say(log.Record(first)), absl::StrCat("newest ", first));
    EXPECT_EQ(Say(log.Record(static_cast<uint16_t>(first + 1))),
              absl::StrCat("newest ", first + 1));
  }
}

TEST(ReceiveLogTest, TellsWhatIsBetween) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(5);
  EXPECT_EQ(Say(log.Record(9)), "newest 9 without 6..8");
  EXPECT_EQ(Say(log.Record(7)), "late 7");
  EXPECT_EQ(Say(log.Record(7)), "duplicate 7");
  EXPECT_EQ(Say(log.Record(10)), "newest 10");
  EXPECT_EQ(Say(log.Record(8)), "late 8");
}

TEST(ReceiveLogTest, TheNewestOnceMoreIsADuplicateAndNoRound) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(0xFFFF);
  EXPECT_EQ(Say(log.Record(0xFFFF)), "duplicate 65535");
  EXPECT_EQ(Say(log.Record(0)), "newest 65536");
  EXPECT_EQ(Say(log.Record(0)), "duplicate 65536");
  EXPECT_EQ(Say(log.Record(0xFFFF)), "duplicate 65535");
}

TEST(ReceiveLogTest, GapsGoAcrossTheWrap) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(0xFFFE);
  EXPECT_EQ(Say(log.Record(2)), "newest 65538 without 65535..65537");
  EXPECT_EQ(Say(log.Record(0xFFFF)), "late 65535");
  EXPECT_EQ(Say(log.Record(0)), "late 65536");
}

TEST(ReceiveLogTest, PacketsInFrontOfTheFirstAreLate) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(3);
  EXPECT_EQ(Say(log.Record(1)), "late 1");
  EXPECT_EQ(Say(log.Record(0xFFFF)), "late -1");
  EXPECT_EQ(Say(log.Record(1)), "duplicate 1");
}

TEST(ReceiveLogTest, TheLongestGapIsAGapAndOneMoreIsFar) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(100);
  EXPECT_EQ(Say(log.Record(121)), "newest 121 without 101..120");
  EXPECT_EQ(Say(log.Record(143)), "far");
}

TEST(ReceiveLogTest, TheOldestIsRememberedAndTheOneBeforeIsFar) {
  ReceiveLog log(kWindow, kMaxGap);
  for (uint16_t i = 0; i < 100; ++i) {
    log.Record(i);
  }
  EXPECT_EQ(log.newest(), 99);
  EXPECT_EQ(log.oldest(), 36);
  EXPECT_EQ(Say(log.Record(36)), "duplicate 36");
  EXPECT_EQ(Say(log.Record(35)), "far");
}

TEST(ReceiveLogTest, OneFarPacketChangesNothing) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(10);
  EXPECT_EQ(Say(log.Record(30000)), "far");
  EXPECT_EQ(Say(log.Record(11)), "newest 11");
  // Not in a row with the first.
  EXPECT_EQ(Say(log.Record(30001)), "far");
  EXPECT_EQ(Say(log.Record(12)), "newest 12");
}

TEST(ReceiveLogTest, AFarPacketTwiceIsStillOne) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(10);
  EXPECT_EQ(Say(log.Record(30000)), "far");
  EXPECT_EQ(Say(log.Record(30000)), "far");
  EXPECT_EQ(Say(log.Record(11)), "newest 11");
}

TEST(ReceiveLogTest, TwoFarPacketsInARowAreANewBase) {
  // Ahead, behind, and exactly half of the numbers away.
  for (const uint16_t base : {5000, 64000, 32778}) {
    ReceiveLog log(kWindow, kMaxGap);
    log.Record(10);
    EXPECT_EQ(Say(log.Record(base)), "far");
    EXPECT_EQ(Say(log.Record(static_cast<uint16_t>(base + 3))),
              absl::StrCat("restarted ", base + 3, " without ", base + 1, "..", base + 2));
    EXPECT_EQ(Say(log.Record(base)), absl::StrCat("duplicate ", base));
    EXPECT_EQ(Say(log.Record(static_cast<uint16_t>(base + 1))), absl::StrCat("late ", base + 1));
    EXPECT_EQ(Say(log.Record(static_cast<uint16_t>(base + 4))), absl::StrCat("newest ", base + 4));
  }
}

TEST(ReceiveLogTest, ARestartBackwardsCountsOn) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(1000);
  log.Record(500);
  // Unwrapped numbers go on forward: a whole round minus 500.
  EXPECT_EQ(Say(log.Record(501)), absl::StrCat("restarted ", 65536 + 501));
}

TEST(ReceiveLogTest, ARepeatedFarPacketIsNoBase) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(10);
  EXPECT_EQ(Say(log.RecordRepeated(30000)), "far");
  EXPECT_EQ(Say(log.RecordRepeated(30001)), "far");
  EXPECT_EQ(Say(log.Record(30002)), "far");
  EXPECT_EQ(Say(log.Record(11)), "newest 11");
}

TEST(ReceiveLogTest, ARepeatedPacketCountsLikeAnyOther) {
  ReceiveLog log(kWindow, kMaxGap);
  EXPECT_EQ(Say(log.RecordRepeated(7)), "newest 7");
  EXPECT_EQ(Say(log.RecordRepeated(9)), "newest 9 without 8..8");
  EXPECT_EQ(Say(log.RecordRepeated(8)), "late 8");
  EXPECT_EQ(Say(log.Record(8)), "duplicate 8");
}

TEST(ReceiveLogTest, ClearedItIsAsNew) {
  ReceiveLog log(kWindow, kMaxGap);
  log.Record(10);
  log.Record(11);
  log.Clear();
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(Say(log.Record(11)), "newest 11");
  EXPECT_EQ(Say(log.Record(10)), "late 10");
}

// A set of all numbers that came since the base, and the rules in words.
class Model {
 public:
  std::string Record(uint16_t sequence, bool repeated) {
    if (seen_.empty()) {
      return Newest(sequence, "newest");
    }
    const int64_t nearest = Nearest(sequence);
    if (nearest > newest_ && nearest - newest_ - 1 <= static_cast<int64_t>(kMaxGap)) {
      far_ = repeated ? far_ : std::nullopt;
      return Newest(nearest, "newest");
    }
    if (nearest <= newest_ && newest_ - nearest < static_cast<int64_t>(kWindow)) {
      far_ = repeated ? far_ : std::nullopt;
      const bool is_new = seen_.insert(nearest).second;
      return absl::StrCat(is_new ? "late " : "duplicate ", nearest);
    }
    if (repeated) {
      return "far";
    }
    if (far_.has_value()) {
      const int64_t step = static_cast<uint16_t>(sequence - *far_);
      if (step >= 1 && step <= static_cast<int64_t>(kMaxGap) + 1) {
        const int64_t first = newest_ + static_cast<uint16_t>(*far_ - newest_);
        seen_ = {first};
        newest_ = first;
        far_.reset();
        return Newest(first + step, "restarted");
      }
    }
    far_ = sequence;
    return "far";
  }

 private:
  // Half of the range away counts as behind; it is far in any case.
  int64_t Nearest(uint16_t sequence) const {
    const int64_t forward = static_cast<uint16_t>(sequence - newest_);
    return forward < 0x8000 ? newest_ + forward : newest_ + forward - 0x10000;
  }
  std::string Newest(int64_t sequence, const char* name) {
    std::string text = absl::StrCat(name, " ", sequence);
    if (!seen_.empty() && sequence != newest_ + 1) {
      absl::StrAppend(&text, " without ", newest_ + 1, "..", sequence - 1);
    }
    newest_ = sequence;
    seen_.insert(sequence);
    return text;
  }

  std::set<int64_t> seen_;
  int64_t newest_ = 0;
  std::optional<uint16_t> far_;
};

TEST(ReceiveLogTest, SaysWhatASetOfNumbersSays) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  ReceiveLog log(kWindow, kMaxGap);
  Model model;
  auto sequence = static_cast<uint16_t>(random.NextU32());
  for (int i = 0; i < 200'000; ++i) {
    switch (random.Below(20)) {
      case 0:  // A jump to anywhere.
        sequence = random.Below(20) == 0 ? static_cast<uint16_t>(random.NextU32()) : sequence;
        break;
      case 1:
      case 2:  // A loss.
        sequence = static_cast<uint16_t>(sequence + random.Below(30));
        break;
      case 3:
      case 4:
      case 5:  // Something older.
        sequence = static_cast<uint16_t>(sequence - random.Below(80));
        break;
      default:
        ++sequence;
    }
    const bool repeated = random.Below(8) == 0;
    const ReceiveRecord record = repeated ? log.RecordRepeated(sequence) : log.Record(sequence);
    ASSERT_EQ(Say(record), model.Record(sequence, repeated)) << "step " << i << ": " << sequence;
  }
}

}  // namespace
}  // namespace sluice
