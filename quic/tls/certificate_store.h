#ifndef QUIC_TLS_CERTIFICATE_STORE_H_
#define QUIC_TLS_CERTIFICATE_STORE_H_

#include <openssl/base.h>

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "quic/tls/certificate_chain.h"

namespace sluice {

// The certificate that new connections get, exchanged while the process runs. Any thread: whoever
// watches the files replaces it, and the threads of connections take it, once per connection.
// Connections keep what they got.
class CertificateStore {
 public:
  struct Counters {
    uint64_t replaced = 0;
    uint64_t refused = 0;
  };

  explicit CertificateStore(CertificateChain chain);

  // All at once or, with the status of CertificateChain::FromPem, not at all: then the old one
  // stays.
  absl::Status Replace(absl::string_view certificates_pem, absl::string_view private_key_pem);

  // CertificateChain::ApplyTo with the current one.
  [[nodiscard]] bool ApplyTo(SSL& ssl) const;

  Counters counters() const;

 private:
  mutable absl::Mutex mutex_;
  CertificateChain chain_ ABSL_GUARDED_BY(mutex_);
  Counters counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sluice

#endif  // QUIC_TLS_CERTIFICATE_STORE_H_
