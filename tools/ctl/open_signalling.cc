#include "tools/ctl/open_signalling.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "tools/ctl/signalling_over_grpc.h"
#include "tools/ctl/signalling_over_quic.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<SignallingClient>> OpenSignalling(const SignallingOptions& options) {
  if (!absl::StartsWith(options.target, kQuicScheme)) return SignallingOverGrpc::Create(options);
  absl::StatusOr<std::unique_ptr<SignallingOverQuic>> client = SignallingOverQuic::Create(options);
  if (!client.ok()) return client.status();
  return std::unique_ptr<SignallingClient>(*std::move(client));
}

}  // namespace sluice
