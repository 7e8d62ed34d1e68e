// Header extensions that are encrypted element by element, end to end (RFC 6904).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class SrtpEncryptedExtensionsTest : public SrtpFixture {
 protected:
  static SrtpPolicy Encrypting(std::vector<uint8_t> ids) {
    SrtpPolicy policy;
    for (const uint8_t id : ids) {
      policy.encrypted_extensions.set(id);
    }
    return policy;
  }
  bool encrypts() const { return suite().transform != PacketTransform::kNull; }

  static RtpPacketBuilder Builder(uint16_t sequence) {
    RtpPacketBuilder builder;
    builder.WithSsrc(kSsrc).WithSequence(sequence).WithPayloadSize(kPayloadSize);
    return builder;
  }
  static Bytes OneByteForm(uint16_t sequence) {
    return Builder(sequence)
        .WithCsrcs({1, 2})
        .AddOneByteExtension(1, Bytes(16, 0x11))
        .AddOneByteExtension(2, Bytes(8, 0x22))
        .AddOneByteExtension(14, Bytes(16, 0x33))
        .Build();
  }
  static Bytes TwoByteForm(uint16_t sequence) {
    return Builder(sequence)
        .AddTwoByteExtension(1, Bytes(16, 0x11), 7)
        .AddTwoByteExtension(2, {}, 7)
        .AddTwoByteExtension(200, Bytes(40, 0x33), 7)
        .Build();
  }

  // Elements by their id.
  static std::map<int, Bytes> ElementsOf(const Bytes& packet) {
    std::map<int, Bytes> elements;
    RtpPacketView::ParseHeader(packet)->ForEachExtension(
        [&](uint8_t id, absl::Span<const uint8_t> data) {
          elements[id].assign(data.begin(), data.end());
        });
    return elements;
  }
};

INSTANTIATE_TEST_SUITE_P(All, SrtpEncryptedExtensionsTest,
                         testing::ValuesIn(AllSuitesOnAllEngines()), SuiteOnEngineName);

TEST_P(SrtpEncryptedExtensionsTest, ChosenElementsAreHiddenAndComeBack) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = Encrypting({1, 14, 200})});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = Encrypting({1, 14, 200})});
  uint16_t sequence = 65530;
  for (int i = 0; i < 6; ++i) {
    for (const Bytes& plain : {OneByteForm(sequence), TwoByteForm(++sequence)}) {
      const Bytes packet = Protected(*sender, PacketKind::kRtp, plain);
      // Lengths, ids and everything else of the header stay.
      EXPECT_TRUE(std::equal(plain.begin(), plain.begin() + 12, packet.begin()));
      std::map<int, Bytes> hidden = ElementsOf(packet);
      for (const auto& [id, data] : ElementsOf(plain)) {
        ASSERT_EQ(hidden[id].size(), data.size());
        EXPECT_EQ(hidden[id] == data, !encrypts() || id == 2) << "element " << id;
      }
      EXPECT_EQ(ReceiveRtp(*receiver, packet), UnprotectVerdict::kOk);
      EXPECT_THAT(opened_, ElementsAreArray(plain));
    }
    ++sequence;
  }
}

// The keystream belongs to the packet: the same element is never hidden the same way twice.
TEST_P(SrtpEncryptedExtensionsTest, TheSameElementLooksDifferentInEveryPacket) {
  if (!encrypts()) {
    return;
  }
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = Encrypting({1})});
  std::vector<Bytes> seen;
  for (uint16_t sequence = 0; sequence < 50; ++sequence) {
    const Bytes packet = Protected(*sender, PacketKind::kRtp, OneByteForm(sequence));
    const Bytes element = ElementsOf(packet)[1];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), element), 0);
    seen.push_back(element);
  }
}

// Extensions are authenticated as they are on the wire, so nothing but those elements differs.
TEST_P(SrtpEncryptedExtensionsTest, WhoAgreedOnOtherIdsOpensThePayloadAndReadsOtherElements) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = Encrypting({1})});
  const std::unique_ptr<SrtpReceiver> other = MakeReceiver({.policy = Encrypting({2})});
  const Bytes plain = OneByteForm(3);
  const Bytes packet = Protected(*sender, PacketKind::kRtp, plain);
  ASSERT_EQ(ReceiveRtp(*other, packet), UnprotectVerdict::kOk);
  ASSERT_EQ(opened_.size(), plain.size());
  EXPECT_TRUE(std::equal(plain.end() - kPayloadSize, plain.end(), opened_.end() - kPayloadSize));
  EXPECT_EQ(opened_ == plain, !encrypts());
  EXPECT_EQ(ElementsOf(opened_)[14], ElementsOf(plain)[14]);
}

TEST_P(SrtpEncryptedExtensionsTest, DamagedExtensionsDoNotOpen) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = Encrypting({1, 14})});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = Encrypting({1, 14})});
  const Bytes good = Protected(*sender, PacketKind::kRtp, OneByteForm(3));
  const size_t header_size = RtpPacketView::ParseHeader(good)->header_size();
  for (size_t i = header_size - 40; i < header_size; ++i) {
    Bytes bad = good;
    bad[i] ^= 0x10;
    EXPECT_EQ(ReceiveRtp(*receiver, bad), UnprotectVerdict::kAuthFailed) << i;
    // The header of a packet that is not authentic is not touched.
    EXPECT_TRUE(std::equal(bad.begin(), bad.begin() + static_cast<std::ptrdiff_t>(header_size),
                           opened_.begin()));
  }
  EXPECT_EQ(ReceiveRtp(*receiver, good), UnprotectVerdict::kOk);
}

// Whatever a peer writes into its extension: what can be read of it is hidden, the rest stays.
TEST_P(SrtpEncryptedExtensionsTest, MalformedExtensionsPassAsTheyAre) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = Encrypting({1, 3, 14})});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = Encrypting({1, 3, 14})});
  uint16_t sequence = 0;
  for (const uint16_t profile : {kOneByteExtensionProfile, kTwoByteExtensionProfile,
                                 uint16_t{0x100F}, uint16_t{0xABCD}, uint16_t{0}}) {
    for (int i = 0; i < 60; ++i) {
      Bytes data(random_.Below(40));
      for (uint8_t& byte : data) {
        // Many small numbers, so that there are elements at all.
        byte = static_cast<uint8_t>(random_.NextU32() & (random_.Below(2) == 0 ? 0x13 : 0xFF));
      }
      const Bytes plain = Builder(sequence++).WithRawExtension(profile, data).Build();
      const Bytes packet = Protected(*sender, PacketKind::kRtp, plain);
      ASSERT_EQ(ReceiveRtp(*receiver, packet), UnprotectVerdict::kOk);
      ASSERT_THAT(opened_, ElementsAreArray(plain));
    }
  }
}

TEST_P(SrtpEncryptedExtensionsTest, CryptexExcludesThem) {
  SrtpPolicy policy = Encrypting({1});
  policy.cryptex = CryptexPolicy::kOn;
  for (const absl::Status& status :
       {SrtpSender::Create(key_, {.policy = policy}, engine()).status(),
        SrtpReceiver::Create(key_, {.policy = policy}, engine()).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("exclude each other"));
  }
}

}  // namespace
}  // namespace sluice
