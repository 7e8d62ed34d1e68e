// What is wrong at the start is told in one sentence on stderr, with an exit code that is not zero.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/gateway_process.h"
#include "tests/e2e/reserved_ports.h"
#include "tests/e2e/scratch_folder.h"
#include "tests/e2e/test_authority.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StartTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(16);
    ASSERT_TRUE(ports.ok()) << ports.status();
    ports_.emplace(*std::move(ports));
  }

  // The gateway with `flags` beside a free port range must refuse to start, and say why in one line
  // that has all of `words`.
  void ExpectRefusal(std::vector<std::string> flags, const std::vector<std::string>& words) {
    std::vector<std::string> argv = {kGatewayBinary, "--ready-file", folder_.File("ready")};
    const auto gives = [&flags](const char* name) {
      return std::any_of(flags.begin(), flags.end(),
                         [name](const std::string& flag) { return absl::StartsWith(flag, name); });
    };
    if (!gives("--listen")) {
      argv.push_back("--listen=127.0.0.1:0");
    }
    if (!gives("--media-ports")) {
      argv.push_back(absl::StrCat("--media-ports=", ports_->first(), "-", ports_->last()));
    }
    argv.insert(argv.end(), flags.begin(), flags.end());
    const absl::StatusOr<ProgramResult> result = RunProgram(argv);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_GT(result->exit_code, 0);
    EXPECT_LT(result->exit_code, 128) << "ended by a signal";
    const std::string said(absl::StripAsciiWhitespace(result->err));
    EXPECT_FALSE(said.empty());
    EXPECT_THAT(said, Not(HasSubstr("\n"))) << "more than one line";
    for (const std::string& word : words) {
      EXPECT_THAT(said, HasSubstr(word));
    }
    EXPECT_EQ(ReadFileOrEmpty(folder_.File("ready")), "") << "said it was ready all the same";
  }

  // A folder as --tls-dir wants it.
  void WriteCertificates(const Credentials& server) {
    folder_.Write("ca.crt", authority_.certificate());
    folder_.Write("server.crt", server.certificate);
    folder_.Write("server.key", server.private_key);
  }

  std::string TlsDir() const { return absl::StrCat("--tls-dir=", folder_.path()); }

  std::string ConfigFlag(const std::string& text) const {
    return absl::StrCat("--config=", folder_.Write("gateway.config", text));
  }

  ScratchFolder folder_;
  TestAuthority authority_;
  std::optional<ReservedPorts> ports_;
};

TEST_F(StartTest, NeitherCertificatesNorInsecure) {
  ExpectRefusal({}, {"--tls-dir", "--insecure"});
}

TEST_F(StartTest, InsecureOnAnAddressThatOthersReach) {
  ExpectRefusal({"--insecure", "--listen=0.0.0.0:0"}, {"--listen", "0.0.0.0", "without TLS"});
  ExpectRefusal({"--insecure", "--listen=[::]:0"}, {"--listen", "[::]", "without TLS"});
}

TEST_F(StartTest, ABusyControlPort) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string place = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  ExpectRefusal({"--insecure", absl::StrCat("--listen=", place)}, {place});
  close(listener);
}

TEST_F(StartTest, AControlPortThatAnotherGatewayHas) {
  // Two gateways on one port would each get half of the calls.
  const absl::StatusOr<std::unique_ptr<GatewayProcess>> first = GatewayProcess::Start({});
  ASSERT_TRUE(first.ok()) << first.status();
  ExpectRefusal({"--insecure", absl::StrCat("--listen=", (*first)->address())},
                {(*first)->address()});
  EXPECT_EQ((*first)->Stop(), 0) << (*first)->Log();
}

TEST_F(StartTest, AControlAddressOfAnotherMachine) {
  WriteCertificates(authority_.Issue());
  ExpectRefusal({TlsDir(), "--listen=192.0.2.1:7443"}, {"192.0.2.1"});
}

TEST_F(StartTest, AListenAddressThatDoesNotParse) {
  for (const char* listen : {"nonsense", "127.0.0.1", "127.0.0.1:99999", "::1:80"}) {
    ExpectRefusal({"--insecure", absl::StrCat("--listen=", listen)}, {"--listen"});
  }
}

TEST_F(StartTest, MissingCertificates) {
  ExpectRefusal({TlsDir()}, {folder_.path()});
  WriteCertificates(authority_.Issue());
  ASSERT_EQ(unlink(folder_.File("server.key").c_str()), 0);
  ExpectRefusal({TlsDir()}, {"server.key"});
}

