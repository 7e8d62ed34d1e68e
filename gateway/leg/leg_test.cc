#include "gateway/leg/leg.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/seeded_random.h"
#include "gateway/errors/error_detail.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr Timestamp kStart = Timestamp::Seconds(1000);
constexpr SuiteId kSuite = SuiteId::kAeadAes128Gcm;
constexpr size_t kMaxStreams = 4;
const TransportAddress kRemoteRtp{IpAddress::V4({192, 0, 2, 1}), 5004};
const TransportAddress kRemoteRtcp{IpAddress::V4({192, 0, 2, 1}), 5005};
const TransportAddress kElsewhere{IpAddress::V4({192, 0, 2, 66}), 6666};

LocalTransport Local() {
  LocalTransport local;
  local.rtp_socket = {1, 1};
  local.rtcp_socket = {2, 1};
  local.rtp = {IpAddress::V4({192, 0, 2, 200}), 20'000};
  local.rtcp = {IpAddress::V4({192, 0, 2, 200}), 20'001};
  return local;
}

RemoteTransport Remote(const TransportAddress& rtp, const TransportAddress& rtcp) {
  RemoteTransport remote;
  remote.rtp = rtp;
  remote.rtcp = rtcp;
  return remote;
}

LegSpec PlainSpec() {
  LegSpec spec;
  spec.id = "leg";
  spec.remote = Remote(kRemoteRtp, kRemoteRtcp);
  return spec;
}

std::string Subject(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = GetErrorDetail(status);
  return detail.has_value() ? detail->subject : "no detail";
}

class LegTest : public testing::Test {
 protected:
  LegSpec SecureSpec() {
    LegSpec spec = PlainSpec();
    spec.kind = LegKind::kSrtp;
    spec.local_key = local_key_.Clone();
    spec.remote_key = remote_key_.Clone();
    return spec;
  }

  Leg Make(LegSpec spec) {
    absl::StatusOr<Leg> leg = Leg::Create(kStart, std::move(spec), Local(), kMaxStreams);
    EXPECT_TRUE(leg.ok()) << leg.status();
    return *std::move(leg);
  }

  MasterKey NewKey(SuiteId suite = kSuite) { return MasterKey::Generate(suite, random_); }

  std::unique_ptr<SrtpSender> Sender(const MasterKey& key) { return *SrtpSender::Create(key, {}); }
  std::unique_ptr<SrtpReceiver> Receiver(const MasterKey& key) {
    return *SrtpReceiver::Create(key, {});
  }

  static Bytes Plain(uint16_t sequence, uint32_t ssrc = 1) {
    return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(20).Build();
  }

  Bytes Protected(SrtpSender& sender, const Bytes& plain) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(plain.size()));
    std::copy(plain.begin(), plain.end(), packet.bytes().begin());
    ProtectJob job{&sender, &packet, PacketKind::kRtp, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1));
    EXPECT_EQ(job.verdict, ProtectVerdict::kOk);
    return Bytes(packet.bytes().begin(), packet.bytes().end());
  }

  bool Opens(SrtpReceiver& receiver, const Bytes& bytes) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), packet.bytes().begin());
    UnprotectJob job{&receiver, &packet, PacketKind::kRtp, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_);
    return job.verdict == UnprotectVerdict::kOk;
  }

  // The whole way of one RTP datagram into the leg. nullopt: accepted.
  std::optional<PacketVerdict> Receive(Leg& leg, const Bytes& datagram,
                                       const TransportAddress& source = kRemoteRtp) {
    const Leg::Admission admission = leg.Admit(now_, Component::kRtp, source, datagram, false);
    if (admission.reject.has_value()) {
      return admission.reject;
    }
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet.Resize(datagram.size()));
    std::copy(datagram.begin(), datagram.end(), packet.bytes().begin());
    if (leg.receiver() != nullptr) {
      UnprotectJob job{leg.receiver(), &packet, admission.kind, UnprotectVerdict::kMalformed};
      Unprotect(absl::MakeSpan(&job, 1), arena_);
      if (job.verdict != UnprotectVerdict::kOk) {
        return ToPacketVerdict(job.verdict);
      }
    }
    last_ = leg.Accept(now_, Component::kRtp, admission.kind, source, packet.bytes());
    return last_.reject;
  }

  SeededRandom random_{7};
  PacketArena arena_{4};
  Timestamp now_ = kStart;
  MasterKey local_key_ = MasterKey::Generate(kSuite, random_);
  MasterKey remote_key_ = MasterKey::Generate(kSuite, random_);
  Leg::Acceptance last_;
};

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
        Leg::Create(kStart, std::move(row.spec), Local(), kMaxStreams).status();
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

