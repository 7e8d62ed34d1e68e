// Several master keys at a time, told apart by what their packets carry (RFC 3711 section 3.1).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_ring.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class SrtpMkiTest : public SrtpFixture {
 protected:
  static constexpr size_t kMkiSize = 3;

  std::unique_ptr<SrtpSender> MakeMkiSender(const Mki& mki) { return MakeSender({.mki = mki}); }
  std::unique_ptr<SrtpReceiver> MakeMkiReceiver(const Mki& mki) {
    return MakeReceiver({.mki = mki});
  }
  absl::Span<const uint8_t> MkiIn(absl::Span<const uint8_t> packet, PacketKind kind) const {
    const PacketLayout layout = LayoutOf(suite(), kind, kMkiSize);
    return packet.subspan(packet.size() - layout.mki_from_end, kMkiSize);
  }
  // Of the sender and the receiver at once, as when both ends agree on a key.
  void AddKey(const MasterKey& key, const Mki& mki) {
    ASSERT_TRUE(sender_->AddKey(key, mki).ok());
    ASSERT_TRUE(receiver_->AddKey(key, mki).ok());
  }

  const Mki first_ = MkiOf({1, 0, 0});
  const Mki second_ = MkiOf({2, 0, 0});
  const Mki third_ = MkiOf({1, 0, 3});
  const std::unique_ptr<SrtpSender> sender_ = MakeMkiSender(first_);
  const std::unique_ptr<SrtpReceiver> receiver_ = MakeMkiReceiver(first_);
};

INSTANTIATE_TEST_SUITE_P(All, SrtpMkiTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpMkiTest, WithoutMkiNoKeyIsNamedAndTheKeysStayAsTheyAre) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const MasterKey next = NewKey();
  ASSERT_TRUE(sender->Rekey(next).ok());
  ASSERT_TRUE(receiver->Rekey(next).ok());
  EXPECT_EQ(sender->SendWith(Mki()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(sender->RetireKey(Mki()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(receiver->RetireKey(Mki()).code(), absl::StatusCode::kFailedPrecondition);
  // Both keys of the receiver are tried, and each once.
  Bytes forged = Protected(*sender, PacketKind::kRtp, PlainRtp(5));
  forged.back() ^= 1;
  EXPECT_EQ(pipe_.Receive(*receiver, PacketKind::kRtp, forged).verdict,
            UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(
      pipe_.Receive(*receiver, PacketKind::kRtp, Protected(*sender, PacketKind::kRtp, PlainRtp(6)))
          .verdict,
      UnprotectVerdict::kOk);
}

TEST_P(SrtpMkiTest, PacketsNameTheirKeyAndAreOtherwiseTheSame) {
  const std::unique_ptr<SrtpSender> without = MakeSender();
  for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
    const Bytes plain = kind == PacketKind::kRtp ? PlainRtp(5) : PlainRtcp();
    Bytes with_mki = Protected(*sender_, kind, plain);
    EXPECT_EQ(MkiIn(with_mki, kind), first_.bytes());
    const auto mki = with_mki.end() -
                     static_cast<std::ptrdiff_t>(LayoutOf(suite(), kind, kMkiSize).mki_from_end);
    Bytes cut_out = with_mki;
    cut_out.erase(cut_out.begin() + (mki - with_mki.begin()),
                  cut_out.begin() + (mki - with_mki.begin()) + kMkiSize);
    // RFC 3711 sections 4.2 and 3.4, RFC 7714 section 8.2: the MKI is not authenticated.
    EXPECT_EQ(cut_out, Protected(*without, kind, plain));
    const Received received = pipe_.Receive(*receiver_, kind, with_mki);
    EXPECT_EQ(received.verdict, UnprotectVerdict::kOk);
    EXPECT_THAT(received.bytes, ElementsAreArray(plain));
  }
}

TEST_P(SrtpMkiTest, AnyLiveKeyMaySendAndAllOpen) {
  AddKey(NewKey(), second_);
  AddKey(NewKey(), third_);
  std::vector<Bytes> late;
  uint16_t sequence = 65530;
  for (int round = 0; round < 4; ++round) {
    for (const Mki& mki : {first_, third_, second_}) {
      ASSERT_TRUE(sender_->SendWith(mki).ok());
      late.push_back(ProtectedRtp(*sender_, sequence));
      EXPECT_EQ(MkiIn(late.back(), PacketKind::kRtp), mki.bytes());
      ++sequence;
      // Rollover counter and SRTCP index are of the SSRC, whatever the key.
      ASSERT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, sequence)), UnprotectVerdict::kOk);
      EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(sequence)));
      ASSERT_EQ(ReceiveRtcp(*receiver_, ProtectedRtcp(*sender_)), UnprotectVerdict::kOk);
      ++sequence;
    }
  }
  for (const Bytes& packet : late) {
    EXPECT_EQ(ReceiveRtp(*receiver_, packet), UnprotectVerdict::kOk);
    EXPECT_EQ(ReceiveRtp(*receiver_, packet), UnprotectVerdict::kReplayed);
  }
}

