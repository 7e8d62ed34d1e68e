#include "gateway/session/testing/session_harness.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session_spec.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/srtp_policy.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

constexpr size_t kPayloadSize = 160;
constexpr uint32_t kTicksPerPacket = 160;

PacketLoan Lend(PacketArena& arena, absl::Span<const uint8_t> bytes) {
  PacketLoan packet = arena.Lend();
  SLUICE_CHECK(packet) << "the harness has no free packet slot";
  SLUICE_CHECK(packet.Resize(bytes.size()));
  CopyBytes(packet.bytes(), bytes);
  return packet;
}

Bytes ToBytes(const PacketLoan& packet) {
  return Bytes(packet.bytes().begin(), packet.bytes().end());
}

}  // namespace

TransportAddress TestAddress(uint8_t host, uint16_t port) {
  return {IpAddress::V4({192, 0, 2, host}), port};
}

TestPeer::TestPeer(const TestPeerOptions& options)
    : rtp(TestAddress(options.host, 5004)),
      rtcp(TestAddress(options.host, options.rtcp_mux ? 5004 : 5005)),
      options_(options),
      random_(options.host),
      arena_(2),
      ssrc_(0x1000u + options.host),
      sequence_(options.first_sequence) {
  if (options.suite.has_value()) {
    key_ = MasterKey::Generate(*options.suite, random_);
    gateway_key_ = MasterKey::Generate(options.gateway_suite.value_or(*options.suite), random_);
    sender_ = MakeSender();
    receiver_ = MakeReceiver();
  }
}

std::unique_ptr<SrtpSender> TestPeer::MakeSender() {
  SrtpSenderOptions options;
  options.replay_window = options_.peer_options.rtp_replay_window;
  options.encrypt_rtcp = !options_.peer_options.unencrypted_rtcp;
  options.mki = options_.mki;
  options.policy = options_.peer_options.policy;
  // Limits are the gateway's affair.
  options.policy.rtp_lifetime = SrtpPolicy().rtp_lifetime;
  options.policy.rtcp_lifetime = SrtpPolicy().rtcp_lifetime;
  return *SrtpSender::Create(*key_, options, engine_);
}

std::unique_ptr<SrtpReceiver> TestPeer::MakeReceiver() {
  SrtpReceiverOptions options;
  options.accept_unencrypted_rtcp = options_.gateway_options.unencrypted_rtcp;
  options.mki = options_.mki;
  options.policy = options_.gateway_options.policy;
  options.policy.rtp_lifetime = SrtpPolicy().rtp_lifetime;
  options.policy.rtcp_lifetime = SrtpPolicy().rtcp_lifetime;
  return *SrtpReceiver::Create(*gateway_key_, options, engine_);
}

