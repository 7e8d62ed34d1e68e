#ifndef TESTS_E2E_CERTIFICATES_H_
#define TESTS_E2E_CERTIFICATES_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "grpcpp/security/credentials.h"

namespace sluice {

// Makes a certificate authority and certificates signed by it as an operator does, with
// `sluicectl pki init`: ca.crt, server.crt, server.key, client.crt and client.key in `folder`. The
// test has //tools/ctl:sluicectl in its data.
absl::Status MakeCertificates(const std::string& folder);

// What a controller proves itself with, from such a folder.
std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const std::string& folder);

}  // namespace sluice

#endif  // TESTS_E2E_CERTIFICATES_H_