// RFC 3711 section 9.1 speaks of a key; that both sides have one window for all keys is stricter.
TEST_P(SrtpMkiTest, AnIndexIsUsedOnceWhateverTheKey) {
  AddKey(NewKey(), second_);
  ASSERT_EQ(SendRtp(*sender_, 10), ProtectVerdict::kOk);
  ASSERT_TRUE(sender_->SendWith(second_).ok());
  EXPECT_EQ(SendRtp(*sender_, 10), ProtectVerdict::kIndexReused);
  ASSERT_TRUE(sender_->SendWith(first_).ok());
  EXPECT_EQ(SendRtp(*sender_, 10), ProtectVerdict::kIndexReused);
  EXPECT_EQ(SendRtp(*sender_, 11), ProtectVerdict::kOk);
}

TEST_P(SrtpMkiTest, ARetiredKeyIsUnknown) {
  AddKey(NewKey(), second_);
  const Bytes rtp = ProtectedRtp(*sender_, 1);
  const Bytes rtcp = ProtectedRtcp(*sender_);
  ASSERT_TRUE(receiver_->RetireKey(first_).ok());
  EXPECT_EQ(ReceiveRtp(*receiver_, rtp), UnprotectVerdict::kUnknownMki);
  EXPECT_THAT(opened_, ElementsAreArray(rtp));
  EXPECT_EQ(ReceiveRtcp(*receiver_, rtcp), UnprotectVerdict::kUnknownMki);
  EXPECT_THAT(opened_, ElementsAreArray(rtcp));
  EXPECT_TRUE(receiver_->ExportStreams().empty());

  ASSERT_TRUE(sender_->SendWith(second_).ok());
  ASSERT_TRUE(sender_->RetireKey(first_).ok());
  EXPECT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(sender_->SendWith(first_).code(), absl::StatusCode::kNotFound);
}

TEST_P(SrtpMkiTest, WhatIsInUseCannotBeRetired) {
  EXPECT_EQ(sender_->RetireKey(first_).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(receiver_->RetireKey(first_).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(sender_->RetireKey(second_).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(receiver_->RetireKey(second_).code(), absl::StatusCode::kNotFound);
  AddKey(NewKey(), second_);
  ASSERT_TRUE(sender_->SendWith(second_).ok());
  EXPECT_EQ(sender_->RetireKey(second_).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(sender_->RetireKey(first_).ok());
  EXPECT_TRUE(receiver_->RetireKey(first_).ok());
  EXPECT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, 2)), UnprotectVerdict::kOk);
}

// A name can be given again once its key is gone: the new key is the one that counts.
TEST_P(SrtpMkiTest, ANameOfARetiredKeyMayBeGivenToAnother) {
  AddKey(NewKey(), second_);
  const Bytes old = ProtectedRtp(*sender_, 1);
  ASSERT_TRUE(sender_->SendWith(second_).ok());
  ASSERT_TRUE(sender_->RetireKey(first_).ok());
  ASSERT_TRUE(receiver_->RetireKey(first_).ok());
  AddKey(NewKey(), first_);
  ASSERT_TRUE(sender_->SendWith(first_).ok());
  EXPECT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver_, old), UnprotectVerdict::kAuthFailed);
}

TEST_P(SrtpMkiTest, EveryBitOfAnUnknownMkiIsNoticedAndChangesNothing) {
  for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
    const Bytes good =
        kind == PacketKind::kRtp ? ProtectedRtp(*sender_, 1) : ProtectedRtcp(*sender_);
    const size_t at = good.size() - LayoutOf(suite(), kind, kMkiSize).mki_from_end;
    for (size_t i = 0; i < 8 * kMkiSize; ++i) {
      Bytes bad = good;
      bad[at + i / 8] ^= static_cast<uint8_t>(1 << i % 8);
      const Received received = pipe_.Receive(*receiver_, kind, bad);
      EXPECT_EQ(received.verdict, UnprotectVerdict::kUnknownMki);
      EXPECT_THAT(received.bytes, ElementsAreArray(bad));
    }
    EXPECT_TRUE(receiver_->ExportStreams().empty());
  }
}

// The name of another live key does not open what that key did not protect.
TEST_P(SrtpMkiTest, AnotherKeysNameDoesNotOpen) {
  AddKey(NewKey(), second_);
  Bytes packet = ProtectedRtp(*sender_, 1);
  const size_t at = packet.size() - LayoutOf(suite(), PacketKind::kRtp, kMkiSize).mki_from_end;
  packet[at] = second_.bytes()[0];
  EXPECT_EQ(ReceiveRtp(*receiver_, packet), UnprotectVerdict::kAuthFailed);
}

