#include "interceptor/fec/parity_encoder.h"

#include <cstdint>
#include <vector>

#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Numbers = std::vector<uint16_t>;

constexpr Ssrc kMedia(0xB0);
constexpr Ssrc kRepair(0xBF);

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

Bytes Media(uint16_t sequence, size_t size = 100) {
  return RtpPacketBuilder()
      .WithSsrc(kMedia.value())
      .WithSequence(sequence)
      .WithPayloadSize(size)
      .Build();
}

class ParityEncoderTest : public testing::Test {
 protected:
  // Numbers by which a parity packet says what it protects.
  struct Sent {
    Numbers protects;
    Bytes bytes;
  };

  ParityEncoder& Begin(const ParityLayout& layout, size_t slots = 64) {
    packets_ = std::make_unique<PacketArena>(slots);
    out_ = std::make_unique<InterceptorOutbox>(InterceptorOutboxLimits{.rtp_packets = 8}, *packets_,
                                               attributes_);
    encoder_ = std::make_unique<ParityEncoder>(ParityEncoderOptions{.layout = layout});
    StreamInfo info;
    info.ssrc = kMedia;
    encoder_->Begin(info, {{.payload_type = PayloadType(110), .clock_rate = 90000}, &numbering_});
    return *encoder_;
  }
  std::vector<Sent> Add(const Numbers& sequences, Timestamp now = Ms(0)) {
    for (const uint16_t sequence : sequences) {
      const Bytes media = Media(sequence);
      encoder_->Add(now, *RtpPacketView::Parse(media), counters_, *out_);
    }
    return Collect();
  }
  std::vector<Sent> Finish(Timestamp now = Ms(0)) {
    encoder_->Finish(now, counters_, *out_);
    return Collect();
  }
  std::vector<Sent> Collect() {
    std::vector<Sent> all;
    for (const OutboxRtp& made : out_->sends()) {
      EXPECT_EQ(made.source, PacketSource::kForwardErrorCorrection);
      const RtpPacketView view = *RtpPacketView::Parse(made.packet.bytes());
      const FlexFecPacket fec = ReadFlexFec(view.payload());
      EXPECT_EQ(fec.verdict, FlexFecVerdict::kOk);
      EXPECT_EQ(fec.header.protected_ssrc, kMedia);
      Sent sent = {.bytes = Bytes(view.bytes().begin(), view.bytes().end())};
      fec.header.mask.ForEach([&](size_t i) {
        sent.protects.push_back(static_cast<uint16_t>(fec.header.base.value() + i));
      });
      all.push_back(sent);
    }
    out_->EndBatch();
    return all;
  }
  static std::vector<Numbers> Protects(const std::vector<Sent>& all) {
    std::vector<Numbers> numbers;
    for (const Sent& sent : all) numbers.push_back(sent.protects);
    return numbers;
  }

  RepairNumbering numbering_ = {
      .ssrc = kRepair, .next_sequence = 65535, .timestamp_offset = 7, .active = true};
  AttributesArena attributes_{0};
  std::unique_ptr<PacketArena> packets_;
  std::unique_ptr<InterceptorOutbox> out_;
  std::unique_ptr<ParityEncoder> encoder_;
  ParityEncoderCounters counters_;
};

TEST_F(ParityEncoderTest, ARowIsProtectedWhenItIsFull) {
  Begin({.columns = 3});
  EXPECT_THAT(Add({5, 6}), IsEmpty());
  EXPECT_THAT(Protects(Add({7})), ElementsAre(Numbers{5, 6, 7}));
  EXPECT_THAT(Protects(Add({8, 9, 10})), ElementsAre(Numbers{8, 9, 10}));
  EXPECT_EQ(counters_.protected_packets, 6u);
  EXPECT_EQ(packets_->free(), packets_->capacity());
}

TEST_F(ParityEncoderTest, RowsAndColumnsOfABlock) {
  Begin({.columns = 3, .rows = 2, .column_parity = true});
  EXPECT_THAT(Protects(Add({0, 1, 2})), ElementsAre(Numbers{0, 1, 2}));
  EXPECT_THAT(Protects(Add({3, 4, 5})),
              ElementsAre(Numbers{3, 4, 5}, Numbers{0, 3}, Numbers{1, 4}, Numbers{2, 5}));
}

