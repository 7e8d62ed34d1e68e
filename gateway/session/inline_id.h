#ifndef GATEWAY_SESSION_INLINE_ID_H_
#define GATEWAY_SESSION_INLINE_ID_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "gateway/session/session_spec.h"

namespace sluice {

// A session or leg id by value, without heap memory.
class InlineId {
 public:
  InlineId() = default;
  // Cut at kMaxIdSize; the control room has refused longer ids before.
  explicit InlineId(absl::string_view id)
      : size_(static_cast<uint8_t>(std::min(id.size(), kMaxIdSize))) {
    std::copy_n(id.begin(), size_, bytes_.begin());
  }

  absl::string_view view() const { return {bytes_.data(), size_}; }
  bool empty() const { return size_ == 0; }

 private:
  std::array<char, kMaxIdSize> bytes_;
  uint8_t size_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_INLINE_ID_H_
