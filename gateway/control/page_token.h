#ifndef GATEWAY_CONTROL_PAGE_TOKEN_H_
#define GATEWAY_CONTROL_PAGE_TOKEN_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {

// Where a listing goes on: behind a session id, with the same filter. Survives restarts of the
// gateway; opaque to controllers. Sessions that come and go between pages neither repeat nor hide
// others.
std::string MakePageToken(const gateway::v1::SessionFilter& filter, absl::string_view last_id);

// The id; nullopt when the token is no token or belongs to another filter.
std::optional<std::string> ParsePageToken(const gateway::v1::SessionFilter& filter,
                                          absl::string_view token);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_PAGE_TOKEN_H_
