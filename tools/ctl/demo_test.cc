// `sluicectl demo` as a user runs it, against the real gateway and with real ffmpeg processes.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/ctl/demo/child_process.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kGateway[] = "gateway/sluice_gateway";
constexpr char kSluicectl[] = "tools/ctl/sluicectl";

// For what takes a second on an idle machine.
constexpr absl::Duration kPatience = absl::Seconds(60);

// The smaller of the two "N forwarded" in the last line of progress; 0 before there is one.
int LeastForwarded(const std::string& text) {
  int least = 0, previous = 0;
  bool first = true;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); first = true) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "forwarded,") {
        least = first ? previous : std::min(least, previous);
        first = false;
      }
      previous = std::atoi(word.c_str());
    }
  }
  return least;
}

class DemoTest : public testing::Test {
 protected:
  DemoTest() : folder_(fs::path(testing::TempDir()) / "demo") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // Where the demo keeps its files, so that the test can look.
    setenv("TMPDIR", folder_.c_str(), 1);
    StartGateway({"--insecure"});
  }

  // In place of the last one.
  void StartGateway(const std::vector<std::string>& options) {
    gateway_.reset();
    fs::remove(Ready());
    std::vector<std::string> arguments = {kGateway,        "--listen",    "127.0.0.1:0",
                                          "--media-ports", "21000-21099", "--ready-file",
                                          Ready()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    gateway_ = Start(arguments, "gateway.log");
    EXPECT_TRUE(WaitUntil([&] { return fs::exists(Ready()) || gateway_->HasEnded(); }));
    std::ifstream ready(Ready());
    std::getline(ready >> std::ws, address_);
    EXPECT_THAT(address_, Not(IsEmpty())) << gateway_->Log();
    std::string line;
    std::getline(ready, line);
    quic_address_ = line.substr(0, 5) == "quic " ? line.substr(5) : "";
  }

  std::string Ready() const { return folder_ / "ready"; }

  std::unique_ptr<ChildProcess> Start(std::vector<std::string> arguments, const char* log) {
    auto process = ChildProcess::Start({.arguments = std::move(arguments),
                                        .log_path = (folder_ / log).string(),
                                        .read_stdout = true});
    EXPECT_TRUE(process.ok()) << process.status();
    return *std::move(process);
  }

  std::unique_ptr<ChildProcess> Sluicectl(std::vector<std::string> arguments) {
    const std::vector<std::string> trust = pki_.empty()
                                               ? std::vector<std::string>{"--insecure"}
                                               : std::vector<std::string>{"--tls-dir", pki_};
    arguments.insert(arguments.begin(), trust.begin(), trust.end());
    arguments.insert(arguments.begin(), {kSluicectl, "--gateway", address_});
    return Start(std::move(arguments), "sluicectl.log");
  }

  template <typename Condition>
  bool WaitUntil(Condition condition) {
    const absl::Time deadline = absl::Now() + kPatience;
    while (!condition()) {
      if (absl::Now() > deadline) return false;
      poll(nullptr, 0, 10);
    }
    return true;
  }

  // Adds what the process writes to `text` until it contains `wanted`, or for nullptr until its
  // end.
  bool ReadUntil(ChildProcess& process, const char* wanted, std::string& text) {
    const absl::Time deadline = absl::Now() + kPatience;
    while (wanted == nullptr || text.find(wanted) == std::string::npos) {
      pollfd entry = {.fd = process.stdout_fd(), .events = POLLIN, .revents = 0};
      if (poll(&entry, 1, 1000) < 1) {
        if (absl::Now() > deadline) return false;
        continue;
      }
      char buffer[4096];
      const ssize_t size = read(process.stdout_fd(), buffer, sizeof(buffer));
      if (size == 0) return wanted == nullptr;
      if (size > 0) text.append(buffer, static_cast<size_t>(size));
    }
    return true;
  }

  // Runs to the end.
  int Finish(ChildProcess& process, std::string& text) {
    EXPECT_TRUE(ReadUntil(process, nullptr, text)) << text << process.Log();
    EXPECT_TRUE(WaitUntil([&] { return process.HasEnded(); }));
    return process.HasEnded() ? process.exit_code() : -1;
  }

  // Folders that the demo has left behind.
  int LeftFolders() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) count += entry.is_directory();
    return count;
  }

  void ExpectNoSessions() {
    std::string list;
    EXPECT_EQ(Finish(*Sluicectl({"session", "list", "--output=json"}), list), 0);
    EXPECT_EQ(list, "{\"sessions\":[],\"nextPageToken\":\"\"}\n");
  }

  fs::path folder_;
  std::unique_ptr<ChildProcess> gateway_;
  std::string address_;
  // Empty: of a gateway without.
  std::string quic_address_;
  std::string pki_;
};

