#include "interceptor/red/red_encoder.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

constexpr uint8_t kOpus = 111;
constexpr uint8_t kRed = 63;

// 20 ms each, 48 kHz; the payload is the number.
RtpPacketBuilder Audio(uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSequence(sequence)
      .WithTimestamp(960u * sequence)
      .WithPayloadType(kOpus)
      .WithPayload({static_cast<uint8_t>(sequence), 0xAA});
}

class RedEncoderTest : public testing::Test {
 protected:
  void Begin(const RedEncoderOptions& options) {
    encoder_.emplace(options);
    encoder_->Begin(PayloadType(kRed), PayloadType(kOpus));
  }
  Bytes Wrap(const RtpPacketBuilder& builder) {
    PacketLoan loan = builder.BuildInto(arena_);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    encoder_->Wrap(row, counters_);
    EXPECT_EQ(row.view.bytes().size(), loan.size());
    EXPECT_GE(loan.tailroom(), kPacketTailroom);
    return Bytes(loan.bytes().begin(), loan.bytes().end());
  }
  // What a packet repeats, as offsets in packets, and its primary's first byte.
  struct Parts {
    std::vector<int> offsets;
    std::vector<int> first_bytes;
    int primary;
  };
  static Parts Open(const Bytes& packet) {
    const RtpPacketView view = *RtpPacketView::Parse(packet);
    EXPECT_EQ(view.payload_type(), PayloadType(kRed));
    RedPayload red;
    EXPECT_TRUE(ReadRed(view.payload(), red));
    EXPECT_EQ(red.primary_type, PayloadType(kOpus));
    Parts parts = {.primary = red.primary[0]};
    for (size_t i = 0; i < red.count; ++i) {
      EXPECT_EQ(red.blocks[i].payload_type, PayloadType(kOpus));
      parts.offsets.push_back(static_cast<int>(red.blocks[i].timestamp_offset / 960));
      parts.first_bytes.push_back(red.blocks[i].data[0]);
    }
    return parts;
  }
  // The numbers that a packet repeats and its own.
  std::vector<int> Numbers(const RtpPacketBuilder& builder) {
    const Parts parts = Open(Wrap(builder));
    std::vector<int> numbers = parts.first_bytes;
    numbers.push_back(parts.primary);
    return numbers;
  }

  PacketArena arena_{4};
  std::optional<RedEncoder> encoder_;
  RedEncoderCounters counters_;
};

TEST_F(RedEncoderTest, EachPacketRepeatsTheOneBefore) {
  Begin({});
  EXPECT_THAT(Numbers(Audio(1)), ElementsAre(1));
  EXPECT_THAT(Numbers(Audio(2)), ElementsAre(1, 2));
  EXPECT_THAT(Numbers(Audio(3)), ElementsAre(2, 3));
  EXPECT_EQ(counters_.wrapped, 3u);
  EXPECT_EQ(counters_.blocks, 2u);
}

TEST_F(RedEncoderTest, TwoBlocksComeOldestFirst) {
  Begin({.blocks = 2});
  EXPECT_THAT(Numbers(Audio(1)), ElementsAre(1));
  EXPECT_THAT(Numbers(Audio(2)), ElementsAre(1, 2));
  const Parts parts = Open(Wrap(Audio(3)));
  EXPECT_THAT(parts.first_bytes, ElementsAre(1, 2));
  EXPECT_THAT(parts.offsets, ElementsAre(2, 1));
}

TEST_F(RedEncoderTest, TheRestOfTheHeaderStaysAndPaddingGoes) {
  Begin({});
  const Bytes packet = Wrap(Audio(7)
                                .WithMarker()
                                .WithSsrc(9)
                                .WithCsrcs({3, 4})
                                .AddOneByteExtension(1, Bytes{5})
                                .WithPadding(200));
  const Bytes plain =
      Audio(7).WithMarker().WithSsrc(9).WithCsrcs({3, 4}).AddOneByteExtension(1, Bytes{5}).Build();
  Bytes expected = plain;
  expected[1] = 0x80 | kRed;
  expected.insert(expected.end() - 2, kOpus);
  EXPECT_EQ(packet, expected);
}

TEST_F(RedEncoderTest, NumbersRepeatedHaveNoGap) {
  Begin({.blocks = 2});
  Wrap(Audio(1));
  Wrap(Audio(2));
  // 3 did not pass: nobody could tell that 2 is two before.
  EXPECT_THAT(Numbers(Audio(4)), ElementsAre(4));
  EXPECT_THAT(Numbers(Audio(5)), ElementsAre(4, 5));
  // A late one repeats what is right before it and takes no place.
  EXPECT_THAT(Numbers(Audio(3)), ElementsAre(3));
  EXPECT_THAT(Numbers(Audio(6)), ElementsAre(4, 5, 6));
}

TEST_F(RedEncoderTest, NumbersWrap) {
  Begin({.blocks = 2});
  const auto at = [](uint16_t sequence, uint32_t timestamp) {
    return Audio(sequence).WithTimestamp(timestamp);
  };
  Wrap(at(65534, 0xFFFFFC40));
  Wrap(at(65535, 0));
  EXPECT_THAT(Open(Wrap(at(0, 960))).offsets, ElementsAre(2, 1));
}

