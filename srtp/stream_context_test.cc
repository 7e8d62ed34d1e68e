#include "srtp/stream_context.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "srtp/packet_index.h"

namespace sluice {

// Puts streams where no test could send them packet by packet.
class StreamContextPeer {
 public:
  static void JumpTo(SenderStream& stream, PacketIndex index) {
    ASSERT_TRUE(stream.taken_.Accept(stream.taken_.Check(index.value())));
  }
  static void JumpTo(SenderStream& stream, SrtcpIndex next) {
    stream.next_rtcp_index_ = next.value();
  }
  static void JumpTo(ReceiverStream& stream, PacketIndex index) {
    ASSERT_TRUE(stream.rtp_.Accept(stream.rtp_.Check(index.value())));
  }
};

namespace {

class SenderStreamTest : public testing::Test {
 protected:
  // kOk and the index, or the verdict.
  struct Taken {
    ProtectVerdict verdict;
    uint64_t index;
  };
  Taken TakeRtp(uint16_t sequence) {
    PacketIndex index(0);
    const ProtectVerdict verdict = stream_.TakeRtpIndex(SequenceNumber(sequence), index);
    return {verdict, index.value()};
  }
  Taken TakeRtcp() {
    SrtcpIndex index(0);
    const ProtectVerdict verdict = stream_.TakeRtcpIndex(index);
    return {verdict, index.value()};
  }