TEST_F(LegTest, PlainLegsHaveNoKeysToChange) {
  Leg leg = Make(PlainSpec());
  LegUpdate remote_key;
  remote_key.remote_key = NewKey();
  remote_key.hold = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(remote_key))), "config.remote_key");
  LegUpdate prepare;
  prepare.prepare_local_key = NewKey();
  EXPECT_EQ(Subject(leg.Update(now_, std::move(prepare))), "local_key_change");
  LegUpdate activate;
  activate.activate_local_key = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(activate))), "local_key_change");
  EXPECT_FALSE(leg.hold()) << "a refused update changes nothing";
}

TEST_F(LegTest, WithoutARemoteKeyNothingIsTakenUntilItComes) {
  LegSpec spec = SecureSpec();
  spec.remote_key.reset();
  Leg leg = Make(std::move(spec));
  const auto peer = Sender(remote_key_);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1))), PacketVerdict::kNoKey);
  LegUpdate update;
  update.remote_key = remote_key_.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(2))), std::nullopt);
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
}

TEST_F(LegTest, ANewRemoteKeyKeepsTheRolloverCounterAndRetiresTheOldOne) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  // Over the wrap, so that the rollover counter is 1.
  for (const uint16_t sequence : {65'534, 65'535, 0, 1}) {
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(sequence))), std::nullopt);
  }
  const Bytes late = Protected(*peer, Plain(2));
  const Bytes too_late = Protected(*peer, Plain(3));
  const MasterKey new_key = NewKey();
  LegUpdate update;
  update.remote_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  ASSERT_TRUE(peer->Rekey(new_key).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(4))), std::nullopt);
  EXPECT_EQ(Receive(leg, late), std::nullopt);
  EXPECT_EQ(Receive(leg, late), PacketVerdict::kReplayed);

  EXPECT_EQ(leg.NextTimeout(), kStart + kKeyRetireDelay);
  leg.HandleTimeout(leg.NextTimeout() - TimeDelta::Micros(1));
  EXPECT_EQ(leg.NextTimeout(), kStart + kKeyRetireDelay);
  leg.HandleTimeout(leg.NextTimeout());
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_EQ(Receive(leg, too_late), PacketVerdict::kAuthFailed);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(5))), std::nullopt);
}

TEST_F(LegTest, TheSameRemoteKeyAgainChangesNothing) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  const Bytes first = Protected(*peer, Plain(1));
  ASSERT_EQ(Receive(leg, first), std::nullopt);
  LegUpdate update;
  update.remote_key = remote_key_.Clone();
  update.remote = Remote(kElsewhere, kElsewhere);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  EXPECT_EQ(leg.NextTimeout(), Timestamp::PlusInfinity());
  // The replay window still knows it.
  EXPECT_EQ(Receive(leg, first, kElsewhere), PacketVerdict::kReplayed);
}

