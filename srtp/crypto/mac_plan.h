#ifndef SRTP_CRYPTO_MAC_PLAN_H_
#define SRTP_CRYPTO_MAC_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// Most jobs in one plan: four times the lanes. More in a burst gains nothing more.
inline constexpr size_t kMaxMacPlan = 64;

// SHA-1 of that many packets at once, one in each 32-bit lane of a 512-bit register.
inline constexpr size_t kMacLanes = 16;
// ... of a 256-bit register.
inline constexpr size_t kNarrowMacLanes = 8;

// What lanes cost, in tenths of what SHA instructions take for one block of one packet. Measured at
// 1000 bytes.
struct MacCosts {
  // A block in all lanes of either kind.
  size_t narrow_block;
  size_t wide_block;
  // A packet, for getting into its lane and out.
  size_t packet;
};
// Emerald Rapids.
inline constexpr MacCosts kIntelMacCosts = {28, 42, 7};
// Zen 5, whose SHA instructions do two packets in the time of one.
inline constexpr MacCosts kAmdMacCosts = {49, 51, 12};

// Which of a batch's HMACs are computed in lanes, and in which order. A hash is a chain whose links
// wait for each other. Lanes work on many chains at once but cost the same if few of them are in
// use, and as much as the longest; SHA instructions take one or two chains at a time.
struct MacPlan {
  // Indices of all jobs. Longest first if there are more than kMacLanes, so that those which share
  // lanes end together.
  std::array<uint8_t, kMaxMacPlan> order;
  // How many of `order`, from the front, are worth the lanes, kMacLanes at a time.
  size_t in_lanes;
};

// At most kMaxMacPlan jobs.
MacPlan PlanMacs(absl::Span<const MacJob> jobs, const MacCosts& costs);

}  // namespace sluice

#endif  // SRTP_CRYPTO_MAC_PLAN_H_
