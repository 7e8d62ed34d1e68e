#ifndef GATEWAY_LEG_ADDRESS_LEARNER_H_
#define GATEWAY_LEG_ADDRESS_LEARNER_H_

#include <cstdint>
#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "srtp/packet_kind.h"

namespace sluice {

// RTP packets in a row from one new address that move the destination of an SRTP leg there. One
// could be an old packet that was held back on the way and sent on from elsewhere; five in a row
// means that the peer's own do not come from where they came before.
inline constexpr int kPacketsToMove = 5;

// Where a leg's RTP destination was, and where it is now.
struct AddressChange {
  // nullopt: it was not known.
  std::optional<TransportAddress> before;
  TransportAddress after;
};

// Where one leg sends to and from where it accepts packets: signalled addresses, and what packets
// taught on top. The rules, against RTP bleed and RTP inject:
//
//  - STRICT: packets come from the signalled address or are not looked at. Nothing is learned. An
//    SRTP leg without a signalled address takes what authenticates, but has nowhere to send to.
//  - SRTP, LEARN: what authenticates is taken from anywhere, at any time. Inside the window the RTP
//    destination moves after kPacketsToMove RTP packets in a row from one other address.
//  - Plain, LEARN: inside the window the first RTP packet locks the address for good. Where an
//    address is signalled only its IP may do so, from any port. Packets from elsewhere are not
//    looked at, and once the window is over nothing is learned any more.
//  - RTCP never teaches the RTP address. Without rtcp-mux the RTCP destination follows the RTP one,
//    one port above it, until the first accepted RTCP packet of the window from the same IP teaches
//    it. One is enough: RTCP comes every five seconds (RFC 3550 section 6.2), so that more would
//    not fit into a window, and it cannot name a host that RTP did not.
//
// The window opens when the address, the mode or the window's length is signalled. The caller tells
// of a packet only when it was accepted: authenticated on an SRTP leg. No memory is allocated.
class AddressLearner {
 public:
  struct Options {
    // The leg authenticates what it accepts.
    bool authenticated = false;
    bool rtcp_mux = false;
  };

  AddressLearner(const Options& options, AddressLearning learning, TimeDelta window)
      : options_(options), learning_(learning), window_(window) {}

  // Signalling. What is nullopt stays; a destination that was learned stays unless `remote` is
  // given or learning ends. Opens the window.
  void Signal(Timestamp now, const std::optional<RemoteTransport>& remote,
              const std::optional<AddressLearning>& learning,
              const std::optional<TimeDelta>& window);

  // Whether a packet from `source` may be looked at. With rtcp-mux `component` is kRtp for both
  // kinds. Changes nothing.
  bool Expects(Timestamp now, Component component, PacketKind kind,
               const TransportAddress& source) const;

  // To be told of each accepted packet, which was expected. The answer is set when the RTP
  // destination changed.
  std::optional<AddressChange> OnAccepted(Timestamp now, Component component, PacketKind kind,
                                          const TransportAddress& source);

  // Where to send. nullopt: not known. Equal with rtcp-mux.
  const std::optional<TransportAddress>& rtp() const { return rtp_; }
  const std::optional<TransportAddress>& rtcp() const { return rtcp_; }
  // `rtp` comes from packets.
  bool learned() const { return learned_; }
  AddressLearning learning() const { return learning_; }
  // As signalled last.
  const std::optional<RemoteTransport>& signalled() const { return signalled_; }

 private:
  bool InWindow(Timestamp now) const {
    return learning_ == AddressLearning::kLearn && now < window_end_;
  }
  void ForgetLearned();
  bool PlainExpects(Timestamp now, Component component, PacketKind kind,
                    const TransportAddress& source) const;
  void LearnRtcp(const TransportAddress& source);
  AddressChange MoveRtp(const TransportAddress& source);

  Options options_;
  AddressLearning learning_;
  TimeDelta window_;
  Timestamp window_end_ = Timestamp::MinusInfinity();
  std::optional<RemoteTransport> signalled_;

  std::optional<TransportAddress> rtp_;
  std::optional<TransportAddress> rtcp_;
  // Where packets are expected from: where `rtp_` and `rtcp_` are, unless signalled otherwise.
  std::optional<TransportAddress> rtp_source_;
  std::optional<TransportAddress> rtcp_source_;
  bool learned_ = false;
  bool rtcp_learned_ = false;
  // Plain: a packet has settled the address.
  bool locked_ = false;
  // SRTP: who may be the next destination, and how many packets in a row came from there.
  TransportAddress candidate_;
  int candidate_packets_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_ADDRESS_LEARNER_H_
