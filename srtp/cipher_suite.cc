#include "srtp/cipher_suite.h"

namespace sluice {
namespace {

// GetCipherSuite takes the id for the row's number.
constexpr bool RowsAreInIdOrder() {
  for (size_t i = 0; i < sizeof(kCipherSuites) / sizeof(kCipherSuites[0]); ++i) {
    if (static_cast<size_t>(kCipherSuites[i].id) != i) {
      return false;
    }
  }
  return true;
}
static_assert(RowsAreInIdOrder());

constexpr bool EveryRowFitsTheLimits() {
  for (const CipherSuite& suite : kCipherSuites) {
    if (suite.key_size > kMaxMasterKeySize || suite.salt_size > kMaxMasterSaltSize ||
        suite.rtp_tag_size > kMaxTagSize || suite.rtcp_tag_size > kMaxTagSize) {
      return false;
    }
  }
  return true;
}
static_assert(EveryRowFitsTheLimits());

}  // namespace

const CipherSuite* FindCipherSuite(absl::string_view name) {
  for (const CipherSuite& suite : kCipherSuites) {
    if (suite.name == name) {
      return &suite;
    }
  }
  return nullptr;
}

}  // namespace sluice
