// What the three cryptex policies send and take (RFC 9335 section 5), and what happens to such
// packets when they are damaged.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/cryptex.h"
#include "srtp/packet_arena.h"
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

constexpr CryptexPolicy kPolicies[] = {CryptexPolicy::kOff, CryptexPolicy::kOn,
                                       CryptexPolicy::kRequired};

class SrtpCryptexTest : public SrtpFixture {
 protected:
  static SrtpPolicy With(CryptexPolicy cryptex) {
    SrtpPolicy policy;
    policy.cryptex = cryptex;
    return policy;
  }
  std::unique_ptr<SrtpSender> MakeCryptexSender(CryptexPolicy cryptex) {
    return MakeSender({.policy = With(cryptex)});
  }
  std::unique_ptr<SrtpReceiver> MakeCryptexReceiver(CryptexPolicy cryptex) {
    return MakeReceiver({.policy = With(cryptex)});
  }
  bool encrypts() const { return suite().transform != PacketTransform::kNull; }

  // Packets with different things to hide.
  struct Plain {
    std::string name;
    Bytes bytes;
    // RFC 9335 section 5.1 has a mark for it.
    bool can_be_cryptex;
    // RFC 9335 section 5.2: what a receiver gets, an empty extension being added to CSRCs alone.
    Bytes received;
  };
  static RtpPacketBuilder Builder(uint16_t sequence) {
    RtpPacketBuilder builder;
    builder.WithSsrc(kSsrc).WithSequence(sequence).WithPayloadSize(kPayloadSize);
    return builder;
  }
  static std::vector<Plain> AllPlain(uint16_t sequence) {
    std::vector<Plain> all;
    const auto add = [&](std::string name, const Bytes& bytes, bool can_be_cryptex) {
      all.push_back({std::move(name), bytes, can_be_cryptex, bytes});
    };
    add("CSRCs", Builder(sequence).WithCsrcs({1, 2, 3}).Build(), true);
    all.back().received = Builder(sequence)
                              .WithCsrcs({1, 2, 3})
                              .WithRawExtension(kOneByteExtensionProfile, {})
                              .Build();
    add("one-byte form", Builder(sequence).AddOneByteExtension(1, {1, 2, 3}).Build(), true);
    add("two-byte form", Builder(sequence).AddTwoByteExtension(99, Bytes(70, 5)).Build(), true);
    add("fifteen CSRCs and an extension",
        Builder(sequence)
            .WithCsrcs(std::vector<uint32_t>(15, 0x77777777))
            .AddOneByteExtension(4, Bytes(16, 9))
            .Build(),
        true);
    add("empty extension", Builder(sequence).WithRawExtension(kOneByteExtensionProfile, {}).Build(),
        true);
    add("no payload",
        RtpPacketBuilder()
            .WithSsrc(kSsrc)
            .WithSequence(sequence)
            .WithCsrcs({1})
            .AddOneByteExtension(1, {2})
            .Build(),
        true);
    add("appbits", Builder(sequence).AddTwoByteExtension(1, {1, 2}, 3).Build(), false);
    add("extension of another kind",
        Builder(sequence).WithCsrcs({5}).WithRawExtension(0xABCD, Bytes(8, 1)).Build(), false);
    return all;
  }
  static bool LooksCryptex(const Bytes& packet) {
    return IsCryptex(*RtpPacketView::ParseHeader(packet));
  }
  // From the first CSRC on.
  static bool HeaderIsReadable(const Bytes& packet, const Bytes& plain) {
    const RtpPacketView view = *RtpPacketView::ParseHeader(plain);
    const absl::Span<const uint8_t> sent = absl::MakeConstSpan(packet);
    return (view.csrc_count() > 0 &&
            sent.subspan(12, 4 * view.csrc_count()) ==
                absl::MakeConstSpan(plain).subspan(12, 4 * view.csrc_count())) ||
           (!view.extension_data().empty() &&
            sent.subspan(view.header_size() - view.extension_data().size(),
                         view.extension_data().size()) == view.extension_data());
  }
};

