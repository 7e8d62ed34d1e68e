#ifndef QUIC_TLS_TESTING_TEST_CERTIFICATES_H_
#define QUIC_TLS_TESTING_TEST_CERTIFICATES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace sluice {

// A P-256 certificate and its key as PEM, valid from 1970 to 2100.
struct TestCertificate {
  std::string certificate;
  std::string private_key;
};

// Signs itself.
TestCertificate MakeTestRoot();
// For the DNS name or the IP address `name`, signed by `root`.
TestCertificate MakeTestCertificate(const TestCertificate& root,
                                    absl::string_view name = "sluice.test");

}  // namespace sluice

#endif  // QUIC_TLS_TESTING_TEST_CERTIFICATES_H_
