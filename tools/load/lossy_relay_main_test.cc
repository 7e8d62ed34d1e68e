// The program as people run it.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/udp_peer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

constexpr char kBinary[] = "tools/load/lossy_relay";

// The next line of what a program prints.
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

// The number behind `"name": `.
uint16_t Port(absl::string_view json, absl::string_view name) {
  const std::string key = absl::StrCat("\"", name, "\": ");
  const size_t at = json.find(key);
  if (at == absl::string_view::npos) return 0;
  const absl::string_view rest = json.substr(at + key.size());
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(rest.substr(0, rest.find_first_of(",}")), &port)) << json;
  return static_cast<uint16_t>(port);
}

TEST(LossyRelayMainTest, PrintsItsPortsAndWhatItDropped) {
  UdpPeer a(IpFamily::kIpv4);
  UdpPeer b(IpFamily::kIpv4);
  const absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(
      {kBinary, "--b", b.address().ToString(), "--loss-a-to-b", "100", "--rtcp-ports"},
      ChildProcess::Stdout::kPipe);
  ASSERT_TRUE(child.ok()) << child.status();
  const std::string ports = ReadLine(**child);
  EXPECT_NE(Port(ports, "a_rtcp"), 0) << ports;
  EXPECT_NE(Port(ports, "b_rtcp"), 0) << ports;
  const TransportAddress relay = {Loopback(IpFamily::kIpv4), Port(ports, "a")};
  const Bytes report = RtcpPacketBuilder().AddReceiverReport(1).Build();
  a.Send(relay, RtpPacketBuilder().Build());
  a.Send(relay, report);
  // Behind the RTP packet in the same socket: when it is here, that one is lost.
  const std::optional<PeerDatagram> datagram = b.Receive();
  ASSERT_TRUE(datagram.has_value());
  EXPECT_EQ(datagram->bytes, report);
  EXPECT_EQ(datagram->source.port, Port(ports, "b"));
  (*child)->Signal(SIGTERM);
  EXPECT_EQ(ReadLine(**child),
            R"({"a_to_b": {"rtp": {"forwarded": 0, "dropped": 1}, )"
            R"("rtcp": {"forwarded": 1, "dropped": 0}, )"
            R"("other": {"forwarded": 0, "dropped": 0}, "strangers": 0, "no_destination": 0, )"
            R"("not_sent": 0, "overflowed": 0}, )"
            R"("b_to_a": {"rtp": {"forwarded": 0, "dropped": 0}, )"
            R"("rtcp": {"forwarded": 0, "dropped": 0}, )"
            R"("other": {"forwarded": 0, "dropped": 0}, "strangers": 0, "no_destination": 0, )"
            R"("not_sent": 0, "overflowed": 0}})");
  EXPECT_EQ((*child)->Wait(Deadline::Generous()), 0);
}

TEST(LossyRelayMainTest, EndsByItselfAfterItsDuration) {
  const absl::StatusOr<ProgramResult> result =
      RunProgram({kBinary, "--ip", "::1", "--duration", "10ms"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 0) << result->err;
  EXPECT_THAT(result->out, HasSubstr("\"b_to_a\""));
}

TEST(LossyRelayMainTest, HelpHasAnExample) {
  const absl::StatusOr<ProgramResult> result = RunProgram({kBinary, "--help"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_THAT(result->out, HasSubstr("lossy_relay --a 127.0.0.1:30000"));
}

TEST(LossyRelayMainTest, SaysWhatIsWrongWithACommandLine) {
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--a", "127.0.0.1"},
                                             {"--a", "127.0.0.1:0"},
                                             {"--a", "127.0.0.1:65536"},
                                             {"--b", "::1:5004"},
                                             {"--a-rtcp", "host:5004"},
                                             {"--ip", "host"},
                                             {"--loss", "101"},
                                             {"--loss-b-to-a", "-1"},
                                             {"--seed", "x"},
                                             {"--duration", "10"},
                                             {"--duration", "-1s"},
                                             {"--duration", "25h"},
                                             {"--speed", "1"}}) {
    std::vector<std::string> argv = {kBinary};
    argv.insert(argv.end(), flags.begin(), flags.end());
    const absl::StatusOr<ProgramResult> result = RunProgram(argv);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->exit_code, 2) << flags[0] << " " << flags[1];
    EXPECT_FALSE(result->err.empty());
  }
}

TEST(LossyRelayMainTest, AnAddressThatIsNotHereIsAnError) {
  const absl::StatusOr<ProgramResult> result = RunProgram({kBinary, "--ip", "192.0.2.1"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 1);
  EXPECT_THAT(result->err, HasSubstr("192.0.2.1"));
}

}  // namespace
}  // namespace sluice
