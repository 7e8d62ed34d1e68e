#include "srtp/cryptex.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kCsrcs[] = {0x0001E240, 0x0000B26E};

Bytes Plain(size_t csrc_count, std::optional<uint16_t> profile, const Bytes& extension = {}) {
  RtpPacketBuilder builder;
  builder.WithSsrc(0xCAFEBABE).WithCsrcs({kCsrcs, kCsrcs + csrc_count}).WithPayloadSize(20);
  if (profile.has_value()) {
    builder.WithRawExtension(*profile, extension);
  }
  return builder.Build();
}

RtpPacketView View(const Bytes& packet) { return *RtpPacketView::ParseHeader(packet); }

// A packet in a slot of its own.
class Slot {
 public:
  explicit Slot(const Bytes& packet) : loan_(arena_.Lend()) {
    EXPECT_TRUE(loan_.Resize(packet.size()));
    CopyBytes(loan_.bytes(), packet);
  }

  PacketLoan& loan() { return loan_; }
  Bytes bytes() const { return Bytes(loan_.bytes().begin(), loan_.bytes().end()); }

 private:
  PacketArena arena_{1};
  PacketLoan loan_;
};

struct Marking {
  const char* name;
  size_t csrc_count;
  std::optional<uint16_t> profile;
  const char* extension;
  // Nothing where there is no mark for it.
  std::optional<uint16_t> mark;
};
const Marking kMarkings[] = {
    {"one-byte", 0, 0xBEDE, "51000200", 0xC0DE},
    {"two-byte", 0, 0x1000, "05020002", 0xC2DE},
    {"one-byte with CSRCs", 2, 0xBEDE, "51000200", 0xC0DE},
    {"two-byte with CSRCs", 2, 0x1000, "05020002", 0xC2DE},
    {"empty one-byte", 0, 0xBEDE, "", 0xC0DE},
    {"empty two-byte with CSRCs", 2, 0x1000, "", 0xC2DE},
    {"CSRCs alone", 2, std::nullopt, "", 0xC0DE},
    {"nothing to hide", 0, std::nullopt, "", std::nullopt},
    {"appbits", 0, 0x1001, "05020002", std::nullopt},
    {"appbits with CSRCs", 2, 0x100F, "05020002", std::nullopt},
    {"another profile", 0, 0x2000, "05020002", std::nullopt},
    {"another profile with CSRCs", 1, 0x0000, "05020002", std::nullopt},
    {"marked already", 0, 0xC0DE, "51000200", std::nullopt},
    {"marked already, two-byte", 2, 0xC2DE, "05020002", std::nullopt},
};

TEST(CryptexTest, MarksWhatIsOfRfc8285AndCsrcsAlone) {
  for (const Marking& marking : kMarkings) {
    SCOPED_TRACE(marking.name);
    const Bytes plain = Plain(marking.csrc_count, marking.profile, HexBytes(marking.extension));
    EXPECT_EQ(CanBeCryptex(View(plain)), marking.mark.has_value());
    EXPECT_EQ(HasAnythingToHide(View(plain)),
              marking.csrc_count > 0 || marking.profile.has_value());
    EXPECT_EQ(NeedsCryptexExtension(View(plain)),
              marking.csrc_count > 0 && !marking.profile.has_value());
    Slot slot(plain);
    const size_t header_size = MarkCryptex(slot.loan());
    if (!marking.mark.has_value()) {
      EXPECT_EQ(header_size, 0u);
      EXPECT_THAT(slot.bytes(), ElementsAreArray(plain));
      continue;
    }
    // But for the profile, and for an extension where there was none, it is as it was.
    EXPECT_FALSE(IsCryptex(View(plain)));
    EXPECT_TRUE(IsCryptex(View(slot.bytes())));
    EXPECT_EQ(header_size, View(slot.bytes()).header_size());
    EXPECT_THAT(slot.bytes(), ElementsAreArray(Plain(marking.csrc_count, *marking.mark,
                                                     HexBytes(marking.extension))));
  }
}

TEST(CryptexTest, UnmarkingGivesThePlainPacketWithAnEmptyExtensionWhereThereWasNone) {
  for (const Marking& marking : kMarkings) {
    if (!marking.mark.has_value()) {
      continue;
    }
    SCOPED_TRACE(marking.name);
    const Bytes extension = HexBytes(marking.extension);
    Slot slot(Plain(marking.csrc_count, marking.profile, extension));
    ASSERT_GT(MarkCryptex(slot.loan()), 0u);
    UnmarkCryptex(slot.loan().bytes());
    EXPECT_THAT(slot.bytes(), ElementsAreArray(Plain(marking.csrc_count,
                                                     marking.profile.value_or(0xBEDE), extension)));
  }
}

