#include "tests/interop/quic/chromium.h"

#include <openssl/base64.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <array>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

// Of a certificate's key, as RFC 7469 section 2.4 has it; empty when there is none.
std::string KeyHash(const std::string& pem) {
  bssl::UniquePtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  bssl::UniquePtr<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return "";
  uint8_t* key = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.get()), &key);
  bssl::UniquePtr<uint8_t> owned(key);
  std::array<uint8_t, SHA256_DIGEST_LENGTH> hash;
  SHA256(key, static_cast<size_t>(size), hash.data());
  // Four letters for three bytes, and an end.
  std::array<uint8_t, 4 * (SHA256_DIGEST_LENGTH / 3 + 1) + 1> text;
  const size_t letters = EVP_EncodeBlock(text.data(), hash.data(), hash.size());
  return {text.begin(), text.begin() + static_cast<std::ptrdiff_t>(letters)};
}

}  // namespace

std::string ChromiumDump(const std::vector<ChromiumServer>& servers, const std::string& path) {
  const ScratchFolder folder;
  std::vector<std::string> hosts;
  std::vector<std::string> hashes;
  for (const ChromiumServer& server : servers) {
    hosts.push_back(absl::StrCat("localhost:", server.port));
    hashes.push_back(KeyHash(server.certificate));
  }
  const absl::StatusOr<ProgramResult> result = RunProgram(
      {"env", absl::StrCat("HOME=", folder.path()), "chromium", "--headless", "--no-sandbox",
       "--disable-gpu", "--no-first-run", "--disable-background-networking",
       "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
       absl::StrCat("--user-data-dir=", folder.File("profile")),
       absl::StrCat("--origin-to-force-quic-on=", absl::StrJoin(hosts, ",")),
       absl::StrCat("--ignore-certificate-errors-spki-list=", absl::StrJoin(hashes, ",")),
       // Not ::1, where nobody listens.
       "--host-resolver-rules=MAP localhost 127.0.0.1",
       // Of virtual time, which stands still while a request is under way.
       "--virtual-time-budget=10000", "--dump-dom", absl::StrCat("https://", hosts[0], path)});
  if (!result.ok()) return result.status().ToString();
  return absl::StrCat(result->out, result->err);
}

}  // namespace sluice
