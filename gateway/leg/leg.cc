#include "gateway/leg/leg.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/demux/datagram_kind.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/srtp_memory.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

constexpr absl::string_view kRemoteKeyField = "config.remote_key";

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

Leg::Leg(LegSpec spec, const LocalTransport& local, size_t max_streams,
         const ChainEnvironment& chains)
    : id_(std::move(spec.id)),
      kind_(spec.kind),
      rtcp_mux_(spec.rtcp_mux),
      hold_(spec.hold),
      max_streams_(max_streams),
      local_(local),
      learner_({.authenticated = secure(), .rtcp_mux = spec.rtcp_mux}, spec.learning,
               spec.learning_window),
      payload_types_(std::move(spec.payload_types)),
      header_extensions_(std::move(spec.header_extensions)),
      remote_streams_(std::move(spec.remote_streams)),
      clocks_(payload_types_),
      interceptor_config_(spec.interceptors),
      chains_(chains),
      packet_log_(spec.packet_log),
      received_streams_(max_streams, StreamDirection::kReceived),
      sent_streams_(max_streams, StreamDirection::kSent) {
  SetRemoteSsrcs(std::move(spec.remote_ssrcs));
}

absl::StatusOr<Leg> Leg::Create(Timestamp now, LegSpec spec, const LocalTransport& local,
                                size_t max_streams, CryptoEngine& engine,
                                const ChainEnvironment& chains) {
  if (absl::Status status = CheckSpec(spec, local); !status.ok()) {
    return status;
  }
  const absl::StatusOr<InterceptorOptions> interceptors =
      ResolveInterceptors(spec.interceptors, spec.payload_types, spec.header_extensions);
  if (!interceptors.ok()) {
    return interceptors.status();
  }
  std::optional<SendKeys> send;
  std::optional<ReceiveKeys> receive;
  if (spec.kind == LegKind::kSrtp) {
    absl::StatusOr<SendKeys> keys = SendKeys::Create(*std::move(spec.local_key), spec.local_mki,
                                                     spec.local_options, max_streams, engine);
    if (!keys.ok()) {
      return keys.status();
    }
    send = *std::move(keys);
    receive.emplace(spec.remote_options, max_streams, engine);
    // The first key comes as all others do.
    LegUpdate first;
    first.remote_key = std::move(spec.remote_key);
    first.remote_mki = spec.remote_mki;
    absl::StatusOr<ReceiveKeys::Plan> plan = receive->PlanUpdate(first, {}, spec.id);
    if (!plan.ok()) {
      return plan.status();
    }
    receive->Apply(now, *std::move(plan), first);
  }
  const std::optional<RemoteTransport> remote = spec.remote;
  Leg leg(std::move(spec), local, max_streams, chains);
  leg.interceptors_ = *interceptors;
  auto chain = LegChain::Create(*interceptors, leg.media(), leg.secure(), leg.packet_log_, chains);
  if (!chain.ok()) {
    return chain.status();
  }
  leg.chain_ = *std::move(chain);
  leg.learner_.Signal(now, remote, std::nullopt, std::nullopt);
  leg.send_ = std::move(send);
  leg.receive_ = std::move(receive);
  return leg;
}

absl::Status Leg::Update(Timestamp now, LegUpdate update) {
  if (absl::Status status = CheckUpdate(update); !status.ok()) {
    return status;
  }
  const absl::StatusOr<InterceptorOptions> interceptors = InterceptorsAfter(update);
  if (!interceptors.ok()) {
    return interceptors.status();
  }
  if (secure()) {
    const EndpointMove move = MoveOf(update);
    absl::StatusOr<ReceiveKeys::Plan> receive = receive_->PlanUpdate(update, move, id_);
    if (!receive.ok()) {
      return receive.status();
    }
    absl::StatusOr<SendKeys::Plan> send = send_->PlanUpdate(update, move, id_);
    if (!send.ok()) {
      return send.status();
    }
    receive_->Apply(now, *std::move(receive), update);
    send_->Apply(*std::move(send), move, update);
  }
  // Nothing fails from here on.
  if (update.remote.has_value() || update.learning.has_value() ||
      update.learning_window.has_value()) {
    learner_.Signal(now, update.remote, update.learning, update.learning_window);
  }
  if (UpdateMedia(update, *interceptors)) {
    if (chain_ != nullptr) {
      chain_->ReleasePacketLog();
    }
    // All that Create can refuse was refused above.
    chain_ =
        LegChain::Create(interceptors_, media(), secure(), packet_log_, chains_).value_or(nullptr);
  }
  if (update.remote_ssrcs.has_value()) {
    SetRemoteSsrcs(*std::move(update.remote_ssrcs));
  }
  hold_ = update.hold.value_or(hold_);
  return absl::OkStatus();
}

absl::StatusOr<InterceptorOptions> Leg::InterceptorsAfter(const LegUpdate& update) const {
  InterceptorConfig config = update.interceptors.value_or(interceptor_config_);
  const bool logs = packet_log_ != nullptr;
  if (config.packet_log.value_or(logs) != logs) {
    return InvalidField("config.interceptors.packet_log",
                        "is fixed for the leg's life; remove the leg and add another");
  }
  config.packet_log = logs;
  return ResolveInterceptors(
      config, update.payload_types.has_value() ? *update.payload_types : payload_types_,
      update.header_extensions.has_value() ? *update.header_extensions : header_extensions_);
}

