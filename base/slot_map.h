#ifndef BASE_SLOT_MAP_H_
#define BASE_SLOT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace sluice {

// Names one entry of a SlotMap. Two words, copied freely, safe to keep after the entry is gone: the
// generation tells. A default handle is never valid. `Tag` keeps handles of different maps apart.
template <typename Tag>
struct SlotHandle {
  uint32_t index = 0;
  uint32_t generation = 0;

  // One number for maps, logs and user data of timers and sockets; FromUint64 is its inverse.
  constexpr uint64_t ToUint64() const { return (uint64_t{generation} << 32) | index; }
  static constexpr SlotHandle FromUint64(uint64_t v) {
    return SlotHandle{static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)};
  }

  friend constexpr bool operator==(SlotHandle a, SlotHandle b) = default;

  template <typename H>
  friend H AbslHashValue(H state, const SlotHandle& h) {
    return H::combine(std::move(state), h.index, h.generation);
  }

  // Prints "index.generation".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const SlotHandle& h) {
    sink.Append(absl::StrCat(h.index, ".", h.generation));
  }
};

// A pool of at most `capacity` values found by handle. All memory is taken in the constructor;
// afterwards nothing is allocated and no value moves, so a T* stays good until its Erase. Find,
// Emplace and Erase are O(1). One thread at a time.
//
// Slots are reused in the order in which they were freed, so a stale handle is mistaken for a fresh
// one only after 2^32 - 1 reuses of one slot, each after a walk through all other free slots.
template <typename T, typename HandleTag>
class SlotMap {
 public:
  using Handle = SlotHandle<HandleTag>;

  // `capacity` is below 2^32 - 2 and may be zero.
  explicit SlotMap(size_t capacity) : capacity_(static_cast<uint32_t>(capacity)) {
    SLUICE_CHECK(capacity < kOccupied) << "slot map of " << capacity << " slots";
    slots_ = std::make_unique<Slot[]>(capacity);
    for (uint32_t i = 0; i < capacity_; ++i) Release(i);
  }

  SlotMap(const SlotMap&) = delete;
  SlotMap& operator=(const SlotMap&) = delete;

  ~SlotMap() {
    ForEach([this](Handle handle, T&) { Erase(handle); });
  }

  // Builds a value in a free slot. Nothing, and no T is built, when the map is full.
  template <typename... Args>
  std::optional<Handle> Emplace(Args&&... args) {
    if (first_free_ == kNone) return std::nullopt;
    const uint32_t index = first_free_;
    Slot& slot = slots_[index];
    first_free_ = slot.next_free;
    if (first_free_ == kNone) last_free_ = kNone;
    std::construct_at(std::addressof(slot.value), std::forward<Args>(args)...);
    slot.next_free = kOccupied;
    ++size_;
    return Handle{index, slot.generation};
  }

  // As Emplace; when the map is full, `value` is lost.
  std::optional<Handle> Insert(T value) { return Emplace(std::move(value)); }

  // The value, owned by the map; null when the handle is stale or was never valid.
  T* Find(Handle handle) {
    Slot* slot = FindSlot(handle);
    return slot == nullptr ? nullptr : std::addressof(slot->value);
  }
  const T* Find(Handle handle) const {
    const Slot* slot = FindSlot(handle);
    return slot == nullptr ? nullptr : std::addressof(slot->value);
  }

  // Destroys the value; false when the handle is stale. The handle is stale already while the
  // destructor of T runs.
  bool Erase(Handle handle) {
    Slot* slot = FindSlot(handle);
    if (slot == nullptr) return false;
    // 0 is left out: it is the generation of a default handle.
    if (++slot->generation == 0) slot->generation = 1;
    std::destroy_at(std::addressof(slot->value));
    --size_;
    Release(handle.index);
    return true;
  }

  // Calls f(Handle, T&) for each value, in the order of the slots. `f` may erase any value, the
  // current one included; a value that `f` inserts may or may not be visited. O(capacity).
  template <typename F>
  void ForEach(F&& f) {
    for (uint32_t i = 0; i < capacity_; ++i) {
      Slot& slot = slots_[i];
      if (slot.next_free == kOccupied) f(Handle{i, slot.generation}, slot.value);
    }
  }
  template <typename F>
  void ForEach(F&& f) const {
    for (uint32_t i = 0; i < capacity_; ++i) {
      const Slot& slot = slots_[i];
      if (slot.next_free == kOccupied) f(Handle{i, slot.generation}, slot.value);
    }
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }

 private:
  // Values of next_free that are no index.
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  static constexpr uint32_t kOccupied = kNone - 1;

  struct Slot {
    // Written out because of the union, which holds a value only while the map says so.
    Slot() {}
    ~Slot() {}

    union {
      T value;
    };
    uint32_t generation = 1;
    uint32_t next_free = kNone;
  };

  Slot* FindSlot(Handle handle) const {
    if (handle.index >= capacity_) return nullptr;
    Slot& slot = slots_[handle.index];
    return slot.next_free == kOccupied && slot.generation == handle.generation ? &slot : nullptr;
  }

  // Appends the slot to the queue of free ones.
  void Release(uint32_t index) {
    slots_[index].next_free = kNone;
    if (last_free_ == kNone) {
      first_free_ = index;
    } else {
      slots_[last_free_].next_free = index;
    }
    last_free_ = index;
  }

  const uint32_t capacity_;
  uint32_t size_ = 0;
  uint32_t first_free_ = kNone;
  uint32_t last_free_ = kNone;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace sluice

#endif  // BASE_SLOT_MAP_H_
