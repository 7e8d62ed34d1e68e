#ifndef BASE_RING_BUFFER_H_
#define BASE_RING_BUFFER_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "base/check.h"

namespace sluice {

// A first-in first-out queue of at most `capacity` values. All memory is taken in the constructor;
// afterwards nothing is allocated. T must be movable and need not be default constructible. Every
// operation is O(1). One thread at a time.
template <typename T>
class RingBuffer {
 public:
  // `capacity` may be zero.
  explicit RingBuffer(size_t capacity)
      : capacity_(capacity), slots_(std::make_unique<Slot[]>(capacity)) {}

  RingBuffer(const RingBuffer&) = delete;
  RingBuffer& operator=(const RingBuffer&) = delete;

  ~RingBuffer() {
    while (!empty()) DropFront();
  }

  // False when the ring is full; `value` is lost then.
  [[nodiscard]] bool PushBack(T value) {
    if (full()) return false;
    std::construct_at(std::addressof(slots_[Wrap(first_ + size_)].value), std::move(value));
    ++size_;
    return true;
  }

  // Removes and returns the oldest value. It is our mistake, and fatal, if there is none.
  T PopFront() {
    T value = std::move(front());
    DropFront();
    return value;
  }

  // The oldest value. It is our mistake, and fatal, if there is none.
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }

  // The `i`-th value, counted from the oldest. It is our mistake, and fatal, if `i` >= size().
  T& operator[](size_t i) {
    SLUICE_CHECK(i < size_);
    return slots_[Wrap(first_ + i)].value;
  }
  const T& operator[](size_t i) const {
    SLUICE_CHECK(i < size_);
    return slots_[Wrap(first_ + i)].value;
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool full() const { return size_ == capacity_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Slot {
    // Written out because of the union, which holds a value only while the ring says so.
    Slot() {}
    ~Slot() {}

    union {
      T value;
    };
  };

  // first_ and any offset are below capacity_, so one subtraction is enough.
  size_t Wrap(size_t i) const { return i < capacity_ ? i : i - capacity_; }

  void DropFront() {
    Slot& slot = slots_[first_];
    first_ = Wrap(first_ + 1);
    --size_;
    std::destroy_at(std::addressof(slot.value));
  }

  const size_t capacity_;
  size_t first_ = 0;
  size_t size_ = 0;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace sluice

#endif  // BASE_RING_BUFFER_H_
