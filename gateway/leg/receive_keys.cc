#include "gateway/leg/receive_keys.h"

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

constexpr absl::string_view kKeyField = "config.remote_key";
constexpr absl::string_view kMkiField = "config.remote_key.mki";
constexpr absl::string_view kRetireField = "retire_remote_mkis";
constexpr absl::string_view kOptionsField = "config.remote_options";

SrtpReceiverOptions ToReceiverOptions(const SrtpOptions& options, size_t max_streams,
                                      const Mki& mki) {
  SrtpReceiverOptions out;
  out.max_streams = max_streams;
  out.rtp_replay_window = options.rtp_replay_window;
  out.rtcp_replay_window = options.rtcp_replay_window;
  out.remembered_streams = RememberedStreams(max_streams);
  out.accept_unencrypted_rtcp = options.unencrypted_rtcp;
  out.mki = mki;
  out.policy = options.policy;
  return out;
}

}  // namespace

absl::StatusOr<ReceiveKeys::Plan> ReceiveKeys::PlanUpdate(const LegUpdate& update,
                                                          const EndpointMove& move,
                                                          const std::string& leg_id) const {
  const absl::StatusOr<KeyChange> change = Decide(update, move);
  if (!change.ok()) {
    return change.status();
  }
  if (absl::Status status = CheckAdd(update, *change); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckRetire(update, *change); !status.ok()) {
    return status;
  }
  Plan plan;
  plan.change = *change;
  const bool anew = *change == KeyChange::kNewContext;
  const bool new_options = update.remote_options.has_value() && *update.remote_options != options_;
  if (new_options && !anew && receiver_ != nullptr && !receiver_->ExportStreams().empty()) {
    return PreconditionFailed("OPTIONS_IN_USE", leg_id,
                              "packets came with the present remote_options: they change only with "
                              "a new key for a new remote address");
  }
  if (anew || (new_options && receiver_ != nullptr)) {
    auto receiver = MakeReceiver(update, *change);
    if (!receiver.ok()) {
      return receiver.status();
    }
    plan.new_receiver = *std::move(receiver);
  }
  return plan;
}

size_t ReceiveKeys::Find(const Mki& mki) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.mki == mki; });
  return static_cast<size_t>(found - keys_.begin());
}

absl::StatusOr<KeyChange> ReceiveKeys::Decide(const LegUpdate& update,
                                              const EndpointMove& move) const {
  if (!update.remote_key.has_value()) {
    return KeyChange::kKeep;
  }
  for (const Key& live : keys_) {
    if (live.key == *update.remote_key) {
      return live.mki == update.remote_mki
                 ? absl::StatusOr<KeyChange>(KeyChange::kKeep)
                 : InvalidField(kMkiField, absl::StrCat("the key is live with the MKI \"",
                                                        MkiText(live.mki), "\""));
    }
    if (SharesKeystream(live.key, *update.remote_key)) {
      return InvalidField(kKeyField, "the key is in use with another suite or salt");
    }
  }
  return DecideKeyChange({newest_key(), move.before}, {&*update.remote_key, move.after});
}

absl::Status ReceiveKeys::CheckAdd(const LegUpdate& update, KeyChange change) const {
  if (change != KeyChange::kRekey) {
    return absl::OkStatus();
  }
  const size_t mki_size = keys_.back().mki.size();
  if (update.remote_mki.size() != mki_size) {
    return InvalidField(kMkiField,
                        absl::StrCat("has ", update.remote_mki.size(), " bytes, those of the ",
                                     "present keys have ", mki_size));
  }
  if (!has_mki()) {
    return absl::OkStatus();
  }
  if (Find(update.remote_mki) != keys_.size()) {
    return InvalidField(kMkiField, absl::StrCat(MkiText(update.remote_mki),
                                                " is in use; there are ", MkiTexts(keys_)));
  }
  if (keys_.size() >= kMaxKeysPerDirection) {
    return LimitReached("keys_per_direction", kMaxKeysPerDirection,
                        "retire a remote key before another is added");
  }
  return absl::OkStatus();
}

