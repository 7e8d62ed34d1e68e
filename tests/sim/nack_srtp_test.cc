// Retransmissions under SRTP: what the responder repeats leaves protected and opens at the peer,
// and no index is used twice.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/chain.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Ssrc kMedia(0xB0);
constexpr Ssrc kRtx(0xB1);

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Video(std::optional<Ssrc> rtx) {
  StreamInfo info;
  info.ssrc = kMedia;
  info.retransmission_ssrc = rtx;
  info.feedback.nack = true;
  info.video = true;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
  if (rtx.has_value()) {
    EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(97),
                                .role = PayloadRole::kRetransmission,
                                .associated = PayloadType(96)}));
  }
  return info;
}

// A sending leg with a responder and SRTP, and a receiving one with a generator.
class NackSrtpTest : public SrtpFixture {
 protected:
  void Start(std::optional<Ssrc> rtx, const NackResponderOptions& options = {}) {
    srtp_sender_ = MakeSender();
    srtp_receiver_ = MakeReceiver();
    sender_.emplace(*NackResponder::Create(options, random_));
    receiver_.emplace(*NackGenerator::Create({}));
    AddStream(rtx);
    ASSERT_EQ(receiver_->chain().AddStream(Ms(0), PacketDirection::kIncoming, Video(rtx)),
              AddStreamVerdict::kOk);
  }
  void AddStream(std::optional<Ssrc> rtx) {
    ASSERT_EQ(sender_->chain().AddStream(Ms(0), PacketDirection::kOutgoing, Video(rtx)),
              AddStreamVerdict::kOk);
  }

  static Bytes Media(uint16_t sequence) {
    return RtpPacketBuilder()
        .WithSsrc(kMedia.value())
        .WithSequence(sequence)
        .WithPayload({1, 2, static_cast<uint8_t>(sequence)})
        .Build();
  }
  // Sends packets first..last; those that are `lost` do not come.
  void Send(int64_t ms, uint16_t first, uint16_t last, uint16_t lost) {
    for (uint16_t i = first; i <= last; ++i) {
      for (const Bytes& packet : sender_->OutgoingRtp(Ms(ms), {Media(i)}).passed) {
        const Bytes bytes = Protected(*srtp_sender_, PacketKind::kRtp, packet);
        if (i != lost) {
          Arrive(ms, bytes);
        }
      }
    }
  }
  // What comes out of the receiving leg.
  std::vector<Bytes> Arrive(int64_t ms, const Bytes& bytes) {
    const Received opened = pipe_.Receive(*srtp_receiver_, PacketKind::kRtp, bytes);
    EXPECT_EQ(opened.verdict, UnprotectVerdict::kOk);
    return receiver_->IncomingRtp(Ms(ms), {opened.bytes}).passed;
  }
  // What the responder repeats when `sequence` is asked for.
  std::vector<Bytes> Asked(int64_t ms, uint16_t sequence) {
    const SequenceNumber missing(sequence);
    Bytes nack(16);
    size_t written = 0;
    EXPECT_EQ(
        WriteNack(Ssrc(9), kMedia, absl::MakeConstSpan(&missing, 1), absl::MakeSpan(nack), written),
        nack.size());
    return sender_->IncomingRtcp(Ms(ms), {nack}).sent;
  }

  std::unique_ptr<SrtpSender> srtp_sender_;
  std::unique_ptr<SrtpReceiver> srtp_receiver_;
  std::optional<ChainHarness> sender_;
  std::optional<ChainHarness> receiver_;
};

INSTANTIATE_TEST_SUITE_P(All, NackSrtpTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(NackSrtpTest, EachRepetitionOfAPacketHasAnIndexOfItsOwnAndOpens) {
  Start(kRtx);
  Send(0, 10, 20, 15);
  std::vector<Bytes> restored;
  for (int64_t ms = 200; ms <= 1000; ms += 200) {
    const std::vector<Bytes> repeated = Asked(ms, 15);
    ASSERT_THAT(repeated, SizeIs(1)) << ms;
    for (const Bytes& packet :
         Arrive(ms, Protected(*srtp_sender_, PacketKind::kRtp, repeated[0]))) {
      restored.push_back(packet);
    }
  }
  EXPECT_THAT(restored, ElementsAre(Media(15)));
}

TEST_P(NackSrtpTest, ARetransmissionStreamThatComesBackUsesNoIndexTwice) {
  Start(kRtx);
  Send(0, 10, 20, 15);
  for (int64_t ms = 200; ms <= 4000; ms += 200) {
    // Also while its streams end and begin.
    ASSERT_TRUE(sender_->chain().RemoveStream(Ms(ms), PacketDirection::kOutgoing, kMedia));
    AddStream(kRtx);
    const auto next = static_cast<uint16_t>(20 + ms / 200);
    Send(ms, next, next, next);
    const std::vector<Bytes> repeated = Asked(ms + 100, next);
    ASSERT_THAT(repeated, SizeIs(1)) << ms;
    EXPECT_THAT(Arrive(ms + 100, Protected(*srtp_sender_, PacketKind::kRtp, repeated[0])),
                ElementsAre(Media(next)));
  }
}

// RFC 3711 section 9.1: why the responder does not send a packet again as it was, unless it is told
// that the leg has no SRTP.
TEST_P(NackSrtpTest, WithoutRetransmissionStreamNothingIsMadeThatTheSenderRefuses) {
  Start(std::nullopt);
  Send(0, 10, 20, 15);
  EXPECT_THAT(Asked(200, 15), IsEmpty());
}

TEST_P(NackSrtpTest, APacketSentAgainAsItWasIsRefused) {
  Start(std::nullopt, {.plain_retransmission = true});
  Send(0, 10, 20, 15);
  const std::vector<Bytes> repeated = Asked(200, 15);
  ASSERT_THAT(repeated, ElementsAre(Media(15)));
  EXPECT_EQ(pipe_.Send(*srtp_sender_, PacketKind::kRtp, repeated[0]).verdict,
            ProtectVerdict::kIndexReused);
}

}  // namespace
}  // namespace sluice
