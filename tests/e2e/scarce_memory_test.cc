// A gateway that is not given the memory it computed. A target of its own, since sanitizers reserve
// more address space than any limit leaves.

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/gateway_process.h"
#include "tests/e2e/reserved_ports.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScarceMemoryTest, IsToldInOneSentence) {
  const absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(16);
  ASSERT_TRUE(ports.ok()) << ports.status();
  const ScratchFolder folder;
  // Some 6 GiB in a process that may have one. A small machine refuses before it tries.
  const std::string config = folder.Write("gateway.config", "limits { sessions: 300000 }");
  const absl::StatusOr<ProgramResult> result = RunProgram(
      {"prlimit", "--as=1073741824", kGatewayBinary, "--insecure", "--listen=127.0.0.1:0",
       absl::StrCat("--media-ports=", ports->first(), "-", ports->last()),
       absl::StrCat("--config=", config)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 1) << result->err;
  const std::string said(absl::StripAsciiWhitespace(result->err));
  EXPECT_THAT(said, HasSubstr("sessions"));
  EXPECT_THAT(said, Not(HasSubstr("\n"))) << "more than one line";
}

}  // namespace
}  // namespace sluice
