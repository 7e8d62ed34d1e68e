#ifndef GATEWAY_SESSION_FORWARDING_H_
#define GATEWAY_SESSION_FORWARDING_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gateway/session/session_spec.h"

namespace sluice {

// Who gets whose packets in one session, by leg id. As long as nothing was set, a session of
// exactly two legs is a bridge and any other forwards nothing.
class Forwarding {
 public:
  // Replaces all rules or, with an error, none. InvalidArgument naming "rules[i].from_leg_id" or
  // "rules[i].to_leg_ids[j]": not one of `leg_ids`, named twice, or a leg that would get its own
  // packets. ResourceExhausted ("destinations_per_leg").
  absl::Status Set(const std::vector<ForwardingRule>& rules,
                   absl::Span<const absl::string_view> leg_ids, size_t max_destinations);

  // Takes the leg out of all rules.
  void RemoveLeg(absl::string_view leg_id);

  // The rules in force for a session of these legs.
  std::vector<ForwardingRule> InForce(absl::Span<const absl::string_view> leg_ids) const;

 private:
  bool set_ = false;
  std::vector<ForwardingRule> rules_;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_FORWARDING_H_
