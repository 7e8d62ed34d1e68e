#include "tools/ctl/demo/ffmpeg_media.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

gateway::v1::SrtpKey Key() {
  gateway::v1::SrtpKey key;
  key.set_suite(gateway::v1::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80);
  key.set_master_key_and_salt("0123456789abcdef0123456789abcd");
  return key;
}
constexpr char kKeyText[] = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNk";

ToneSource Source() {
  ToneSource source{.tone_hz = 440,
                    .seconds = 10,
                    .rtp = {},
                    .rtcp = {},
                    .local_ip = "127.0.0.1",
                    .local_rtp_port = 41002,
                    .local_rtcp_port = 41003,
                    .secrets_path = "/tmp/x/alice.secrets"};
  source.rtp.set_ip("127.0.0.1");
  source.rtp.set_port(20000);
  source.rtcp.set_ip("127.0.0.1");
  source.rtcp.set_port(20001);
  return source;
}

TEST(FfmpegMediaTest, ASourceIsToldEverythingButItsKey) {
  const std::vector<std::string> arguments = SourceArguments(Source());
  EXPECT_EQ(arguments.front(), "ffmpeg");
  EXPECT_EQ(arguments.back(),
            "srtp://127.0.0.1:20000?rtcpport=20001&localrtpport=41002&localrtcpport=41003"
            "&localaddr=127.0.0.1");
  EXPECT_THAT(arguments, Contains("/tmp/x/alice.secrets"));
  EXPECT_THAT(arguments, Contains(HasSubstr("frequency=440")));
  EXPECT_THAT(arguments, Contains("-t"));
  EXPECT_THAT(arguments, Each(Not(HasSubstr(kKeyText))));
  EXPECT_EQ(SourceSecrets(Key()), std::string("srtp_out_suite=AES_CM_128_HMAC_SHA1_80\n"
                                              "srtp_out_params=") +
                                      kKeyText + "\n");
}

TEST(FfmpegMediaTest, APlainSourceWithoutEnd) {
  ToneSource source = Source();
  source.secrets_path = "";
  source.seconds = 0;
  const std::vector<std::string> arguments = SourceArguments(source);
  EXPECT_THAT(arguments.back(), testing::StartsWith("rtp://127.0.0.1:20000?"));
  EXPECT_THAT(arguments, Not(Contains("-t")));
  EXPECT_THAT(arguments, Not(Contains("-fpre")));
}

TEST(FfmpegMediaTest, ASinkReadsAnSdpFile) {
  EXPECT_EQ(SinkDescription("127.0.0.1", 41000, Key()),
            std::string("v=0\n"
                        "o=- 0 0 IN IP4 127.0.0.1\n"
                        "s=Sluice demo\n"
                        "c=IN IP4 127.0.0.1\n"
                        "t=0 0\n"
                        "m=audio 41000 RTP/SAVP 111\n"
                        "a=rtpmap:111 opus/48000/2\n"
                        "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:") +
                kKeyText + "\n");
  EXPECT_THAT(
      SinkDescription("::1", 41000, std::nullopt),
      AllOf(HasSubstr("c=IN IP6 ::1\n"), HasSubstr("RTP/AVP 111"), Not(HasSubstr("crypto"))));
  EXPECT_THAT(SinkArguments("/tmp/x/bob.sdp", "127.0.0.1"), Contains("/tmp/x/bob.sdp"));
}

TEST(FfmpegMediaTest, ReadsHowManyPacketsWereSent) {
  constexpr char kLog[] =
      "Input file #0 (sine=frequency=440:sample_rate=48000):\n"
      "  Input stream #0:0 (audio): 227 packets read (464896 bytes); 227 frames decoded; \n"
      "Output file #0 (srtp://127.0.0.1:41000?localrtpport=41002):\n"
      "  Output stream #0:0 (audio): 242 frames encoded (232320 samples); 243 packets muxed "
      "(25748 bytes); \n"
      "  Total: 243 packets (25748 bytes) muxed\n";
  EXPECT_EQ(PacketsSent(kLog), 243u);
  EXPECT_EQ(PacketsSent("Conversion failed!\n"), std::nullopt);
  EXPECT_EQ(PacketsSent("Output stream #0:0: packets muxed"), std::nullopt);
  EXPECT_EQ(PacketsSent(""), std::nullopt);
}

}  // namespace
}  // namespace sluice
