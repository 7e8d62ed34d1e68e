#ifndef QUIC_CODEC_VERSION_INFORMATION_H_
#define QUIC_CODEC_VERSION_INFORMATION_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "quic/codec/quic_version.h"

namespace sluice {

// The value of version_information (RFC 9368 section 3): the version that its sender chose for this
// connection, and those that it could also speak, best first. A value: 37 bytes.
class VersionInformation {
 public:
  // There are two versions of QUIC; with a reserved one and a few drafts there is room to spare.
  static constexpr size_t kMaxAvailable = 8;

  constexpr explicit VersionInformation(QuicVersion chosen) : chosen_(chosen) {}

  constexpr QuicVersion chosen() const { return chosen_; }

  // Appends a version. When there are kMaxAvailable, the one that was chosen takes the last place,
  // so that it is not the one that is forgotten; for any other it is false, and nothing happens.
  constexpr bool AddAvailable(QuicVersion version) {
    if (available_count_ < kMaxAvailable) {
      available_[available_count_++] = version.value();
      return true;
    }
    if (version != chosen_ || IsAvailable(version)) return false;
    available_.back() = version.value();
    return true;
  }
  constexpr size_t available_count() const { return available_count_; }
  // `i` is below available_count().
  constexpr QuicVersion available(size_t i) const { return QuicVersion(available_[i]); }
  // Whether `version` is among the available ones.
  constexpr bool IsAvailable(QuicVersion version) const {
    const auto end = available_.begin() + available_count_;
    return std::find(available_.begin(), end, version.value()) != end;
  }

  friend constexpr bool operator==(const VersionInformation& a,
                                   const VersionInformation& b) = default;

 private:
  QuicVersion chosen_;
  // Zeros behind the first available_count_.
  std::array<uint32_t, kMaxAvailable> available_{};
  uint8_t available_count_ = 0;
};

}  // namespace sluice

#endif  // QUIC_CODEC_VERSION_INFORMATION_H_
