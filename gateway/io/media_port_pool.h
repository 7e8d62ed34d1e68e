#ifndef GATEWAY_IO_MEDIA_PORT_POOL_H_
#define GATEWAY_IO_MEDIA_PORT_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "gateway/io/udp_socket.h"
#include "gateway/net/transport_address.h"

namespace sluice {

struct MediaPortPoolOptions {
  // Inclusive, in host order; at least one even/odd pair must fit.
  uint16_t first_port = 0;
  uint16_t last_port = 0;
  // Addresses to bind; nullopt: that family is not offered.
  std::optional<IpAddress> ipv4;
  std::optional<IpAddress> ipv6;
  // What legs are told, if it is not what is bound (NAT); nullopt: the bound address.
  std::optional<IpAddress> advertised_ipv4;
  std::optional<IpAddress> advertised_ipv6;
};

// The sockets of one leg and the ports they hold; returns both when destroyed, on any thread.
class MediaSockets {
 public:
  MediaSockets(MediaSockets&&) noexcept;
  MediaSockets& operator=(MediaSockets&&) noexcept;
  ~MediaSockets();

  UdpSocket& rtp();
  // nullptr with rtcp-mux.
  UdpSocket* rtcp();
  // As told to the peer.
  TransportAddress advertised_rtp() const;
  TransportAddress advertised_rtcp() const;

 private:
  friend class MediaPortPool;
  struct State;
  explicit MediaSockets(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The gateway's media ports. An RTP port is even and its RTCP port the odd one above it (RFC 3550
// section 11); with rtcp-mux any even port is taken alone with its odd neighbour left unused.
// Ports are given out round robin, so that one just freed rests as long as possible and late
// packets of an old call do not reach a new one. Thread-safe without locks.
class MediaPortPool {
 public:
  // InvalidArgument naming what is wrong with the options.
  static absl::StatusOr<std::unique_ptr<MediaPortPool>> Create(const MediaPortPoolOptions& options);
  ~MediaPortPool();

  // Binds non-blocking sockets. ResourceExhausted ("media_ports") when no pair is free; pairs that
  // another process holds are passed over. FailedPrecondition when the family is not offered.
  absl::StatusOr<MediaSockets> Bind(IpFamily family, bool rtcp_mux);

  // In pairs, both families together.
  size_t capacity() const;
  size_t used() const;
  uint64_t refused() const;

 private:
  friend class MediaSockets;
  struct State;
  explicit MediaPortPool(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_MEDIA_PORT_POOL_H_
