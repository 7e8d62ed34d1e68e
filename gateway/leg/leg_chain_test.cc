#include "gateway/leg/leg_chain.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/data_rate.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/media_description.h"
#include "gtest/gtest.h"
#include "interceptor/chain.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

constexpr Timestamp kStart = Timestamp::Seconds(100);
constexpr PacketDirection kIn = PacketDirection::kIncoming;
constexpr PacketDirection kOut = PacketDirection::kOutgoing;

PayloadDescription Type(uint8_t number, std::string name, StreamFeedback feedback = {},
                        std::optional<PayloadType> associated = std::nullopt) {
  PayloadDescription type;
  type.payload_type = PayloadType(number);
  type.encoding_name = std::move(name);
  type.clock_rate = 90'000;
  type.feedback = feedback;
  type.associated = associated;
  return type;
}

class LegChainTest : public testing::Test {
 protected:
  static InterceptorOptions Repair() {
    InterceptorOptions options;
    options.nack = true;
    options.statistics = true;
    return options;
  }
  std::unique_ptr<LegChain> Make(const InterceptorOptions& options) {
    auto chain =
        LegChain::Create(options, {types_, {}, groups_}, /*secure=*/true, nullptr, {&random_, 0});
    EXPECT_TRUE(chain.ok()) << chain.status();
    return *std::move(chain);
  }
  void See(LegChain& chain, PacketDirection direction, uint32_t ssrc, uint8_t payload_type = 96) {
    const std::vector<uint8_t> packet =
        RtpPacketBuilder().WithSsrc(ssrc).WithPayloadType(payload_type).WithPayloadSize(10).Build();
    chain.Prepare(now_, direction, *RtpPacketView::Parse(packet));
  }
  static bool Knows(LegChain& chain, PacketDirection direction, uint32_t ssrc) {
    return chain.chain().FindStream(direction, Ssrc(ssrc)).slot != kNoStream;
  }

  SeededRandom random_{1};
  std::vector<PayloadDescription> types_ = {
      Type(96, "VP8", {.nack = true}), Type(97, "rtx", {}, PayloadType(96)), Type(111, "opus")};
  std::vector<StreamGroup> groups_;
  Timestamp now_ = kStart;
};

TEST_F(LegChainTest, NothingToDoIsNoChain) { EXPECT_EQ(Make(InterceptorOptions()), nullptr); }

TEST_F(LegChainTest, AStreamIsKnownFromItsFirstPacketOnInItsDirection) {
  const auto chain = Make(Repair());
  EXPECT_FALSE(Knows(*chain, kIn, 1));
  See(*chain, kIn, 1);
  EXPECT_TRUE(Knows(*chain, kIn, 1));
  EXPECT_FALSE(Knows(*chain, kOut, 1));
}

TEST_F(LegChainTest, SignalledRetransmissionsBelongToTheirStream) {
  groups_ = {{Ssrc(1), Ssrc(2), std::nullopt}};
  const auto chain = Make(Repair());
  See(*chain, kIn, 1);
  EXPECT_EQ(chain->chain().FindStream(kIn, Ssrc(2)).role, SsrcRole::kRetransmission);
}

TEST_F(LegChainTest, UnsignalledRetransmissionsBelongToTheOnlyStreamTheyCanRepeat) {
  const auto chain = Make(Repair());
  See(*chain, kIn, 1);
  See(*chain, kIn, 7, 111);
  See(*chain, kIn, 2, 97);
  EXPECT_EQ(chain->chain().FindStream(kIn, Ssrc(2)).slot,
            chain->chain().FindStream(kIn, Ssrc(1)).slot);
  // The stream has its own now; another one belongs to nobody.
  See(*chain, kIn, 3, 97);
  EXPECT_FALSE(Knows(*chain, kIn, 3));
}

TEST_F(LegChainTest, RetransmissionsThatCouldBeOfTwoStreamsBelongToNone) {
  const auto chain = Make(Repair());
  See(*chain, kIn, 1);
  See(*chain, kIn, 2);
  See(*chain, kIn, 3, 97);
  EXPECT_FALSE(Knows(*chain, kIn, 3));
}

