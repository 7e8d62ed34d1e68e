#ifndef GATEWAY_LEG_RECEIVE_KEYS_H_
#define GATEWAY_LEG_RECEIVE_KEYS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/key_change.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/srtp_options.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/srtp_receiver.h"
#include "srtp/verdict.h"

namespace sluice {

// How long a peer's old key is accepted beside its new one: packets on their way, and a peer that
// switches a moment after it said so. Keys with MKIs last until they are retired.
inline constexpr TimeDelta kKeyRetireDelay = TimeDelta::Seconds(2);

// The keys that the peer of an SRTP leg protects with, and its receiver. None until signalled.
// Without MKI one, and for a while the one before it; with MKIs up to kMaxKeysPerDirection. A
// receiver is never started again under a key that is live: it would forget which packets came.
class ReceiveKeys {
 public:
  // `engine` outlives the object.
  ReceiveKeys(const SrtpOptions& options, size_t max_streams, CryptoEngine& engine)
      : max_streams_(max_streams), engine_(&engine), options_(options) {}
  ReceiveKeys(ReceiveKeys&&) = default;
  ReceiveKeys& operator=(ReceiveKeys&&) = default;

  // What an update does, all done that may fail.
  struct Plan {
    KeyChange change = KeyChange::kKeep;
    // Takes the place of the present one.
    std::unique_ptr<SrtpReceiver> new_receiver;
  };
  // InvalidArgument naming the field; ResourceExhausted ("keys_per_direction"); FailedPrecondition
  // ("OPTIONS_IN_USE") naming `leg_id`. Changes nothing.
  absl::StatusOr<Plan> PlanUpdate(const LegUpdate& update, const EndpointMove& move,
                                  const std::string& leg_id) const;
  // Does it; takes the key out of `update`.
  void Apply(Timestamp now, Plan plan, LegUpdate& update);

  // Wipes a key whose time is over.
  void HandleTimeout(Timestamp now);
  Timestamp NextTimeout() const { return retire_at_; }

  // Null without keys.
  SrtpReceiver* receiver() { return receiver_.get(); }
  // To be asked after each packet with what became of it: each limit once. Of several keys with
  // MKIs the packet's is not known, so their limits are told once for all, and again once those
  // that reached them are retired.
  std::optional<KeyLimit> TakeLimit(UnprotectVerdict verdict) {
    const bool expired = verdict == UnprotectVerdict::kRekeyNeeded;
    const bool due = receiver_->rekey_due();
    if (!expired && !due) {
      watch_ = KeyLimitWatch();
      return std::nullopt;
    }
    return watch_.Observe(due, expired);
  }

  // Null: none yet.
  const MasterKey* newest_key() const { return keys_.empty() ? nullptr : &keys_.back().key; }
  const SrtpOptions& options() const { return options_; }
  // In the order in which they came.
  std::vector<LegKeyState> States() const;
  // Keys whose session keys take memory.
  size_t live_keys() const { return keys_.size() + (previous_key() ? 1 : 0); }
  // At most that many after an update.
  size_t LiveKeysAfter(const LegUpdate& update) const {
    return update.remote_key.has_value() ? keys_.size() + 1 : live_keys();
  }

 private:
  struct Key {
    MasterKey key;
    Mki mki;
  };

  bool has_mki() const { return !keys_.empty() && !keys_.back().mki.empty(); }
  // The receiver still has a key that was replaced.
  bool previous_key() const { return retire_at_ != Timestamp::PlusInfinity(); }
  // keys_.size() when there is none.
  size_t Find(const Mki& mki) const;

  // What becomes of the present context with the update's key; its errors.
  absl::StatusOr<KeyChange> Decide(const LegUpdate& update, const EndpointMove& move) const;
  absl::Status CheckAdd(const LegUpdate& update, KeyChange change) const;
  absl::Status CheckRetire(const LegUpdate& update, KeyChange change) const;
  absl::StatusOr<std::unique_ptr<SrtpReceiver>> MakeReceiver(const LegUpdate& update,
                                                             KeyChange change) const;

  size_t max_streams_;
  // A pointer, so that the object can be moved.
  CryptoEngine* engine_;
  SrtpOptions options_;
  // The newest last.
  std::vector<Key> keys_;
  std::unique_ptr<SrtpReceiver> receiver_;
  KeyLimitWatch watch_;
  Timestamp retire_at_ = Timestamp::PlusInfinity();
};

}  // namespace sluice

#endif  // GATEWAY_LEG_RECEIVE_KEYS_H_
