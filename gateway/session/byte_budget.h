#ifndef GATEWAY_SESSION_BYTE_BUDGET_H_
#define GATEWAY_SESSION_BYTE_BUDGET_H_

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace sluice {

// What is taken of a budget, and how often it was not enough.
struct BudgetUse {
  size_t used = 0;
  uint64_t refused = 0;
};

// How much memory many owners may take together, and how much of it they do. Takes none itself.
class ByteBudget {
 public:
  explicit ByteBudget(size_t limit) : limit_(limit) {}

  // Whether an owner may go from `before` to `after` bytes. Counts when not. Becoming smaller is
  // always allowed.
  [[nodiscard]] bool Allows(size_t before, size_t after) {
    const bool allowed = after <= before || after - before <= limit_ - used_;
    refused_ += allowed ? 0 : 1;
    return allowed;
  }
  // What Allows agreed to, or less, has happened: `charged` is the owner's note of what it takes.
  void Charge(size_t& charged, size_t bytes) {
    used_ = used_ - charged + bytes;
    charged = bytes;
    SLUICE_DCHECK(used_ <= limit_);
  }

  size_t limit() const { return limit_; }
  size_t used() const { return used_; }
  uint64_t refused() const { return refused_; }
  BudgetUse use() const { return {used_, refused_}; }

 private:
  const size_t limit_;
  size_t used_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_BYTE_BUDGET_H_
