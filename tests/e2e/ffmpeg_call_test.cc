// A call between two ffmpegs through the gateway: one sends a tone, the other must hear it. With
// each crypto engine.

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/crypto_engine.h"
#include "tests/e2e/engine_fixture.h"
#include "tests/e2e/ffmpeg_process.h"
#include "tests/e2e/libsrtp_session.h"
#include "tests/e2e/tone.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using SuiteAndEngine = std::tuple<pb::CryptoSuite, EngineKind>;

class FfmpegCallTest : public EngineFixture, public ::testing::WithParamInterface<SuiteAndEngine> {
 protected:
  FfmpegCallTest() : EngineFixture(std::get<1>(GetParam())) {}

  static pb::CryptoSuite Suite() { return std::get<0>(GetParam()); }

  void SetUp() override {
    EngineFixture::SetUp();
    if (!runs() || HasFatalFailure()) {
      return;
    }
    ASSERT_TRUE(FfmpegKnows(Suite()));
    absl::StatusOr<std::unique_ptr<FfmpegSender>> sender = FfmpegSender::Create();
    ASSERT_TRUE(sender.ok()) << sender.status();
    sender_ = *std::move(sender);
    absl::StatusOr<std::unique_ptr<FfmpegReceiver>> receiver = FfmpegReceiver::Create();
    ASSERT_TRUE(receiver.ok()) << receiver.status();
    receiver_ = *std::move(receiver);
    control().CreateSession("call");
  }

  // The sender speaks with `sender_key`, the receiver's leg is of `receiver_kind`.
  void Call(const std::optional<pb::SrtpKey>& sender_key, pb::LegKind receiver_kind) {
    const pb::AddLegResponse to_receiver =
        control().AddLeg("call", "receiver", receiver_->Config(receiver_kind, Suite()));
    const pb::AddLegResponse from_sender =
        control().AddLeg("call", "sender", sender_->Config(sender_key));
    std::optional<pb::SrtpKey> gateway_key;
    if (receiver_kind == pb::LEG_KIND_SRTP) {
      gateway_key = to_receiver.local_key();
      ASSERT_EQ(gateway_key->suite(), Suite());
    }
    ASSERT_TRUE(receiver_->Start(gateway_key).ok());
    ASSERT_TRUE(sender_->Start(from_sender.leg(), sender_key).ok());
    ExpectTheToneIsHeard();
    ExpectNothingWasLost();
  }

 private:
  // A second of it.
  void ExpectTheToneIsHeard() {
    const std::vector<int16_t> samples = receiver_->Receive(kSampleRate, Deadline::Generous());
    EXPECT_EQ(samples.size(), static_cast<size_t>(kSampleRate))
        << "sender: " << sender_->Log() << "\nreceiver: " << receiver_->Log();
    EXPECT_GT(ToneShare(samples, kFfmpegTone), 0.9) << "peak " << Peak(samples);
    EXPECT_GT(Peak(samples), 1000) << "silence";
    EXPECT_THAT(receiver_->Log(), Not(HasSubstr("missed")));
    EXPECT_THAT(receiver_->Log(), Not(HasSubstr("HMAC")));
  }

  void ExpectNothingWasLost() {
    const pb::SessionStats stats = control().GetStats("call");
    const pb::LegStats from = LegOf(stats, "sender");
    EXPECT_EQ(VerdictsOf(stats, "sender"), (VerdictMap{{"forwarded", from.packets_received()}}));
    // 50 packets a second.
    EXPECT_GE(from.packets_received(), 50u);
    ASSERT_GE(from.streams_size(), 1);
    EXPECT_EQ(from.streams(0).packets_lost(), 0);
    EXPECT_EQ(from.streams(0).payload_type(), 0u);
    const VerdictMap sent = VerdictsOf(stats, "receiver");
    EXPECT_EQ(sent, (VerdictMap{{"sent", from.packets_received()}}));
  }

  std::unique_ptr<FfmpegSender> sender_;
  std::unique_ptr<FfmpegReceiver> receiver_;
};

TEST_P(FfmpegCallTest, SrtpToRtp) {
  if (!runs()) return;
  Call(MakeTestKey(Suite(), 1), pb::LEG_KIND_RTP);
}

TEST_P(FfmpegCallTest, RtpToSrtp) {
  if (!runs()) return;
  Call(std::nullopt, pb::LEG_KIND_SRTP);
}

TEST_P(FfmpegCallTest, SrtpToSrtp) {
  if (!runs()) return;
  Call(MakeTestKey(Suite(), 1), pb::LEG_KIND_SRTP);
}

INSTANTIATE_TEST_SUITE_P(
    SuitesOfFfmpeg, FfmpegCallTest,
    ::testing::Combine(::testing::Values(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80,
                                         pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32),
                       ::testing::Values(EngineKind::kBoringSsl, EngineKind::kIpsecMb)),
    [](const auto& test) {
      const bool long_tag = std::get<0>(test.param) == pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80;
      return (long_tag ? "CounterMode80_" : "CounterMode32_") +
             EngineTestName(std::get<1>(test.param));
    });

}  // namespace
}  // namespace sluice