absl::Status ReceiveKeys::CheckRetire(const LegUpdate& update, KeyChange change) const {
  std::vector<LegKeyState> left =
      change == KeyChange::kNewContext ? std::vector<LegKeyState>() : States();
  if (change != KeyChange::kKeep) {
    left.push_back({update.remote_mki, false});
  }
  for (size_t i = 0; i < update.retire_remote_keys.size(); ++i) {
    const Mki& mki = update.retire_remote_keys[i];
    const std::string field = absl::StrCat(kRetireField, "[", i, "]");
    const auto found =
        std::find_if(left.begin(), left.end(), [&](const auto& key) { return key.mki == mki; });
    if (mki.empty() || found == left.end()) {
      return InvalidField(field, absl::StrCat("no live key has the MKI \"", MkiText(mki),
                                              "\"; there are \"", MkiTexts(left), "\""));
    }
    if (left.size() == 1) {
      return InvalidField(
          field, absl::StrCat(MkiText(mki), " is the only key that is left: add another first"));
    }
    left.erase(found);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SrtpReceiver>> ReceiveKeys::MakeReceiver(const LegUpdate& update,
                                                                        KeyChange change) const {
  const bool replaced =
      change == KeyChange::kNewContext || (change == KeyChange::kRekey && !has_mki());
  const SrtpOptions& options =
      update.remote_options.has_value() ? *update.remote_options : options_;
  auto receiver = SrtpReceiver::Create(
      replaced ? *update.remote_key : keys_[0].key,
      ToReceiverOptions(options, max_streams_, replaced ? update.remote_mki : keys_[0].mki),
      *engine_);
  if (!receiver.ok()) {
    return InvalidField(kOptionsField, receiver.status().message());
  }
  if (replaced) {
    return receiver;
  }
  absl::Status status;
  for (size_t i = 1; i < keys_.size() && status.ok(); ++i) {
    status = (*receiver)->AddKey(keys_[i].key, keys_[i].mki);
  }
  if (status.ok() && change == KeyChange::kRekey) {
    status = (*receiver)->AddKey(*update.remote_key, update.remote_mki);
  }
  if (!status.ok()) {
    return status;
  }
  return receiver;
}

void ReceiveKeys::Apply(Timestamp now, Plan plan, LegUpdate& update) {
  options_ = update.remote_options.value_or(options_);
  // What the receiver refuses was ruled out by PlanUpdate.
  absl::Status status;
  const bool replaced =
      plan.change == KeyChange::kNewContext || (plan.change == KeyChange::kRekey && !has_mki());
  if (plan.new_receiver != nullptr) {
    receiver_ = std::move(plan.new_receiver);
    retire_at_ = Timestamp::PlusInfinity();
    watch_ = KeyLimitWatch();
  } else if (plan.change == KeyChange::kRekey && has_mki()) {
    status = receiver_->AddKey(*update.remote_key, update.remote_mki);
  } else if (plan.change == KeyChange::kRekey) {
    status = receiver_->Rekey(*update.remote_key);
    retire_at_ = now + kKeyRetireDelay;
  }
  if (replaced) {
    keys_.clear();
  }
  if (plan.change != KeyChange::kKeep) {
    keys_.push_back({*std::move(update.remote_key), update.remote_mki});
  }
  for (const Mki& mki : update.retire_remote_keys) {
    status.Update(receiver_->RetireKey(mki));
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(Find(mki)));
  }
  if (!status.ok()) {
    SLUICE_BUG(receive_keys_receiver_refused);
  }
}

void ReceiveKeys::HandleTimeout(Timestamp now) {
  if (now >= retire_at_) {
    receiver_->RetirePreviousKey();
    retire_at_ = Timestamp::PlusInfinity();
  }
}

std::vector<LegKeyState> ReceiveKeys::States() const {
  std::vector<LegKeyState> states;
  states.reserve(keys_.size());
  for (const Key& key : keys_) {
    states.push_back({key.mki, false});
  }
  return states;
}

}  // namespace sluice