TEST(CryptexTest, UnmarkingLeavesAloneWhatIsNotMarked) {
  for (const std::optional<uint16_t> profile :
       {std::optional<uint16_t>(), std::optional<uint16_t>(0xBEDE), std::optional<uint16_t>(0x1003),
        std::optional<uint16_t>(0xC1DE)}) {
    const Bytes plain = Plain(2, profile);
    Bytes packet = plain;
    UnmarkCryptex(absl::MakeSpan(packet));
    EXPECT_THAT(packet, ElementsAreArray(plain));
  }
  const Bytes marked = Plain(2, 0xC0DE, HexBytes("51000200"));
  for (size_t size = 0; size < View(marked).header_size(); ++size) {
    const Bytes cut(marked.begin(), marked.begin() + static_cast<ptrdiff_t>(size));
    Bytes packet = cut;
    UnmarkCryptex(absl::MakeSpan(packet));
    EXPECT_THAT(packet, ElementsAreArray(cut)) << size;
  }
}

TEST(CryptexTest, AddsNoExtensionWithoutHeadroom) {
  const Bytes plain = Plain(2, std::nullopt);
  Slot slot(plain);
  // Takes all headroom but three bytes, then the packet again.
  ASSERT_TRUE(slot.loan().Prepend(slot.loan().headroom() - 3));
  ASSERT_TRUE(slot.loan().Resize(plain.size()));
  CopyBytes(slot.loan().bytes(), plain);
  EXPECT_EQ(MarkCryptex(slot.loan()), 0u);
  EXPECT_THAT(slot.bytes(), ElementsAreArray(plain));
  ASSERT_TRUE(slot.loan().TrimFront(1));
  ASSERT_TRUE(slot.loan().Resize(plain.size()));
  CopyBytes(slot.loan().bytes(), plain);
  EXPECT_EQ(MarkCryptex(slot.loan()), size_t{12 + 8 + 4});
  EXPECT_EQ(slot.loan().headroom(), 0u);
}

TEST(CryptexTest, WhatIsNoRtpPacketIsNotMarked) {
  const Bytes plain = Plain(2, 0xBEDE, HexBytes("51000200"));
  for (size_t size = 0; size < View(plain).header_size(); ++size) {
    const Bytes cut(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(size));
    Slot slot(cut);
    EXPECT_EQ(MarkCryptex(slot.loan()), 0u) << size;
    EXPECT_THAT(slot.bytes(), ElementsAreArray(cut)) << size;
  }
}

// RFC 9335 section 6.2 shows this second form.
TEST(CryptexTest, ExtensionHeaderMovesInFrontOfTheCsrcsAndBack) {
  const Bytes wire =
      HexBytes("920f1238 decafbad cafebabe 0001e240 0000b26e c0de0001 51000200 abababab abababab");
  Bytes packet = wire;
  MoveExtensionHeaderForward(absl::MakeSpan(packet), 2);
  EXPECT_THAT(packet, ElementsAreArray(HexBytes("920f1238 decafbad cafebabe c0de0001 0001e240 "
                                                "0000b26e 51000200 abababab abababab")));
  MoveExtensionHeaderBack(absl::MakeSpan(packet), 2);
  EXPECT_THAT(packet, ElementsAreArray(wire));
}

TEST(CryptexTest, MovingBackUndoesMovingForwardForAnyNumberOfCsrcsAndAnySize) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(9335);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (size_t csrc_count = 0; csrc_count <= 15; ++csrc_count) {
    const size_t end_of_header = 12 + 4 * csrc_count + 4;
    for (size_t size = 0; size < end_of_header + 20; ++size) {
      Bytes wire(size);
      random.Fill(absl::MakeSpan(wire));
      Bytes packet = wire;
      MoveExtensionHeaderForward(absl::MakeSpan(packet), csrc_count);
      if (size < end_of_header) {
        EXPECT_THAT(packet, ElementsAreArray(wire));
      } else {
        EXPECT_EQ(LoadBe32(packet.data() + 12), LoadBe32(wire.data() + end_of_header - 4));
        EXPECT_THAT(absl::MakeConstSpan(packet).subspan(16, 4 * csrc_count),
                    ElementsAreArray(absl::MakeConstSpan(wire).subspan(12, 4 * csrc_count)));
      }
      MoveExtensionHeaderBack(absl::MakeSpan(packet), csrc_count);
      EXPECT_THAT(packet, ElementsAreArray(wire));
    }
  }
}

TEST(CryptexTest, AllocatesNothing) {
  Slot slot(Plain(2, std::nullopt));
  const uint64_t before = ThreadAllocations();
  const size_t header_size = MarkCryptex(slot.loan());
  MoveExtensionHeaderForward(slot.loan().bytes(), 2);
  MoveExtensionHeaderBack(slot.loan().bytes(), 2);
  UnmarkCryptex(slot.loan().bytes());
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_GT(header_size, 0u);
}

}  // namespace
}  // namespace sluice