TEST_F(LegChainTest, UnsignalledParityBelongsToTheStreamThatItsHeaderNames) {
  types_.push_back(Type(49, "flexfec-03"));
  InterceptorOptions options;
  options.forward_error_correction = true;
  const auto chain = Make(options);
  See(*chain, kIn, 1);
  See(*chain, kIn, 2);
  // No R, no F, one SSRC; a mask of one packet that ends in its first word (k = 1).
  std::vector<uint8_t> payload(24);
  payload[8] = 1;
  payload[15] = 2;
  payload[18] = 0xC0;
  const std::vector<uint8_t> packet =
      RtpPacketBuilder().WithSsrc(9).WithPayloadType(49).WithPayload(payload).Build();
  chain->Prepare(now_, kIn, *RtpPacketView::Parse(packet));
  EXPECT_EQ(chain->chain().FindStream(kIn, Ssrc(9)).slot,
            chain->chain().FindStream(kIn, Ssrc(2)).slot);
  EXPECT_EQ(chain->chain().FindStream(kIn, Ssrc(9)).role, SsrcRole::kForwardErrorCorrection);
  // Of a stream that is not there, and no parity at all.
  payload[15] = 7;
  const std::vector<uint8_t> foreign =
      RtpPacketBuilder().WithSsrc(10).WithPayloadType(49).WithPayload(payload).Build();
  chain->Prepare(now_, kIn, *RtpPacketView::Parse(foreign));
  EXPECT_FALSE(Knows(*chain, kIn, 10));
  See(*chain, kIn, 11, 49);
  EXPECT_FALSE(Knows(*chain, kIn, 11));
}

TEST_F(LegChainTest, OnlyQuietStreamsMakeRoomForOthers) {
  const auto chain = Make(Repair());
  for (uint32_t ssrc = 1; ssrc <= LegChain::kMaxStreams; ++ssrc) {
    See(*chain, kIn, ssrc);
    now_ += TimeDelta::Millis(1);
  }
  See(*chain, kIn, 100);
  EXPECT_FALSE(Knows(*chain, kIn, 100));
  LegSnapshot snapshot;
  chain->AddTo(snapshot);
  ASSERT_EQ(snapshot.interceptor_counters.size(), 1u);
  EXPECT_EQ(snapshot.interceptor_counters[0].name, "streams_refused");
  // All but the first two are heard again.
  now_ += LegChain::kQuietBeforeReplaced;
  for (uint32_t ssrc = 3; ssrc <= LegChain::kMaxStreams; ++ssrc) {
    See(*chain, kIn, ssrc);
  }
  See(*chain, kIn, 101);
  See(*chain, kIn, 102);
  See(*chain, kIn, 103);
  EXPECT_FALSE(Knows(*chain, kIn, 1));
  EXPECT_FALSE(Knows(*chain, kIn, 2));
  EXPECT_TRUE(Knows(*chain, kIn, 101));
  EXPECT_TRUE(Knows(*chain, kIn, 102));
  EXPECT_FALSE(Knows(*chain, kIn, 103));
}

TEST_F(LegChainTest, AStreamThatIsHeardAllTheTimeIsNotQuiet) {
  const auto chain = Make(Repair());
  See(*chain, kIn, 1);
  for (uint32_t ssrc = 2; ssrc <= LegChain::kMaxStreams; ++ssrc) {
    See(*chain, kIn, ssrc);
  }
  See(*chain, kIn, 1);
  // Heard again and again without another one between.
  for (int i = 0; i < 20; ++i) {
    now_ += TimeDelta::Seconds(1);
    See(*chain, kIn, 1);
  }
  See(*chain, kIn, 100);
  EXPECT_TRUE(Knows(*chain, kIn, 1));
  EXPECT_TRUE(Knows(*chain, kIn, 100));
}

TEST_F(LegChainTest, AnEstimateIsToldWhenItMovedByAnEighth) {
  const auto chain = Make(Repair());
  EXPECT_TRUE(chain->TakeTarget(DataRate::KilobitsPerSec(800)));
  EXPECT_FALSE(chain->TakeTarget(DataRate::KilobitsPerSec(899)));
  EXPECT_TRUE(chain->TakeTarget(DataRate::KilobitsPerSec(900)));
  EXPECT_FALSE(chain->TakeTarget(DataRate::KilobitsPerSec(800)));
  EXPECT_TRUE(chain->TakeTarget(DataRate::KilobitsPerSec(100)));
}

TEST_F(LegChainTest, FiguresAreOfTheStreamAndDirectionAskedFor) {
  const auto chain = Make(Repair());
  See(*chain, kIn, 1);
  EXPECT_TRUE(chain->StreamFeedback(Ssrc(1), StreamDirection::kReceived).has_value());
  EXPECT_FALSE(chain->StreamFeedback(Ssrc(1), StreamDirection::kSent).has_value());
  EXPECT_FALSE(chain->StreamFeedback(Ssrc(2), StreamDirection::kReceived).has_value());
  InterceptorOptions silent;
  silent.nack = true;
  const auto without = Make(silent);
  See(*without, kIn, 1);
  EXPECT_FALSE(without->StreamFeedback(Ssrc(1), StreamDirection::kReceived).has_value());
}

}  // namespace
}  // namespace sluice
