#ifndef GATEWAY_GATEWAY_H_
#define GATEWAY_GATEWAY_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/net/transport_address.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

inline constexpr absl::string_view kGatewayVersion = "0.1.0";

// One gateway: its media ports, workers and control server, from start to stop.
class Gateway {
 public:
  // Starts everything and serves, or says in one sentence why not; then nothing is left running.
  static absl::StatusOr<std::unique_ptr<Gateway>> Create(const Config& config);
  // Stop without patience.
  ~Gateway();

  // Where controllers find it, with the port that was bound.
  const TransportAddress& control_address() const;
  // Where participants find it, over gRPC and over QUIC; nullopt when they cannot call so.
  std::optional<TransportAddress> signalling_address() const;
  std::optional<TransportAddress> quic_address() const;
  // That of all workers, chosen at start.
  EngineKind crypto_engine() const;

  // Takes a renewed certificate of QUIC into use: when its files changed, or in any case. Those of
  // the gRPC ports stay what they were at start. One thread at a time, that of Stop.
  void CheckCertificates();
  void ReloadCertificates();

  // Says it is not ready, ends event streams, waits for calls under way for at most `patience`,
  // then ends all sessions and stops the workers. Any number of times, one thread at a time.
  void Stop(absl::Duration patience);

 private:
  struct Parts;
  explicit Gateway(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice

#endif  // GATEWAY_GATEWAY_H_
