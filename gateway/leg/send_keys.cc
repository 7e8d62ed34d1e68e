#include "gateway/leg/send_keys.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/mki_text.h"
#include "gateway/leg/srtp_memory.h"

namespace sluice {
namespace {

constexpr absl::string_view kChangeField = "local_key_change";
constexpr absl::string_view kMkiField = "local_mki";
constexpr absl::string_view kOptionsField = "config.local_options";

SrtpSenderOptions ToSenderOptions(const SrtpOptions& options, size_t max_streams, const Mki& mki) {
  SrtpSenderOptions out;
  out.max_streams = max_streams;
  out.replay_window = options.rtp_replay_window;
  out.remembered_streams = RememberedStreams(max_streams);
  out.encrypt_rtcp = !options.unencrypted_rtcp;
  out.mki = mki;
  out.policy = options.policy;
  return out;
}

}  // namespace

SendKeys::SendKeys(MasterKey key, const Mki& mki, const SrtpOptions& options, size_t max_streams,
                   CryptoEngine& engine)
    : max_streams_(max_streams), has_mki_(!mki.empty()), engine_(&engine), options_(options) {
  keys_.push_back({.key = std::move(key), .mki = mki, .used = true});
}

absl::StatusOr<SendKeys> SendKeys::Create(MasterKey key, const Mki& mki, const SrtpOptions& options,
                                          size_t max_streams, CryptoEngine& engine) {
  SendKeys keys(std::move(key), mki, options, max_streams, engine);
  auto sender = keys.MakeSender(LegUpdate(), std::nullopt, KeyChange::kKeep);
  if (!sender.ok()) {
    return sender.status();
  }
  keys.sender_ = *std::move(sender);
  return keys;
}

absl::StatusOr<SendKeys::Plan> SendKeys::PlanUpdate(const LegUpdate& update,
                                                    const EndpointMove& move,
                                                    const std::string& leg_id) const {
  if (absl::Status status = CheckPrepare(update); !status.ok()) {
    return status;
  }
  const absl::StatusOr<std::optional<Target>> target = FindTarget(update, leg_id);
  if (!target.ok()) {
    return target.status();
  }
  if (absl::Status status = CheckRetire(update, leg_id); !status.ok()) {
    return status;
  }
  Plan plan;
  if (target->has_value()) {
    plan.change = Decide(**target, move);
  }
  const bool anew = plan.change == KeyChange::kNewContext;
  const bool new_options = update.local_options.has_value() && *update.local_options != options_;
  if (new_options && !anew && !sender_->ExportStreams().empty()) {
    return PreconditionFailed("OPTIONS_IN_USE", leg_id,
                              "packets were sent with the present local_options: they change only "
                              "with a new key for a new remote address");
  }
  if (anew || new_options) {
    auto sender = MakeSender(update, *target, plan.change);
    if (!sender.ok()) {
      return sender.status();
    }
    plan.new_sender = *std::move(sender);
  }
  return plan;
}

size_t SendKeys::Find(const Mki& mki) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.mki == mki; });
  return static_cast<size_t>(found - keys_.begin());
}

absl::Status SendKeys::UnknownMki(const Mki& mki) const {
  return InvalidField(kMkiField,
                      absl::StrCat(mki.empty() ? "must name a key of the leg"
                                               : absl::StrCat("no key has ", MkiText(mki)),
                                   "; there are ", MkiTexts(keys_)));
}

absl::Status SendKeys::CheckPrepare(const LegUpdate& update) const {
  if (!has_mki_ && !update.local_mki.empty()) {
    return InvalidField(kMkiField,
                        "packets of this leg carry no MKI: it is given with the first key, in "
                        "AddLeg");
  }
  if (!update.prepare_local_key.has_value()) {
    return absl::OkStatus();
  }
  const MasterKey& key = *update.prepare_local_key;
  if (!has_mki_) {
    return key != sending_key() && SharesKeystream(key, sending_key())
               ? InvalidField(kChangeField, "the key is in use with another suite or salt")
               : absl::OkStatus();
  }
  const size_t mki_size = keys_[sending_].mki.size();
  if (update.local_mki.size() != mki_size) {
    return InvalidField(kMkiField, absl::StrCat("has ", update.local_mki.size(),
                                                " bytes, those of the other keys have ", mki_size));
  }
  if (Find(update.local_mki) != keys_.size()) {
    return InvalidField(kMkiField, absl::StrCat(MkiText(update.local_mki), " is in use; there are ",
                                                MkiTexts(keys_)));
  }
  for (const Key& other : keys_) {
    if (SharesKeystream(key, other.key) || key.suite().id != other.key.suite().id) {
      return InvalidField(kChangeField, "the key is in use, or of another suite");
    }
  }
  if (keys_.size() >= kMaxKeysPerDirection) {
    return LimitReached("keys_per_direction", kMaxKeysPerDirection,
                        "retire a local key before another is prepared");
  }
  return absl::OkStatus();
}

