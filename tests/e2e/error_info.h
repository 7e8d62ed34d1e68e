#ifndef TESTS_E2E_ERROR_INFO_H_
#define TESTS_E2E_ERROR_INFO_H_

#include <string>
#include <vector>

#include "grpcpp/support/status.h"

namespace sluice {

// What a refused call says beyond its code, from the google.rpc details.
struct ErrorInfo {
  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string message;
  // BadRequest.
  std::vector<std::string> fields;
  // ResourceInfo, as "session/some-id".
  std::vector<std::string> resources;
  // QuotaFailure: the limits by name.
  std::vector<std::string> limits;
  // PreconditionFailure, as "TOMBSTONE/some-id".
  std::vector<std::string> preconditions;
};

// Fails the test when the details do not parse.
ErrorInfo ErrorInfoOf(const grpc::Status& status);

// For messages of failing tests.
std::ostream& operator<<(std::ostream& out, const ErrorInfo& info);

}  // namespace sluice

#endif  // TESTS_E2E_ERROR_INFO_H_