INSTANTIATE_TEST_SUITE_P(All, SrtpCryptexTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpCryptexTest, EveryPairOfPoliciesSendsAndTakesWhatItAgreedOn) {
  for (const CryptexPolicy sending : kPolicies) {
    const std::unique_ptr<SrtpSender> sender = MakeCryptexSender(sending);
    std::unique_ptr<SrtpReceiver> receivers[3];
    for (size_t i = 0; i < 3; ++i) {
      receivers[i] = MakeCryptexReceiver(kPolicies[i]);
    }
    uint16_t sequence = 65530;
    for (size_t kind = 0; kind < AllPlain(0).size(); ++kind) {
      const Plain plain = AllPlain(sequence++)[kind];
      SCOPED_TRACE(plain.name);
      const bool cryptex = sending != CryptexPolicy::kOff && plain.can_be_cryptex;
      const Sent sent = pipe_.Send(*sender, PacketKind::kRtp, plain.bytes);
      if (sending == CryptexPolicy::kRequired && !plain.can_be_cryptex) {
        EXPECT_EQ(sent.verdict, ProtectVerdict::kCryptexImpossible);
        EXPECT_THAT(sent.bytes, ElementsAreArray(plain.bytes));
        continue;
      }
      ASSERT_EQ(sent.verdict, ProtectVerdict::kOk);
      EXPECT_EQ(LooksCryptex(sent.bytes), cryptex);
      if (cryptex && encrypts()) {
        EXPECT_FALSE(HeaderIsReadable(sent.bytes, plain.bytes));
      }
      for (size_t i = 0; i < 3; ++i) {
        const bool refused = cryptex ? kPolicies[i] == CryptexPolicy::kOff
                                     : kPolicies[i] == CryptexPolicy::kRequired;
        const Received received = pipe_.Receive(*receivers[i], PacketKind::kRtp, sent.bytes);
        EXPECT_EQ(received.verdict,
                  refused ? UnprotectVerdict::kCryptexRefused : UnprotectVerdict::kOk);
        EXPECT_THAT(received.bytes, ElementsAreArray(refused   ? sent.bytes
                                                     : cryptex ? plain.received
                                                               : plain.bytes));
      }
    }
  }
}

TEST_P(SrtpCryptexTest, PacketsWithNothingToHideAreTheSameUnderEveryPolicy) {
  const Bytes plain = Builder(1).Build();
  const Bytes off = Protected(*MakeCryptexSender(CryptexPolicy::kOff), PacketKind::kRtp, plain);
  for (const CryptexPolicy policy : kPolicies) {
    EXPECT_EQ(Protected(*MakeCryptexSender(policy), PacketKind::kRtp, plain), off);
    EXPECT_EQ(ReceiveRtp(*MakeCryptexReceiver(policy), off), UnprotectVerdict::kOk);
    EXPECT_THAT(opened_, ElementsAreArray(plain));
  }
}

// CSRCs alone need four bytes more in front.
TEST_P(SrtpCryptexTest, WithoutHeadroomCsrcsGoReadableOrNotAtAll) {
  const Bytes plain = Builder(1).WithCsrcs({1, 2, 3}).Build();
  for (const CryptexPolicy policy : {CryptexPolicy::kOn, CryptexPolicy::kRequired}) {
    const std::unique_ptr<SrtpSender> sender = MakeCryptexSender(policy);
    PacketLoan packet = pipe_.Load(plain);
    ASSERT_TRUE(packet.Prepend(packet.headroom() - 3));
    ASSERT_TRUE(packet.Resize(plain.size()));
    CopyBytes(packet.bytes(), plain);
    ASSERT_EQ(packet.headroom(), 3u);
    ProtectJob job{sender.get(), &packet, PacketKind::kRtp, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine());
    const Bytes bytes(packet.bytes().begin(), packet.bytes().end());
    if (policy == CryptexPolicy::kRequired) {
      EXPECT_EQ(job.verdict, ProtectVerdict::kCryptexImpossible);
      EXPECT_THAT(bytes, ElementsAreArray(plain));
      EXPECT_TRUE(sender->ExportStreams().empty());
    } else {
      EXPECT_EQ(job.verdict, ProtectVerdict::kOk);
      EXPECT_FALSE(LooksCryptex(bytes));
      EXPECT_EQ(ReceiveRtp(*MakeCryptexReceiver(policy), bytes), UnprotectVerdict::kOk);
      EXPECT_THAT(opened_, ElementsAreArray(plain));
    }
  }
}

