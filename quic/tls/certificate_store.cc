#include "quic/tls/certificate_store.h"

#include <openssl/base.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "quic/tls/certificate_chain.h"

namespace sluice {

CertificateStore::CertificateStore(CertificateChain chain) : chain_(std::move(chain)) {}

absl::Status CertificateStore::Replace(absl::string_view certificates_pem,
                                       absl::string_view private_key_pem) {
  absl::StatusOr<CertificateChain> chain =
      CertificateChain::FromPem(certificates_pem, private_key_pem);
  const absl::MutexLock lock(&mutex_);
  if (!chain.ok()) {
    ++counters_.refused;
    return chain.status();
  }
  ++counters_.replaced;
  chain_ = *std::move(chain);
  return absl::OkStatus();
}

bool CertificateStore::ApplyTo(SSL& ssl) const {
  const absl::MutexLock lock(&mutex_);
  return chain_.ApplyTo(ssl);
}

CertificateStore::Counters CertificateStore::counters() const {
  const absl::MutexLock lock(&mutex_);
  return counters_;
}

}  // namespace sluice
