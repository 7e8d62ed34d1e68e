#ifndef TESTS_E2E_TEST_AUTHORITY_H_
#define TESTS_E2E_TEST_AUTHORITY_H_

#include <openssl/base.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <string>

namespace sluice {

// PEM text.
struct Credentials {
  std::string certificate;
  std::string private_key;
};

// From when until when a certificate is valid, in seconds from now.
struct Validity {
  long begin = -3600;
  long end = 3600;
};

// A certificate authority for what `sluicectl pki init` does not make: expired certificates, and
// those of strangers. Failures fail the running test.
class TestAuthority {
 public:
  TestAuthority();

  const std::string& certificate() const { return certificate_; }

  // For a server or client at 127.0.0.1.
  Credentials Issue(const Validity& validity = {});

 private:
  bssl::UniquePtr<EVP_PKEY> key_;
  bssl::UniquePtr<X509> root_;
  std::string certificate_;
  long serial_ = 1;
};

}  // namespace sluice

#endif  // TESTS_E2E_TEST_AUTHORITY_H_
