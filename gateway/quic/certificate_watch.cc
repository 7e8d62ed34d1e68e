#include "gateway/quic/certificate_watch.h"

#include <sys/stat.h>

#include <utility>

#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/config/config.h"
#include "gateway/control/tls_credentials.h"

namespace sluice {

CertificateWatch::CertificateWatch(std::string certificate_file, std::string private_key_file,
                                   CertificateStore& store)
    : certificate_file_(std::move(certificate_file)),
      private_key_file_(std::move(private_key_file)),
      store_(store),
      seen_(Look()) {}

std::optional<CertificateWatch::FileState> CertificateWatch::StateOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return FileState{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec};
}

CertificateWatch::State CertificateWatch::Look() const {
  return {StateOf(certificate_file_), StateOf(private_key_file_)};
}

CertificateOutcome CertificateWatch::Check(absl::Time now) {
  return Look() == seen_ ? CertificateOutcome::kUnchanged : Reload(now);
}

CertificateOutcome CertificateWatch::Reload(absl::Time now) {
  // Before the files are read: what is written meanwhile is seen the next time.
  seen_ = Look();
  const absl::StatusOr<TlsIdentity> identity =
      LoadTlsIdentity({certificate_file_, private_key_file_, ""}, now);
  const absl::Status status =
      identity.ok() ? store_.Replace(identity->certificate_pem, identity->private_key_pem)
                    : identity.status();
  if (!status.ok()) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    LOG(WARNING) << "certificate of QUIC not replaced: " << status.message();
    return CertificateOutcome::kRefused;
  }
  replaced_.fetch_add(1, std::memory_order_relaxed);
  LOG(INFO) << "certificate of QUIC replaced file=" << certificate_file_;
  return CertificateOutcome::kReplaced;
}

}  // namespace sluice