TEST_F(LegTest, ANewRemoteKeyWithANewAddressStartsAtRolloverZero) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  for (const uint16_t sequence : {65'535, 0, 1}) {
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(sequence))), std::nullopt);
  }
  const Bytes old = Protected(*peer, Plain(2));
  const MasterKey new_key = NewKey();
  LegUpdate update;
  update.remote_key = new_key.Clone();
  update.remote = Remote(kElsewhere, kElsewhere);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  const auto new_endpoint = Sender(new_key);
  EXPECT_EQ(Receive(leg, Protected(*new_endpoint, Plain(40'000)), kElsewhere), std::nullopt);
  EXPECT_EQ(Receive(leg, old, kElsewhere), PacketVerdict::kAuthFailed);
}

TEST_F(LegTest, AnotherSuiteStartsANewReceiver) {
  Leg leg = Make(SecureSpec());
  const MasterKey new_key = NewKey(SuiteId::kAesCm128HmacSha1_80);
  LegUpdate update;
  update.remote_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  const auto peer = Sender(new_key);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1))), std::nullopt);
  EXPECT_EQ(leg.Snapshot().remote_suite, SuiteId::kAesCm128HmacSha1_80);
}

TEST_F(LegTest, ALocalKeyIsUsedFromItsActivationOn) {
  Leg leg = Make(SecureSpec());
  const auto peer = Receiver(local_key_);
  const MasterKey new_key = NewKey();
  for (const uint16_t sequence : {65'535, 0}) {
    ASSERT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(sequence))));
  }
  LegUpdate prepare;
  prepare.prepare_local_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(prepare)).ok());
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(1))));
  LegUpdate activate;
  activate.activate_local_key = true;
  ASSERT_TRUE(leg.Update(now_, std::move(activate)).ok());
  const Bytes with_new_key = Protected(*leg.sender(), Plain(2));
  EXPECT_FALSE(Opens(*peer, with_new_key));
  ASSERT_TRUE(peer->Rekey(new_key).ok());
  EXPECT_TRUE(Opens(*peer, with_new_key)) << "the rollover counter went on";
}

