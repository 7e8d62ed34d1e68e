#include "tools/ctl/signalling_trust.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/ctl/pki/pki_folder.h"
#include "tools/ctl/transport_text.h"

namespace sluice {

absl::StatusOr<std::string> ReadTrustedAuthority(const SignallingOptions& options,
                                                 const std::string& host) {
  if (options.insecure) {
    if (IsLoopbackHost(host)) return std::string();
    return absl::InvalidArgumentError(
        absl::StrCat("--insecure is for a gateway on this machine; anybody on the way to '", host,
                     "' could take the token"));
  }
  if (!options.tls_dir.empty()) return ReadAuthorityCertificate(options.tls_dir);
  const absl::StatusOr<std::string> folder = DefaultPkiFolder();
  if (!folder.ok()) return folder.status();
  return ReadAuthorityCertificate(*folder);
}

}  // namespace sluice
