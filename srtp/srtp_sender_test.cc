#include "srtp/srtp_sender.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class SrtpSenderTest : public SrtpFixture {
 protected:
  // Whether the packet last sent is the one of that index, under that key.
  bool LastRtpHas(const MasterKey& key, PacketIndex index) {
    Bytes bytes = sent_;
    const RtpPacketView view = *RtpPacketView::ParseHeader(bytes);
    return SinglePacketCipher(key, engine())
        .OpenRtp(absl::MakeSpan(bytes), view.header_size(), view.ssrc(), index);
  }
  EsrtcpWord LastWord() { return SinglePacketCipher(key_, engine()).ReadWord(sent_); }

  ProtectVerdict Send(SrtpSender& sender, PacketLoan& packet, PacketKind kind) {
    ProtectJob job{&sender, &packet, kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine());
    return job.verdict;
  }
};

INSTANTIATE_TEST_SUITE_P(All, SrtpSenderTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpSenderTest, ProtectsInPlaceAndGrowsByTheOverhead) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const Bytes plain = PlainRtp(7);
  PacketLoan packet = pipe_.Load(plain);
  const uint8_t* const place = packet.bytes().data();
  ASSERT_EQ(Send(*sender, packet, PacketKind::kRtp), ProtectVerdict::kOk);
  EXPECT_EQ(packet.bytes().data(), place);
  EXPECT_EQ(packet.size(), plain.size() + suite().rtp_tag_size);
  // RFC 3711 section 3.1: the header stays readable.
  const size_t header_size = plain.size() - kPayloadSize;
  EXPECT_THAT(packet.bytes().first(header_size),
              ElementsAreArray(absl::MakeConstSpan(plain).first(header_size)));
  EXPECT_EQ(packet.bytes().subspan(header_size, kPayloadSize) ==
                absl::MakeConstSpan(plain).subspan(header_size, kPayloadSize),
            suite().transform == PacketTransform::kNull);
  sent_.assign(packet.bytes().begin(), packet.bytes().end());
  EXPECT_TRUE(LastRtpHas(key_, PacketIndex(7)));
}

TEST_P(SrtpSenderTest, RtcpIsEncryptedAndCountedFromZero) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  for (uint32_t i = 0; i < 5; ++i) {
    ASSERT_EQ(SendRtcp(*sender), ProtectVerdict::kOk);
    EXPECT_TRUE(LastWord().encrypted);
    EXPECT_EQ(LastWord().index, SrtcpIndex(i));
    EXPECT_EQ(sent_.size(), PlainRtcp().size() + suite().rtcp_tag_size + 4);
  }
}

// RFC 3711 section 3.4 and pion/srtp#70: each SSRC has its own SRTCP index, whoever made the RTCP.
TEST_P(SrtpSenderTest, EachSsrcHasItsOwnIndices) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  ASSERT_EQ(SendRtcp(*sender, 1), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtcp(*sender, 1), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtcp(*sender, 2), ProtectVerdict::kOk);
  EXPECT_EQ(LastWord().index, SrtcpIndex(0));
  ASSERT_EQ(SendRtcp(*sender, 1), ProtectVerdict::kOk);
  EXPECT_EQ(LastWord().index, SrtcpIndex(2));

  ASSERT_EQ(SendRtp(*sender, 65535, 1), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtp(*sender, 0, 1), ProtectVerdict::kOk);
  EXPECT_TRUE(LastRtpHas(key_, MakeIndex(Roc(1), SequenceNumber(0))));
  ASSERT_EQ(SendRtp(*sender, 0, 2), ProtectVerdict::kOk);
  EXPECT_TRUE(LastRtpHas(key_, MakeIndex(Roc(0), SequenceNumber(0))));
}

TEST_P(SrtpSenderTest, CountsRolloversAndSendsLatePacketsWithTheirOwn) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  uint64_t index = 65000;
  for (int i = 0; i < 40; ++i, index += 5000) {
    ASSERT_EQ(SendRtp(*sender, static_cast<uint16_t>(index)), ProtectVerdict::kOk);
    EXPECT_TRUE(LastRtpHas(key_, PacketIndex(index)));
    ASSERT_EQ(SendRtp(*sender, static_cast<uint16_t>(index - 1000)), ProtectVerdict::kOk);
    EXPECT_TRUE(LastRtpHas(key_, PacketIndex(index - 1000)));
  }
}

// A peer on the plain side of a gateway chooses sequence numbers; it must not choose our keystream.
TEST_P(SrtpSenderTest, NeverSendsAnIndexTwice) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  ASSERT_EQ(SendRtp(*sender, 5000), ProtectVerdict::kOk);
  const Bytes other =
      RtpPacketBuilder().WithSsrc(kSsrc).WithSequence(5000).WithPayloadSize(99).Build();
  // Neither with other bytes nor with the same.
  for (const Bytes& again : {other, PlainRtp(5000)}) {
    const Sent sent = pipe_.Send(*sender, PacketKind::kRtp, again);
    EXPECT_EQ(sent.verdict, ProtectVerdict::kIndexReused);
    EXPECT_THAT(sent.bytes, ElementsAreArray(again));
  }
}

