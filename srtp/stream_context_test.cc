#include "srtp/stream_context.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "srtp/key_id.h"
#include "srtp/packet_index.h"
#include "srtp/rtp_types.h"
#include "srtp/stream_state.h"
#include "srtp/verdict.h"

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

// What is kept of a stream that lost its place are its highest indices: all up to them is taken.
TEST_F(SenderStreamTest, GoesOnWhereItEndedWhenRemembered) {
  EXPECT_EQ(stream_.Remember().rtp, std::nullopt);
  EXPECT_EQ(stream_.Remember().rtcp, std::nullopt);
  for (const uint16_t sequence : {65000, 65500, 3}) {
    ASSERT_EQ(TakeRtp(sequence).verdict, ProtectVerdict::kOk);
  }
  for (int i = 0; i < 4; ++i) TakeRtcp();
  const RememberedStream remembered = stream_.Remember();
  EXPECT_EQ(remembered.rtp, 65539u);
  EXPECT_EQ(remembered.rtcp, 3u);
  stream_.Reset();
  stream_.Recall(remembered);
  EXPECT_EQ(TakeRtp(2).verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(TakeRtp(3).verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(TakeRtp(4).index, 65540u);
  EXPECT_EQ(TakeRtcp().index, 4u);
}

TEST_F(SenderStreamTest, OfAStreamThatSentOneKindTheOtherBeginsAnew) {
  stream_.Recall({std::nullopt, 8});
  EXPECT_EQ(TakeRtp(60000).index, 60000u);
  EXPECT_EQ(TakeRtcp().index, 9u);
  stream_.Reset();
  stream_.Recall({70000, std::nullopt});
  EXPECT_EQ(TakeRtp(4465).index, 70001u);
  EXPECT_EQ(TakeRtcp().index, 0u);
}

TEST_F(SenderStreamTest, SavedAndRestoredWithoutMarginItIsTheSame) {
  for (const uint16_t sequence : {100, 105, 102}) {
    ASSERT_EQ(TakeRtp(sequence).verdict, ProtectVerdict::kOk);
  }
  TakeRtcp();
  SenderStreamState state = {Ssrc(0), KeyId(0), std::nullopt, 0};
  stream_.Save(state);
  EXPECT_EQ(state.rtp->highest, 105u);
  EXPECT_EQ(state.next_rtcp_index, 1u);
  stream_.Reset();
  stream_.Restore(state, {.rtp = 0, .rtcp = 0});
  EXPECT_EQ(TakeRtp(102).verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(TakeRtp(103).index, 103u);
  EXPECT_EQ(TakeRtcp().index, 1u);
}

TEST_F(SenderStreamTest, TheMarginCountsAsTakenAndStopsAtTheLastIndex) {
  SenderStreamState state = {Ssrc(0), KeyId(0), WindowState{100, {}}, 5};
  stream_.Restore(state, {.rtp = 50, .rtcp = 7});
  EXPECT_EQ(TakeRtp(150).verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(TakeRtp(151).index, 151u);
  EXPECT_EQ(TakeRtcp().index, 12u);
  stream_.Reset();
  state = {Ssrc(0), KeyId(0), WindowState{kMaxPacketIndex.value() - 3, {}},
           kMaxSrtcpIndex.value() - 3};
  stream_.Restore(state, {.rtp = 50, .rtcp = 7});
  for (const uint16_t sequence : {0xFFFD, 0xFFFE, 0xFFFF, 0, 1}) {
    EXPECT_NE(TakeRtp(sequence).verdict, ProtectVerdict::kOk) << sequence;
  }
  EXPECT_EQ(TakeRtcp().verdict, ProtectVerdict::kKeyExhausted);
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

// Until an RTP packet of the stream authenticated its rollover counter is a guess.
TEST_F(ReceiverStreamTest, RolloverIsKnownOnceAnRtpPacketAuthenticated) {
  EXPECT_FALSE(stream_.rollover_known());
  EXPECT_EQ(ReceiveRtcp(3), UnprotectVerdict::kOk);
  EXPECT_FALSE(stream_.rollover_known());
  EXPECT_EQ(ReceiveRtp(3), UnprotectVerdict::kOk);
  EXPECT_TRUE(stream_.rollover_known());
  stream_.Reset();
  EXPECT_FALSE(stream_.rollover_known());
}

TEST_F(ReceiverStreamTest, AsksForNeighbouringRolloversOfWhateverIsNearest) {
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5), 1).index, PacketIndex(0x10005));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5), 1).verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5), -1).verdict, UnprotectVerdict::kKeyExhausted)
      << "there is nothing before rollover 0";
  StreamContextPeer::JumpTo(stream_, PacketIndex(0x5FFFE));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5)).index, PacketIndex(0x60005));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5), 1).index, PacketIndex(0x70005));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5), -1).index, PacketIndex(0x50005));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(5), -1).verdict, UnprotectVerdict::kTooOld);
  StreamContextPeer::JumpTo(stream_, PacketIndex(kMaxPacketIndex.value() - 1));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(0xFFFF), 1).verdict, UnprotectVerdict::kKeyExhausted);
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(0), -1).verdict, UnprotectVerdict::kKeyExhausted)
      << "not a neighbour of anything";
}

TEST_F(ReceiverStreamTest, AGuessThatAuthenticatedIsTheOneThatIsAccepted) {
  const ReceiverStream::RtpCheck next = stream_.CheckRtp(SequenceNumber(5), 1);
  EXPECT_TRUE(stream_.AcceptRtp(next));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(6)).index, PacketIndex(0x10006));
  EXPECT_EQ(stream_.CheckRtp(SequenceNumber(0xFFFF)).index, PacketIndex(0xFFFF));
}

TEST_F(ReceiverStreamTest, AllUpToWhereItEndedCountsAsReceivedWhenRemembered) {
  EXPECT_EQ(ReceiveRtp(100), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(103), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(7), UnprotectVerdict::kOk);
  const RememberedStream remembered = stream_.Remember();
  EXPECT_EQ(remembered.rtp, 103u);
  EXPECT_EQ(remembered.rtcp, 7u);
  stream_.Reset();
  stream_.Recall(remembered);
  EXPECT_FALSE(stream_.rollover_known());
  EXPECT_EQ(ReceiveRtp(102), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(6), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtp(104), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(8), UnprotectVerdict::kOk);
}

TEST_F(ReceiverStreamTest, SavedAndRestoredItKnowsWhatCame) {
  ReceiverStreamState state = {Ssrc(0), KeyId(0), std::nullopt, std::nullopt};
  stream_.Save(state);
  EXPECT_FALSE(state.rtp.has_value());
  EXPECT_FALSE(state.rtcp.has_value());
  for (const uint16_t sequence : {65535, 1, 3}) {
    EXPECT_EQ(ReceiveRtp(sequence), UnprotectVerdict::kOk);
  }
  EXPECT_EQ(ReceiveRtcp(9), UnprotectVerdict::kOk);
  stream_.Save(state);
  stream_.Reset();
  stream_.Restore(state);
  EXPECT_FALSE(stream_.rollover_known());
  for (const uint16_t sequence : {65535, 1, 3}) {
    EXPECT_EQ(ReceiveRtp(sequence), UnprotectVerdict::kReplayed) << sequence;
  }
  EXPECT_EQ(ReceiveRtp(2), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(9), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(8), UnprotectVerdict::kOk);
}

}  // namespace
}  // namespace sluice
