// The program as people run it.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kBinary[] = "tests/interop/quic/quic_test_server";

// The next line of what a program prints; empty when it ends.
std::string ReadLine(const ChildProcess& child) {
  const Deadline deadline = Deadline::Generous();
  std::string line;
  pollfd readable = {.fd = child.stdout_fd(), .events = POLLIN, .revents = 0};
  char c = 0;
  while (poll(&readable, 1, deadline.PollTimeout()) == 1 && read(child.stdout_fd(), &c, 1) == 1 &&
         c != '\n') {
    line.push_back(c);
  }
  return line;
}

TEST(QuicTestServerMainTest, PrintsItsPortAndWhatItCounted) {
  const ScratchFolder folder;
  const absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(
      {kBinary, "--root", folder.File("root.pem"), "--retry", "--early-data", "--version2"},
      ChildProcess::Stdout::kPipe);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_THAT(ReadLine(**child), StartsWith("{\"port\": "));
  EXPECT_THAT(ReadFileOrEmpty(folder.File("root.pem")), StartsWith("-----BEGIN CERTIFICATE"));
  (*child)->Signal(SIGTERM);
  const std::string counters = ReadLine(**child);
  EXPECT_THAT(counters, HasSubstr("\"accepted\": 0"));
  EXPECT_THAT(counters, HasSubstr("\"requests\": 0"));
  EXPECT_EQ((*child)->Wait(Deadline::Generous()), 0);
}

TEST(QuicTestServerMainTest, HelpHasAnExampleAndBadFlagsAreRefused) {
  const absl::StatusOr<ProgramResult> help = RunProgram({kBinary, "--help"});
  ASSERT_TRUE(help.ok()) << help.status();
  EXPECT_THAT(help->out, HasSubstr("quic_test_server --listen 127.0.0.1:4433"));
  EXPECT_EQ(RunProgram({kBinary, "--listen", "localhost"})->exit_code, 2);
  EXPECT_EQ(RunProgram({kBinary, "--idle-timeout", "0"})->exit_code, 2);
  EXPECT_EQ(RunProgram({kBinary, "--listen", "192.0.2.1:1"})->exit_code, 1);
}

}  // namespace
}  // namespace sluice
