#ifndef GATEWAY_CONFIG_CONFIG_H_
#define GATEWAY_CONFIG_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "gateway/config/limits.h"
#include "gateway/net/transport_address.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {

// PEM files of the control port.
struct TlsFiles {
  std::string certificate;
  std::string private_key;
  // Who signs the certificates of controllers.
  std::string client_ca;

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

// The port of participants.
struct SignallingConfig {
  TransportAddress listen;
  // PEM files; both empty: no TLS.
  std::string certificate;
  std::string private_key;

  friend bool operator==(const SignallingConfig&, const SignallingConfig&) = default;
};

// The port of participants who come over QUIC, which is never without TLS.
struct QuicConfig {
  TransportAddress listen;
  // PEM files.
  std::string certificate;
  std::string private_key;
  // What tokens of stateless resets follow from (gateway/quic/reset_secret.h); empty: random at
  // start.
  std::string secret_file;
  // Where keys of connections are written; empty: nowhere.
  std::string key_log_file;
  // Whether all clients must show that they have their address, not only while many come.
  bool always_retry = false;
  // Origins of web pages that may call.
  std::vector<std::string> allow_origins;
  // Whether clients that come back may send calls with their first packet, of which those are made
  // that may happen twice.
  bool early_data = false;

  friend bool operator==(const QuicConfig&, const QuicConfig&) = default;
};

// Each request that names an origin is compared with all of them.
inline constexpr size_t kMaxAllowedOrigins = 64;

// Where media is received. Bound and told addresses are of the right family.
struct MediaConfig {
  // Inclusive.
  uint16_t first_port = 30000;
  uint16_t last_port = 39999;
  // nullopt: the family is not offered.
  std::optional<IpAddress> ipv4;
  std::optional<IpAddress> ipv6;
  // nullopt: what is bound.
  std::optional<IpAddress> advertised_ipv4;
  std::optional<IpAddress> advertised_ipv6;
  // Where packet logs go; empty: nowhere.
  std::string packet_log_folder;

  // Even/odd pairs in the range, of one family.
  size_t PortPairs() const;
  // Of all families that are offered.
  size_t AllPortPairs() const;
};

// Longest timeouts that a session may ask for; the shortest is 1 s
// (proto/gateway/v1/session.proto).
inline constexpr TimeDelta kMinSessionTimeout = TimeDelta::Seconds(1);
inline constexpr TimeDelta kMaxIdleTimeout = TimeDelta::Seconds(24 * 3600);
inline constexpr TimeDelta kMaxOfferTimeout = TimeDelta::Seconds(3600);
inline constexpr TimeDelta kMaxAbsoluteTimeout = TimeDelta::Seconds(7 * 24 * 3600);
inline constexpr TimeDelta kMaxHoldTimeout = TimeDelta::Seconds(24 * 3600);

// What sessions get that do not say.
struct TimeoutDefaults {
  TimeDelta idle = TimeDelta::Seconds(60);
  TimeDelta offer = TimeDelta::Seconds(300);
  TimeDelta absolute = TimeDelta::Seconds(86400);
  TimeDelta hold = TimeDelta::Seconds(3600);
};

// A packet batch is processed by one thread per worker; more workers than this on one machine are a
// typing error, and a machine with more cores gets as many.
inline constexpr size_t kMaxWorkers = 256;

enum class LogLevel : uint8_t { kInfo, kWarning, kError };

// Everything that is decided before the gateway starts.
struct Config {
  TransportAddress listen;
  // nullopt: no TLS, which has been asked for in so many words.
  std::optional<TlsFiles> tls;
  // Keys of participants' tokens (gateway/tokens/token_keys.h); empty: random at start.
  std::string token_key_file;
  // nullopt: participants cannot call over gRPC.
  std::optional<SignallingConfig> signalling;
  // nullopt: participants cannot call over QUIC.
  std::optional<QuicConfig> quic;
  MediaConfig media;
  size_t workers = 1;
  TimeoutDefaults session_defaults;
  Limits limits;
  LogLevel log_level = LogLevel::kInfo;
  EngineRequest crypto_engine = EngineRequest::kAuto;
};

// InvalidArgument with a sentence about the first thing that cannot be: an empty port range, an
// address that no peer can send to, an open control port on a public address. The one check of what
// is read from the file and of what flags say.
absl::Status CheckConfig(const Config& config);

// "192.0.2.1:7443" or "[2001:db8::1]:7443". Otherwise InvalidArgument with a sentence that begins
// with `name`.
absl::StatusOr<TransportAddress> ParseListenAddress(absl::string_view name, absl::string_view text);

// "30000-39999". Otherwise InvalidArgument with a sentence that begins with `name`.
struct MediaPortRange {
  uint32_t first;
  uint32_t last;
};
absl::StatusOr<MediaPortRange> ParsePortRange(absl::string_view name, absl::string_view text);

}  // namespace sluice

#endif  // GATEWAY_CONFIG_CONFIG_H_
