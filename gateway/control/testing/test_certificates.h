#ifndef GATEWAY_CONTROL_TESTING_TEST_CERTIFICATES_H_
#define GATEWAY_CONTROL_TESTING_TEST_CERTIFICATES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"

namespace sluice {

// A certificate and its key, in PEM form.
struct TestIdentity {
  std::string certificate;
  std::string private_key;
};

// One hour before to one hour after now unless told otherwise.
struct TestValidity {
  absl::Time begin = absl::Now() - absl::Hours(1);
  absl::Time end = absl::Now() + absl::Hours(1);
};

// An authority of a test. Its certificates are for 127.0.0.1 and ::1, servers and clients alike.
TestIdentity MakeTestCa(const TestValidity& validity = {});
TestIdentity MakeTestCertificate(const TestIdentity& ca, const TestValidity& validity = {});

// Writes `text` to a file of the test and returns its path.
std::string WriteTestFile(absl::string_view name, absl::string_view text);

// The files of a gateway with `identity` that trusts `ca`.
TlsFiles WriteTlsFiles(const TestIdentity& identity, const TestIdentity& ca);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_TESTING_TEST_CERTIFICATES_H_
