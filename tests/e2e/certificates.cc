#include "tests/e2e/certificates.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

absl::Status MakeCertificates(const std::string& folder) {
  const absl::StatusOr<ProgramResult> result =
      RunProgram({"tools/ctl/sluicectl", "pki", "init", "--dir", folder});
  if (!result.ok()) {
    return result.status();
  }
  if (result->exit_code != 0) {
    return absl::InternalError(absl::StrCat("sluicectl pki init ended with ", result->exit_code,
                                            " and said: ", result->err));
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const std::string& folder) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFileOrEmpty(absl::StrCat(folder, "/ca.crt"));
  options.pem_cert_chain = ReadFileOrEmpty(absl::StrCat(folder, "/client.crt"));
  options.pem_private_key = ReadFileOrEmpty(absl::StrCat(folder, "/client.key"));
  return grpc::SslCredentials(options);
}

}  // namespace sluice
