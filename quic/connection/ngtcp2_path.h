#ifndef QUIC_CONNECTION_NGTCP2_PATH_H_
#define QUIC_CONNECTION_NGTCP2_PATH_H_

#include <ngtcp2/ngtcp2.h>

#include "quic/connection/udp_path.h"

namespace sluice {

// A path as ngtcp2 takes it. It points into itself, so it stays where it is.
class Ngtcp2Path {
 public:
  explicit Ngtcp2Path(const UdpPath& path);
  Ngtcp2Path(const Ngtcp2Path&) = delete;
  Ngtcp2Path& operator=(const Ngtcp2Path&) = delete;

  const ngtcp2_path& get() const { return path_; }

 private:
  ngtcp2_sockaddr_union local_ = {};
  ngtcp2_sockaddr_union remote_ = {};
  ngtcp2_path path_ = {};
};

// Back. An address that is neither IPv4 nor IPv6 is 0.0.0.0:0.
UdpPath FromNgtcp2(const ngtcp2_path& path);

}  // namespace sluice

#endif  // QUIC_CONNECTION_NGTCP2_PATH_H_
