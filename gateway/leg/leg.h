#ifndef GATEWAY_LEG_LEG_H_
#define GATEWAY_LEG_LEG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/leg/address_learner.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/key_change.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_chain.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/leg_streams.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/payload_clocks.h"
#include "gateway/leg/receive_keys.h"
#include "gateway/leg/rtp_summary.h"
#include "gateway/leg/send_keys.h"
#include "gateway/net/transport_address.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/verdict.h"

namespace sluice {

// One peer's transport: what is checked of a datagram before and after decryption, where packets
// for the peer go, its keys and its statistics. Knows nothing of other legs. Bytes that are not
// accepted change nothing but counters; no call of the packet path allocates.
//
// A received datagram takes this way, and every step gives a verdict or goes on:
//   Admit -> (SRTP: Unprotect with receiver()) -> Accept -> the caller forwards -> Conclude
class Leg {
 public:
  // InvalidArgument naming the field when `spec` contradicts itself or `local`. SSRCs are counted
  // and kept for `max_streams` in each direction, 1..1024. `engine` and what `chains` points to
  // outlive the leg.
  static absl::StatusOr<Leg> Create(Timestamp now, LegSpec spec, const LocalTransport& local,
                                    size_t max_streams, CryptoEngine& engine,
                                    const ChainEnvironment& chains);

  Leg(Leg&&) = default;
  Leg& operator=(Leg&&) = default;

  // All or nothing. InvalidArgument naming the field; ResourceExhausted ("keys_per_direction");
  // FailedPrecondition ("NO_PREPARED_KEY", "KEY_IN_USE", "OPTIONS_IN_USE").
  absl::Status Update(Timestamp now, LegUpdate update);

  // What is known of a datagram before its tag is checked.
  struct Admission {
    PacketKind kind = PacketKind::kRtp;
    // Set: the datagram goes no further.
    std::optional<PacketVerdict> reject;
  };
  // Counts the datagram as received and judges all that needs no key: size, class, port, header
  // and, on SRTP legs, where it comes from.
  Admission Admit(Timestamp now, Component component, const TransportAddress& source,
                  absl::Span<const uint8_t> datagram, bool truncated);

  // What an accepted packet brought about.
  struct Acceptance {
    // The packet is genuine: the peer is there.
    bool accepted = false;
    // Set: not to be forwarded.
    std::optional<PacketVerdict> reject;
    // RTP only.
    RtpSummary rtp;
    bool media_started = false;
    bool stream_added = false;
    std::optional<AddressChange> address_change;
  };
  // The rest of the judgement, on the plain bytes of a datagram that Admit let pass. Counts the
  // stream and learns the address. A packet of a leg on hold is accepted and rejected: it is
  // counted and shows that the peer lives, but nobody gets it.
  Acceptance Accept(Timestamp now, Component component, PacketKind kind,
                    const TransportAddress& source, absl::Span<const uint8_t> packet);

  // Counts what became of a packet. Exactly one verdict for each received datagram, and one for
  // each that was on its way out to the peer.
  void Conclude(PacketVerdict verdict);

  struct Destination {
    SocketHandle socket;
    TransportAddress address;
  };
  // Where packets for the peer go. nullopt: on hold, or not known.
  std::optional<Destination> DestinationFor(PacketKind kind) const;
  // Counts a packet's stream, handed to the outbox.
  void CountSent(Timestamp now, const RtpSummary& rtp);
  // Counts how the kernel took a packet.
  void CountSendResult(bool sent, size_t bytes);

  // Does what is due: wipes a key whose time is over. The chain's timeouts are the caller's, since
  // packets come of them.
  void HandleTimeout(Timestamp now);
  // Of the chain, too.
  Timestamp NextTimeout() const;

  // Bytes that the leg takes beyond what every leg may, and the most that it would after an update:
  // wider replay windows, more keys.
  size_t ExtraBytes() const;
  size_t ExtraBytesAfter(const LegUpdate& update) const;

  // Which interceptors the leg has, and would have after an update: InvalidArgument as in
  // ResolveInterceptors.
  const InterceptorOptions& interceptors() const { return interceptors_; }
  absl::StatusOr<InterceptorOptions> InterceptorsAfter(const LegUpdate& update) const;
  // Null: packets pass. Stays the same until an update changes what it does.
  LegChain* chain() { return chain_.get(); }
  bool terminates_rtcp() const { return interceptors_.rtcp == RtcpHandling::kTerminate; }

  const std::string& id() const { return id_; }
  const LocalTransport& local() const { return local_; }
  bool rtcp_mux() const { return rtcp_mux_; }
  bool hold() const { return hold_; }
  bool secure() const { return kind_ == LegKind::kSrtp; }
  // Null on plain legs, and on SRTP legs without a remote key.
  SrtpReceiver* receiver() { return receive_.has_value() ? receive_->receiver() : nullptr; }
  // Null on plain legs only.
  SrtpSender* sender() { return send_.has_value() ? &send_->sender() : nullptr; }
  // Of SRTP legs, to be asked when a batch is done, with what became of each packet: a limit of a
  // key's lifetime that was reached and not told before.
  std::optional<KeyLimit> TakeKeyLimit(UnprotectVerdict verdict) {
    return receive_->TakeLimit(verdict);
  }
  std::optional<KeyLimit> TakeKeyLimit(ProtectVerdict verdict) { return send_->TakeLimit(verdict); }
  LegSnapshot Snapshot() const;

 private:
  Leg(LegSpec spec, const LocalTransport& local, size_t max_streams,
      const ChainEnvironment& chains);

  absl::Status CheckUpdate(const LegUpdate& update) const;
  LegChain::Media media() const { return {payload_types_, header_extensions_, remote_streams_}; }
  // What an update leaves of the media description, and whether it changed what interceptors do.
  bool UpdateMedia(LegUpdate& update, const InterceptorOptions& options);
  // Whether the update's address is that of another endpoint.
  EndpointMove MoveOf(const LegUpdate& update) const;
  void SetRemoteSsrcs(std::vector<Ssrc> ssrcs);
  bool ExpectsSsrc(Ssrc ssrc) const;
  std::optional<PacketVerdict> AcceptRtp(Timestamp now, const RtpSummary& rtp,
                                         Acceptance& acceptance);

  std::string id_;
  LegKind kind_;
  bool rtcp_mux_;
  bool hold_;
  bool media_started_ = false;
  size_t max_streams_;
  LocalTransport local_;
  AddressLearner learner_;

  // SRTP legs.
  std::optional<SendKeys> send_;
  std::optional<ReceiveKeys> receive_;

  std::vector<PayloadDescription> payload_types_;
  std::vector<HeaderExtension> header_extensions_;
  std::vector<StreamGroup> remote_streams_;
  PayloadClocks clocks_;
  InterceptorConfig interceptor_config_;
  InterceptorOptions interceptors_;
  ChainEnvironment chains_;
  PacketLogRing* packet_log_;
  std::unique_ptr<LegChain> chain_;
  // Sorted. Empty: any.
  std::vector<uint32_t> remote_ssrcs_;

  LegStreams received_streams_;
  LegStreams sent_streams_;
  VerdictCounters verdicts_;
  std::optional<PacketVerdict> last_reject_;
  uint64_t packets_received_ = 0;
  uint64_t bytes_received_ = 0;
  uint64_t packets_sent_ = 0;
  uint64_t bytes_sent_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_LEG_H_
