#ifndef TOOLS_CTL_OUTCOME_H_
#define TOOLS_CTL_OUTCOME_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"
#include "tools/ctl/rpc_error.h"

namespace sluice {

// Exit codes of the process.
enum class ExitCode : int {
  kOk = 0,
  // The gateway, or something else than the command line, said no.
  kFailed = 1,
  // The command line is wrong.
  kUsage = 2,
};

// How a command ended, and the one line for stderr if it did not end well.
struct Outcome {
  ExitCode code = ExitCode::kOk;
  std::string message;

  static Outcome Ok() { return {}; }
  static Outcome Usage(const absl::Status& status) {
    return {ExitCode::kUsage, std::string(status.message())};
  }
  static Outcome Failed(const absl::Status& status) {
    return {ExitCode::kFailed, std::string(status.message())};
  }
  static Outcome Failed(const grpc::Status& status) {
    return {ExitCode::kFailed, RenderRpcError(status)};
  }
};

}  // namespace sluice

#endif  // TOOLS_CTL_OUTCOME_H_
