#ifndef GATEWAY_CONFIG_CONFIG_LOADER_H_
#define GATEWAY_CONFIG_CONFIG_LOADER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/config/config.h"

namespace sluice {

// What the command line says, as it was typed; nullopt where it says nothing.
struct ConfigFlags {
  // The configuration file.
  std::optional<std::string> config;
  std::optional<std::string> listen;
  // Folder with server.crt, server.key and ca.crt.
  std::optional<std::string> tls_dir;
  bool insecure = false;
  std::optional<std::string> token_key_file;
  std::optional<std::string> signalling_listen;
  std::vector<std::string> signalling_allow_origins;
  std::optional<std::string> quic_listen;
  // Folder with server.crt and server.key.
  std::optional<std::string> quic_tls_dir;
  std::optional<std::string> quic_secret_file;
  std::optional<std::string> quic_key_log;
  // "auto" or "always".
  std::optional<std::string> quic_retry;
  bool quic_early_data = false;
  // "30000-39999".
  std::optional<std::string> media_ports;
  std::optional<std::string> media_ipv4;
  std::optional<std::string> media_ipv6;
  std::optional<std::string> advertised_ipv4;
  std::optional<std::string> advertised_ipv6;
  std::optional<uint32_t> workers;
  std::optional<std::string> log_level;
  std::optional<std::string> packet_log_folder;
  // "auto" or the name of an engine.
  std::optional<std::string> crypto_engine;
};

// Names of the files below --tls-dir; `sluicectl pki init` writes them.
inline constexpr absl::string_view kCertificateFile = "server.crt";
inline constexpr absl::string_view kPrivateKeyFile = "server.key";
inline constexpr absl::string_view kClientCaFile = "ca.crt";

// The file, with the flags laid over it, checked as a whole. Errors are one sentence, of a file
// with its line and column. `cores` is how many workers there are when nobody says.
absl::StatusOr<Config> LoadConfig(const ConfigFlags& flags, size_t cores);

// The same with the file's text at hand; `file` is its name in errors.
absl::StatusOr<Config> ParseConfig(absl::string_view file, const std::string& text,
                                   const ConfigFlags& flags, size_t cores);

}  // namespace sluice

#endif  // GATEWAY_CONFIG_CONFIG_LOADER_H_
