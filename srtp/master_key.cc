#include "srtp/master_key.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/byte_order.h"

namespace sluice {

absl::StatusOr<MasterKey> MasterKey::Create(SuiteId suite, absl::Span<const uint8_t> key_and_salt) {
  const CipherSuite& row = GetCipherSuite(suite);
  if (key_and_salt.size() != row.key_size + row.salt_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "master key and salt have ", key_and_salt.size(), " bytes, ", row.name, " needs ",
        row.key_size + row.salt_size, " (", row.key_size, " + ", row.salt_size, ")"));
  }
  MasterKey key(suite);
  CopyBytes(key.key_and_salt_.mutable_span(), key_and_salt);
  return key;
}

MasterKey MasterKey::Generate(SuiteId suite, RandomSource& random) {
  MasterKey key(suite);
  random.Fill(key.key_and_salt_.mutable_span());
  return key;
}

MasterKey::MasterKey(SuiteId suite)
    : suite_(suite),
      key_and_salt_(GetCipherSuite(suite).key_size + GetCipherSuite(suite).salt_size) {}

MasterKey MasterKey::Clone() const {
  MasterKey copy(suite_);
  CopyBytes(copy.key_and_salt_.mutable_span(), key_and_salt_.span());
  return copy;
}

absl::Span<const uint8_t> MasterKey::key() const {
  return key_and_salt_.span().first(suite().key_size);
}

absl::Span<const uint8_t> MasterKey::salt() const {
  return key_and_salt_.span().subspan(suite().key_size);
}

absl::Span<const uint8_t> MasterKey::key_and_salt() const { return key_and_salt_.span(); }

bool operator==(const MasterKey& a, const MasterKey& b) {
  return a.suite_ == b.suite_ && ConstantTimeEquals(a.key_and_salt_, b.key_and_salt_);
}

}  // namespace sluice
