// The packet log of a leg, taken apart by tshark, which shares no code with ours.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/testing/hex.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/io/packet_log_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/packet_log/packet_log.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

constexpr uint16_t kLocalRtp = 5004;
constexpr uint16_t kLocalRtcp = 5005;
constexpr uint16_t kPeerRtp = 40004;
constexpr uint16_t kPeerRtcp = 40005;
constexpr uint32_t kSsrc = 0x5EED0001;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

LoggedAddress Address(LoggedIpFamily family, uint8_t last, uint16_t port) {
  LoggedAddress address = {.family = family, .port = port};
  if (family == LoggedIpFamily::kIpv4) {
    address.ip = {192, 0, 2, last};
  } else {
    address.ip = {0x20, 0x01, 0x0D, 0xB8};
    address.ip[15] = last;
  }
  return address;
}

Bytes Rtp(uint16_t sequence, size_t payload_size = 160) {
  return RtpPacketBuilder()
      .WithSsrc(kSsrc)
      .WithPayloadType(0)
      .WithSequence(sequence)
      .WithTimestamp(160u * sequence)
      .WithPayloadSize(payload_size)
      .Build();
}

// What a program of the Debian package tshark prints. Fails the test when it is not there.
std::string Output(std::vector<std::string> argv) {
  // Where Wireshark's programs have a home, they read its preferences: the machine's are not ours.
  argv.insert(argv.begin(), {"env", "HOME=/nonexistent", "LC_ALL=C"});
  const std::string program = argv[3];
  const absl::StatusOr<ProgramResult> result = RunProgram(std::move(argv));
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    return "";
  }
  EXPECT_EQ(result->exit_code, 0) << program << " of the Debian package tshark (tools/bootstrap "
                                  << "installs it): " << result->err;
  return result->out;
}

class PacketLogTsharkTest : public ::testing::TestWithParam<LoggedIpFamily> {
 protected:
  // A leg whose packets are logged.
  struct LoggedLeg {
    explicit LoggedLeg(const PacketLogWriterOptions& options)
        : writer(*PacketLogWriter::Create(options)),
          harness(std::make_unique<ChainHarness>(std::make_unique<PacketLog>(writer->ring()))) {}
    void End() {
      harness.reset();
      EXPECT_TRUE(writer->ring().closed());
      const absl::Status status = writer->Finish(Ms(9000));
      EXPECT_TRUE(status.ok()) << status;
    }

    std::unique_ptr<PacketLogWriter> writer;
    std::unique_ptr<ChainHarness> harness;
  };