TEST_F(RedEncoderTest, BlocksLongerThan10BitsSayAreNotRepeated) {
  Begin({.blocks = 2, .max_packet_size = 1800});
  Wrap(Audio(1));
  Wrap(Audio(2).WithPayload(Bytes(1024, 2)));
  EXPECT_EQ(counters_.not_repeatable, 1u);
  EXPECT_THAT(Numbers(Audio(3)), ElementsAre(3));
  Wrap(Audio(4).WithPayload(Bytes(1023, 4)));
  EXPECT_THAT(Numbers(Audio(5)), ElementsAre(3, 4, 5));
}

TEST_F(RedEncoderTest, TimesFurtherThan14BitsSayAreNotRepeated) {
  Begin({});
  Wrap(Audio(1).WithTimestamp(0));
  EXPECT_THAT(Numbers(Audio(2).WithTimestamp(16383)), ElementsAre(1, 2));
  EXPECT_THAT(Numbers(Audio(3).WithTimestamp(16383 + 16384)), ElementsAre(3));
  // Backwards and not at all.
  EXPECT_THAT(Numbers(Audio(4).WithTimestamp(10)), ElementsAre(4));
  EXPECT_THAT(Numbers(Audio(5).WithTimestamp(10)), ElementsAre(5));
  EXPECT_EQ(counters_.left_out, 3u);
}

TEST_F(RedEncoderTest, RedundancyIsLeftOutWhereAPacketWouldBeTooLong) {
  Begin({.blocks = 2, .max_packet_size = 12 + 1 + 2 * (4 + 100) + 100});
  const auto sized = [](uint16_t sequence, size_t size) {
    return Audio(sequence).WithPayload(Bytes(size, static_cast<uint8_t>(sequence)));
  };
  Wrap(sized(1, 100));
  Wrap(sized(2, 100));
  EXPECT_THAT(Numbers(sized(3, 100)), ElementsAre(1, 2, 3));
  EXPECT_THAT(Numbers(sized(4, 101)), ElementsAre(3, 4));
  EXPECT_THAT(Numbers(sized(5, 300)), ElementsAre(5));
  EXPECT_EQ(counters_.left_out, 2u);
}

TEST_F(RedEncoderTest, PayloadsOver1460BytesAreWrappedAndWhatHasNoRoomIsLeft) {
  Begin({});
  const Bytes fits = Wrap(Audio(1).WithPayload(Bytes(kMaxDatagramSize - 13, 1)));
  EXPECT_EQ(fits.size(), kMaxDatagramSize);
  EXPECT_THAT(Open(fits).primary, 1);
  const RtpPacketBuilder longer = Audio(2).WithPayload(Bytes(kMaxDatagramSize - 12, 1));
  EXPECT_EQ(Wrap(longer), longer.Build());
  EXPECT_EQ(counters_.too_long, 1u);
}

TEST_F(RedEncoderTest, OtherFormatsAndPaddingAloneAreLeftAsTheyAre) {
  Begin({});
  Wrap(Audio(1));
  const RtpPacketBuilder event = Audio(2).WithPayloadType(101);
  EXPECT_EQ(Wrap(event), event.Build());
  const RtpPacketBuilder padding = Audio(3).WithPayload({}).WithPadding(10);
  EXPECT_EQ(Wrap(padding), padding.Build());
  EXPECT_EQ(counters_.other_format, 2u);
  EXPECT_THAT(Numbers(Audio(4)), ElementsAre(4));
}

TEST_F(RedEncoderTest, PayloadsAreThoseThatPassedWhateverBecameOfTheirBuffers) {
  Begin({});
  PacketArena one(1);
  for (const uint16_t sequence : {1, 2, 3}) {
    PacketLoan loan = Audio(sequence).BuildInto(one);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    encoder_->Wrap(row, counters_);
    RedPayload red;
    ASSERT_TRUE(ReadRed(row.view.payload(), red));
    if (sequence > 1) {
      EXPECT_EQ(red.blocks[0].data[0], sequence - 1);
    }
    std::fill(loan.bytes().begin(), loan.bytes().end(), uint8_t{0xEE});
  }
}

TEST_F(RedEncoderTest, AStreamThatComesBackRepeatsNothingOfTheOldOne) {
  Begin({});
  Wrap(Audio(1));
  encoder_->End();
  EXPECT_FALSE(encoder_->active());
  encoder_->Begin(PayloadType(kRed), PayloadType(kOpus));
  EXPECT_THAT(Numbers(Audio(2)), ElementsAre(2));
  // Nor does a source that begins anew.
  EXPECT_THAT(Numbers(Audio(20'000)), ElementsAre(20'000 % 256));
  EXPECT_THAT(Numbers(Audio(20'001)), ElementsAre(20'000 % 256, 20'001 % 256));
}

}  // namespace
}  // namespace sluice