LegSpec TestPeer::Spec(absl::string_view leg_id) const {
  LegSpec spec;
  spec.id = std::string(leg_id);
  spec.kind = secure() ? LegKind::kSrtp : LegKind::kRtp;
  spec.rtcp_mux = options_.rtcp_mux;
  if (options_.signalled) {
    spec.remote = Remote();
  }
  spec.learning = options_.learning;
  if (secure()) {
    spec.local_key = gateway_key_->Clone();
    spec.local_mki = options_.mki;
    spec.local_options = options_.gateway_options;
    spec.remote_key = key_->Clone();
    spec.remote_mki = options_.mki;
    spec.remote_options = options_.peer_options;
  }
  spec.payload_types = options_.payload_types;
  if (spec.payload_types.empty()) {
    spec.payload_types = {{PayloadType(96), "test", 8'000}};
  }
  spec.header_extensions = options_.header_extensions;
  spec.interceptors = options_.interceptors;
  return spec;
}

LocalTransport TestPeer::Local() const {
  // Any numbers that tell the sockets of different peers apart.
  const SocketHandle rtp_socket{options_.host, 1};
  const SocketHandle rtcp_socket{options_.host + 1000u, 1};
  const TransportAddress local =
      TestAddress(200, static_cast<uint16_t>(20'000 + 2 * options_.host));
  TransportAddress local_rtcp = local;
  local_rtcp.port += options_.rtcp_mux ? 0 : 1;
  return {rtp_socket, options_.rtcp_mux ? rtp_socket : rtcp_socket, local, local_rtcp};
}

RemoteTransport TestPeer::Remote() const {
  RemoteTransport remote;
  remote.rtp = rtp;
  remote.rtcp = rtcp;
  return remote;
}

Bytes TestPeer::NextRtp() {
  last_plain_ = RtpPacketBuilder()
                    .WithSsrc(ssrc_)
                    .WithSequence(sequence_++)
                    .WithTimestamp(timestamp_)
                    .WithPayloadSize(kPayloadSize)
                    .Build();
  timestamp_ += kTicksPerPacket;
  return Protected(last_plain_, PacketKind::kRtp);
}

Bytes TestPeer::NextRtcp() {
  last_plain_ = RtcpPacketBuilder()
                    .AddSenderReport(ssrc_, 1, timestamp_, 2, 3)
                    .AddSourceDescription(ssrc_, "peer")
                    .Build();
  return Protected(last_plain_, PacketKind::kRtcp);
}

Bytes TestPeer::Protected(const Bytes& plain, PacketKind kind) {
  if (!secure()) {
    return plain;
  }
  PacketLoan packet = Lend(arena_, plain);
  ProtectJob job{sender_.get(), &packet, kind, ProtectVerdict::kMalformed};
  Protect(absl::MakeSpan(&job, 1), engine_);
  SLUICE_CHECK(job.verdict == ProtectVerdict::kOk) << VerdictName(job.verdict);
  return ToBytes(packet);
}

std::optional<Bytes> TestPeer::Open(absl::Span<const uint8_t> bytes, PacketKind kind) {
  PacketLoan packet = Lend(arena_, bytes);
  if (secure()) {
    UnprotectJob job{receiver_.get(), &packet, kind, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_, engine_);
    if (job.verdict != UnprotectVerdict::kOk) {
      return std::nullopt;
    }
  }
  return ToBytes(packet);
}

MasterKey TestPeer::Rekey(bool new_context) {
  key_ = MasterKey::Generate(key_->suite().id, random_);
  if (new_context) {
    sender_ = MakeSender();
  } else {
    SLUICE_CHECK(sender_->Rekey(*key_).ok());
  }
  return key_->Clone();
}

MasterKey TestPeer::AddKey(const Mki& mki) {
  key_ = MasterKey::Generate(key_->suite().id, random_);
  SLUICE_CHECK(sender_->AddKey(*key_, mki).ok());
  SLUICE_CHECK(sender_->SendWith(mki).ok());
  return key_->Clone();
}

void TestPeer::InstallGatewayKey(const MasterKey& key, bool new_context) {
  gateway_key_ = key.Clone();
  if (new_context) {
    receiver_ = MakeReceiver();
  } else {
    SLUICE_CHECK(receiver_->Rekey(key).ok());
  }
}

SessionHarness::SessionHarness(const Options& options)
    : arena_(options.packet_slots),
      engine_(MakeEngine(options.engine)),
      table_(options.limits, arena_, *engine_, {&random_, 0}),
      outbox_(options.outbox_packets, options.outbox_events, options.outbox_ended) {}

void SessionHarness::CreateSession(absl::string_view id, const SessionTimeouts& timeouts) {
  SessionSpec spec;
  spec.id = std::string(id);
  spec.timeouts = timeouts;
  const absl::Status status = table_.CreateSession(now(), std::move(spec));
  SLUICE_CHECK(status.ok()) << status;
}

LegHandle SessionHarness::AddLeg(absl::string_view session, absl::string_view leg,
                                 const TestPeer& peer) {
  const absl::StatusOr<LegHandle> handle =
      table_.AddLeg(now(), session, peer.Spec(leg), peer.Local());
  SLUICE_CHECK(handle.ok()) << handle.status();
  return *handle;
}

LegSnapshot SessionHarness::Leg(absl::string_view session, absl::string_view leg) {
  absl::StatusOr<LegSnapshot> snapshot = table_.GetLeg(now(), session, leg);
  SLUICE_CHECK(snapshot.ok()) << snapshot.status();
  return *std::move(snapshot);
}

void SessionHarness::Queue(LegHandle leg, Component component, const TransportAddress& source,
                           absl::Span<const uint8_t> bytes, bool truncated) {
  ReceivedDatagram datagram;
  datagram.leg = leg;
  datagram.component = component;
  datagram.source = source;
  datagram.packet = Lend(arena_, bytes);
  datagram.truncated = truncated;
  batch_.push_back(std::move(datagram));
}

void SessionHarness::Deliver() {
  table_.HandleBatch(now(), absl::MakeSpan(batch_), outbox_);
  for (const ReceivedDatagram& datagram : batch_) {
    SLUICE_CHECK(!datagram.packet) << "the table left a packet behind";
  }
  batch_.clear();
}

void SessionHarness::Receive(LegHandle leg, Component component, const TransportAddress& source,
                             absl::Span<const uint8_t> bytes) {
  Queue(leg, component, source, bytes);
  Deliver();
}

void SessionHarness::ReceiveRtp(LegHandle leg, TestPeer& peer) {
  Receive(leg, Component::kRtp, peer.rtp, peer.NextRtp());
}

void SessionHarness::ReceiveRtcp(LegHandle leg, TestPeer& peer) {
  const bool mux = peer.rtp == peer.rtcp;
  Receive(leg, mux ? Component::kRtp : Component::kRtcp, peer.rtcp, peer.NextRtcp());
}

std::vector<SentPacket> SessionHarness::TakeSent() {
  std::vector<SentPacket> sent;
  for (const OutgoingDatagram& datagram : outbox_.packets()) {
    sent.push_back({datagram.socket, datagram.destination, datagram.leg, ToBytes(datagram.packet)});
    table_.HandleSendResult(datagram.leg, true, datagram.packet.size());
  }
  outbox_.ClearPackets();
  return sent;
}

std::vector<SessionEvent> SessionHarness::TakeEvents() {
  std::vector<SessionEvent> events;
  while (!outbox_.events().empty()) {
    events.push_back(outbox_.events().PopFront());
  }
  return events;
}

std::vector<std::unique_ptr<EndedSession>> SessionHarness::TakeEnded() {
  std::vector<std::unique_ptr<EndedSession>> ended;
  while (!outbox_.ended().empty()) {
    ended.push_back(outbox_.ended().PopFront());
  }
  return ended;
}

void SessionHarness::Advance(TimeDelta step) {
  const Timestamp end = now() + step;
  while (table_.NextTimeout() <= end) {
    clock_.Advance(std::max(table_.NextTimeout() - now(), TimeDelta::Zero()));
    table_.HandleTimeout(now(), outbox_);
  }
  clock_.Advance(end - now());
}

uint64_t ReceivedVerdicts(const LegSnapshot& leg) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kPacketVerdictCount; ++i) {
    sum += IsReceivedVerdict(static_cast<PacketVerdict>(i)) ? leg.verdicts[i] : 0;
  }
  return sum;
}

uint64_t SentVerdicts(const LegSnapshot& leg) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kPacketVerdictCount; ++i) {
    sum += IsReceivedVerdict(static_cast<PacketVerdict>(i)) ? 0 : leg.verdicts[i];
  }
  return sum;
}

uint64_t VerdictCount(const LegSnapshot& leg, PacketVerdict verdict) {
  return leg.verdicts[static_cast<size_t>(verdict)];
}

}  // namespace sluice