TEST_P(SrtpMkiTest, ACutMkiIsUnknownOrThePacketMalformed) {
  for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
    const Bytes good =
        kind == PacketKind::kRtp ? ProtectedRtp(*sender_, 1) : ProtectedRtcp(*sender_);
    const size_t header = kind == PacketKind::kRtp ? PlainRtp(1).size() - kPayloadSize : 8;
    const size_t shortest = header + LayoutOf(suite(), kind, kMkiSize).overhead;
    for (size_t size = 0; size < good.size(); ++size) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      const Received received = pipe_.Receive(*receiver_, kind, cut);
      if (size < shortest) {
        EXPECT_EQ(received.verdict, UnprotectVerdict::kMalformed) << size;
      } else if (kind == PacketKind::kRtp) {
        EXPECT_EQ(received.verdict, UnprotectVerdict::kUnknownMki) << size;
      } else {
        // What is taken for the word may say that the packet is not encrypted, or its first packet
        // is longer than all of it.
        EXPECT_THAT(received.verdict,
                    testing::AnyOf(UnprotectVerdict::kUnknownMki, UnprotectVerdict::kUnencrypted,
                                   UnprotectVerdict::kMalformed))
            << size;
      }
      EXPECT_THAT(received.bytes, ElementsAreArray(cut));
    }
  }
}

TEST_P(SrtpMkiTest, BothEndsMustAgreeThatThereIsAnMki) {
  const std::unique_ptr<SrtpSender> without = MakeSender();
  const std::unique_ptr<SrtpReceiver> expects_none = MakeReceiver();
  EXPECT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*without, 1)), UnprotectVerdict::kUnknownMki);
  EXPECT_EQ(ReceiveRtp(*expects_none, ProtectedRtp(*sender_, 1)), UnprotectVerdict::kAuthFailed);
}

TEST_P(SrtpMkiTest, TheLongestMkiFitsBehindThePacket) {
  Bytes longest(kMaxMkiSize);
  for (size_t i = 0; i < longest.size(); ++i) {
    longest[i] = static_cast<uint8_t>(i);
  }
  const std::unique_ptr<SrtpSender> sender = MakeMkiSender(MkiOf(longest));
  const std::unique_ptr<SrtpReceiver> receiver = MakeMkiReceiver(MkiOf(longest));
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, 1)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(1)));
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));
  longest.back() ^= 1;
  const std::unique_ptr<SrtpReceiver> other = MakeMkiReceiver(MkiOf(longest));
  EXPECT_EQ(ReceiveRtp(*other, ProtectedRtp(*sender, 2)), UnprotectVerdict::kUnknownMki);
}

TEST_P(SrtpMkiTest, KeysThatDoNotFitAreRefusedWithAReason) {
  const auto expect = [&](const MasterKey& key, const Mki& mki, absl::StatusCode code,
                          const std::string& message) {
    for (const absl::Status& status : {sender_->AddKey(key, mki), receiver_->AddKey(key, mki)}) {
      EXPECT_EQ(status.code(), code);
      EXPECT_THAT(status.message(), HasSubstr(message));
    }
  };
  expect(NewKey(), MkiOf({2}), absl::StatusCode::kInvalidArgument,
         "MKI has 1 bytes, those of the other keys have 3");
  expect(NewKey(), Mki(), absl::StatusCode::kInvalidArgument, "MKI has 0 bytes");
  expect(NewKey(), first_, absl::StatusCode::kInvalidArgument, "has that MKI");
  expect(key_, second_, absl::StatusCode::kInvalidArgument, "is a live one");
  const SuiteId other =
      suite().id == SuiteId::kAeadAes128Gcm ? SuiteId::kAeadAes256Gcm : SuiteId::kAeadAes128Gcm;
  expect(MasterKey::Generate(other, random_), second_, absl::StatusCode::kInvalidArgument,
         std::string(GetCipherSuite(other).name));
  for (uint8_t i = 2; i < 2 + kMaxLiveKeys - 1; ++i) {
    AddKey(NewKey(), MkiOf({i, i, i}));
  }
  expect(NewKey(), MkiOf({99, 99, 99}), absl::StatusCode::kResourceExhausted,
         "8 keys are live, which is the most");
  EXPECT_EQ(sender_->Rekey(NewKey()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(receiver_->Rekey(NewKey()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(MakeSender()->AddKey(NewKey(), first_).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(MakeReceiver()->AddKey(NewKey(), first_).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, 1)), UnprotectVerdict::kOk);
}

TEST_P(SrtpMkiTest, AnSsrcKeepsItsPlaceWhileOneOfItsKeysLives) {
  const std::unique_ptr<SrtpSender> sender = MakeSender({.max_streams = 2, .mki = first_});
  ASSERT_TRUE(sender->AddKey(NewKey(), second_).ok());
  ASSERT_EQ(SendRtp(*sender, 1, 1), ProtectVerdict::kOk);
  ASSERT_TRUE(sender->SendWith(second_).ok());
  ASSERT_EQ(SendRtp(*sender, 1, 2), ProtectVerdict::kOk);
  EXPECT_EQ(SendRtp(*sender, 1, 3), ProtectVerdict::kTooManyStreams);
  ASSERT_TRUE(sender->RetireKey(first_).ok());
  // SSRC 1 sent with the first key alone.
  EXPECT_EQ(SendRtp(*sender, 1, 3), ProtectVerdict::kOk);
  EXPECT_EQ(SendRtp(*sender, 2, 1), ProtectVerdict::kTooManyStreams);
  EXPECT_EQ(SendRtp(*sender, 2, 2), ProtectVerdict::kOk);
}

}  // namespace
}  // namespace sluice
