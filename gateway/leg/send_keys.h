#ifndef GATEWAY_LEG_SEND_KEYS_H_
#define GATEWAY_LEG_SEND_KEYS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/leg/key_change.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/srtp_options.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/srtp_sender.h"
#include "srtp/verdict.h"

namespace sluice {

// The keys that an SRTP leg protects with, and its sender. Without MKI there are the key that is
// sent with and perhaps one that is prepared; with MKIs up to kMaxLiveKeys, one of which is sent
// with. A sender is never started again under a key that was sent with.
class SendKeys {
 public:
  // InvalidArgument naming the field. `engine` outlives the object.
  static absl::StatusOr<SendKeys> Create(MasterKey key, const Mki& mki, const SrtpOptions& options,
                                         size_t max_streams, CryptoEngine& engine);
  SendKeys(SendKeys&&) = default;
  SendKeys& operator=(SendKeys&&) = default;

  // What an update does, all done that may fail.
  struct Plan {
    KeyChange change = KeyChange::kKeep;
    // Takes the place of the present one.
    std::unique_ptr<SrtpSender> new_sender;
  };
  // InvalidArgument naming the field; ResourceExhausted ("keys_per_direction"); FailedPrecondition
  // ("NO_PREPARED_KEY", "KEY_IN_USE", "OPTIONS_IN_USE") naming `leg_id`. Changes nothing.
  absl::StatusOr<Plan> PlanUpdate(const LegUpdate& update, const EndpointMove& move,
                                  const std::string& leg_id) const;
  // Does it; takes the key out of `update`.
  void Apply(Plan plan, const EndpointMove& move, LegUpdate& update);

  SrtpSender& sender() { return *sender_; }
  // To be asked after each packet with what became of it: each limit of each key once.
  std::optional<KeyLimit> TakeLimit(ProtectVerdict verdict) {
    const bool expired = verdict == ProtectVerdict::kRekeyNeeded;
    if (!expired && !sender_->rekey_due()) {
      return std::nullopt;
    }
    return keys_[sending_].watch.Observe(sender_->rekey_due(), expired);
  }

  const MasterKey& sending_key() const { return keys_[sending_].key; }
  const SrtpOptions& options() const { return options_; }
  // In the order in which they came.
  std::vector<LegKeyState> States() const;
  // Keys whose session keys take memory.
  size_t live_keys() const { return has_mki_ ? keys_.size() : 1; }
  // At most that many after an update.
  size_t LiveKeysAfter(const LegUpdate& update) const {
    return live_keys() + (has_mki_ && update.prepare_local_key.has_value() ? 1 : 0);
  }

 private:
  struct Key {
    MasterKey key;
    Mki mki;
    // Packets may have been protected with it.
    bool used = false;
    // The peer moved since it was made, or just then: it is for another endpoint.
    bool new_endpoint = false;
    KeyLimitWatch watch = {};
  };
  // The key that an update makes the one to send with.
  struct Target {
    const MasterKey* key;
    const Mki* mki;
    bool used;
    bool new_endpoint;
  };

  SendKeys(MasterKey key, const Mki& mki, const SrtpOptions& options, size_t max_streams,
           CryptoEngine& engine);

  // keys_.size() when there is none.
  size_t Find(const Mki& mki) const;
  absl::Status UnknownMki(const Mki& mki) const;

  absl::Status CheckPrepare(const LegUpdate& update) const;
  absl::Status CheckRetire(const LegUpdate& update, const std::string& leg_id) const;
  // Nothing when the update activates none.
  absl::StatusOr<std::optional<Target>> FindTarget(const LegUpdate& update,
                                                   const std::string& leg_id) const;
  KeyChange Decide(const Target& target, const EndpointMove& move) const;
  absl::StatusOr<std::unique_ptr<SrtpSender>> MakeSender(const LegUpdate& update,
                                                         const std::optional<Target>& target,
                                                         KeyChange change) const;

  // `fresh`: the sender was made anew and knows what follows from the update.
  absl::Status Activate(const LegUpdate& update, KeyChange change, bool fresh);

  size_t max_streams_;
  bool has_mki_;
  // Pointers, so that the object can be moved.
  CryptoEngine* engine_;
  SrtpOptions options_;
  std::vector<Key> keys_;
  size_t sending_ = 0;
  std::unique_ptr<SrtpSender> sender_;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_SEND_KEYS_H_