TEST_P(SrtpSenderTest, MalformedPacketsStayAsTheyWere) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const Bytes rtp = RtpPacketBuilder().WithSsrc(kSsrc).AddOneByteExtension(1, {2, 3}).Build();
  for (size_t size = 0; size < rtp.size(); ++size) {
    const Bytes cut(rtp.begin(), rtp.begin() + static_cast<std::ptrdiff_t>(size));
    const Sent sent = pipe_.Send(*sender, PacketKind::kRtp, cut);
    EXPECT_EQ(sent.verdict, ProtectVerdict::kMalformed) << size;
    EXPECT_THAT(sent.bytes, ElementsAreArray(cut));
  }
  const Bytes rtcp = RtcpPacketBuilder().AddReceiverReport(kSsrc).Build();
  for (size_t size = 0; size < rtcp.size(); ++size) {
    const Bytes cut(rtcp.begin(), rtcp.begin() + static_cast<std::ptrdiff_t>(size));
    const Sent sent = pipe_.Send(*sender, PacketKind::kRtcp, cut);
    EXPECT_EQ(sent.verdict, ProtectVerdict::kMalformed) << size;
    EXPECT_THAT(sent.bytes, ElementsAreArray(cut));
  }
  EXPECT_TRUE(sender->ExportStreams().empty());
}

TEST_P(SrtpSenderTest, WithoutTailroomNothingHappens) {
  for (const size_t mki_size : {0, 4}) {
    SrtpSenderOptions options;
    options.mki = MkiOf(Bytes(mki_size, 7));
    const std::unique_ptr<SrtpSender> sender = MakeSender(options);
    for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
      const Bytes plain = kind == PacketKind::kRtp ? PlainRtp(3) : PlainRtcp();
      PacketLoan packet = pipe_.Load(plain);
      const size_t longest =
          plain.size() + packet.tailroom() - LayoutOf(suite(), kind, mki_size).overhead;
      ASSERT_TRUE(packet.Resize(longest + 1));
      EXPECT_EQ(Send(*sender, packet, kind), ProtectVerdict::kNoTailroom);
      EXPECT_EQ(packet.size(), longest + 1);
      EXPECT_THAT(packet.bytes().first(plain.size()), ElementsAreArray(plain));
      // The index was not spent either.
      ASSERT_TRUE(packet.Resize(longest));
      EXPECT_EQ(Send(*sender, packet, kind), ProtectVerdict::kOk);
      EXPECT_EQ(packet.tailroom(), 0u);
    }
  }
}

// RFC 3711 section 9.1: an SSRC that came back after being forgotten would begin again at rollover
// 0 and repeat its keystream.
TEST_P(SrtpSenderTest, RefusesOneSsrcTooManyRatherThanForgettingOne) {
  SrtpSenderOptions options;
  options.max_streams = 2;
  const std::unique_ptr<SrtpSender> sender = MakeSender(options);
  ASSERT_EQ(SendRtp(*sender, 1, 1), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtcp(*sender, 2), ProtectVerdict::kOk);
  EXPECT_EQ(SendRtp(*sender, 1, 3), ProtectVerdict::kTooManyStreams);
  EXPECT_EQ(SendRtcp(*sender, 3), ProtectVerdict::kTooManyStreams);
  EXPECT_EQ(SendRtp(*sender, 1, 1), ProtectVerdict::kIndexReused);
  EXPECT_EQ(SendRtp(*sender, 2, 1), ProtectVerdict::kOk);
}

TEST_P(SrtpSenderTest, RekeyFreesThePlacesOfSilentSsrcsOnly) {
  SrtpSenderOptions options;
  options.max_streams = 3;
  const std::unique_ptr<SrtpSender> sender = MakeSender(options);
  for (const uint32_t ssrc : {1, 2, 3}) {
    ASSERT_EQ(SendRtp(*sender, 100, ssrc), ProtectVerdict::kOk);
  }
  ASSERT_TRUE(sender->Rekey(NewKey()).ok());
  ASSERT_EQ(SendRtp(*sender, 101, 1), ProtectVerdict::kOk);
  // The longest silent goes first, and those that sent with the new key stay.
  ASSERT_EQ(SendRtp(*sender, 100, 4), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtp(*sender, 100, 5), ProtectVerdict::kOk);
  EXPECT_EQ(SendRtp(*sender, 100, 6), ProtectVerdict::kTooManyStreams);
  EXPECT_EQ(SendRtp(*sender, 101, 2), ProtectVerdict::kTooManyStreams);
  EXPECT_EQ(SendRtp(*sender, 101, 1), ProtectVerdict::kIndexReused);
}

