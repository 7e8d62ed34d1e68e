#include "interceptor/stream_slots.h"

#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

StreamInfo Stream(uint32_t ssrc, std::optional<Ssrc> retransmission = std::nullopt,
                  std::optional<Ssrc> repair = std::nullopt) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.retransmission_ssrc = retransmission;
  info.repair_ssrc = repair;
  return info;
}

TEST(StreamSlotsTest, SsrcsOfOneStreamShareItsSlot) {
  StreamSlots slots(4);
  StreamSlot first = kNoStream, second = kNoStream;
  ASSERT_EQ(slots.Add(Stream(1, Ssrc(2), Ssrc(3)), first), AddStreamVerdict::kOk);
  ASSERT_EQ(slots.Add(Stream(0xFFFFFFFF), second), AddStreamVerdict::kOk);
  EXPECT_EQ(first, StreamSlot(0));
  EXPECT_EQ(second, StreamSlot(1));
  EXPECT_EQ(slots.Find(Ssrc(1)).slot, first);
  EXPECT_EQ(slots.Find(Ssrc(1)).role, SsrcRole::kMedia);
  EXPECT_EQ(slots.Find(Ssrc(2)).slot, first);
  EXPECT_EQ(slots.Find(Ssrc(2)).role, SsrcRole::kRetransmission);
  EXPECT_EQ(slots.Find(Ssrc(3)).slot, first);
  EXPECT_EQ(slots.Find(Ssrc(3)).role, SsrcRole::kForwardErrorCorrection);
  EXPECT_EQ(slots.Find(Ssrc(0xFFFFFFFF)).slot, second);
  EXPECT_EQ(slots.Find(Ssrc(0)).slot, kNoStream);
  EXPECT_EQ(slots.size(), 2u);
}

TEST(StreamSlotsTest, AnSsrcHasOnePlaceOnly) {
  StreamSlots slots(4);
  StreamSlot slot = kNoStream;
  ASSERT_EQ(slots.Add(Stream(1, Ssrc(2)), slot), AddStreamVerdict::kOk);
  EXPECT_EQ(slots.Add(Stream(1), slot), AddStreamVerdict::kSsrcInUse);
  EXPECT_EQ(slots.Add(Stream(2), slot), AddStreamVerdict::kSsrcInUse);
  EXPECT_EQ(slots.Add(Stream(5, Ssrc(1)), slot), AddStreamVerdict::kSsrcInUse);
  EXPECT_EQ(slots.Add(Stream(5, Ssrc(6), Ssrc(2)), slot), AddStreamVerdict::kSsrcInUse);
  EXPECT_EQ(slots.Add(Stream(5, Ssrc(5)), slot), AddStreamVerdict::kSsrcInUse);
  EXPECT_EQ(slots.Add(Stream(5, Ssrc(6), Ssrc(6)), slot), AddStreamVerdict::kSsrcInUse);
  // Nothing of the refused streams was kept.
  EXPECT_EQ(slots.Find(Ssrc(5)).slot, kNoStream);
  EXPECT_EQ(slots.Find(Ssrc(6)).slot, kNoStream);
  EXPECT_EQ(slots.size(), 1u);
}

TEST(StreamSlotsTest, RefusesMoreStreamsThanItHoldsAndUsesFreedSlotsAgain) {
  StreamSlots slots(2);
  StreamSlot slot = kNoStream;
  ASSERT_EQ(slots.Add(Stream(1, Ssrc(2), Ssrc(3)), slot), AddStreamVerdict::kOk);
  ASSERT_EQ(slots.Add(Stream(4), slot), AddStreamVerdict::kOk);
  EXPECT_EQ(slots.Add(Stream(5), slot), AddStreamVerdict::kTooManyStreams);
  EXPECT_EQ(slots.Find(Ssrc(5)).slot, kNoStream);
  EXPECT_EQ(slots.Remove(Ssrc(2)), std::nullopt) << "not a media SSRC";
  EXPECT_EQ(slots.Remove(Ssrc(9)), std::nullopt);
  EXPECT_EQ(slots.Remove(Ssrc(1)), StreamSlot(0));
  EXPECT_EQ(slots.Remove(Ssrc(1)), std::nullopt);
  EXPECT_EQ(slots.Find(Ssrc(3)).slot, kNoStream);
  EXPECT_EQ(slots.Find(Ssrc(4)).slot, StreamSlot(1));
  ASSERT_EQ(slots.Add(Stream(5), slot), AddStreamVerdict::kOk);
  EXPECT_EQ(slot, StreamSlot(0));
}