TEST_F(DemoTest, BothDirectionsArrive) {
  const auto demo = Sluicectl({"demo", "--seconds", "2"});
  std::string text;
  EXPECT_EQ(Finish(*demo, text), 0) << text << demo->Log() << gateway_->Log();
  EXPECT_THAT(text, AllOf(HasSubstr("alice -> bob"), HasSubstr("bob -> alice"),
                          HasSubstr("Both directions arrived")));
  EXPECT_EQ(LeftFolders(), 0);
  ExpectNoSessions();
}

TEST_F(DemoTest, AliceJoinsAndLeavesOverQuic) {
  pki_ = (folder_ / "pki").string();
  std::string text;
  EXPECT_EQ(Finish(*Sluicectl({"pki", "init", "--dir", pki_}), text), 0) << text;
  StartGateway({"--tls-dir", pki_, "--quic-listen", "127.0.0.1:0"});
  ASSERT_THAT(quic_address_, Not(IsEmpty())) << gateway_->Log();
  const auto demo = Sluicectl({"demo", "--seconds", "2", "--quic", quic_address_});
  text.clear();
  EXPECT_EQ(Finish(*demo, text), 0) << text << demo->Log() << gateway_->Log();
  EXPECT_THAT(text,
              AllOf(HasSubstr("alice joined over QUIC (sluice/1, TLS 1.3, v1): 2 round trips"),
                    HasSubstr("; first packet "), HasSubstr("; leave 1 round trip"),
                    HasSubstr("Both directions arrived")));
  ExpectNoSessions();
}

TEST_F(DemoTest, WithoutAListenerForQuicTheCallFails) {
  const auto demo =
      Sluicectl({"--timeout", "500ms", "demo", "--seconds", "2", "--quic", "127.0.0.1:9"});
  std::string text;
  EXPECT_EQ(Finish(*demo, text), 1) << text;
  EXPECT_THAT(demo->Log(), HasSubstr("127.0.0.1:9"));
  EXPECT_EQ(LeftFolders(), 0);
  ExpectNoSessions();
}

TEST_F(DemoTest, ScriptsGetOneObject) {
  const auto demo = Sluicectl({"demo", "--seconds", "1", "--output=json"});
  std::string text;
  EXPECT_EQ(Finish(*demo, text), 0) << text << demo->Log();
  EXPECT_THAT(text, AllOf(HasSubstr("\"ok\":true"), HasSubstr("\"lost\":0")));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST_F(DemoTest, ControlCEndsItInGoodOrder) {
  const auto demo = Sluicectl({"demo"});
  std::string text;
  // About a second of both: in the first moment one source may have sent next to nothing.
  while (LeastForwarded(text) < 50) {
    std::string more;
    ASSERT_TRUE(ReadUntil(*demo, "\n", more)) << text << demo->Log();
    text += more;
  }
  // Only the process itself, as tools/run does; its children are in groups of their own.
  kill(demo->pid(), SIGINT);
  EXPECT_EQ(Finish(*demo, text), 0) << text << demo->Log();
  EXPECT_THAT(text, HasSubstr("Both directions arrived"));
  EXPECT_EQ(LeftFolders(), 0);
  ExpectNoSessions();
}

TEST_F(DemoTest, AGatewayThatDiesIsTold) {
  const auto demo = Sluicectl({"demo"});
  std::string text;
  ASSERT_TRUE(ReadUntil(*demo, "forwarded", text)) << text << demo->Log();
  gateway_.reset();
  EXPECT_EQ(Finish(*demo, text), 1);
  EXPECT_THAT(demo->Log(), HasSubstr("UNAVAILABLE"));
  EXPECT_EQ(LeftFolders(), 0);
}

TEST_F(DemoTest, MediaThatDoesNotArriveIsExitCodeOne) {
  const auto demo = Sluicectl({"demo"});
  std::string text;
  ASSERT_TRUE(ReadUntil(*demo, "session demo-", text)) << text << demo->Log();
  ASSERT_TRUE(ReadUntil(*demo, "forwarded", text)) << text << demo->Log();
  const std::string session = text.substr(text.find("demo-"), 13);
  std::string ignored;
  EXPECT_EQ(Finish(*Sluicectl({"forwarding", "set", session, "--nobody"}), ignored), 0);
  // At least one more second in which nothing was forwarded.
  text.clear();
  ASSERT_TRUE(ReadUntil(*demo, "forwarded", text));
  text.clear();
  ASSERT_TRUE(ReadUntil(*demo, "forwarded", text));
  kill(demo->pid(), SIGINT);
  EXPECT_EQ(Finish(*demo, text), 1);
  EXPECT_THAT(demo->Log(), AllOf(HasSubstr("alice -> bob: the gateway forwarded"),
                                 HasSubstr("bob -> alice: the gateway forwarded")));
  ExpectNoSessions();
}

}  // namespace
}  // namespace sluice