TEST_F(ParityEncoderTest, ColumnsAloneSpreadABurst) {
  Begin({.columns = 2, .rows = 3, .row_parity = false, .column_parity = true});
  EXPECT_THAT(Protects(Add({0, 1, 2, 3, 4, 5})), ElementsAre(Numbers{0, 2, 4}, Numbers{1, 3, 5}));
}

TEST_F(ParityEncoderTest, ABlockOf109PacketsHasTheLongMask) {
  Begin({.columns = 109});
  Numbers numbers(109);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint16_t>(65500 + i);
  EXPECT_THAT(Protects(Add(numbers)), ElementsAre(numbers));
}

// Pion makes none when numbers are not consecutive.
TEST_F(ParityEncoderTest, GapsAreLeftOutOfTheMaskAndTheRestIsProtected) {
  Begin({.columns = 5});
  EXPECT_THAT(Protects(Add({10, 12, 14})), ElementsAre(Numbers{10, 12, 14}));
  EXPECT_THAT(Protects(Add({20, 21, 30})), ElementsAre(Numbers{20, 21}));
  EXPECT_THAT(Protects(Finish()), ElementsAre(Numbers{30}));
}

TEST_F(ParityEncoderTest, PacketsOutOfOrderFindTheirPlace) {
  Begin({.columns = 4});
  EXPECT_THAT(Protects(Add({0, 2, 1, 3})), ElementsAre(Numbers{0, 1, 2, 3}));
  // Behind its block.
  EXPECT_THAT(Add({4, 3, 2, 5, 6}), IsEmpty());
  EXPECT_EQ(counters_.late, 2u);
  EXPECT_THAT(Protects(Add({7})), ElementsAre(Numbers{4, 5, 6, 7}));
  EXPECT_THAT(Add({7, 5}), IsEmpty());
  EXPECT_EQ(counters_.late, 4u);
}

TEST_F(ParityEncoderTest, ADuplicateIsNotAddedTwice) {
  Begin({.columns = 3});
  const std::vector<Sent> sent = Add({0, 1, 1, 2});
  ASSERT_THAT(Protects(sent), ElementsAre(Numbers{0, 1, 2}));
  EXPECT_EQ(counters_.duplicates, 1u);
  EXPECT_EQ(sent[0].bytes[12 + 20], 0 ^ 1 ^ 2);
}

