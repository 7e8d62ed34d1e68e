#ifndef INTERCEPTOR_ATTRIBUTES_ARENA_H_
#define INTERCEPTOR_ATTRIBUTES_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"
#include "interceptor/packet_attributes.h"

namespace sluice {

// They are made anew in place and never destroyed.
static_assert(std::is_trivially_destructible_v<PacketAttributes>);

// A fixed number of attributes objects, allocated once, lent for the length of a batch and taken
// back all together. Exhaustion is an answer: the fact is then not there. One thread.
class AttributesArena {
 public:
  // `capacity` may be 0: then no packet ever has attributes.
  explicit AttributesArena(size_t capacity);
  ~AttributesArena();
  AttributesArena(const AttributesArena&) = delete;
  AttributesArena& operator=(const AttributesArena&) = delete;

  // Attributes without any fact, good until ReturnAll; null when all are lent, and `exhausted()`
  // counts one more.
  [[nodiscard]] PacketAttributes* Lend() {
    if (lent_ == capacity_) {
      ++exhausted_;
      return nullptr;
    }
    PacketAttributes* object = &objects_[lent_++];
    Unpoison(object);
    // Default-initialized: only "not there" is written, not every fact's bytes.
    return new (object) PacketAttributes;
  }

  // Ends the batch: every pointer that Lend gave is stale now.
  void ReturnAll() {
    Poison(objects_.get(), lent_);
    lent_ = 0;
  }

  size_t capacity() const { return capacity_; }
  size_t lent() const { return lent_; }
  // How often Lend had nothing to lend.
  uint64_t exhausted() const { return exhausted_; }

 private:
  // AddressSanitizer reports every touch of an object that is not lent; nothing without it.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
  static void Poison(const PacketAttributes* objects, size_t count);
  static void Unpoison(const PacketAttributes* object);
#else
  static void Poison(const PacketAttributes*, size_t) {}
  static void Unpoison(const PacketAttributes*) {}
#endif

  const size_t capacity_;
  std::unique_ptr<PacketAttributes[]> objects_;
  // The first `lent_` are lent: nothing comes back alone.
  size_t lent_ = 0;
  uint64_t exhausted_ = 0;
};

// How a packet reaches its attributes: a pointer that starts null and stays null as long as nobody
// has anything to say. Copies share the object. Nothing may keep one past the call it came with.
class AttributesRef {
 public:
  AttributesRef() = default;

  // Null: no fact is known.
  const PacketAttributes* get() const { return attributes_; }

  // A fact, or nothing: `attributes.Get(&PacketAttributes::arrival)`.
  template <typename T>
  std::optional<T> Get(std::optional<T> PacketAttributes::*fact) const {
    return attributes_ == nullptr ? std::nullopt : attributes_->*fact;
  }

  // Attributes to write to, taken from `arena` the first time; null when it has none left.
  [[nodiscard]] PacketAttributes* Ensure(AttributesArena& arena) {
    if (attributes_ == nullptr) {
      attributes_ = arena.Lend();
    }
    return attributes_;
  }

  // Sets one fact; false when the arena has nothing left, and the fact stays absent.
  template <typename T>
  bool Set(AttributesArena& arena, std::optional<T> PacketAttributes::*fact, T value) {
    PacketAttributes* attributes = Ensure(arena);
    if (attributes == nullptr) {
      return false;
    }
    attributes->*fact = std::move(value);
    return true;
  }

 private:
  PacketAttributes* attributes_ = nullptr;
};

}  // namespace sluice

#endif  // INTERCEPTOR_ATTRIBUTES_ARENA_H_
