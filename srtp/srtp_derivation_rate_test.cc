// Session keys that are derived anew every so many packets, end to end (RFC 3711 section 4.3.1).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

class SrtpDerivationRateTest : public SrtpFixture {
 protected:
  static SrtpPolicy EveryPackets(uint64_t packets) {
    SrtpPolicy policy;
    policy.key_derivation_rate = *KeyDerivationRate::Create(packets);
    return policy;
  }

  // The packet with that index, with keys derived by hand for the r that is given.
  Bytes RtpByHand(uint64_t index, uint64_t r) {
    Bytes bytes = PlainRtp(static_cast<uint16_t>(index));
    const size_t header_size = bytes.size() - kPayloadSize;
    bytes.resize(bytes.size() + suite().rtp_tag_size);
    CipherOf(r).SealRtp(absl::MakeSpan(bytes), header_size, Ssrc(kSsrc), PacketIndex(index));
    return bytes;
  }
  Bytes RtcpByHand(uint32_t index, uint64_t r) {
    Bytes bytes = PlainRtcp();
    bytes.resize(bytes.size() + LayoutOf(suite(), PacketKind::kRtcp, 0).overhead);
    CipherOf(r).SealRtcp(absl::MakeSpan(bytes), Ssrc(kSsrc), {true, SrtcpIndex(index)});
    return bytes;
  }

 private:
  SinglePacketCipher CipherOf(uint64_t r) {
    return SinglePacketCipher(suite(), DeriveSessionKeys(key_, PacketKind::kRtp, r),
                              DeriveSessionKeys(key_, PacketKind::kRtcp, r), engine());
  }
};

INSTANTIATE_TEST_SUITE_P(All, SrtpDerivationRateTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpDerivationRateTest, KeysAreThoseOfIndexDividedByRate) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = EveryPackets(16)});
  // Across the wrap: r is of the whole index.
  for (uint64_t index = 65536 - 40; index < 65536 + 40; ++index) {
    EXPECT_EQ(ProtectedRtp(*sender, static_cast<uint16_t>(index)), RtpByHand(index, index / 16))
        << index;
  }
  for (uint32_t index = 0; index < 40; ++index) {
    EXPECT_EQ(ProtectedRtcp(*sender), RtcpByHand(index, index / 16)) << index;
  }
}

TEST_P(SrtpDerivationRateTest, ReorderedPacketsFindTheirKeys) {
  for (const uint64_t rate : {1, 2, 16, 256}) {
    SCOPED_TRACE(rate);
    const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = EveryPackets(rate)});
    const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = EveryPackets(rate)});
    std::vector<std::pair<PacketKind, Bytes>> packets;
    for (uint16_t sequence = 65400; sequence != 200; ++sequence) {
      packets.emplace_back(PacketKind::kRtp, ProtectedRtp(*sender, sequence));
      if (sequence % 8 == 0) packets.emplace_back(PacketKind::kRtcp, ProtectedRtcp(*sender));
    }
    // Each up to forty places late.
    for (size_t i = 1; i + 40 < packets.size(); ++i) {
      std::swap(packets[i], packets[i + random_.Below(40)]);
    }
    for (const auto& [kind, bytes] : packets) {
      ASSERT_EQ(pipe_.Receive(*receiver, kind, bytes).verdict, UnprotectVerdict::kOk);
    }
    for (const auto& [kind, bytes] : packets) {
      ASSERT_EQ(pipe_.Receive(*receiver, kind, bytes).verdict, UnprotectVerdict::kReplayed);
    }
  }
}

// The keys in use are those of the packet looked at last, true or not.
TEST_P(SrtpDerivationRateTest, ForgedPacketsOfOtherPeriodsDisturbNothing) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = EveryPackets(4)});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = EveryPackets(4)});
  for (uint16_t sequence = 65000; sequence < 65100; ++sequence) {
    const Bytes good = ProtectedRtp(*sender, sequence);
    Bytes forged = good;
    forged[2] = static_cast<uint8_t>(random_.NextU32());
    forged.back() ^= 1;
    ASSERT_NE(ReceiveRtp(*receiver, forged), UnprotectVerdict::kOk);
    ASSERT_EQ(ReceiveRtp(*receiver, good), UnprotectVerdict::kOk);
    ASSERT_THAT(opened_, ElementsAreArray(PlainRtp(sequence)));
    Bytes forged_rtcp = ProtectedRtcp(*sender);
    const Bytes good_rtcp = forged_rtcp;
    forged_rtcp[forged_rtcp.size() - LayoutOf(suite(), PacketKind::kRtcp, 0).word_from_end + 2] ^=
        0x7F;
    ASSERT_EQ(ReceiveRtcp(*receiver, forged_rtcp), UnprotectVerdict::kAuthFailed);
    ASSERT_EQ(ReceiveRtcp(*receiver, good_rtcp), UnprotectVerdict::kOk);
  }
}

TEST_P(SrtpDerivationRateTest, AnotherRateOpensTheFirstPeriodOnly) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = EveryPackets(16)});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = EveryPackets(32)});
  const std::unique_ptr<SrtpReceiver> once = MakeReceiver();
  for (uint16_t sequence = 0; sequence < 64; ++sequence) {
    const Bytes packet = ProtectedRtp(*sender, sequence);
    EXPECT_EQ(ReceiveRtp(*receiver, packet),
              sequence < 16 ? UnprotectVerdict::kOk : UnprotectVerdict::kAuthFailed);
    EXPECT_EQ(ReceiveRtp(*once, packet),
              sequence < 16 ? UnprotectVerdict::kOk : UnprotectVerdict::kAuthFailed);
  }
}

TEST_P(SrtpDerivationRateTest, ARekeyBeginsTheKeysOfTheNewOneAtTheSameIndex) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = EveryPackets(8)});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = EveryPackets(8)});
  std::vector<Bytes> late;
  uint16_t sequence = 65500;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 20; ++i) {
      late.push_back(ProtectedRtp(*sender, sequence++));
      ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, sequence++)), UnprotectVerdict::kOk);
    }
    const MasterKey next = NewKey();
    ASSERT_TRUE(sender->Rekey(next).ok());
    ASSERT_TRUE(receiver->Rekey(next).ok());
    for (const Bytes& packet : late) {
      ASSERT_EQ(ReceiveRtp(*receiver, packet), UnprotectVerdict::kOk);
    }
    late.clear();
  }
}

// The keys of header extensions go with the others (RFC 6904 section 3.1).
TEST_P(SrtpDerivationRateTest, EncryptedExtensionsFollowTheRate) {
  SrtpPolicy policy = EveryPackets(4);
  policy.encrypted_extensions.set(1);
  const std::unique_ptr<SrtpSender> sender = MakeSender({.policy = policy});
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.policy = policy});
  std::vector<Bytes> packets;
  for (uint16_t sequence = 0; sequence < 32; ++sequence) {
    packets.push_back(ProtectedRtp(*sender, sequence));
  }
  for (const uint16_t i : {0, 31, 4, 30, 8, 3, 5, 29, 2, 12}) {
    ASSERT_EQ(ReceiveRtp(*receiver, packets[i]), UnprotectVerdict::kOk);
    ASSERT_THAT(opened_, ElementsAreArray(PlainRtp(i)));
  }
}

}  // namespace
}  // namespace sluice
