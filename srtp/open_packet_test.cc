#include "srtp/open_packet.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/mki.h"
#include "srtp/packet_index.h"
#include "srtp/packet_keys.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_shape.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/testing/srtp_fixture.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

constexpr uint32_t kRoc = 0x01020304;

class OpenPacketTest : public SrtpFixture {
 protected:
  OpenPacketTest() {
    rtp_keys_.Set(DeriveSessionKeys(key_, PacketKind::kRtp));
    rtcp_keys_.Set(DeriveSessionKeys(key_, PacketKind::kRtcp));
  }

  PacketLayout Layout(PacketKind kind) const { return LayoutOf(suite(), kind, mki_.size()); }
  static RtpShape ShapeOf(const Bytes& packet) {
    const RtpPacketView view = *RtpPacketView::ParseHeader(packet);
    return {view.header_size(), view.csrc_count(), false};
  }
  // Of rollover kRoc.
  static PacketIndex IndexOf(uint16_t sequence) {
    return MakeIndex(Roc(kRoc), SequenceNumber(sequence));
  }
  Bytes Sealed(uint16_t sequence) {
    Bytes packet = PlainRtp(sequence);
    const RtpShape shape = ShapeOf(packet);
    packet.resize(packet.size() + Layout(PacketKind::kRtp).overhead);
    SinglePacketCipher(key_, engine(), mki_)
        .SealRtp(absl::MakeSpan(packet), shape, Ssrc(kSsrc), IndexOf(sequence));
    return packet;
  }
  Bytes SealedRtcp(EsrtcpWord word) {
    Bytes packet = PlainRtcp();
    packet.resize(packet.size() + Layout(PacketKind::kRtcp).overhead);
    SinglePacketCipher(key_, engine(), mki_).SealRtcp(absl::MakeSpan(packet), Ssrc(kSsrc), word);
    return packet;
  }
  bool OpenRtpOf(Bytes& packet, PacketIndex index) {
    return OpenRtp(engine(), rtp_keys_, Layout(PacketKind::kRtp), absl::MakeSpan(packet),
                   ShapeOf(packet), Ssrc(kSsrc), index);
  }

  const Mki mki_ = MkiOf({1, 2, 3});
  PacketKeys rtp_keys_{suite(), engine()};
  PacketKeys rtcp_keys_{suite(), engine()};
};

INSTANTIATE_TEST_SUITE_P(All, OpenPacketTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(OpenPacketTest, OpensUnderItsIndexAndLeavesTheTrailer) {
  const Bytes sealed = Sealed(9);
  Bytes packet = sealed;
  ASSERT_TRUE(OpenRtpOf(packet, IndexOf(9)));
  const Bytes plain = PlainRtp(9);
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), packet.begin()));
  EXPECT_TRUE(std::equal(packet.begin() + static_cast<std::ptrdiff_t>(plain.size()), packet.end(),
                         sealed.begin() + static_cast<std::ptrdiff_t>(plain.size())));
}

TEST_P(OpenPacketTest, UnderAnotherRolloverItStaysOrIsWiped) {
  const Bytes sealed = Sealed(9);
  Bytes expected = sealed;
  if (aead()) {
    const size_t begin = PlainRtp(9).size() - kPayloadSize;
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(begin), kPayloadSize, uint8_t{0});
  }
  for (const PacketIndex wrong : {PacketIndex(9), PacketIndex(IndexOf(9).value() + 0x10000)}) {
    Bytes packet = sealed;
    EXPECT_FALSE(OpenRtpOf(packet, wrong));
    EXPECT_THAT(packet, ElementsAreArray(expected));
  }
}

TEST_P(OpenPacketTest, OpensRtcpEncryptedOrNot) {
  for (const bool encrypted : {false, true}) {
    const EsrtcpWord word = {encrypted, SrtcpIndex(0x7FFFFFFF)};
    const Bytes sealed = SealedRtcp(word);
    Bytes packet = sealed;
    ASSERT_TRUE(OpenRtcp(engine(), rtcp_keys_, Layout(PacketKind::kRtcp), absl::MakeSpan(packet),
                         Ssrc(kSsrc), word));
    const Bytes plain = PlainRtcp();
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), packet.begin()));
    EXPECT_TRUE(std::equal(packet.begin() + static_cast<std::ptrdiff_t>(plain.size()), packet.end(),
                           sealed.begin() + static_cast<std::ptrdiff_t>(plain.size())));
    // The flag turned: a packet that is not encrypted has nothing to be wiped either.
    Bytes turned = sealed;
    turned[turned.size() - Layout(PacketKind::kRtcp).word_from_end] ^= 0x80;
    packet = turned;
    EXPECT_FALSE(OpenRtcp(engine(), rtcp_keys_, Layout(PacketKind::kRtcp), absl::MakeSpan(packet),
                          Ssrc(kSsrc), {!encrypted, word.index}));
    if (!aead() || encrypted) {
      EXPECT_THAT(packet, ElementsAreArray(turned));
    } else {
      EXPECT_TRUE(std::all_of(packet.begin() + 8,
                              packet.begin() + static_cast<std::ptrdiff_t>(plain.size()),
                              [](uint8_t byte) { return byte == 0; }));
    }
  }
}

