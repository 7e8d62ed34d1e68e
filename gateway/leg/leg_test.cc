#include "gateway/leg/leg.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/testing/leg_fixture.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using LegTest = LegFixture;

TEST_F(LegTest, SpecsThatContradictThemselvesNameTheField) {
  LegSpec keyless = SecureSpec();
  keyless.local_key.reset();
  LegSpec plain_with_local = PlainSpec();
  plain_with_local.local_key = NewKey();
  LegSpec plain_with_remote = PlainSpec();
  plain_with_remote.remote_key = NewKey();
  LegSpec other_family = PlainSpec();
  other_family.remote->rtp.ip = *IpAddress::Parse("2001:db8::1");
  LegSpec other_source = PlainSpec();
  other_source.remote->source_rtcp = TransportAddress{*IpAddress::Parse("::1"), 1};
  struct {
    LegSpec spec;
    std::string field;
  } table[] = {{std::move(keyless), "config.kind"},
               {std::move(plain_with_local), "config.kind"},
               {std::move(plain_with_remote), "config.remote_key"},
               {std::move(other_family), "config.remote.rtp.ip"},
               {std::move(other_source), "config.remote.source_rtcp.ip"}};
  for (auto& row : table) {
    const absl::Status status =
        Leg::Create(kStart, std::move(row.spec), Local(), kMaxStreams, engine_, {&random_, 0})
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.field;
    EXPECT_EQ(Subject(status), row.field);
  }
}