bool Leg::UpdateMedia(LegUpdate& update, const InterceptorOptions& options) {
  const bool changed = options != interceptors_ || update.payload_types.has_value() ||
                       update.header_extensions.has_value() || update.remote_streams.has_value();
  if (update.payload_types.has_value()) {
    payload_types_ = *std::move(update.payload_types);
    clocks_ = PayloadClocks(payload_types_);
  }
  if (update.header_extensions.has_value()) {
    header_extensions_ = *std::move(update.header_extensions);
  }
  if (update.remote_streams.has_value()) {
    remote_streams_ = *std::move(update.remote_streams);
  }
  interceptor_config_ = update.interceptors.value_or(interceptor_config_);
  interceptors_ = options;
  return changed;
}

absl::Status Leg::CheckUpdate(const LegUpdate& update) const {
  const struct {
    bool given;
    absl::string_view field;
  } kKeyChanges[] = {
      {update.remote_key.has_value(), kRemoteKeyField},
      {!update.retire_remote_keys.empty(), "retire_remote_mkis"},
      {update.remote_options.has_value(), "config.remote_options"},
      {update.prepare_local_key.has_value() || update.activate_local_key || update.retire_local_key,
       "local_key_change"},
      {update.local_options.has_value(), "config.local_options"},
  };
  for (const auto& change : kKeyChanges) {
    if (!secure() && change.given) {
      return InvalidField(change.field, "only SRTP legs have keys");
    }
  }
  return update.remote.has_value() ? CheckFamilies(*update.remote, local_.rtp.ip.family())
                                   : absl::OkStatus();
}

EndpointMove Leg::MoveOf(const LegUpdate& update) const {
  EndpointMove move;
  move.before = learner_.signalled().has_value() ? learner_.signalled()->rtp : learner_.rtp();
  move.after = move.before;
  // Signalling that catches up with what was learned moves nobody.
  if (update.remote.has_value() && update.remote->rtp != learner_.rtp()) {
    move.after = update.remote->rtp;
  }
  return move;
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
         std::binary_search(remote_ssrcs_.begin(), remote_ssrcs_.end(), ssrc.value()) ||
         std::any_of(remote_streams_.begin(), remote_streams_.end(), [=](const StreamGroup& group) {
           return group.ssrc == ssrc || group.retransmission_ssrc == ssrc ||
                  group.repair_ssrc == ssrc;
         });
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
    } else if (receive_->receiver() == nullptr) {
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

Timestamp Leg::NextTimeout() const {
  return std::min(receive_.has_value() ? receive_->NextTimeout() : Timestamp::PlusInfinity(),
                  chain_ != nullptr ? chain_->NextTimeout() : Timestamp::PlusInfinity());
}

void Leg::HandleTimeout(Timestamp now) {
  if (receive_.has_value()) {
    receive_->HandleTimeout(now);
  }
}

size_t Leg::ExtraBytes() const {
  return secure() ? ExtraSrtpBytes(send_->options(), receive_->options(), max_streams_,
                                   send_->live_keys() + receive_->live_keys())
                  : 0;
}

size_t Leg::ExtraBytesAfter(const LegUpdate& update) const {
  if (!secure()) {
    return 0;
  }
  return ExtraSrtpBytes(
      update.local_options.has_value() ? *update.local_options : send_->options(),
      update.remote_options.has_value() ? *update.remote_options : receive_->options(),
      max_streams_, send_->LiveKeysAfter(update) + receive_->LiveKeysAfter(update));
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
  if (secure()) {
    snapshot.local_suite = send_->sending_key().suite().id;
    snapshot.local_options = send_->options();
    snapshot.local_keys = send_->States();
    snapshot.remote_options = receive_->options();
    snapshot.remote_keys = receive_->States();
    if (receive_->newest_key() != nullptr) {
      snapshot.remote_suite = receive_->newest_key()->suite().id;
    }
  }
  snapshot.hold = hold_;
  snapshot.payload_types = payload_types_;
  snapshot.header_extensions = header_extensions_;
  snapshot.remote_streams = remote_streams_;
  snapshot.interceptor_config = interceptor_config_;
  snapshot.interceptors = interceptors_;
  snapshot.packets_received = packets_received_;
  snapshot.bytes_received = bytes_received_;
  snapshot.packets_sent = packets_sent_;
  snapshot.bytes_sent = bytes_sent_;
  snapshot.verdicts = verdicts_.counts();
  snapshot.last_reject = last_reject_;
  snapshot.streams.reserve(received_streams_.size() + sent_streams_.size());
  received_streams_.AppendTo(snapshot.streams);
  sent_streams_.AppendTo(snapshot.streams);
  if (chain_ != nullptr) {
    chain_->AddTo(snapshot);
    for (StreamSnapshot& stream : snapshot.streams) {
      stream.feedback = chain_->StreamFeedback(stream.ssrc, stream.direction);
    }
  }
  return snapshot;
}

}  // namespace sluice