// The ROC is hashed where MKI and tag stand, and tags may be as short as it: every byte comes back.
TEST_P(OpenPacketTest, TheRocMakesRoomForWhatItDisplaced) {
  if (aead()) {
    return;
  }
  for (const size_t mki_size : {0, 1, 3, 8}) {
    const PacketLayout layout = LayoutOf(suite(), PacketKind::kRtp, mki_size);
    Bytes packet(40 + layout.overhead);
    for (size_t i = 0; i < packet.size(); ++i) {
      packet[i] = static_cast<uint8_t>(i);
    }
    const Bytes before = packet;
    std::array<uint8_t, kMacSize> mac = {};
    std::copy_n(packet.end() - static_cast<std::ptrdiff_t>(layout.tag_from_end), layout.tag_size,
                mac.begin());
    const AuthenticatedPortion portion =
        AuthenticatedPortion::OfRtp(layout, absl::MakeSpan(packet), Roc(kRoc));
    EXPECT_EQ(portion.data(), packet.data());
    EXPECT_EQ(portion.size(), 44u);
    EXPECT_EQ(LoadBe32(packet.data() + 40), kRoc);
    EXPECT_TRUE(portion.Verify(mac.data()));
    EXPECT_THAT(packet, ElementsAreArray(before));
  }
}

TEST_P(OpenPacketTest, EveryBitOfTheTagIsCompared) {
  if (aead()) {
    return;
  }
  for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
    const PacketLayout layout = LayoutOf(suite(), kind, 0);
    Bytes packet(40 + layout.overhead);
    std::array<uint8_t, kMacSize> mac = {};
    for (size_t bit = 0; bit < 8 * kMacSize; ++bit) {
      mac[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const AuthenticatedPortion portion =
          kind == PacketKind::kRtp
              ? AuthenticatedPortion::OfRtp(layout, absl::MakeSpan(packet), Roc(kRoc))
              : AuthenticatedPortion::OfRtcp(layout, absl::MakeSpan(packet));
      // What the engine gives beyond the tag does not count.
      EXPECT_EQ(portion.Verify(mac.data()), bit / 8 >= layout.tag_size) << "bit " << bit;
      mac[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
  }
}

TEST_P(OpenPacketTest, WhatIsDecryptedLiesBetweenHeaderAndTrailer) {
  if (aead()) {
    return;
  }
  Bytes packet = Sealed(9);
  InitialVector vector;
  const CounterModeJob rtp =
      DecryptionOfRtp(rtp_keys_, Layout(PacketKind::kRtp), absl::MakeSpan(packet), ShapeOf(packet),
                      Ssrc(kSsrc), IndexOf(9), vector);
  EXPECT_EQ(rtp.key, rtp_keys_.counter_mode());
  EXPECT_EQ(rtp.data, packet.data() + PlainRtp(9).size() - kPayloadSize);
  EXPECT_EQ(rtp.size, kPayloadSize);
  EXPECT_EQ(rtp.counter_block, vector.bytes());
  Bytes rtcp_packet = SealedRtcp({true, SrtcpIndex(1)});
  const CounterModeJob rtcp =
      DecryptionOfRtcp(rtcp_keys_, Layout(PacketKind::kRtcp), absl::MakeSpan(rtcp_packet),
                       Ssrc(kSsrc), {true, SrtcpIndex(1)}, vector);
  EXPECT_EQ(rtcp.data, rtcp_packet.data() + 8);
  EXPECT_EQ(rtcp.size, PlainRtcp().size() - 8);
  EXPECT_EQ(DecryptionOfRtcp(rtcp_keys_, Layout(PacketKind::kRtcp), absl::MakeSpan(rtcp_packet),
                             Ssrc(kSsrc), {false, SrtcpIndex(1)}, vector)
                .key,
            nullptr);
}

}  // namespace
}  // namespace sluice