TEST(StreamSlotsTest, AnSsrcJoinsTheStreamThatHasNoneForItsRole) {
  StreamSlots slots(2);
  StreamSlot slot = kNoStream;
  ASSERT_EQ(slots.Add(Stream(1), slot), AddStreamVerdict::kOk);
  EXPECT_TRUE(slots.Join(Ssrc(1), SsrcRole::kRetransmission, Ssrc(2)));
  EXPECT_EQ(slots.Find(Ssrc(2)).slot, slot);
  EXPECT_EQ(slots.Find(Ssrc(2)).role, SsrcRole::kRetransmission);
  // The role is taken, the SSRC is in use, the stream is not there, the SSRC is no media SSRC.
  EXPECT_FALSE(slots.Join(Ssrc(1), SsrcRole::kRetransmission, Ssrc(3)));
  EXPECT_FALSE(slots.Join(Ssrc(1), SsrcRole::kForwardErrorCorrection, Ssrc(2)));
  EXPECT_FALSE(slots.Join(Ssrc(9), SsrcRole::kRetransmission, Ssrc(3)));
  EXPECT_FALSE(slots.Join(Ssrc(2), SsrcRole::kForwardErrorCorrection, Ssrc(3)));
  EXPECT_EQ(slots.Find(Ssrc(3)).slot, kNoStream);
  // Goes with its stream.
  EXPECT_EQ(slots.Remove(Ssrc(1)), slot);
  EXPECT_EQ(slots.Find(Ssrc(2)).slot, kNoStream);
}

// Random operations against a map; few distinct SSRCs, so that they meet.
TEST(StreamSlotsTest, AgreesWithAMapUnderRandomUse) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr uint32_t kSsrcs = 40;
  constexpr size_t kStreams = 8;
  StreamSlots slots(kStreams);
  std::map<uint32_t, std::vector<uint32_t>> streams;
  std::map<uint32_t, StreamSlots::Place> places;
  for (int operation = 0; operation < 20000; ++operation) {
    const auto ssrc = static_cast<uint32_t>(random.Below(kSsrcs));
    if (random.Below(2) == 0) {
      const auto other = static_cast<uint32_t>(random.Below(kSsrcs));
      const bool with_other = random.Below(2) == 0;
      const bool in_use =
          places.count(ssrc) != 0 || (with_other && (places.count(other) != 0 || other == ssrc));
      StreamSlot slot = kNoStream;
      const AddStreamVerdict verdict = slots.Add(
          Stream(ssrc, with_other ? std::optional<Ssrc>(Ssrc(other)) : std::nullopt), slot);
      ASSERT_EQ(verdict, in_use                      ? AddStreamVerdict::kSsrcInUse
                         : streams.size() < kStreams ? AddStreamVerdict::kOk
                                                     : AddStreamVerdict::kTooManyStreams);
      if (verdict == AddStreamVerdict::kOk) {
        streams[ssrc] = {ssrc};
        places.insert_or_assign(ssrc, StreamSlots::Place{slot, SsrcRole::kMedia});
        if (with_other) {
          streams[ssrc].push_back(other);
          places.insert_or_assign(other, StreamSlots::Place{slot, SsrcRole::kRetransmission});
        }
      }
    } else if (random.Below(3) == 0) {
      const auto other = static_cast<uint32_t>(random.Below(kSsrcs));
      const bool joins =
          streams.count(ssrc) != 0 && streams[ssrc].size() == 1 && places.count(other) == 0;
      ASSERT_EQ(slots.Join(Ssrc(ssrc), SsrcRole::kRetransmission, Ssrc(other)), joins);
      if (joins) {
        streams[ssrc].push_back(other);
        places.insert_or_assign(
            other, StreamSlots::Place{places.at(ssrc).slot, SsrcRole::kRetransmission});
      }
    } else {
      const std::optional<StreamSlot> removed = slots.Remove(Ssrc(ssrc));
      ASSERT_EQ(removed.has_value(), streams.count(ssrc) != 0);
      if (removed.has_value()) {
        ASSERT_EQ(*removed, places.at(ssrc).slot);
        for (const uint32_t gone : streams[ssrc]) places.erase(gone);
        streams.erase(ssrc);
      }
    }
    ASSERT_EQ(slots.size(), streams.size());
    for (uint32_t s = 0; s < kSsrcs; ++s) {
      const auto want = places.find(s);
      const StreamSlots::Place found = slots.Find(Ssrc(s));
      ASSERT_EQ(found.slot, want == places.end() ? kNoStream : want->second.slot);
      if (want != places.end()) {
        ASSERT_EQ(found.role, want->second.role);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