  PacketLogWriterOptions Options() const {
    const LoggedIpFamily family = GetParam();
    return {
        .path = folder_.File("leg.pcapng"),
        .rtp = {.local = Address(family, 1, kLocalRtp), .remote = Address(family, 2, kPeerRtp)},
        .rtcp = {.local = Address(family, 1, kLocalRtcp), .remote = Address(family, 2, kPeerRtcp)},
        .unix_offset = TimeDelta::Seconds(1'700'000'000)};
  }
  // One line a packet, fields by commas. Checksums are verified, which is not tshark's default.
  std::vector<std::string> Decode(std::vector<std::string> fields) const {
    std::vector<std::string> argv = {"tshark", "-n",
                                     "-r",     folder_.File("leg.pcapng"),
                                     "-d",     absl::StrCat("udp.port==", kLocalRtp, ",rtp"),
                                     "-d",     absl::StrCat("udp.port==", kLocalRtcp, ",rtcp"),
                                     "-o",     "ip.check_checksum:TRUE",
                                     "-o",     "udp.check_checksum:TRUE",
                                     "-T",     "fields",
                                     "-E",     "separator=,"};
    for (std::string& field : fields) {
      argv.push_back("-e");
      argv.push_back(std::move(field));
    }
    return absl::StrSplit(Output(std::move(argv)), '\n', absl::SkipEmpty());
  }
  std::string Source() const { return GetParam() == LoggedIpFamily::kIpv4 ? "ip.src" : "ipv6.src"; }
  std::string Host(int last) const {
    return absl::StrCat(GetParam() == LoggedIpFamily::kIpv4 ? "192.0.2." : "2001:db8::", last);
  }

  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Families, PacketLogTsharkTest,
                         ::testing::Values(LoggedIpFamily::kIpv4, LoggedIpFamily::kIpv6),
                         [](const auto& family) {
                           return family.param == LoggedIpFamily::kIpv4 ? "Ipv4" : "Ipv6";
                         });

TEST_P(PacketLogTsharkTest, ShowsPlainRtpOfBothDirections) {
  LoggedLeg leg(Options());
  leg.harness->IncomingRtp(Ms(20), {Rtp(1), Rtp(2)});
  leg.harness->OutgoingRtp(Ms(41), {Rtp(700)});
  leg.End();
  // Direction 1 is inbound, 2 outbound; checksum status 1 is good.
  EXPECT_THAT(Decode({"frame.interface_name", "frame.packet_flags_direction", "frame.time_epoch",
                      Source(), "udp.srcport", "udp.dstport", "udp.checksum.status", "rtp.ssrc",
                      "rtp.seq", "rtp.timestamp", "rtp.p_type"}),
              ElementsAre(absl::StrCat("incoming,0x00000001,1700000000.020000000,", Host(2),
                                       ",40004,5004,1,0x5eed0001,1,160,0"),
                          absl::StrCat("incoming,0x00000001,1700000000.020000000,", Host(2),
                                       ",40004,5004,1,0x5eed0001,2,320,0"),
                          absl::StrCat("outgoing,0x00000002,1700000000.041000000,", Host(1),
                                       ",5004,40004,1,0x5eed0001,700,112000,0")));
  const Bytes packet = Rtp(1);
  const std::vector<std::string> payloads = Decode({"rtp.payload"});
  ASSERT_THAT(payloads, SizeIs(3));
  EXPECT_EQ(HexBytes(payloads[0]), Bytes(packet.begin() + 12, packet.end()));
}

TEST_P(PacketLogTsharkTest, ShowsPlainRtcp) {
  LoggedLeg leg(Options());
  leg.harness->IncomingRtcp(Ms(20), {RtcpPacketBuilder()
                                         .AddSenderReport(kSsrc, 1, 2, 33, 44)
                                         .AddSourceDescription(kSsrc, "name@host")
                                         .Build()});
  leg.harness->OutgoingRtcp(Ms(30), {RtcpPacketBuilder().AddReceiverReport(7).Build()});
  leg.End();
  EXPECT_THAT(
      Decode({"frame.packet_flags_direction", "udp.srcport", "udp.dstport", "udp.checksum.status",
              "rtcp.pt", "rtcp.sender.packetcount", "rtcp.sdes.text"}),
      ElementsAre("0x00000001,40005,5005,1,200,202,33,name@host", "0x00000002,5005,40005,1,201,,"));
}

TEST_P(PacketLogTsharkTest, ShowsWhatWasCutAndWhatWasLost) {
  PacketLogWriterOptions options = Options();
  options.ring = {.records = 2, .snap_length = 32};
  LoggedLeg leg(options);
  leg.harness->IncomingRtp(Ms(20), {Rtp(1), Rtp(2, 1000), Rtp(3), Rtp(4), Rtp(5)});
  EXPECT_TRUE(leg.writer->Drain().ok());
  leg.harness->IncomingRtp(Ms(40), {Rtp(6)});
  leg.End();
  const size_t header = DatagramHeaderSize(GetParam());
  const std::vector<std::string> lines =
      Decode({"frame.len", "frame.cap_len", "rtp.ssrc", "rtp.seq", "frame.drop_count"});
  EXPECT_THAT(lines, ElementsAre(absl::StrCat(header + 172, ",", header + 32, ",0x5eed0001,1,"),
                                 absl::StrCat(header + 1012, ",", header + 32, ",0x5eed0001,2,"),
                                 absl::StrCat(header + 172, ",", header + 32, ",0x5eed0001,6,3")));
  // In the package too; prints what the interfaces are and what they counted.
  const std::string info = Output({"capinfos", "-I", "-E", "-t", folder_.File("leg.pcapng")});
  EXPECT_TRUE(absl::StrContains(info, "pcapng")) << info;
  EXPECT_TRUE(absl::StrContains(info, "Number of interfaces in file: 2")) << info;
  EXPECT_TRUE(absl::StrContains(info, "Name = outgoing")) << info;
  EXPECT_TRUE(absl::StrContains(info, "Number of stat entries = 1")) << info;
}

// Whatever is in a packet, the file goes on behind it.
TEST_P(PacketLogTsharkTest, ReadsToTheEndOfALogOfAnySizes) {
  PacketLogWriterOptions options = Options();
  options.ring.records = 2048;
  LoggedLeg leg(options);
  PacketLogRing& ring = leg.writer->ring();
  const Bytes noise(kMaxDatagramSize, 0xFF);
  for (size_t size = 0; size <= noise.size(); ++size) {
    ASSERT_TRUE(ring.Push(Ms(1), PacketDirection::kIncoming, PacketKind::kRtp,
                          absl::MakeConstSpan(noise).first(size)));
  }
  leg.harness->OutgoingRtp(Ms(2), {Rtp(9)});
  leg.End();
  const std::vector<std::string> lines = Decode({"frame.number", "udp.length", "rtp.seq"});
  ASSERT_THAT(lines, SizeIs(noise.size() + 2));
  for (size_t size = 0; size <= noise.size(); ++size) {
    EXPECT_TRUE(absl::StartsWith(lines[size], absl::StrCat(size + 1, ",", size + 8, ",")))
        << lines[size];
  }
  EXPECT_TRUE(absl::EndsWith(lines.back(), ",180,9")) << lines.back();
}

}  // namespace
}  // namespace sluice
