#ifndef TOOLS_CTL_PKI_PKI_FOLDER_H_
#define TOOLS_CTL_PKI_PKI_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/ctl/pki/certificate_authority.h"

namespace sluice {

// Names of the files in the folder, as the gateway and sluicectl expect them.
inline constexpr char kAuthorityCertificateFile[] = "ca.crt";
inline constexpr char kAuthorityKeyFile[] = "ca.key";
inline constexpr char kServerCertificateFile[] = "server.crt";
inline constexpr char kServerKeyFile[] = "server.key";
inline constexpr char kClientCertificateFile[] = "client.crt";
inline constexpr char kClientKeyFile[] = "client.key";

// ${XDG_STATE_HOME:-~/.local/state}/sluice/pki; an error when there is no home.
absl::StatusOr<std::string> DefaultPkiFolder();

struct PkiRequest {
  std::string folder;
  // Beside localhost, 127.0.0.1 and ::1, which every server certificate has.
  std::vector<std::string> hosts;
  Validity validity;
  // Replace files that are there.
  bool force = false;
};

// Makes an authority, a server and a client certificate and writes the six files; keys with mode
// 0600. Each file appears whole or not at all. Returns the paths written.
absl::StatusOr<std::vector<std::string>> InitPkiFolder(const PkiRequest& request);

// The authority's certificate alone, which is what a client without one of its own goes by.
absl::StatusOr<std::string> ReadAuthorityCertificate(const std::string& folder);

// What a client needs to connect.
struct ClientPki {
  std::string authority_certificate;
  PemIdentity client;
};

// Reads a client's three files. Says which is missing, or since when the certificate has expired.
absl::StatusOr<ClientPki> ReadClientPki(const std::string& folder, absl::Time now);

}  // namespace sluice

#endif  // TOOLS_CTL_PKI_PKI_FOLDER_H_
