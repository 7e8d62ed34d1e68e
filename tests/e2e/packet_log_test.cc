// What a leg's packet log shows of a call over SRTP: tshark, which has no keys, reads the film and
// how it was repaired.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/ffmpeg_video.h"
#include "tests/e2e/lossy_video_call.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One packet of a log, as tshark reads it.
struct LoggedPacket {
  bool incoming = false;
  std::string ssrc;
  // -1: no RTP.
  int payload_type = -1;
  int sequence = -1;
  std::string payload;
  // Of the packets of a compound.
  std::vector<std::string> rtcp_types;
};

class PacketLogTest : public LossyVideoCall {
 protected:
  void SetUp() override {
    far_options().config = absl::StrCat("media { packet_log_folder: '", folder_.path(), "' }");
    LossyVideoCall::SetUp();
    far_link_config().mutable_interceptors()->set_packet_log(true);
  }

  // The log of the far gateway's link, whose RTP and RTCP are at `port`.
  std::vector<LoggedPacket> ReadLog(uint32_t port) {
    std::vector<std::string> argv = {"env",
                                     "HOME=/nonexistent",
                                     "LC_ALL=C",
                                     "tshark",
                                     "-n",
                                     "-r",
                                     folder_.File("call.link.pcapng"),
                                     "-d",
                                     absl::StrCat("udp.port==", port, ",rtp"),
                                     "-T",
                                     "fields",
                                     "-E",
                                     "separator=|"};
    for (const char* field : {"frame.packet_flags_direction", "rtp.ssrc", "rtp.p_type", "rtp.seq",
                              "rtp.payload", "rtcp.pt"}) {
      argv.insert(argv.end(), {"-e", field});
    }
    const absl::StatusOr<ProgramResult> tshark = RunProgram(std::move(argv));
    if (!tshark.ok() || tshark->exit_code != 0) {
      ADD_FAILURE() << "tshark of the Debian package (tools/bootstrap installs it): "
                    << tshark.status() << (tshark.ok() ? tshark->err : "");
      return {};
    }
    std::vector<LoggedPacket> packets;
    for (const absl::string_view line : absl::StrSplit(tshark->out, '\n', absl::SkipEmpty())) {
      packets.push_back(ParseLine(line));
    }
    return packets;
  }

 private:
  static LoggedPacket ParseLine(absl::string_view line) {
    const std::vector<std::string> fields = absl::StrSplit(line, '|');
    LoggedPacket packet;
    if (fields.size() != 6) {
      ADD_FAILURE() << "not six fields: " << line;
      return packet;
    }
    // 1 is inbound, 2 outbound (pcapng's flags word).
    packet.incoming = absl::EndsWith(fields[0], "1");
    packet.ssrc = fields[1];
    packet.payload = fields[4];
    if (!fields[2].empty()) {
      EXPECT_TRUE(absl::SimpleAtoi(fields[2], &packet.payload_type)) << line;
      EXPECT_TRUE(absl::SimpleAtoi(fields[3], &packet.sequence)) << line;
    }
    packet.rtcp_types = absl::StrSplit(fields[5], ',', absl::SkipEmpty());
    return packet;
  }

  ScratchFolder folder_;
};

// RFC 4588 section 4: the number of the packet that it repeats is in front of its payload, which
// is in hexadecimal digits here.
uint16_t OriginalSequence(const LoggedPacket& retransmission) {
  uint32_t sequence = 0;
  EXPECT_TRUE(absl::SimpleHexAtoi(retransmission.payload.substr(0, 4), &sequence));
  return static_cast<uint16_t>(sequence);
}

TEST_F(PacketLogTest, ShowsTheFilmDecryptedAndHowItWasRepaired) {
  ASSERT_NO_FATAL_FAILURE(StartCall(/*seed=*/3));
  const uint32_t port = far().GetSession("call").legs(0).local_rtp().port();
  ASSERT_NO_FATAL_FAILURE(PlayFilm());
  const LossyCallFigures figures = EndCall();
  // After that the file is whole.
  StopFar();

  std::set<uint16_t> numbers;
  size_t media = 0;
  size_t retransmissions = 0;
  size_t nacks = 0;
  std::string film_begins;
  for (const LoggedPacket& packet : ReadLog(port)) {
    if (packet.incoming && packet.payload_type == static_cast<int>(kVideoPayloadType)) {
      EXPECT_EQ(packet.ssrc, "0x5eed0001");
      film_begins = packet.sequence == kFirstSequence ? packet.payload : film_begins;
      numbers.insert(static_cast<uint16_t>(packet.sequence));
      ++media;
    } else if (packet.incoming && packet.payload_type == static_cast<int>(kRtxPayloadType)) {
      numbers.insert(OriginalSequence(packet));
      ++retransmissions;
    }
    // RFC 4585 section 6.2.1: transport-layer feedback.
    nacks += !packet.incoming && absl::c_linear_search(packet.rtcp_types, "205") ? 1 : 0;
  }
  // The sync code of a VP8 key frame (RFC 6386 section 9.1), which nobody sees through SRTP.
  EXPECT_THAT(film_begins, HasSubstr("9d012a"));
  EXPECT_EQ(numbers.size(), sent());
  for (const auto& [sequence, times] : arrivals()) {
    EXPECT_EQ(numbers.count(sequence), 1u) << sequence;
  }
  EXPECT_EQ(media, sent() - CounterOf(figures.far_link, "nack_generator", "missing"));
  EXPECT_EQ(retransmissions, PacketsOf(figures.far_link, kRtxPayloadType, pb::DIRECTION_RECEIVED));
  EXPECT_GT(nacks, 0u);
  EXPECT_LE(nacks, CounterOf(figures.far_link, "nack_generator", "nacks_sent"));
}

TEST_F(PacketLogTest, IsRefusedWhereTheGatewayHasNoFolderForIt) {
  pb::AddLegRequest request;
  request.set_session_id("call");
  request.set_leg_id("logged");
  request.mutable_config()->set_kind(pb::LEG_KIND_RTP);
  request.mutable_config()->mutable_interceptors()->set_packet_log(true);
  pb::AddLegResponse response;
  const ErrorInfo error =
      ErrorInfoOf(near().Call(&ControlClient::Stub::AddLeg, request, &response));
  EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION) << error;
  EXPECT_THAT(error.preconditions, ElementsAre("NO_PACKET_LOG_FOLDER/packet_log_folder"));
}

}  // namespace
}  // namespace sluice