TEST_F(LegTest, ASnapshotTellsWhatWasAskedForAndNoKey) {
  LegSpec spec = SecureSpec();
  spec.hold = true;
  spec.learning = AddressLearning::kLearn;
  spec.payload_types = {{PayloadType(111), "opus", 48'000}};
  const LegSnapshot snapshot = Make(std::move(spec)).Snapshot();
  EXPECT_EQ(snapshot.id, "leg");
  EXPECT_EQ(snapshot.kind, LegKind::kSrtp);
  EXPECT_EQ(snapshot.remote_rtp, kRemoteRtp);
  EXPECT_EQ(snapshot.remote_rtcp, kRemoteRtcp);
  EXPECT_EQ(snapshot.learning, AddressLearning::kLearn);
  EXPECT_FALSE(snapshot.remote_learned);
  EXPECT_EQ(snapshot.local_suite, kSuite);
  EXPECT_EQ(snapshot.remote_suite, kSuite);
  EXPECT_TRUE(snapshot.hold);
  EXPECT_EQ(snapshot.local.rtcp.port, 20'001);
  ASSERT_EQ(snapshot.payload_types.size(), 1u);
  EXPECT_EQ(snapshot.payload_types[0].encoding_name, "opus");
}

TEST_F(LegTest, DestinationsFollowMuxAndHold) {
  Leg leg = Make(PlainSpec());
  EXPECT_EQ(leg.DestinationFor(PacketKind::kRtp)->address, kRemoteRtp);
  EXPECT_EQ(leg.DestinationFor(PacketKind::kRtp)->socket, Local().rtp_socket);
  EXPECT_EQ(leg.DestinationFor(PacketKind::kRtcp)->address, kRemoteRtcp);
  EXPECT_EQ(leg.DestinationFor(PacketKind::kRtcp)->socket, Local().rtcp_socket);

  LegSpec mux = PlainSpec();
  mux.rtcp_mux = true;
  Leg mux_leg = Make(std::move(mux));
  EXPECT_EQ(mux_leg.DestinationFor(PacketKind::kRtcp)->address, kRemoteRtp);
  EXPECT_EQ(mux_leg.DestinationFor(PacketKind::kRtcp)->socket, Local().rtp_socket);

  LegUpdate hold;
  hold.hold = true;
  ASSERT_TRUE(leg.Update(now_, std::move(hold)).ok());
  EXPECT_FALSE(leg.DestinationFor(PacketKind::kRtp).has_value());

  LegSpec unknown = PlainSpec();
  unknown.remote.reset();
  EXPECT_FALSE(Make(std::move(unknown)).DestinationFor(PacketKind::kRtp).has_value());
}

TEST_F(LegTest, MediaStartsOnceAndStreamsAreAnnounced) {
  Leg leg = Make(PlainSpec());
  EXPECT_EQ(Receive(leg, Plain(1, 10)), std::nullopt);
  EXPECT_TRUE(last_.media_started);
  EXPECT_TRUE(last_.stream_added);
  EXPECT_EQ(last_.rtp.ssrc, Ssrc(10));
  Receive(leg, Plain(2, 10));
  EXPECT_FALSE(last_.media_started);
  EXPECT_FALSE(last_.stream_added);
  Receive(leg, Plain(1, 11));
  EXPECT_FALSE(last_.media_started);
  EXPECT_TRUE(last_.stream_added);
}

TEST_F(LegTest, OnlyListedSsrcsAreTakenUntilTheListChanges) {
  LegSpec spec = PlainSpec();
  spec.remote_ssrcs = {Ssrc(30), Ssrc(10), Ssrc(20)};
  Leg leg = Make(std::move(spec));
  EXPECT_EQ(Receive(leg, Plain(1, 11)), PacketVerdict::kUnexpectedSsrc);
  EXPECT_FALSE(last_.accepted);
  EXPECT_TRUE(leg.Snapshot().streams.empty());
  for (const uint32_t ssrc : {10, 20, 30}) {
    EXPECT_EQ(Receive(leg, Plain(1, ssrc)), std::nullopt) << ssrc;
  }
  LegUpdate any;
  any.remote_ssrcs = std::vector<Ssrc>();
  ASSERT_TRUE(leg.Update(now_, std::move(any)).ok());
  EXPECT_EQ(Receive(leg, Plain(1, 11)), std::nullopt);
}

TEST_F(LegTest, OnHoldPacketsAreCountedButNotForwarded) {
  LegSpec spec = PlainSpec();
  spec.hold = true;
  Leg leg = Make(std::move(spec));
  EXPECT_EQ(Receive(leg, Plain(1)), PacketVerdict::kOnHold);
  EXPECT_TRUE(last_.accepted);
  EXPECT_EQ(leg.Snapshot().streams.at(0).packets, 1u);
}

TEST_F(LegTest, JitterIsMeasuredWithTheSignalledClock) {
  LegSpec spec = PlainSpec();
  spec.payload_types = {{PayloadType(96), "", 1'000}};
  Leg leg = Make(std::move(spec));
  for (uint32_t i = 0; i < 50; ++i) {
    Receive(leg, RtpPacketBuilder()
                     .WithSsrc(1)
                     .WithSequence(static_cast<uint16_t>(i))
                     .WithTimestamp(i * 20)
                     .WithPayloadSize(10)
                     .Build());
    now_ += TimeDelta::Millis(20);
  }
  EXPECT_EQ(leg.Snapshot().streams.at(0).jitter, TimeDelta::Zero());
}

TEST_F(LegTest, CountsSentPacketsByHowTheKernelTookThem) {
  Leg leg = Make(PlainSpec());
  leg.CountSendResult(true, 100);
  leg.CountSendResult(true, 50);
  leg.CountSendResult(false, 100);
  const LegSnapshot snapshot = leg.Snapshot();
  EXPECT_EQ(snapshot.packets_sent, 2u);
  EXPECT_EQ(snapshot.bytes_sent, 150u);
  EXPECT_EQ(snapshot.verdicts[static_cast<size_t>(PacketVerdict::kSent)], 2u);
  EXPECT_EQ(snapshot.verdicts[static_cast<size_t>(PacketVerdict::kSendFailed)], 1u);
  EXPECT_EQ(snapshot.last_reject, std::nullopt);
}

TEST_F(LegTest, TheLastRejectIsTheLastReceivedPacketThatWentNowhere) {
  Leg leg = Make(PlainSpec());
  leg.Conclude(PacketVerdict::kForwarded);
  EXPECT_EQ(leg.Snapshot().last_reject, std::nullopt);
  leg.Conclude(PacketVerdict::kMalformed);
  leg.Conclude(PacketVerdict::kForwarded);
  leg.Conclude(PacketVerdict::kOutboxFull);
  EXPECT_EQ(leg.Snapshot().last_reject, PacketVerdict::kMalformed);
}

TEST_F(LegTest, HoldAloneDoesNotOpenTheLearningWindow) {
  LegSpec spec = PlainSpec();
  spec.learning = AddressLearning::kLearn;
  Leg leg = Make(std::move(spec));
  now_ += TimeDelta::Seconds(10);
  for (const bool hold : {true, false}) {
    LegUpdate update;
    update.hold = hold;
    ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  }
  const TransportAddress other_port{kRemoteRtp.ip, 9000};
  EXPECT_EQ(Receive(leg, Plain(1), other_port), PacketVerdict::kUnexpectedSource);
}

}  // namespace
}  // namespace sluice
