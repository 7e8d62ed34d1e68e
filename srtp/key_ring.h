#ifndef SRTP_KEY_RING_H_
#define SRTP_KEY_RING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "srtp/key_id.h"
#include "srtp/live_key.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"

namespace sluice {

// Master keys that one direction may have at the same time. A peer needs two while it changes from
// one to the next; some agree on a handful beforehand (RFC 4568 section 6.1 sets no bound).
inline constexpr size_t kMaxLiveKeys = 8;

// The live master keys of one direction, told apart by their MKI, all of one suite and with MKIs of
// one size. A key keeps its slot as long as it lives. Nothing but Add allocates.
class KeyRing {
 public:
  // InvalidArgument: another suite or size of MKI than the keys that are there, or an MKI or a key
  // that is there. ResourceExhausted: kMaxLiveKeys are there.
  absl::Status CheckAdd(const MasterKey& master, const Mki& mki) const;
  // Puts `key` into a free slot, which there must be, and gives the slot's number.
  size_t Add(std::unique_ptr<LiveKey> key);
  // Wipes the key of a slot.
  void Remove(size_t slot) { keys_[slot].reset(); }

  static constexpr size_t kNone = kMaxLiveKeys;
  // The slot of the key with that MKI, or kNone. Not constant-time: MKIs are public.
  size_t Find(absl::Span<const uint8_t> mki) const;

  // Whether a live key has that id.
  bool Has(KeyId id) const;

  // Null when the slot is free.
  LiveKey* key(size_t slot) const { return keys_[slot].get(); }

 private:
  std::array<std::unique_ptr<LiveKey>, kMaxLiveKeys> keys_;
};

}  // namespace sluice

#endif  // SRTP_KEY_RING_H_
