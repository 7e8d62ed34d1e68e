#include "gateway/leg/leg.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gateway/demux/datagram_kind.h"
#include "gateway/errors/error_detail.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

constexpr absl::string_view kRemoteKeyField = "config.remote_key";
constexpr absl::string_view kLocalKeyField = "local_key_change";

absl::string_view FamilyName(IpFamily family) {
  return family == IpFamily::kIpv4 ? "IPv4" : "IPv6";
}

// A socket reaches its own family only.
absl::Status CheckFamilies(const RemoteTransport& remote, IpFamily local) {
  const struct {
    absl::string_view field;
    std::optional<TransportAddress> address;
  } kAddresses[] = {
      {"config.remote.rtp.ip", remote.rtp},
      {"config.remote.rtcp.ip", remote.rtcp},
      {"config.remote.source_rtp.ip", remote.source_rtp},
      {"config.remote.source_rtcp.ip", remote.source_rtcp},
  };
  for (const auto& row : kAddresses) {
    if (row.address.has_value() && row.address->ip.family() != local) {
      return InvalidField(row.field, absl::StrCat("is ", FamilyName(row.address->ip.family()),
                                                  ", but the leg's ports are ", FamilyName(local)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSpec(const LegSpec& spec, const LocalTransport& local) {
  const bool secure = spec.kind == LegKind::kSrtp;
  if (secure != spec.local_key.has_value()) {
    return InvalidField("config.kind", secure ? "an SRTP leg needs a local key"
                                              : "a plain RTP leg has no local key");
  }
  if (!secure && spec.remote_key.has_value()) {
    return InvalidField(kRemoteKeyField, "only SRTP legs have keys");
  }
  return spec.remote.has_value() ? CheckFamilies(*spec.remote, local.rtp.ip.family())
                                 : absl::OkStatus();
}

}  // namespace

Leg::Leg(LegSpec spec, const LocalTransport& local, size_t max_streams)
    : id_(std::move(spec.id)),
      kind_(spec.kind),
      rtcp_mux_(spec.rtcp_mux),
      hold_(spec.hold),
      max_streams_(max_streams),
      local_(local),
      learner_({.authenticated = secure(), .rtcp_mux = spec.rtcp_mux}, spec.learning,
               spec.learning_window),
      local_key_(std::move(spec.local_key)),
      remote_key_(std::move(spec.remote_key)),
      payload_types_(std::move(spec.payload_types)),
      clocks_(payload_types_),
      received_streams_(max_streams, StreamDirection::kReceived),
      sent_streams_(max_streams, StreamDirection::kSent) {
  SetRemoteSsrcs(std::move(spec.remote_ssrcs));
}

absl::StatusOr<Leg> Leg::Create(Timestamp now, LegSpec spec, const LocalTransport& local,
                                size_t max_streams) {
  if (absl::Status status = CheckSpec(spec, local); !status.ok()) {
    return status;
  }
  const std::optional<RemoteTransport> remote = spec.remote;
  Leg leg(std::move(spec), local, max_streams);
  leg.learner_.Signal(now, remote, std::nullopt, std::nullopt);
  if (leg.local_key_.has_value()) {
    auto sender = leg.MakeSender(*leg.local_key_);
    if (!sender.ok()) {
      return sender.status();
    }
    leg.sender_ = *std::move(sender);
  }
  if (leg.remote_key_.has_value()) {
    auto receiver = leg.MakeReceiver(*leg.remote_key_);
    if (!receiver.ok()) {
      return receiver.status();
    }
    leg.receiver_ = *std::move(receiver);
  }
  return leg;
}

absl::StatusOr<std::unique_ptr<SrtpReceiver>> Leg::MakeReceiver(const MasterKey& key) const {
  return SrtpReceiver::Create(key, {.max_streams = max_streams_});
}

absl::StatusOr<std::unique_ptr<SrtpSender>> Leg::MakeSender(const MasterKey& key) const {
  return SrtpSender::Create(key, {.max_streams = max_streams_});
}

absl::Status Leg::Update(Timestamp now, LegUpdate update) {
  if (absl::Status status = CheckUpdate(update); !status.ok()) {
    return status;
  }
  absl::StatusOr<KeyPlan> plan = PlanKeys(update);
  if (!plan.ok()) {
    return plan.status();
  }
  if (absl::Status status = ChangeKeys(now, *std::move(plan), update); !status.ok()) {
    return status;
  }
  // Nothing fails from here on.
  if (update.remote.has_value() || update.learning.has_value() ||
      update.learning_window.has_value()) {
    learner_.Signal(now, update.remote, update.learning, update.learning_window);
  }
  if (update.payload_types.has_value()) {
    payload_types_ = *std::move(update.payload_types);
    clocks_ = PayloadClocks(payload_types_);
  }
  if (update.remote_ssrcs.has_value()) {
    SetRemoteSsrcs(*std::move(update.remote_ssrcs));
  }
  hold_ = update.hold.value_or(hold_);
  return absl::OkStatus();
}

absl::Status Leg::CheckUpdate(const LegUpdate& update) const {
  if (!secure() && update.remote_key.has_value()) {
    return InvalidField(kRemoteKeyField, "only SRTP legs have keys");
  }
  if (!secure() && (update.prepare_local_key.has_value() || update.activate_local_key)) {
    return InvalidField(kLocalKeyField, "only SRTP legs have keys");
  }
  if (update.activate_local_key && ActivatedKey(update) == nullptr) {
    return PreconditionFailed("NO_PREPARED_KEY", id_,
                              "no local key is prepared: call UpdateLeg with PREPARE first");
  }
  if (update.prepare_local_key.has_value() && *update.prepare_local_key != *local_key_ &&
      SharesKeystream(*update.prepare_local_key, *local_key_)) {
    return InvalidField(kLocalKeyField, "the key is in use with another suite or salt");
  }
  return update.remote.has_value() ? CheckFamilies(*update.remote, local_.rtp.ip.family())
                                   : absl::OkStatus();
}

const MasterKey* Leg::ActivatedKey(const LegUpdate& update) const {
  if (!update.activate_local_key) {
    return nullptr;
  }
  if (update.prepare_local_key.has_value()) {
    return &*update.prepare_local_key;
  }
  return prepared_key_.has_value() ? &prepared_key_->key : nullptr;
}

std::optional<TransportAddress> Leg::EndpointAddress() const {
  return learner_.signalled().has_value() ? learner_.signalled()->rtp : learner_.rtp();
}

absl::StatusOr<Leg::KeyPlan> Leg::PlanKeys(const LegUpdate& update) const {
  KeyPlan plan;
  const std::optional<TransportAddress> before = EndpointAddress();
  std::optional<TransportAddress> after = before;
  // Signalling that catches up with what was learned moves nobody.
  if (update.remote.has_value() && update.remote->rtp != learner_.rtp()) {
    after = update.remote->rtp;
  }
  plan.new_endpoint = before.has_value() && before != after;

  const MasterKey* receive_key = remote_key_.has_value() ? &*remote_key_ : nullptr;
  plan.receive =
      DecideKeyChange({receive_key, before},
                      {update.remote_key.has_value() ? &*update.remote_key : receive_key, after});
  if (plan.receive == KeyChange::kNewContext) {
    auto receiver = MakeReceiver(*update.remote_key);
    if (!receiver.ok()) {
      return receiver.status();
    }
    plan.new_receiver = *std::move(receiver);
  }
  if (const MasterKey* send_key = ActivatedKey(update); send_key != nullptr) {
    plan.send = DecideKeyChange({&*local_key_, before}, {send_key, after});
    const bool prepared_for_new_endpoint =
        !update.prepare_local_key.has_value() && prepared_key_->new_endpoint;
    if (plan.send == KeyChange::kRekey && prepared_for_new_endpoint) {
      plan.send = KeyChange::kNewContext;
    }
    if (plan.send == KeyChange::kNewContext) {
      auto sender = MakeSender(*send_key);
      if (!sender.ok()) {
        return sender.status();
      }
      plan.new_sender = *std::move(sender);
    }
  }
  return plan;
}

absl::Status Leg::ChangeKeys(Timestamp now, KeyPlan plan, LegUpdate& update) {
  // A rekey fails only for keys that DecideKeyChange has ruled out.
  if (plan.receive == KeyChange::kRekey) {
    if (absl::Status status = receiver_->Rekey(*update.remote_key); !status.ok()) {
      SLUICE_BUG(leg_receiver_refused_rekey);
      return status;
    }
    retire_key_at_ = now + kKeyRetireDelay;
  }
  if (plan.send == KeyChange::kRekey) {
    if (absl::Status status = sender_->Rekey(*ActivatedKey(update)); !status.ok()) {
      SLUICE_BUG(leg_sender_refused_rekey);
      return status;
    }
  }
  if (plan.new_receiver != nullptr) {
    receiver_ = std::move(plan.new_receiver);
    retire_key_at_ = Timestamp::PlusInfinity();
  }
  if (plan.new_sender != nullptr) {
    sender_ = std::move(plan.new_sender);
  }
  if (update.remote_key.has_value()) {
    remote_key_ = std::move(update.remote_key);
  }
  if (update.prepare_local_key.has_value()) {
    prepared_key_ = PreparedKey{*std::move(update.prepare_local_key), plan.new_endpoint};
  } else if (prepared_key_.has_value() && plan.new_endpoint) {
    prepared_key_->new_endpoint = true;
  }
  if (update.activate_local_key) {
    local_key_ = std::move(prepared_key_->key);
    prepared_key_.reset();
  }
  return absl::OkStatus();
}

void Leg::SetRemoteSsrcs(std::vector<Ssrc> ssrcs) {
  remote_ssrcs_.clear();
  for (const Ssrc ssrc : ssrcs) {
    remote_ssrcs_.push_back(ssrc.value());
  }
  std::sort(remote_ssrcs_.begin(), remote_ssrcs_.end());
}

bool Leg::ExpectsSsrc(Ssrc ssrc) const {
  return remote_ssrcs_.empty() ||
         std::binary_search(remote_ssrcs_.begin(), remote_ssrcs_.end(), ssrc.value());
}

Leg::Admission Leg::Admit(Timestamp now, Component component, const TransportAddress& source,
                          absl::Span<const uint8_t> datagram, bool truncated) {
  ++packets_received_;
  bytes_received_ += datagram.size();
  Admission admission;
  if (truncated) {
    admission.reject = PacketVerdict::kTruncated;
    return admission;
  }
  const DatagramKind kind = ClassifyDatagram(datagram);
  if (kind != DatagramKind::kRtp && kind != DatagramKind::kRtcp) {
    admission.reject = PacketVerdict::kNotMedia;
    return admission;
  }
  admission.kind = kind == DatagramKind::kRtp ? PacketKind::kRtp : PacketKind::kRtcp;
  const Component right = admission.kind == PacketKind::kRtp ? Component::kRtp : Component::kRtcp;
  if (!rtcp_mux_ && component != right) {
    admission.reject = PacketVerdict::kWrongPort;
  } else if (secure()) {
    // Of a plain packet all this is judged in Accept, where the packets before it have had their
    // say: one of them may have locked the address.
    const bool well_formed = admission.kind == PacketKind::kRtp
                                 ? RtpPacketView::ParseHeader(datagram).has_value()
                                 : RtcpPacketView::Parse(datagram).has_value();
    if (!well_formed) {
      admission.reject = PacketVerdict::kMalformed;
    } else if (!learner_.Expects(now, component, admission.kind, source)) {
      admission.reject = PacketVerdict::kUnexpectedSource;
    } else if (receiver_ == nullptr) {
      admission.reject = PacketVerdict::kNoKey;
    }
  }
  return admission;
}

Leg::Acceptance Leg::Accept(Timestamp now, Component component, PacketKind kind,
                            const TransportAddress& source, absl::Span<const uint8_t> packet) {
  Acceptance acceptance;
  std::optional<RtpPacketView> rtp;
  bool well_formed = false;
  if (kind == PacketKind::kRtp) {
    rtp = RtpPacketView::Parse(packet);
    well_formed = rtp.has_value();
  } else {
    const std::optional<RtcpPacketView> rtcp = RtcpPacketView::Parse(packet);
    well_formed = rtcp.has_value() && rtcp->IsValidCompound();
  }
  if (!well_formed) {
    acceptance.reject = PacketVerdict::kMalformed;
    return acceptance;
  }
  if (!secure() && !learner_.Expects(now, component, kind, source)) {
    acceptance.reject = PacketVerdict::kUnexpectedSource;
    return acceptance;
  }
  if (rtp.has_value()) {
    acceptance.reject = AcceptRtp(now, RtpSummary::Of(*rtp), acceptance);
    if (acceptance.reject.has_value()) {
      return acceptance;
    }
  }
  acceptance.accepted = true;
  acceptance.address_change = learner_.OnAccepted(now, component, kind, source);
  if (hold_) {
    acceptance.reject = PacketVerdict::kOnHold;
  }
  return acceptance;
}

std::optional<PacketVerdict> Leg::AcceptRtp(Timestamp now, const RtpSummary& rtp,
                                            Acceptance& acceptance) {
  if (!ExpectsSsrc(rtp.ssrc)) {
    return PacketVerdict::kUnexpectedSsrc;
  }
  acceptance.rtp = rtp;
  acceptance.media_started = !std::exchange(media_started_, true);
  acceptance.stream_added =
      received_streams_.OnPacket(now, rtp, clocks_.ClockRate(rtp.payload_type));
  return std::nullopt;
}

void Leg::Conclude(PacketVerdict verdict) {
  verdicts_.Count(verdict);
  if (IsReceivedVerdict(verdict) && verdict != PacketVerdict::kForwarded) {
    last_reject_ = verdict;
  }
}

std::optional<Leg::Destination> Leg::DestinationFor(PacketKind kind) const {
  const bool rtp = kind == PacketKind::kRtp;
  const std::optional<TransportAddress>& address = rtp ? learner_.rtp() : learner_.rtcp();
  if (hold_ || !address.has_value()) {
    return std::nullopt;
  }
  return Destination{rtp || rtcp_mux_ ? local_.rtp_socket : local_.rtcp_socket, *address};
}

void Leg::CountSent(Timestamp now, const RtpSummary& rtp) {
  sent_streams_.OnPacket(now, rtp, clocks_.ClockRate(rtp.payload_type));
}

void Leg::CountSendResult(bool sent, size_t bytes) {
  Conclude(sent ? PacketVerdict::kSent : PacketVerdict::kSendFailed);
  if (sent) {
    ++packets_sent_;
    bytes_sent_ += bytes;
  }
}

void Leg::HandleTimeout(Timestamp now) {
  if (now >= retire_key_at_) {
    receiver_->RetirePreviousKey();
    retire_key_at_ = Timestamp::PlusInfinity();
  }
}

LegSnapshot Leg::Snapshot() const {
  LegSnapshot snapshot;
  snapshot.id = id_;
  snapshot.kind = kind_;
  snapshot.rtcp_mux = rtcp_mux_;
  snapshot.local = local_;
  snapshot.remote_rtp = learner_.rtp();
  snapshot.remote_rtcp = learner_.rtcp();
  snapshot.remote_learned = learner_.learned();
  snapshot.learning = learner_.learning();
  if (local_key_.has_value()) {
    snapshot.local_suite = local_key_->suite().id;
  }
  if (remote_key_.has_value()) {
    snapshot.remote_suite = remote_key_->suite().id;
  }
  snapshot.hold = hold_;
  snapshot.payload_types = payload_types_;
  snapshot.packets_received = packets_received_;
  snapshot.bytes_received = bytes_received_;
  snapshot.packets_sent = packets_sent_;
  snapshot.bytes_sent = bytes_sent_;
  snapshot.verdicts = verdicts_.counts();
  snapshot.last_reject = last_reject_;
  snapshot.streams.reserve(received_streams_.size() + sent_streams_.size());
  received_streams_.AppendTo(snapshot.streams);
  sent_streams_.AppendTo(snapshot.streams);
  return snapshot;
}

}  // namespace sluice