// A receiver would take it for cryptex and decrypt what nobody encrypted.
TEST_P(SrtpCryptexTest, PlainPacketsThatLookLikeCryptexAreNotSent) {
  for (const uint16_t profile : {kCryptexOneByteProfile, kCryptexTwoByteProfile}) {
    const Bytes plain = Builder(1).WithRawExtension(profile, Bytes(8, 1)).Build();
    for (const CryptexPolicy policy : {CryptexPolicy::kOn, CryptexPolicy::kRequired}) {
      const std::unique_ptr<SrtpSender> sender = MakeCryptexSender(policy);
      const Sent sent = pipe_.Send(*sender, PacketKind::kRtp, plain);
      EXPECT_EQ(sent.verdict, ProtectVerdict::kCryptexImpossible);
      EXPECT_THAT(sent.bytes, ElementsAreArray(plain));
    }
  }
}

TEST_P(SrtpCryptexTest, DamagedPacketsDoNotOpenAndStayInTheirWireForm) {
  const std::unique_ptr<SrtpSender> sender = MakeCryptexSender(CryptexPolicy::kRequired);
  const std::unique_ptr<SrtpReceiver> receiver = MakeCryptexReceiver(CryptexPolicy::kRequired);
  const Bytes plain =
      Builder(1).WithCsrcs({0x01020304, 5}).AddOneByteExtension(1, Bytes(11, 6)).Build();
  const Bytes good = Protected(*sender, PacketKind::kRtp, plain);
  ASSERT_EQ(good.size(), plain.size() + suite().rtp_tag_size);
  for (size_t i = 4; i < good.size(); ++i) {
    if (i >= 20 && i < 24) {
      continue;  // The extension's header: other verdicts.
    }
    Bytes bad = good;
    bad[i] ^= 0x20;
    ASSERT_EQ(ReceiveRtp(*receiver, bad), UnprotectVerdict::kAuthFailed) << i;
    if (aead()) {
      // CSRCs, extension data and payload would have been decrypted.
      std::fill(bad.begin() + 12, bad.begin() + 20, uint8_t{0});
      std::fill(bad.begin() + 24, bad.begin() + static_cast<std::ptrdiff_t>(plain.size()),
                uint8_t{0});
    }
    ASSERT_THAT(opened_, ElementsAreArray(bad)) << i;
  }
  EXPECT_TRUE(receiver->ExportStreams().empty());
  EXPECT_EQ(ReceiveRtp(*receiver, good), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(plain));
}

// A mark that was put on or taken off is damage, too.
TEST_P(SrtpCryptexTest, TheMarkItselfIsAuthenticated) {
  const std::unique_ptr<SrtpSender> sender = MakeCryptexSender(CryptexPolicy::kOn);
  const std::unique_ptr<SrtpSender> plain_sender = MakeCryptexSender(CryptexPolicy::kOff);
  const std::unique_ptr<SrtpReceiver> receiver = MakeCryptexReceiver(CryptexPolicy::kOn);
  const Bytes plain = Builder(1).AddOneByteExtension(1, {1, 2, 3}).Build();
  Bytes unmarked = Protected(*sender, PacketKind::kRtp, plain);
  StoreBe16(unmarked.data() + 12, kOneByteExtensionProfile);
  EXPECT_EQ(ReceiveRtp(*receiver, unmarked), UnprotectVerdict::kAuthFailed);
  Bytes marked = Protected(*plain_sender, PacketKind::kRtp, plain);
  StoreBe16(marked.data() + 12, kCryptexOneByteProfile);
  EXPECT_EQ(ReceiveRtp(*receiver, marked), UnprotectVerdict::kAuthFailed);
}

}  // namespace
}  // namespace sluice