  std::vector<uint64_t> words_ = std::vector<uint64_t>(1);
  SenderStream stream_{absl::MakeSpan(words_)};
};

TEST_F(SenderStreamTest, CountsRolloversWhateverTheOrderOfSending) {
  EXPECT_EQ(TakeRtp(65534).index, 65534u);
  EXPECT_EQ(TakeRtp(1).index, 65537u);
  EXPECT_EQ(TakeRtp(65535).index, 65535u);
  EXPECT_EQ(TakeRtp(0).index, 65536u);
  EXPECT_EQ(TakeRtp(2).index, 65538u);
}

TEST_F(SenderStreamTest, AnIndexIsTakenOnce) {
  EXPECT_EQ(TakeRtp(100).verdict, ProtectVerdict::kOk);
  EXPECT_EQ(TakeRtp(100).verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(TakeRtp(101).verdict, ProtectVerdict::kOk);
  EXPECT_EQ(TakeRtp(100).verdict, ProtectVerdict::kIndexReused);
}

TEST_F(SenderStreamTest, WhatIsLeftOfTheWindowMayHaveBeenTaken) {
  EXPECT_EQ(TakeRtp(1000).verdict, ProtectVerdict::kOk);
  EXPECT_EQ(TakeRtp(1000 - 63).verdict, ProtectVerdict::kOk);
  EXPECT_EQ(TakeRtp(1000 - 64).verdict, ProtectVerdict::kIndexReused);
}

TEST_F(SenderStreamTest, RtpIndexEndsInsteadOfWrapping) {
  StreamContextPeer::JumpTo(stream_, PacketIndex(kMaxPacketIndex.value() - 2));
  EXPECT_EQ(TakeRtp(0xFFFE).index, kMaxPacketIndex.value() - 1);
  EXPECT_EQ(TakeRtp(0xFFFF).verdict, ProtectVerdict::kKeyExhausted);
  for (const uint16_t sequence : {0, 1, 0x1000}) {
    EXPECT_EQ(TakeRtp(sequence).verdict, ProtectVerdict::kKeyExhausted) << sequence;
  }
  // A late packet still has its own index.
  EXPECT_EQ(TakeRtp(0xFFFC).index, kMaxPacketIndex.value() - 3);
}

TEST_F(SenderStreamTest, RtcpIndexCountsFromZeroAndEndsInsteadOfWrapping) {
  EXPECT_EQ(TakeRtcp().index, 0u);
  EXPECT_EQ(TakeRtcp().index, 1u);
  StreamContextPeer::JumpTo(stream_, SrtcpIndex(kMaxSrtcpIndex.value() - 1));
  EXPECT_EQ(TakeRtcp().index, kMaxSrtcpIndex.value() - 1);
  EXPECT_EQ(TakeRtcp().verdict, ProtectVerdict::kKeyExhausted);
  EXPECT_EQ(TakeRtcp().verdict, ProtectVerdict::kKeyExhausted);
}

TEST_F(SenderStreamTest, ResetForgetsAll) {
  StreamContextPeer::JumpTo(stream_, PacketIndex(1 << 20));
  StreamContextPeer::JumpTo(stream_, SrtcpIndex(55));
  stream_.sent_under = 3;
  stream_.Reset();
  EXPECT_EQ(TakeRtp(60000).index, 60000u);
  EXPECT_EQ(TakeRtcp().index, 0u);
  EXPECT_EQ(stream_.sent_under, 0u);
}

class ReceiverStreamTest : public testing::Test {
 protected:
  // A packet that authenticates.
  UnprotectVerdict ReceiveRtp(uint16_t sequence) {
    const ReceiverStream::RtpCheck check = stream_.CheckRtp(SequenceNumber(sequence));
    if (check.verdict == UnprotectVerdict::kOk) {
      EXPECT_TRUE(stream_.AcceptRtp(check));
    }
    return check.verdict;
  }
  UnprotectVerdict ReceiveRtcp(uint32_t index) {
    const ReceiverStream::RtcpCheck check = stream_.CheckRtcp(SrtcpIndex(index));
    if (check.verdict == UnprotectVerdict::kOk) {
      EXPECT_TRUE(stream_.AcceptRtcp(check));
    }
    return check.verdict;
  }

  std::vector<uint64_t> rtp_words_ = std::vector<uint64_t>(1);
  std::vector<uint64_t> rtcp_words_ = std::vector<uint64_t>(1);
  ReceiverStream stream_{absl::MakeSpan(rtp_words_), absl::MakeSpan(rtcp_words_)};
};

TEST_F(ReceiverStreamTest, CheckChangesNothing) {
  const ReceiverStream::RtpCheck forged = stream_.CheckRtp(SequenceNumber(40000));
  EXPECT_EQ(forged.verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(3)).index, PacketIndex(3));
  EXPECT_EQ(ReceiveRtp(3), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(4), UnprotectVerdict::kOk);
  EXPECT_EQ(stream_.CheckRtcp(kMaxSrtcpIndex).verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(0), UnprotectVerdict::kOk);
}

TEST_F(ReceiverStreamTest, TellsReplayedFromTooOld) {
  EXPECT_EQ(ReceiveRtp(1000), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(1000), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtp(1000 - 63), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(1000 - 64), UnprotectVerdict::kTooOld);
  EXPECT_EQ(ReceiveRtcp(500), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(500), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(500 - 64), UnprotectVerdict::kTooOld);
}

// The other engines will check a whole batch before they accept the first packet of it.
TEST_F(ReceiverStreamTest, TwoChecksOfOneIndexAreAcceptedOnce) {
  const ReceiverStream::RtpCheck first = stream_.CheckRtp(SequenceNumber(9));
  const ReceiverStream::RtpCheck second = stream_.CheckRtp(SequenceNumber(9));
  EXPECT_TRUE(stream_.AcceptRtp(second));
  EXPECT_FALSE(stream_.AcceptRtp(first));
}

TEST_F(ReceiverStreamTest, RtpIndexEndsInsteadOfWrapping) {
  StreamContextPeer::JumpTo(stream_, PacketIndex(kMaxPacketIndex.value() - 1));
  EXPECT_EQ(ReceiveRtp(0xFFFF), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(0), UnprotectVerdict::kKeyExhausted);
  EXPECT_EQ(ReceiveRtp(0xFFFD), UnprotectVerdict::kOk);
}

TEST_F(ReceiverStreamTest, LastRtcpIndexIsTaken) {
  EXPECT_EQ(ReceiveRtcp(kMaxSrtcpIndex.value()), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(kMaxSrtcpIndex.value()), UnprotectVerdict::kReplayed);
}

TEST_F(ReceiverStreamTest, ResetForgetsAll) {
  StreamContextPeer::JumpTo(stream_, PacketIndex(1 << 20));
  EXPECT_EQ(ReceiveRtcp(1000), UnprotectVerdict::kOk);
  stream_.Reset();
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(60000)).index, PacketIndex(60000));
  EXPECT_EQ(ReceiveRtcp(1), UnprotectVerdict::kOk);
}

}  // namespace
}  // namespace sluice
