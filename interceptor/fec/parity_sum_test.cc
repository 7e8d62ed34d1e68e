#include "interceptor/fec/parity_sum.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

constexpr StreamExtensions kExtensions = {.transport_sequence = 3, .absolute_send_time = 5};

RtpPacketView View(const Bytes& packet) { return *RtpPacketView::Parse(packet); }

std::optional<Bytes> Packet(const ParitySum& sum, uint32_t ssrc, uint16_t sequence) {
  PacketArena arena(1);
  PacketLoan loan = arena.Lend();
  if (!sum.WritePacket(Ssrc(ssrc), SequenceNumber(sequence), loan)) {
    return std::nullopt;
  }
  return Bytes(loan.bytes().begin(), loan.bytes().end());
}

TEST(ParitySumTest, IsOfTheFieldsAndBytesThatTheDraftNames) {
  Bytes storage(100, 0xEE);
  ParitySum sum(absl::MakeSpan(storage));
  const Bytes a = RtpPacketBuilder()
                      .WithPayloadType(96)
                      .WithMarker()
                      .WithTimestamp(0x01000001)
                      .WithPayload({1, 2, 3, 4})
                      .Build();
  const Bytes b = RtpPacketBuilder()
                      .WithPayloadType(100)
                      .WithTimestamp(0x01000003)
                      .WithCsrcs({0x10203040})
                      .WithPayload({9})
                      .WithPadding(2)
                      .Build();
  ASSERT_TRUE(sum.Add(View(a), {}));
  ASSERT_TRUE(sum.Add(View(b), {}));
  // P and one CSRC; M; 96 ^ 100.
  EXPECT_EQ(sum.fields().flags, 0x2184);
  EXPECT_EQ(sum.fields().length, 4 ^ 7);
  EXPECT_EQ(sum.fields().timestamp, 2u);
  EXPECT_THAT(sum.payload(), ElementsAre(0x11, 0x22, 0x33, 0x44, 9, 0, 2));
}

TEST(ParitySumTest, WithAllButOneTakenAwayItIsThatPacket) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<Bytes> packets(1 + random.Below(12));
    Bytes storage(kMaxDatagramSize, 0xEE);
    ParitySum sum(absl::MakeSpan(storage));
    for (size_t i = 0; i < packets.size(); ++i) {
      RtpPacketBuilder builder;
      builder.WithSsrc(7)
          .WithSequence(static_cast<uint16_t>(i))
          .WithTimestamp(random.NextU32())
          .WithPayloadType(static_cast<uint8_t>(random.Below(128)))
          .WithMarker(random.Below(2) == 0)
          .WithCsrcs(std::vector<uint32_t>(random.Below(3), random.NextU32()))
          .WithPayloadSize(random.Below(1500));
      if (random.Below(2) == 0) builder.WithPadding(static_cast<uint8_t>(1 + random.Below(200)));
      packets[i] = builder.Build();
      ASSERT_TRUE(sum.Add(View(packets[i]), {}));
    }
    const size_t lost = random.Below(packets.size());
    Bytes other(kMaxDatagramSize, 0xDD);
    ParitySum rest(absl::MakeSpan(other));
    ASSERT_TRUE(rest.Begin(sum.fields(), sum.payload()));
    for (size_t i = 0; i < packets.size(); ++i) {
      if (i != lost) {
        ASSERT_TRUE(rest.Add(View(packets[i]), {}));
      }
    }
    ASSERT_EQ(Packet(rest, 7, static_cast<uint16_t>(lost)), packets[lost]);
  }
}

TEST(ParitySumTest, ExtensionsWrittenOnTheWayCountAsZerosAndSpoilNothing) {
  const auto packet = [](uint8_t number, uint16_t sequence) {
    return RtpPacketBuilder()
        .WithSequence(sequence)
        .AddOneByteExtension(3, Bytes{number, number})
        .AddOneByteExtension(4, Bytes{42})
        .AddOneByteExtension(5, Bytes{number, 7, number})
        .WithPayloadSize(50)
        .Build();
  };
  Bytes storage(100);
  ParitySum sum(absl::MakeSpan(storage));
  ASSERT_TRUE(sum.Add(View(packet(0, 1)), kExtensions));
  ASSERT_TRUE(sum.Add(View(packet(0, 2)), kExtensions));
  // As the first one came: numbered.
  ASSERT_TRUE(sum.Add(View(packet(200, 1)), kExtensions));
  const Bytes zeros = RtpPacketBuilder()
                          .WithSequence(2)
                          .AddOneByteExtension(3, Bytes{0, 0})
                          .AddOneByteExtension(4, Bytes{42})
                          .AddOneByteExtension(5, Bytes{0, 0, 0})
                          .WithPayloadSize(50)
                          .Build();
  EXPECT_EQ(Packet(sum, 0, 2), zeros);
}

TEST(ParitySumTest, APacketLongerThanTheStorageChangesNothing) {
  Bytes storage(20);
  ParitySum sum(absl::MakeSpan(storage));
  const Bytes fits = RtpPacketBuilder().WithPayloadSize(20).Build();
  const Bytes longer = RtpPacketBuilder().WithPayloadSize(21).Build();
  ASSERT_TRUE(sum.Add(View(fits), {}));
  EXPECT_FALSE(sum.Add(View(longer), {}));
  EXPECT_FALSE(sum.Begin({}, Bytes(21)));
  EXPECT_EQ(Packet(sum, 0, 0), fits);
}

TEST(ParitySumTest, ALengthThatIsNotThereIsRefused) {
  Bytes storage(kPacketSlotSize * 2);
  ParitySum sum(absl::MakeSpan(storage));
  ASSERT_TRUE(sum.Begin({.length = 4}, Bytes(3)));
  EXPECT_EQ(Packet(sum, 0, 0), std::nullopt);
  ASSERT_TRUE(sum.Begin({.length = 0xFFFF}, Bytes(100)));
  EXPECT_EQ(Packet(sum, 0, 0), std::nullopt);
  const auto too_long = static_cast<uint16_t>(kMaxDatagramSize - 11);
  ASSERT_TRUE(sum.Begin({.length = too_long}, Bytes(too_long)));
  EXPECT_EQ(Packet(sum, 0, 0), std::nullopt);
  ASSERT_TRUE(sum.Begin({.length = 3}, Bytes(30)));
  EXPECT_EQ(Packet(sum, 0, 0)->size(), 15u);
}

}  // namespace
}  // namespace sluice