// RFC 3711 section 3.3.1: rollover counters go on over a rekey.
TEST_P(SrtpSenderTest, RekeyChangesTheKeyAndNoIndex) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  ASSERT_EQ(SendRtp(*sender, 65535), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtp(*sender, 0), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtcp(*sender), ProtectVerdict::kOk);
  const MasterKey next = NewKey();
  ASSERT_TRUE(sender->Rekey(next).ok());
  ASSERT_EQ(SendRtp(*sender, 1), ProtectVerdict::kOk);
  EXPECT_TRUE(LastRtpHas(next, MakeIndex(Roc(1), SequenceNumber(1))));
  EXPECT_FALSE(LastRtpHas(key_, MakeIndex(Roc(1), SequenceNumber(1))));
  ASSERT_EQ(SendRtcp(*sender), ProtectVerdict::kOk);
  EXPECT_EQ(LastWord().index, SrtcpIndex(1));
  EXPECT_EQ(SendRtp(*sender, 0), ProtectVerdict::kIndexReused);
}

TEST_P(SrtpSenderTest, RekeyRefusesThePresentKeyAndOtherSuites) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  absl::Status status = sender->Rekey(key_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("live"));
  for (const CipherSuite& other : kCipherSuites) {
    if (other.id != suite().id) {
      status = sender->Rekey(MasterKey::Generate(other.id, random_));
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(status.message(), HasSubstr(std::string(other.name)));
    }
  }
  ASSERT_EQ(SendRtp(*sender, 1), ProtectVerdict::kOk);
  EXPECT_TRUE(LastRtpHas(key_, PacketIndex(1)));
}

TEST_P(SrtpSenderTest, OptionsHaveBounds) {
  const auto create = [&](size_t max_streams, size_t window, size_t remembered) {
    SrtpSenderOptions options;
    options.max_streams = max_streams;
    options.replay_window = window;
    options.remembered_streams = remembered;
    return SrtpSender::Create(key_, options, engine()).status();
  };
  EXPECT_TRUE(create(1, 64, 1).ok());
  EXPECT_TRUE(create(1024, 64, 1024).ok());
  EXPECT_THAT(create(0, 64, 1).message(), HasSubstr("1..1024"));
  EXPECT_THAT(create(1025, 64, 1).message(), HasSubstr("max_streams is 1025"));
  EXPECT_THAT(create(1, 64, 0).message(), HasSubstr("remembered_streams is 0"));
  EXPECT_THAT(create(1, 64, 1025).message(), HasSubstr("remembered_streams is 1025"));
  for (const size_t window : {0, 1, 63, 65, 96, 1000, 65536}) {
    EXPECT_EQ(create(1, window, 1).code(), absl::StatusCode::kInvalidArgument) << window;
    EXPECT_THAT(create(1, window, 1).message(), HasSubstr("power of two 64..32768"));
  }
}

TEST_P(SrtpSenderTest, WindowsOfEveryPowerOfTwoEndWhereTheySay) {
  for (size_t window = 64; window <= 32768; window *= 2) {
    SCOPED_TRACE(window);
    SrtpSenderOptions options;
    options.max_streams = 1;
    options.replay_window = window;
    const std::unique_ptr<SrtpSender> sender = MakeSender(options);
    const uint16_t highest = 40000;
    ASSERT_EQ(SendRtp(*sender, highest), ProtectVerdict::kOk);
    EXPECT_EQ(SendRtp(*sender, static_cast<uint16_t>(highest - window)),
              ProtectVerdict::kIndexReused);
    EXPECT_EQ(SendRtp(*sender, static_cast<uint16_t>(highest - window + 1)), ProtectVerdict::kOk);
    EXPECT_TRUE(LastRtpHas(key_, PacketIndex(highest - window + 1)));
    EXPECT_EQ(SendRtp(*sender, static_cast<uint16_t>(highest - window + 1)),
              ProtectVerdict::kIndexReused);
  }
}

TEST_P(SrtpSenderTest, BatchMayBelongToManySendersAndEveryJobGetsItsVerdict) {
  const std::unique_ptr<SrtpSender> one = MakeSender();
  const std::unique_ptr<SrtpSender> two = MakeSender();
  PacketLoan first = pipe_.Load(PlainRtp(1));
  PacketLoan again = pipe_.Load(PlainRtp(1));
  PacketLoan other = pipe_.Load(PlainRtp(1));
  PacketLoan rtcp = pipe_.Load(PlainRtcp());
  ProtectJob jobs[] = {
      {one.get(), &first, PacketKind::kRtp, ProtectVerdict::kMalformed},
      {one.get(), &again, PacketKind::kRtp, ProtectVerdict::kMalformed},
      {two.get(), &other, PacketKind::kRtp, ProtectVerdict::kMalformed},
      {one.get(), &rtcp, PacketKind::kRtcp, ProtectVerdict::kMalformed},
  };
  Protect(absl::MakeSpan(jobs), engine());
  EXPECT_EQ(jobs[0].verdict, ProtectVerdict::kOk);
  EXPECT_EQ(jobs[1].verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(jobs[2].verdict, ProtectVerdict::kOk);
  EXPECT_EQ(jobs[3].verdict, ProtectVerdict::kOk);
  EXPECT_EQ(first.bytes(), other.bytes());
  Protect({}, engine());
}

}  // namespace
}  // namespace sluice
