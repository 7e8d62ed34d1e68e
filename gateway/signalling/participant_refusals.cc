#include "gateway/signalling/participant_refusals.h"

#include "absl/log/log.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr absl::Duration kLogInterval = absl::Minutes(1);

}  // namespace

absl::string_view ParticipantRefusalName(ParticipantRefusal refusal) {
  switch (refusal) {
    case ParticipantRefusal::kNoToken:
      return "no_token";
    case ParticipantRefusal::kMalformed:
      return "malformed";
    case ParticipantRefusal::kBadSignature:
      return "bad_signature";
    case ParticipantRefusal::kNotYetValid:
      return "not_yet_valid";
    case ParticipantRefusal::kExpired:
      return "expired";
    case ParticipantRefusal::kRevoked:
      return "revoked";
    case ParticipantRefusal::kNoRight:
      return "no_right";
    case ParticipantRefusal::kTooManyCalls:
      return "too_many_calls";
    case ParticipantRefusal::kTooManyStreams:
      return "too_many_streams";
    case ParticipantRefusal::kRequest:
      return "request";
  }
  return "unknown";
}

ParticipantRefusal ToRefusal(TokenVerdict verdict) {
  switch (verdict) {
    case TokenVerdict::kOk:
      break;
    case TokenVerdict::kMalformed:
      return ParticipantRefusal::kMalformed;
    case TokenVerdict::kBadSignature:
      return ParticipantRefusal::kBadSignature;
    case TokenVerdict::kNotYetValid:
      return ParticipantRefusal::kNotYetValid;
    case TokenVerdict::kExpired:
      return ParticipantRefusal::kExpired;
    case TokenVerdict::kRevoked:
      return ParticipantRefusal::kRevoked;
  }
  SLUICE_CHECK(false);
  return ParticipantRefusal::kMalformed;
}

void ParticipantRefusals::Count(ParticipantRefusal refusal, absl::Time now) {
  uint64_t times = 0;
  {
    const absl::MutexLock lock(&mutex_);
    Row& row = rows_[static_cast<size_t>(refusal)];
    ++row.count;
    if (now - row.logged < kLogInterval) {
      return;
    }
    times = row.count - row.logged_count;
    row.logged = now;
    row.logged_count = row.count;
  }
  LOG(WARNING) << "participants refused reason=" << ParticipantRefusalName(refusal)
               << " times=" << times;
}

uint64_t ParticipantRefusals::count(ParticipantRefusal refusal) const {
  const absl::MutexLock lock(&mutex_);
  return rows_[static_cast<size_t>(refusal)].count;
}

std::vector<std::pair<absl::string_view, uint64_t>> ParticipantRefusals::counts() const {
  std::vector<std::pair<absl::string_view, uint64_t>> counts;
  const absl::MutexLock lock(&mutex_);
  for (size_t i = 0; i < kParticipantRefusals; ++i) {
    counts.emplace_back(ParticipantRefusalName(static_cast<ParticipantRefusal>(i)), rows_[i].count);
  }
  return counts;
}

}  // namespace sluice
