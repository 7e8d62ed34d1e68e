#include "tools/ctl/demo/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<ChildProcess> Shell(const std::string& script, bool read_stdout = false) {
  auto child = ChildProcess::Start({.arguments = {"sh", "-c", script},
                                    .log_path = testing::TempDir() + "/child.log",
                                    .read_stdout = read_stdout});
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

// Until the other side closes; the way to wait for a child without asking again and again.
std::string ReadAll(int fd) {
  std::string text;
  for (;;) {
    pollfd entry = {.fd = fd, .events = POLLIN, .revents = 0};
    poll(&entry, 1, -1);
    char buffer[4096];
    const ssize_t size = read(fd, buffer, sizeof(buffer));
    if (size <= 0) return text;
    text.append(buffer, static_cast<size_t>(size));
  }
}

int WaitFor(ChildProcess& child) {
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(child.HasEnded());
  return child.exit_code();
}

TEST(ChildProcessTest, GivesBackOutputLogAndExitCode) {
  const auto child = Shell("echo out; echo log >&2; exit 3", true);
  EXPECT_EQ(ReadAll(child->stdout_fd()), "out\n");
  EXPECT_EQ(WaitFor(*child), 3);
  EXPECT_EQ(child->Log(), "log\n");
  child->Signal(SIGTERM);
}

TEST(ChildProcessTest, OutputThatNobodyReadsIsThrownAway) {
  const auto child = Shell("yes | head -c 1000000");
  EXPECT_EQ(child->stdout_fd(), -1);
  EXPECT_EQ(WaitFor(*child), 0);
}

TEST(ChildProcessTest, SignalsReachItsWholeGroup) {
  const auto child = Shell(
      "trap 'echo stopped; exit 5' TERM; cat /dev/zero >/dev/null & "
      "echo started; wait",
      true);
  char buffer[8];
  pollfd entry = {.fd = child->stdout_fd(), .events = POLLIN, .revents = 0};
  poll(&entry, 1, -1);
  ASSERT_EQ(read(child->stdout_fd(), buffer, sizeof(buffer)), 8);
  child->Signal(SIGTERM);
  // Ends only when `cat` has closed its copy, which it does because it was told too.
  EXPECT_EQ(ReadAll(child->stdout_fd()), "stopped\n");
  EXPECT_EQ(WaitFor(*child), 5);
}

TEST(ChildProcessTest, IsKilledWithItsObject) {
  auto child = Shell("cat /dev/zero >/dev/null");
  const pid_t pid = child->pid();
  EXPECT_EQ(kill(pid, 0), 0);
  child.reset();
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(ChildProcessTest, ASignalIsAnExitCode) {
  const auto child = Shell("kill -KILL $$");
  EXPECT_EQ(WaitFor(*child), 128 + SIGKILL);
}

TEST(ChildProcessTest, SaysWhatCannotBeStarted) {
  const auto child = ChildProcess::Start(
      {.arguments = {"no-such-program"}, .log_path = testing::TempDir() + "/none.log"});
  ASSERT_FALSE(child.ok());
  EXPECT_THAT(std::string(child.status().message()),
              AllOf(HasSubstr("no-such-program"), HasSubstr("No such file")));
}

}  // namespace
}  // namespace sluice
