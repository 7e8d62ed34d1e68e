#ifndef GATEWAY_SESSION_TESTING_SESSION_HARNESS_H_
#define GATEWAY_SESSION_TESTING_SESSION_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/fake_clock.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/srtp_options.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gateway/session/received_datagram.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_table.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"

namespace sluice {

using Bytes = std::vector<uint8_t>;

// 192.0.2.`host`, which is for documentation (RFC 5737).
TransportAddress TestAddress(uint8_t host, uint16_t port);

// A packet that the table wants sent.
struct SentPacket {
  SocketHandle socket;
  TransportAddress destination;
  LegHandle leg;
  Bytes bytes;
};

struct TestPeerOptions {
  // Its address is TestAddress(host, 5004), RTCP one port above or, with mux, the same.
  uint8_t host = 1;
  // SRTP: what the peer protects with; nullopt: plain RTP.
  std::optional<SuiteId> suite = std::nullopt;
  // What the gateway protects with; nullopt: the same.
  std::optional<SuiteId> gateway_suite = std::nullopt;
  bool rtcp_mux = false;
  AddressLearning learning = AddressLearning::kStrict;
  // Whether signalling tells where the peer is.
  bool signalled = true;
  uint16_t first_sequence = 1;
  // Of what the peer protects, and of what the gateway does.
  SrtpOptions peer_options = {};
  SrtpOptions gateway_options = {};
  // MKI of the first key of each direction; of no bytes: packets carry none.
  Mki mki = {};
  // Empty: payload type 96, 8 kHz.
  std::vector<PayloadDescription> payload_types = {};
  std::vector<HeaderExtension> header_extensions = {};
  InterceptorConfig interceptors = {};
};

// One endpoint of a call, with its own keys, engine and SRTP contexts: what the gateway sends is
// opened by somebody who shares nothing with it but the keys that signalling carries.
class TestPeer {
 public:
  explicit TestPeer(const TestPeerOptions& options);

  // What a controller would ask of the gateway for this peer.
  LegSpec Spec(absl::string_view leg_id) const;
  // Sockets of a leg for this peer, as a worker would have them.
  LocalTransport Local() const;
  RemoteTransport Remote() const;

  // The next packet of the peer, 20 ms after the one before, protected if the peer is.
  Bytes NextRtp();
  Bytes NextRtcp();
  // The plain bytes of the packet made last.
  const Bytes& last_plain() const { return last_plain_; }
  // Protects any plain packet.
  Bytes Protected(const Bytes& plain, PacketKind kind);

  // What the peer makes of a packet of the gateway: the plain bytes, or nullopt if it does not
  // open.
  std::optional<Bytes> Open(absl::Span<const uint8_t> bytes, PacketKind kind);

  // The peer protects with a new key from now on: in the same contexts, or in new ones.
  MasterKey Rekey(bool new_context = false);
  // With MKIs: the peer protects with a new key of that name from now on.
  MasterKey AddKey(const Mki& mki);
  // The peer opens with a new key from now on.
  void InstallGatewayKey(const MasterKey& key, bool new_context = false);

  bool secure() const { return key_.has_value(); }
  uint32_t ssrc() const { return ssrc_; }
  void set_ssrc(uint32_t ssrc) { ssrc_ = ssrc; }
  uint16_t next_sequence() const { return sequence_; }
  // Sequence numbers left out are packets lost on the way to the gateway.
  void Skip(uint16_t packets) { sequence_ = static_cast<uint16_t>(sequence_ + packets); }

  // Where it sends from.
  TransportAddress rtp;
  TransportAddress rtcp;

 private:
  const TestPeerOptions options_;
  SeededRandom random_;
  PacketArena arena_;
  BoringSslEngine engine_;
  std::optional<MasterKey> key_;
  std::optional<MasterKey> gateway_key_;
  std::unique_ptr<SrtpSender> MakeSender();
  std::unique_ptr<SrtpReceiver> MakeReceiver();

  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;
  Bytes last_plain_;
  uint32_t ssrc_;
  uint16_t sequence_;
  uint32_t timestamp_ = 0;
};

// A SessionTable with everything a worker gives it, in virtual time.
class SessionHarness {
 public:
  struct Options {
    SessionTableLimits limits = {.sessions = 8,
                                 .legs = 16,
                                 .legs_per_session = 4,
                                 .streams_per_leg = 8,
                                 .receive_batch = 32,
                                 .destinations_per_leg = 3,
                                 .interceptor_bytes = 16 * 1024 * 1024,
                                 .held_packets = 2048};
    size_t packet_slots = 128;
    size_t outbox_packets = 64;
    size_t outbox_events = 64;
    size_t outbox_ended = 8;
    // One that the machine can use.
    EngineKind engine = EngineKind::kBoringSsl;
  };
  SessionHarness() : SessionHarness(Options()) {}
  explicit SessionHarness(const Options& options);

  void CreateSession(absl::string_view id, const SessionTimeouts& timeouts = {});
  // Adds a leg for the peer to the session, which must succeed.
  LegHandle AddLeg(absl::string_view session, absl::string_view leg, const TestPeer& peer);
  LegSnapshot Leg(absl::string_view session, absl::string_view leg);

  // Puts a datagram into the next batch.
  void Queue(LegHandle leg, Component component, const TransportAddress& source,
             absl::Span<const uint8_t> bytes, bool truncated = false);
  // Hands the batch over.
  void Deliver();
  // One datagram, alone in its batch.
  void Receive(LegHandle leg, Component component, const TransportAddress& source,
               absl::Span<const uint8_t> bytes);
  // The peer's next packet, from where the peer is.
  void ReceiveRtp(LegHandle leg, TestPeer& peer);
  void ReceiveRtcp(LegHandle leg, TestPeer& peer);

  // What the table wanted sent since the last call. The table is told that the kernel took it.
  std::vector<SentPacket> TakeSent();
  std::vector<SessionEvent> TakeEvents();
  std::vector<std::unique_ptr<EndedSession>> TakeEnded();

  // Moves time, calling HandleTimeout whenever the table asked for it, as a worker would.
  void Advance(TimeDelta step);
  Timestamp now() const { return clock_.now(); }

  PacketArena& arena() { return arena_; }
  SessionTable& table() { return table_; }
  Outbox& outbox() { return outbox_; }

 private:
  FakeClock clock_;
  PacketArena arena_;
  const std::unique_ptr<CryptoEngine> engine_;
  // The same in every run.
  SeededRandom random_{1};
  SessionTable table_;
  Outbox outbox_;
  std::vector<ReceivedDatagram> batch_;
};

// Received verdicts of a leg, added up; equals packets_received when none was lost.
uint64_t ReceivedVerdicts(const LegSnapshot& leg);
// Sent verdicts of a leg, added up.
uint64_t SentVerdicts(const LegSnapshot& leg);
uint64_t VerdictCount(const LegSnapshot& leg, PacketVerdict verdict);

}  // namespace sluice

#endif  // GATEWAY_SESSION_TESTING_SESSION_HARNESS_H_
