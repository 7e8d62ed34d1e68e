#include "srtp/key_ring.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace sluice {

absl::Status KeyRing::CheckAdd(const MasterKey& master, const Mki& mki) const {
  size_t live = 0;
  for (const std::unique_ptr<LiveKey>& key : keys_) {
    if (key == nullptr) {
      continue;
    }
    ++live;
    const CipherSuite& suite = key->master().suite();
    if (master.suite().id != suite.id) {
      return absl::InvalidArgumentError(
          absl::StrCat("new key is of ", master.suite().name, ", the present one of ", suite.name));
    }
    if (mki.size() != key->mki().size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "MKI has ", mki.size(), " bytes, those of the other keys have ", key->mki().size()));
    }
    if (!mki.empty() && mki == key->mki()) {
      return absl::InvalidArgumentError("a live key has that MKI");
    }
    if (master == key->master()) {
      return absl::InvalidArgumentError("new key is a live one");
    }
  }
  if (live == kMaxLiveKeys) {
    return absl::ResourceExhaustedError(
        absl::StrCat(kMaxLiveKeys, " keys are live, which is the most: retire one first"));
  }
  return absl::OkStatus();
}

size_t KeyRing::Add(std::unique_ptr<LiveKey> key) {
  size_t slot = 0;
  while (slot < kMaxLiveKeys && keys_[slot] != nullptr) {
    ++slot;
  }
  SLUICE_CHECK(slot < kMaxLiveKeys);
  keys_[slot] = std::move(key);
  return slot;
}

size_t KeyRing::Find(absl::Span<const uint8_t> mki) const {
  for (size_t slot = 0; slot < kMaxLiveKeys; ++slot) {
    if (keys_[slot] != nullptr && keys_[slot]->mki().bytes() == mki) {
      return slot;
    }
  }
  return kNone;
}

bool KeyRing::Has(KeyId id) const {
  for (const std::unique_ptr<LiveKey>& key : keys_) {
    if (key != nullptr && IdOf(key->master()) == id) {
      return true;
    }
  }
  return false;
}

}  // namespace sluice