TEST_F(LegTest, ALocalKeyIsActivatedOnceAndOnlyWhenPrepared) {
  Leg leg = Make(SecureSpec());
  const auto activate = [&] {
    LegUpdate update;
    update.activate_local_key = true;
    update.hold = true;
    return leg.Update(now_, std::move(update));
  };
  EXPECT_EQ(activate().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Subject(activate()), "NO_PREPARED_KEY");
  EXPECT_FALSE(leg.hold());
  LegUpdate prepare;
  prepare.prepare_local_key = NewKey();
  ASSERT_TRUE(leg.Update(now_, std::move(prepare)).ok());
  EXPECT_TRUE(activate().ok());
  EXPECT_EQ(activate().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(LegTest, TheKeyPreparedLastIsTheOneActivated) {
  Leg leg = Make(SecureSpec());
  MasterKey last = NewKey();
  for (int i = 0; i < 2; ++i) {
    last = NewKey();
    LegUpdate prepare;
    prepare.prepare_local_key = last.Clone();
    ASSERT_TRUE(leg.Update(now_, std::move(prepare)).ok());
  }
  LegUpdate activate;
  activate.activate_local_key = true;
  ASSERT_TRUE(leg.Update(now_, std::move(activate)).ok());
  const auto peer = Receiver(last);
  EXPECT_TRUE(Opens(*peer, Protected(*leg.sender(), Plain(1))));
}

TEST_F(LegTest, ALocalKeyForANewEndpointStartsAtRolloverZero) {
  // Whether the address comes with the preparation, between, or with the activation.
  for (int when = 0; when < 3; ++when) {
    Leg leg = Make(SecureSpec());
    for (const uint16_t sequence : {65'535, 0}) {
      Protected(*leg.sender(), Plain(sequence));
    }
    const SrtpSender* const before = leg.sender();
    const MasterKey new_key = NewKey();
    for (int step = 0; step < 3; ++step) {
      LegUpdate update;
      if (step == 0) {
        update.prepare_local_key = new_key.Clone();
      }
      if (step == when) {
        update.remote = Remote(kElsewhere, kElsewhere);
      }
      update.activate_local_key = step == 2;
      ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
    }
    EXPECT_NE(leg.sender(), before) << when;
    // Somebody who never heard of the first rollover.
    const auto new_endpoint = Receiver(new_key);
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(1)))) << when;
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(30'000)))) << when;
    EXPECT_TRUE(Opens(*new_endpoint, Protected(*leg.sender(), Plain(60'000)))) << when;
  }
}

TEST_F(LegTest, ASenderIsNeverStartedAgainUnderItsKey) {
  Leg leg = Make(SecureSpec());
  Protected(*leg.sender(), Plain(100));
  SrtpSender* const before = leg.sender();
  // The same key for a new endpoint: the context goes on.
  LegUpdate update;
  update.prepare_local_key = local_key_.Clone();
  update.activate_local_key = true;
  update.remote = Remote(kElsewhere, kElsewhere);
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  EXPECT_EQ(leg.sender(), before);
  PacketLoan packet = arena_.Lend();
  const Bytes again = Plain(100);
  ASSERT_TRUE(packet.Resize(again.size()));
  std::copy(again.begin(), again.end(), packet.bytes().begin());
  ProtectJob job{leg.sender(), &packet, PacketKind::kRtp, ProtectVerdict::kOk};
  Protect(absl::MakeSpan(&job, 1));
  EXPECT_EQ(job.verdict, ProtectVerdict::kIndexReused);
}

TEST_F(LegTest, TheSameKeyBytesUnderAnotherSuiteAreRefused) {
  LegSpec spec = SecureSpec();
  spec.local_key = NewKey(SuiteId::kAesCm128HmacSha1_80);
  const MasterKey other_tag =
      *MasterKey::Create(SuiteId::kAesCm128HmacSha1_32, spec.local_key->key_and_salt());
  Leg leg = Make(std::move(spec));
  LegUpdate update;
  update.prepare_local_key = other_tag.Clone();
  const absl::Status status = leg.Update(now_, std::move(update));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Subject(status), "local_key_change");
}

TEST_F(LegTest, SignallingThatCatchesUpWithALearnedAddressIsNoNewEndpoint) {
  LegSpec spec = SecureSpec();
  spec.learning = AddressLearning::kLearn;
  Leg leg = Make(std::move(spec));
  const auto peer = Sender(remote_key_);
  // Rollover 1 before the address is learned.
  ASSERT_EQ(Receive(leg, Protected(*peer, Plain(65'535)), kElsewhere), std::nullopt);
  for (uint16_t sequence = 0; sequence < kPacketsToMove; ++sequence) {
    ASSERT_EQ(Receive(leg, Protected(*peer, Plain(sequence)), kElsewhere), std::nullopt);
  }
  ASSERT_EQ(leg.Snapshot().remote_rtp, kElsewhere);
  const MasterKey new_key = NewKey();
  LegUpdate update;
  update.remote = Remote(kElsewhere, kElsewhere);
  update.remote_key = new_key.Clone();
  ASSERT_TRUE(leg.Update(now_, std::move(update)).ok());
  ASSERT_TRUE(peer->Rekey(new_key).ok());
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(100)), kElsewhere), std::nullopt);
}

TEST_F(LegTest, AnUpdateWithAnAddressOfTheWrongFamilyChangesNothing) {
  Leg leg = Make(SecureSpec());
  const auto peer = Sender(remote_key_);
  LegUpdate update;
  update.remote = Remote({*IpAddress::Parse("2001:db8::1"), 5004}, kRemoteRtcp);
  update.remote_key = NewKey();
  update.hold = true;
  EXPECT_EQ(Subject(leg.Update(now_, std::move(update))), "config.remote.rtp.ip");
  EXPECT_FALSE(leg.hold());
  EXPECT_EQ(leg.Snapshot().remote_rtp, kRemoteRtp);
  EXPECT_EQ(Receive(leg, Protected(*peer, Plain(1))), std::nullopt);
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
