#include "gateway/leg/key_change.h"

#include "base/secret_bytes.h"

namespace sluice {

KeyChange DecideKeyChange(const CryptoParameters& before, const CryptoParameters& after) {
  if (after.key == nullptr) {
    return KeyChange::kKeep;
  }
  if (before.key == nullptr) {
    return KeyChange::kNewContext;
  }
  if (*before.key == *after.key) {
    return KeyChange::kKeep;
  }
  if (before.key->suite().id != after.key->suite().id) {
    return KeyChange::kNewContext;
  }
  const bool moved =
      before.remote.has_value() && after.remote.has_value() && *before.remote != *after.remote;
  return moved ? KeyChange::kNewContext : KeyChange::kRekey;
}

bool SharesKeystream(const MasterKey& a, const MasterKey& b) {
  return ConstantTimeEquals(a.key(), b.key());
}

}  // namespace sluice
