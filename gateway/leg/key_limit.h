#ifndef GATEWAY_LEG_KEY_LIMIT_H_
#define GATEWAY_LEG_KEY_LIMIT_H_

#include <cstdint>
#include <optional>
#include <utility>

namespace sluice {

// How far the lifetime of a master key has come (RFC 3711 section 9.2).
enum class KeyLimit : uint8_t {
  // It is time for a new key; this one still works.
  kSoft,
  // It does not work any more.
  kHard,
};

// Which limits of a key were told already: each is told once.
class KeyLimitWatch {
 public:
  // `due`: the soft limit is reached. `expired`: a packet was refused at the hard one. Gives what
  // is to be told now.
  std::optional<KeyLimit> Observe(bool due, bool expired) {
    if (expired && !std::exchange(hard_told_, true)) {
      return KeyLimit::kHard;
    }
    if (due && !std::exchange(soft_told_, true)) {
      return KeyLimit::kSoft;
    }
    return std::nullopt;
  }

 private:
  bool soft_told_ = false;
  bool hard_told_ = false;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_KEY_LIMIT_H_
