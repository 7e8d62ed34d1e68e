// The program as people run it.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"

namespace sluice {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kBinary[] = "tools/load/udp_proxy";

TEST(UdpProxyMainTest, PrintsItsPortAndWhatItCounted) {
  const absl::StatusOr<ProgramResult> result =
      RunProgram({kBinary, "--server",       "[::1]:4433", "--listen",     "[::1]:0", "--loss",
                  "2.5",   "--burst",        "3",          "--delay",      "750ms",   "--jitter",
                  "1ms",   "--hole",         "2s",         "--hole-every", "7s",      "--drop-from",
                  "2",     "--drop-to",      "7",          "--rate-kbps",  "1000",    "--rebind",
                  "port",  "--rebind-every", "5s",         "--duration",   "10ms"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 0) << result->err;
  EXPECT_THAT(result->out, StartsWith("{\"port\": "));
  EXPECT_THAT(
      result->out,
      EndsWith("{\"to_server\": {\"passed\": 0, \"dropped\": 0, \"in_hole\": 0, \"lost\": 0, "
               "\"queue_full\": 0, \"corrupted\": 0, \"duplicated\": 0, \"reordered\": 0, "
               "\"bytes\": 0}, \"to_client\": {\"passed\": 0, \"dropped\": 0, \"in_hole\": 0, "
               "\"lost\": 0, \"queue_full\": 0, \"corrupted\": 0, \"duplicated\": 0, "
               "\"reordered\": 0, \"bytes\": 0}, \"clients\": 0, \"clients_refused\": 0, "
               "\"rebindings\": 0, \"line_full\": 0, \"not_sent\": 0}\n"));
}

TEST(UdpProxyMainTest, HelpHasAnExample) {
  const absl::StatusOr<ProgramResult> result = RunProgram({kBinary, "--help"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_THAT(result->out, HasSubstr("udp_proxy --server 127.0.0.1:4433"));
}

TEST(UdpProxyMainTest, SaysWhatIsWrongWithACommandLine) {
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--listen", "127.0.0.1"},
                                             {"--loss", "101"},
                                             {"--corrupt-to-server", "-1"},
                                             {"--delay", "10"},
                                             {"--jitter", "-1s"},
                                             {"--hole", "2s"},
                                             {"--hole", "2s", "--hole-every", "1s"},
                                             {"--rebind", "name"},
                                             {"--rebind-every", "0s"},
                                             {"--duration", "25h"},
                                             {"--speed", "1"}}) {
    std::vector<std::string> argv = {kBinary, "--server", "127.0.0.1:4433"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    const absl::StatusOr<ProgramResult> result = RunProgram(argv);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->exit_code, 2) << flags[0] << " " << flags[1];
    EXPECT_FALSE(result->err.empty());
  }
  EXPECT_EQ(RunProgram({kBinary})->exit_code, 2);
}

TEST(UdpProxyMainTest, AnAddressThatIsNotHereIsAnError) {
  const absl::StatusOr<ProgramResult> result =
      RunProgram({kBinary, "--server", "192.0.2.1:4433", "--listen", "192.0.2.1:0"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 1);
  EXPECT_FALSE(result->err.empty());
}

}  // namespace
}  // namespace sluice