TEST_F(StartTest, AnExpiredCertificate) {
  WriteCertificates(authority_.Issue({.begin = -7200, .end = -3600}));
  ExpectRefusal({TlsDir()}, {"server.crt", "expired"});
}

TEST_F(StartTest, ACertificateThatIsNotYetValid) {
  WriteCertificates(authority_.Issue({.begin = 3600, .end = 7200}));
  ExpectRefusal({TlsDir()}, {"server.crt", "valid"});
}

TEST_F(StartTest, AKeyThatDoesNotBelongToTheCertificate) {
  WriteCertificates({authority_.Issue().certificate, authority_.Issue().private_key});
  ExpectRefusal({TlsDir()}, {"server.key", "server.crt"});
}

TEST_F(StartTest, FilesThatAreNoCertificates) {
  WriteCertificates({"not a certificate\n", authority_.Issue().private_key});
  ExpectRefusal({TlsDir()}, {"server.crt"});
  WriteCertificates({authority_.Issue().certificate, "not a key\n"});
  ExpectRefusal({TlsDir()}, {"server.key"});
  WriteCertificates(authority_.Issue());
  folder_.Write("ca.crt", "");
  ExpectRefusal({TlsDir()}, {"ca.crt"});
}

TEST_F(StartTest, AConfigurationThatCannotBeRead) {
  ExpectRefusal({"--insecure", absl::StrCat("--config=", folder_.File("nowhere"))},
                {folder_.File("nowhere")});
  ExpectRefusal({"--insecure", absl::StrCat("--config=", folder_.path())}, {folder_.path()});
}

TEST_F(StartTest, AnUnknownConfigurationField) {
  ExpectRefusal({"--insecure", ConfigFlag("workers: 1\nmedia { no_such_field: 5 }\n")},
                {"gateway.config:2", "no_such_field"});
}

TEST_F(StartTest, AConfigurationThatDoesNotParse) {
  ExpectRefusal({"--insecure", ConfigFlag("workers: many\n")}, {"gateway.config:1"});
  ExpectRefusal({"--insecure", ConfigFlag("limits { sessions: 0 }")}, {"sessions"});
  ExpectRefusal({"--insecure", ConfigFlag("session_defaults { idle_timeout { nanos: 5 } }")},
                {"idle_timeout"});
  ExpectRefusal({"--insecure", ConfigFlag("log_level: \"loud\"")}, {"log_level", "loud"});
}

TEST_F(StartTest, AnEmptyPortRange) {
  for (const char* range :
       {"20001-20000", "20001-20001", "20001-20002", "20000", "0-10", "x-y", "20000-70000"}) {
    ExpectRefusal({"--insecure", absl::StrCat("--media-ports=", range)}, {"--media-ports"});
  }
}

TEST_F(StartTest, AMediaAddressOfAnotherMachine) {
  ExpectRefusal({"--insecure", ConfigFlag("media { ipv4: \"192.0.2.1\" }")}, {"192.0.2.1"});
}

TEST_F(StartTest, WorkersOutOfRangeAndFlagsThatDoNotExist) {
  ExpectRefusal({"--insecure", "--workers=0"}, {"workers"});
  ExpectRefusal({"--insecure", "--workers=100000"}, {"workers"});
  ExpectRefusal({"--insecure", "--no-such-flag"}, {"--no-such-flag"});
}

TEST_F(StartTest, ACryptoEngineThatDoesNotExist) {
  ExpectRefusal({"--insecure", "--crypto-engine=openssl"},
                {"--crypto-engine", "openssl", "auto", "boringssl", "ipsec_mb"});
}

TEST_F(StartTest, MoreThanTheMachineHasMemoryFor) {
  // Some 300 GiB.
  ExpectRefusal({"--insecure", "--media-ports=1024-65535", "--workers=256",
                 ConfigFlag("media { ipv4: \"127.0.0.1\" ipv6: \"::1\" } "
                            "limits { sessions: 1000000 legs_per_session: 256 "
                            "streams_per_leg: 1024 event_queue: 1000000 tombstones: 1000000 "
                            "outbox_packets: 65536 receive_batch: 1024 }")},
                {"MiB", "lower the limits"});
}

}  // namespace
}  // namespace sluice