TEST_F(ParityEncoderTest, ASourceThatBeginsAnewBeginsABlock) {
  Begin({.columns = 3});
  EXPECT_THAT(Protects(Add({1000, 1001, 100})), ElementsAre(Numbers{1000, 1001}));
  EXPECT_THAT(Protects(Add({101, 102})), ElementsAre(Numbers{100, 101, 102}));
  EXPECT_THAT(Protects(Add({40'000, 40'001, 40'002})),
              ElementsAre(Numbers{40'000, 40'001, 40'002}));
}

TEST_F(ParityEncoderTest, ABlockThatIsFinishedEarlyIsFollowedByTheNextPacket) {
  ParityEncoder& encoder = Begin({.columns = 10});
  EXPECT_EQ(encoder.deadline(), Timestamp::PlusInfinity());
  Add({0}, Ms(5));
  Add({1, 2}, Ms(50));
  EXPECT_EQ(encoder.deadline(), Ms(105));
  EXPECT_THAT(Protects(Finish(Ms(105))), ElementsAre(Numbers{0, 1, 2}));
  EXPECT_EQ(encoder.deadline(), Timestamp::PlusInfinity());
  Add({3, 1}, Ms(120));
  EXPECT_EQ(encoder.deadline(), Ms(220));
  EXPECT_THAT(Protects(Finish(Ms(220))), ElementsAre(Numbers{3}));
  EXPECT_EQ(counters_.late, 1u);
  EXPECT_EQ(counters_.protected_packets, 4u);
}

// Pion: every repair stream begins at 1000, every timestamp is 54243243.
TEST_F(ParityEncoderTest, RepairPacketsAreNumberedAndTimestampsFollowTheTime) {
  Begin({.columns = 1});
  std::vector<Sent> sent = Add({0}, Ms(1000));
  const std::vector<Sent> second = Add({1}, Ms(1100));
  sent.insert(sent.end(), second.begin(), second.end());
  ASSERT_EQ(sent.size(), 2u);
  const RtpPacketView first = *RtpPacketView::Parse(sent[0].bytes);
  EXPECT_EQ(first.ssrc(), kRepair);
  EXPECT_EQ(first.payload_type(), PayloadType(110));
  EXPECT_EQ(first.sequence_number(), SequenceNumber(65535));
  EXPECT_EQ(first.timestamp(), RtpTimestamp(90'000 + 7));
  EXPECT_FALSE(first.marker());
  const RtpPacketView next = *RtpPacketView::Parse(sent[1].bytes);
  EXPECT_EQ(next.sequence_number(), SequenceNumber(0));
  EXPECT_EQ(next.timestamp(), RtpTimestamp(99'000 + 7));
}

// Pion keeps slices of the packets, whose buffers are other packets when parity is made.
TEST_F(ParityEncoderTest, ParityIsOfWhatPacketsWereWhenTheyPassed) {
  Begin({.columns = 3});
  Bytes reused = Media(0);
  for (const uint16_t sequence : {0, 1, 2}) {
    CopyBytes(absl::MakeSpan(reused), Media(sequence));
    encoder_->Add(Ms(0), *RtpPacketView::Parse(reused), counters_, *out_);
    std::fill(reused.begin(), reused.end(), uint8_t{0xAA});
  }
  const std::vector<Sent> sent = Collect();
  ASSERT_EQ(sent.size(), 1u);
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(sent[0].bytes[12 + 20 + i], static_cast<uint8_t>(i ^ (i + 1) ^ (i + 2)));
  }
}

TEST_F(ParityEncoderTest, PayloadsOver1460BytesAreProtectedAndLongerPacketsCounted) {
  Begin({.columns = 2});
  const Bytes fits = Media(0, 1488);
  const Bytes longer = Media(1, 1489);
  encoder_->Add(Ms(0), *RtpPacketView::Parse(fits), counters_, *out_);
  encoder_->Add(Ms(0), *RtpPacketView::Parse(longer), counters_, *out_);
  EXPECT_EQ(counters_.too_long, 1u);
  const std::vector<Sent> sent = Finish();
  ASSERT_THAT(Protects(sent), ElementsAre(Numbers{0}));
  EXPECT_EQ(sent[0].bytes.size(), fits.size() + 20);
}

TEST_F(ParityEncoderTest, AParityPacketLeavesTheTailroomToSrtp) {
  packets_ = std::make_unique<PacketArena>(4);
  PacketLoan loan = packets_->Lend();
  ASSERT_TRUE(loan.Resize(kMaxProtectedSize + kFlexFecLongHeaderSize));
  EXPECT_GE(loan.tailroom(), kPacketTailroom);
}

TEST_F(ParityEncoderTest, WithoutSlotsThereIsNoParityAndOthersAreMadeLater) {
  Begin({.columns = 2}, 1);
  PacketLoan taken = packets_->Lend();
  EXPECT_THAT(Add({0}), IsEmpty());
  taken.Return();
  // The mask says that the first is not in it.
  EXPECT_THAT(Protects(Add({1})), ElementsAre(Numbers{1}));
  EXPECT_EQ(counters_.no_slot, 1u);
  EXPECT_THAT(Protects(Add({2, 3})), ElementsAre(Numbers{2, 3}));
}

TEST_F(ParityEncoderTest, AFullOutboxDropsParityAndTakesNoNumber) {
  Begin({.columns = 1});
  Numbers numbers;
  for (uint16_t i = 0; i < 12; ++i) numbers.push_back(i);
  EXPECT_EQ(Add(numbers).size(), 8u);
  EXPECT_EQ(counters_.no_room, 4u);
  EXPECT_EQ(counters_.parity_sent, 8u);
  EXPECT_EQ(numbering_.next_sequence, static_cast<uint16_t>(65535 + 8));
}

TEST_F(ParityEncoderTest, EndReturnsTheSlotsOfABlock) {
  ParityEncoder& encoder = Begin({.columns = 3, .rows = 3, .column_parity = true});
  Add({0, 1});
  EXPECT_EQ(packets_->capacity() - packets_->free(), 3u);
  encoder.End();
  EXPECT_EQ(packets_->free(), packets_->capacity());
  EXPECT_FALSE(encoder.active());
  EXPECT_EQ(encoder.deadline(), Timestamp::PlusInfinity());
}

}  // namespace
}  // namespace sluice