absl::Status SendKeys::CheckRetire(const LegUpdate& update, const std::string& leg_id) const {
  if (!update.retire_local_key) {
    return absl::OkStatus();
  }
  if (!has_mki_) {
    return InvalidField(kChangeField,
                        "without MKI the old key goes when the prepared one is activated");
  }
  const size_t slot = Find(update.local_mki);
  if (slot == keys_.size()) {
    return UnknownMki(update.local_mki);
  }
  if (slot == sending_) {
    return PreconditionFailed(
        "KEY_IN_USE", leg_id,
        absl::StrCat("packets are protected with the key ", MkiText(update.local_mki),
                     ": activate another one before it is retired"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<SendKeys::Target>> SendKeys::FindTarget(
    const LegUpdate& update, const std::string& leg_id) const {
  if (!update.activate_local_key) {
    return std::nullopt;
  }
  if (update.prepare_local_key.has_value()) {
    return Target{&*update.prepare_local_key, &update.local_mki, false, false};
  }
  size_t slot = has_mki_ ? Find(update.local_mki) : 1;
  if (slot >= keys_.size()) {
    return has_mki_ ? UnknownMki(update.local_mki)
                    : PreconditionFailed("NO_PREPARED_KEY", leg_id,
                                         "no local key is prepared: call UpdateLeg with PREPARE "
                                         "first");
  }
  const Key& key = keys_[slot];
  return Target{&key.key, &key.mki, key.used, key.new_endpoint};
}

KeyChange SendKeys::Decide(const Target& target, const EndpointMove& move) const {
  const KeyChange change = DecideKeyChange({&sending_key(), move.before}, {target.key, move.after});
  if (change == KeyChange::kKeep) {
    return change;
  }
  // Whoever the peer is now: to start again under a key that was sent with repeats a keystream.
  if (target.used) {
    return KeyChange::kRekey;
  }
  return target.new_endpoint ? KeyChange::kNewContext : change;
}

absl::StatusOr<std::unique_ptr<SrtpSender>> SendKeys::MakeSender(
    const LegUpdate& update, const std::optional<Target>& target, KeyChange change) const {
  const MasterKey* first = target.has_value() ? target->key : &sending_key();
  const Mki& first_mki = target.has_value() ? *target->mki : keys_[sending_].mki;
  const SrtpOptions& options = update.local_options.has_value() ? *update.local_options : options_;
  auto sender =
      SrtpSender::Create(*first, ToSenderOptions(options, max_streams_, first_mki), *engine_);
  if (!sender.ok()) {
    return InvalidField(kOptionsField, sender.status().message());
  }
  if (!has_mki_) {
    return sender;
  }
  absl::Status status;
  for (const Key& key : keys_) {
    // Those of the endpoint before were for it alone.
    if (status.ok() && &key.key != first && !(key.used && change == KeyChange::kNewContext)) {
      status = (*sender)->AddKey(key.key, key.mki);
    }
  }
  if (status.ok() && update.prepare_local_key.has_value() && first != &*update.prepare_local_key) {
    status = (*sender)->AddKey(*update.prepare_local_key, update.local_mki);
  }
  if (!status.ok()) {
    return status;
  }
  return sender;
}

void SendKeys::Apply(Plan plan, const EndpointMove& move, LegUpdate& update) {
  const bool fresh = plan.new_sender != nullptr;
  if (fresh) {
    sender_ = std::move(plan.new_sender);
  }
  options_ = update.local_options.value_or(options_);
  for (Key& key : keys_) {
    key.new_endpoint = key.new_endpoint || (move.moved() && !key.used);
  }
  // What the sender refuses from here on was ruled out by PlanUpdate.
  absl::Status status;
  if (update.prepare_local_key.has_value()) {
    if (has_mki_ && !fresh) {
      status = sender_->AddKey(*update.prepare_local_key, update.local_mki);
    } else if (!has_mki_) {
      keys_.erase(keys_.begin() + 1, keys_.end());
    }
    keys_.push_back({.key = *std::move(update.prepare_local_key),
                     .mki = update.local_mki,
                     .new_endpoint = move.moved()});
  }
  if (status.ok() && update.activate_local_key) {
    status = Activate(update, plan.change, fresh);
  }
  if (status.ok() && update.retire_local_key) {
    status = sender_->RetireKey(update.local_mki);
    const size_t slot = Find(update.local_mki);
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(slot));
    sending_ -= slot < sending_ ? 1 : 0;
  }
  if (!status.ok()) {
    SLUICE_BUG(send_keys_sender_refused);
  }
}

absl::Status SendKeys::Activate(const LegUpdate& update, KeyChange change, bool fresh) {
  const size_t slot = has_mki_ ? Find(update.local_mki) : keys_.size() - 1;
  if (change == KeyChange::kKeep) {
    // The same key again, which without MKI was prepared beside itself.
    if (!has_mki_) {
      keys_.erase(keys_.begin() + 1, keys_.end());
    }
    return absl::OkStatus();
  }
  Key& key = keys_[slot];
  absl::Status status;
  if (!fresh) {
    status = has_mki_ ? sender_->SendWith(key.mki) : sender_->Rekey(key.key);
  }
  const Mki mki = key.mki;
  if (!has_mki_) {
    keys_.erase(keys_.begin());
  } else if (change == KeyChange::kNewContext) {
    std::erase_if(keys_, [&](const Key& other) { return other.used; });
  }
  sending_ = has_mki_ ? Find(mki) : 0;
  keys_[sending_].used = true;
  keys_[sending_].new_endpoint = false;
  return status;
}

std::vector<LegKeyState> SendKeys::States() const {
  std::vector<LegKeyState> states;
  states.reserve(keys_.size());
  for (const Key& key : keys_) {
    states.push_back({key.mki, &key == &keys_[sending_]});
  }
  return states;
}

}  // namespace sluice
