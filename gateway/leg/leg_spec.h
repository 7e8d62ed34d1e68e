#ifndef GATEWAY_LEG_LEG_SPEC_H_
#define GATEWAY_LEG_LEG_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/slot_map.h"
#include "base/time_delta.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/srtp_options.h"
#include "gateway/net/transport_address.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/rtp_types.h"

namespace sluice {

// A leg of one worker; stale after its removal.
using LegHandle = SlotHandle<struct LegTag>;
// A UDP socket of one worker. The core only passes it through.
using SocketHandle = SlotHandle<struct SocketTag>;

enum class LegKind : uint8_t { kRtp, kSrtp };

// Which of a leg's two ports; with rtcp-mux there is only kRtp (RFC 8445 section 4 calls it
// component).
enum class Component : uint8_t { kRtp, kRtcp };

enum class AddressLearning : uint8_t { kStrict, kLearn };

// Where the peer receives and where it sends from.
struct RemoteTransport {
  TransportAddress rtp;
  // Equals `rtp` with rtcp-mux.
  TransportAddress rtcp;
  // Where packets must come from; nullopt: from `rtp` and `rtcp`.
  std::optional<TransportAddress> source_rtp;
  std::optional<TransportAddress> source_rtcp;

  friend bool operator==(const RemoteTransport&, const RemoteTransport&) = default;
};

// The leg's own sockets, bound before the leg exists.
struct LocalTransport {
  SocketHandle rtp_socket;
  // Equals rtp_socket with rtcp-mux.
  SocketHandle rtcp_socket;
  TransportAddress rtp;
  TransportAddress rtcp;
};

// Everything a leg is made from, validated by the control room: keys have the suite's size, payload
// types and SSRCs are in range.
struct LegSpec {
  std::string id;
  LegKind kind = LegKind::kRtp;
  bool rtcp_mux = false;
  std::optional<RemoteTransport> remote;
  AddressLearning learning = AddressLearning::kStrict;
  TimeDelta learning_window = TimeDelta::Seconds(10);
  // SRTP: what we protect with; always set for kSrtp.
  std::optional<MasterKey> local_key;
  // Of no bytes: packets of that direction carry none.
  Mki local_mki;
  SrtpOptions local_options;
  // SRTP: what the peer protects with; nullopt: not signalled yet.
  std::optional<MasterKey> remote_key;
  Mki remote_mki;
  SrtpOptions remote_options;
  std::vector<PayloadDescription> payload_types;
  std::vector<Ssrc> remote_ssrcs;
  std::vector<HeaderExtension> header_extensions;
  std::vector<StreamGroup> remote_streams;
  InterceptorConfig interceptors;
  // Where the packet log goes; set where `interceptors` ask for one. Outlives the leg.
  PacketLogRing* packet_log = nullptr;
  bool hold = false;
};

// Changes to a live leg; what is nullopt stays.
struct LegUpdate {
  std::optional<RemoteTransport> remote;
  std::optional<AddressLearning> learning;
  std::optional<TimeDelta> learning_window;
  // With an MKI: beside the keys that are there. Without: instead of the one that is there.
  std::optional<MasterKey> remote_key;
  Mki remote_mki;
  std::vector<Mki> retire_remote_keys;
  std::optional<SrtpOptions> remote_options;
  std::optional<std::vector<PayloadDescription>> payload_types;
  std::optional<std::vector<Ssrc>> remote_ssrcs;
  // Where one of these or the payload types changes what interceptors do, they begin anew.
  std::optional<std::vector<HeaderExtension>> header_extensions;
  std::optional<std::vector<StreamGroup>> remote_streams;
  // A packet log stays as it is.
  std::optional<InterceptorConfig> interceptors;
  std::optional<bool> hold;
  // A new key to send with, kept ready until `activate_local_key`.
  std::optional<MasterKey> prepare_local_key;
  bool activate_local_key = false;
  // Wipes one that is not sent with; only with MKIs.
  bool retire_local_key = false;
  // Of the key that is prepared, activated or retired.
  Mki local_mki;
  std::optional<SrtpOptions> local_options;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_LEG_SPEC_H_
