#include "tools/ctl/demo/far_end.h"

#include <poll.h>

#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/ctl/demo/ffmpeg_media.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::SrtpKey;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

SrtpKey Key(char fill) {
  SrtpKey key;
  key.set_suite(gateway::v1::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80);
  key.set_master_key_and_salt(std::string(30, fill));
  return key;
}

// Two participants without a gateway between them.
class FarEndTest : public testing::Test {
 protected:
  FarEndTest() : folder_(*ScratchFolder::Create()), alice_(Make("alice")), bob_(Make("bob")) {}

  std::unique_ptr<FarEnd> Make(const std::string& name) {
    auto end = FarEnd::Create({.name = name, .ip = "127.0.0.1", .sends_hz = 440, .hears_hz = 440},
                              folder_);
    EXPECT_TRUE(end.ok()) << end.status();
    return *std::move(end);
  }

  // Reads what bob's sink decodes until the condition holds; false after half a minute.
  template <typename Condition>
  bool ReadUntil(Condition condition) {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    while (!condition()) {
      if (absl::Now() > deadline) return false;
      pollfd entry = {.fd = bob_->sink_fd(), .events = POLLIN, .revents = 0};
      poll(&entry, 1, 10);
      bob_->ReadSink();
    }
    return true;
  }

  void StartBobsSink(const std::optional<SrtpKey>& key) {
    ASSERT_TRUE(bob_->StartSink(key).ok());
    ASSERT_TRUE(ReadUntil([&] {
      const auto listens = bob_->SinkListens();
      EXPECT_TRUE(listens.ok()) << listens.status();
      return !listens.ok() || *listens;
    }));
  }

  void Send(const std::optional<SrtpKey>& key, int seconds) {
    const auto to = bob_->Remote();
    ASSERT_TRUE(alice_->StartSource(to.rtp(), to.rtcp(), key, seconds).ok());
  }

  ScratchFolder folder_;
  std::unique_ptr<FarEnd> alice_;
  std::unique_ptr<FarEnd> bob_;
};

TEST_F(FarEndTest, AToneArrivesWhole) {
  for (const std::optional<SrtpKey>& key : {std::optional<SrtpKey>(), std::optional(Key('k'))}) {
    alice_ = Make("alice");
    bob_ = Make("bob");
    StartBobsSink(key);
    Send(key, 1);
    ASSERT_TRUE(ReadUntil([&] { return alice_->SourceEnded(); }));
    const auto sent = alice_->SentPackets();
    ASSERT_TRUE(sent.has_value()) << alice_->LastWords();
    EXPECT_GE(*sent, 50u);
    EXPECT_TRUE(ReadUntil([&] { return bob_->heard().samples() >= *sent * kSamplesPerPacket; }))
        << bob_->LastWords();
    EXPECT_GE(bob_->heard().blocks_with_tone() + 1, bob_->heard().blocks());
    bob_->StopSink();
    EXPECT_TRUE(ReadUntil([&] { return bob_->SinkEnded(); }));
    EXPECT_TRUE(alice_->CheckProcesses().ok()) << alice_->CheckProcesses();
    EXPECT_TRUE(bob_->CheckProcesses().ok()) << bob_->CheckProcesses();
  }
}

TEST_F(FarEndTest, ASourceWithoutEndStopsInGoodOrder) {
  StartBobsSink(std::nullopt);
  Send(std::nullopt, 0);
  ASSERT_TRUE(ReadUntil([&] { return bob_->heard().blocks_with_tone() >= 2; }));
  EXPECT_FALSE(alice_->SourceEnded());
  alice_->StopSource();
  ASSERT_TRUE(ReadUntil([&] { return alice_->SourceEnded(); }));
  EXPECT_TRUE(alice_->CheckProcesses().ok()) << alice_->CheckProcesses();
  EXPECT_GE(alice_->SentPackets().value_or(0), 10u);
}

TEST_F(FarEndTest, WithTheWrongKeyNothingIsHeard) {
  StartBobsSink(Key('k'));
  Send(Key('x'), 1);
  ASSERT_TRUE(ReadUntil([&] { return alice_->SourceEnded(); }));
  bob_->StopSink();
  EXPECT_TRUE(ReadUntil([&] { return bob_->SinkEnded(); }));
  EXPECT_EQ(bob_->heard().blocks_with_tone(), 0u);
}

TEST_F(FarEndTest, AFailureComesWithItsReasonAndWithoutTheKey) {
  SrtpKey key = Key('k');
  key.set_master_key_and_salt("too short");
  Send(key, 1);
  ASSERT_TRUE(ReadUntil([&] { return alice_->SourceEnded(); }));
  const absl::Status status = alice_->CheckProcesses();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("alice's sender"), Not(HasSubstr("dG9vIHNob3J0"))));
}

}  // namespace
}  // namespace sluice
