#include "tools/ctl/open_signalling.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "tools/ctl/grpc_signalling.h"
#include "tools/ctl/quic_signalling.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<SignallingClient>> OpenSignalling(const SignallingOptions& options) {
  if (!absl::StartsWith(options.target, kQuicScheme)) return GrpcSignalling::Create(options);
  absl::StatusOr<std::unique_ptr<QuicSignalling>> client = QuicSignalling::Create(options);
  if (!client.ok()) return client.status();
  return std::unique_ptr<SignallingClient>(*std::move(client));
}

}  // namespace sluice
