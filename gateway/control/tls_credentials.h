#ifndef GATEWAY_CONTROL_TLS_CREDENTIALS_H_
#define GATEWAY_CONTROL_TLS_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"

namespace sluice {

// The content of TlsFiles, checked.
struct TlsIdentity {
  std::string certificate_pem;
  std::string private_key_pem;
  // Empty: clients show no certificates.
  std::string client_ca_pem;
};

// Reads the files and checks what gRPC would only tell in its log, or to each controller: that they
// can be read and are PEM, that the key belongs to the certificate, that certificates are valid at
// `now`. Errors are one sentence that names the file and what helps.
absl::StatusOr<TlsIdentity> LoadTlsIdentity(const TlsFiles& files, absl::Time now);

// Mutual TLS: a client without a certificate of the CA is turned away in the handshake. Without a
// CA nobody is asked for one.
std::shared_ptr<grpc::ServerCredentials> ToCredentials(const TlsIdentity& identity);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_TLS_CREDENTIALS_H_
