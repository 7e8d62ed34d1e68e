#include "srtp/srtp_sender.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr uint32_t kSsrc = 0xDECAFBAD;

class SrtpSenderTest : public testing::TestWithParam<SuiteId> {
 protected:
  const CipherSuite& suite() const { return GetCipherSuite(GetParam()); }

  std::unique_ptr<SrtpSender> MakeSender(const SrtpSenderOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<SrtpSender>> sender = SrtpSender::Create(key_, options, engine_);
    EXPECT_TRUE(sender.ok()) << sender.status();
    return *std::move(sender);
  }

  ProtectVerdict Send(SrtpSender& sender, PacketLoan& packet, PacketKind kind) {
    ProtectJob job{&sender, &packet, kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine_);
    return job.verdict;
  }
  ProtectVerdict SendRtp(SrtpSender& sender, uint16_t sequence, uint32_t ssrc = kSsrc) {
    packet_ =
        RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(100).BuildInto(
            arena_);
    return Send(sender, packet_, PacketKind::kRtp);
  }
  ProtectVerdict SendRtcp(SrtpSender& sender, uint32_t ssrc = kSsrc) {
    packet_ = RtcpPacketBuilder().AddReceiverReport(ssrc).AddSourceDescription(ssrc, "x").BuildInto(
        arena_);
    return Send(sender, packet_, PacketKind::kRtcp);
  }

  // Whether the packet last sent is the one of that index, under that key.
  bool LastRtpHas(const MasterKey& key, PacketIndex index) {
    std::vector<uint8_t> bytes(packet_.bytes().begin(), packet_.bytes().end());
    const RtpPacketView view = *RtpPacketView::ParseHeader(bytes);
    return SinglePacketCipher(key, engine_)
        .OpenRtp(absl::MakeSpan(bytes), view.header_size(), view.ssrc(), index);
  }
  EsrtcpWord LastWord() { return SinglePacketCipher(key_, engine_).ReadWord(packet_.bytes()); }

  SeededRandom random_{99};
  BoringSslEngine engine_;
  PacketArena arena_{8};
  PacketLoan packet_;
  const MasterKey key_ = MasterKey::Generate(GetParam(), random_);
};

INSTANTIATE_TEST_SUITE_P(Suites, SrtpSenderTest,
                         testing::Values(SuiteId::kAesCm128HmacSha1_80,
                                         SuiteId::kAesCm128HmacSha1_32, SuiteId::kAeadAes128Gcm,
                                         SuiteId::kAeadAes256Gcm),
                         [](const testing::TestParamInfo<SuiteId>& tested) {
                           return std::string(GetCipherSuite(tested.param).name);
                         });

TEST_P(SrtpSenderTest, ProtectsInPlaceAndGrowsByTheOverhead) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const std::vector<uint8_t> plain = RtpPacketBuilder()
                                         .WithSsrc(kSsrc)
                                         .WithSequence(7)
                                         .WithCsrcs({1, 2})
                                         .AddOneByteExtension(3, {4, 5})
                                         .WithPayloadSize(50)
                                         .Build();
  packet_ = RtpPacketBuilder()
                .WithSsrc(kSsrc)
                .WithSequence(7)
                .WithCsrcs({1, 2})
                .AddOneByteExtension(3, {4, 5})
                .WithPayloadSize(50)
                .BuildInto(arena_);
  const uint8_t* place = packet_.bytes().data();
  ASSERT_EQ(Send(*sender, packet_, PacketKind::kRtp), ProtectVerdict::kOk);
  EXPECT_EQ(packet_.bytes().data(), place);
  EXPECT_EQ(packet_.size(), plain.size() + suite().rtp_tag_size);
  // RFC 3711 section 3.1: the header stays readable.
  const size_t header_size = 12 + 8 + 8;
  EXPECT_THAT(packet_.bytes().first(header_size),
              ElementsAreArray(absl::MakeConstSpan(plain).first(header_size)));
  EXPECT_NE(packet_.bytes().subspan(header_size, 50),
            absl::MakeConstSpan(plain).subspan(header_size, 50));
  EXPECT_TRUE(LastRtpHas(key_, PacketIndex(7)));
}

TEST_P(SrtpSenderTest, RtcpIsEncryptedAndCountedFromZero) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  for (uint32_t i = 0; i < 5; ++i) {
    ASSERT_EQ(SendRtcp(*sender), ProtectVerdict::kOk);
    EXPECT_TRUE(LastWord().encrypted);
    EXPECT_EQ(LastWord().index, SrtcpIndex(i));
    const size_t plain_size = 8 + 12;
    EXPECT_EQ(packet_.size(), plain_size + suite().rtcp_tag_size + 4);
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
  packet_ =
      RtpPacketBuilder().WithSsrc(kSsrc).WithSequence(5000).WithPayloadSize(99).BuildInto(arena_);
  const std::vector<uint8_t> before(packet_.bytes().begin(), packet_.bytes().end());
  EXPECT_EQ(Send(*sender, packet_, PacketKind::kRtp), ProtectVerdict::kIndexReused);
  EXPECT_THAT(packet_.bytes(), ElementsAreArray(before));
  EXPECT_EQ(SendRtp(*sender, 5000 - 1023), ProtectVerdict::kOk);
  EXPECT_EQ(SendRtp(*sender, 5000 - 1024), ProtectVerdict::kIndexReused);
}

TEST_P(SrtpSenderTest, MalformedPacketsStayAsTheyWere) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const std::vector<uint8_t> rtp =
      RtpPacketBuilder().WithSsrc(kSsrc).AddOneByteExtension(1, {2, 3}).Build();
  for (size_t size = 0; size < rtp.size(); ++size) {
    packet_ = RtpPacketBuilder().WithSsrc(kSsrc).AddOneByteExtension(1, {2, 3}).BuildInto(arena_);
    ASSERT_TRUE(packet_.Resize(size));
    EXPECT_EQ(Send(*sender, packet_, PacketKind::kRtp), ProtectVerdict::kMalformed) << size;
    EXPECT_THAT(packet_.bytes(), ElementsAreArray(absl::MakeConstSpan(rtp).first(size)));
  }
  for (size_t size = 0; size < 8; ++size) {
    packet_ = RtcpPacketBuilder().AddReceiverReport(kSsrc).BuildInto(arena_);
    ASSERT_TRUE(packet_.Resize(size));
    EXPECT_EQ(Send(*sender, packet_, PacketKind::kRtcp), ProtectVerdict::kMalformed) << size;
  }
}

TEST_P(SrtpSenderTest, WithoutTailroomNothingHappens) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
    const size_t overhead = LayoutOf(suite(), kind, 0).overhead;
    packet_ = kind == PacketKind::kRtp
                  ? RtpPacketBuilder().WithSsrc(kSsrc).WithSequence(3).BuildInto(arena_)
                  : RtcpPacketBuilder().AddReceiverReport(kSsrc).BuildInto(arena_);
    const size_t size = packet_.size();
    const std::vector<uint8_t> plain(packet_.bytes().begin(), packet_.bytes().end());
    const size_t longest = size + packet_.tailroom() - overhead;
    ASSERT_TRUE(packet_.Resize(longest + 1));
    EXPECT_EQ(Send(*sender, packet_, kind), ProtectVerdict::kNoTailroom);
    EXPECT_EQ(packet_.size(), longest + 1);
    EXPECT_THAT(packet_.bytes().first(size), ElementsAreArray(plain));
    // The index was not spent either.
    ASSERT_TRUE(packet_.Resize(longest));
    EXPECT_EQ(Send(*sender, packet_, kind), ProtectVerdict::kOk);
    EXPECT_EQ(packet_.tailroom(), 0u);
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
  const MasterKey next = MasterKey::Generate(GetParam(), random_);
  ASSERT_TRUE(sender->Rekey(next).ok());
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
  const MasterKey next = MasterKey::Generate(GetParam(), random_);
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
    if (other.id != GetParam()) {
      status = sender->Rekey(MasterKey::Generate(other.id, random_));
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(status.message(), HasSubstr(std::string(other.name)));
    }
  }
  ASSERT_EQ(SendRtp(*sender, 1), ProtectVerdict::kOk);
  EXPECT_TRUE(LastRtpHas(key_, PacketIndex(1)));
}

TEST_P(SrtpSenderTest, OptionsHaveBounds) {
  const auto create = [&](size_t max_streams, size_t window) {
    SrtpSenderOptions options;
    options.max_streams = max_streams;
    options.replay_window = window;
    return SrtpSender::Create(key_, options, engine_).status();
  };
  EXPECT_TRUE(create(1, 64).ok());
  EXPECT_TRUE(create(1024, 32768).ok());
  EXPECT_THAT(create(0, 64).message(), HasSubstr("1..1024"));
  EXPECT_THAT(create(1025, 64).message(), HasSubstr("max_streams is 1025"));
  for (const size_t window : {0, 1, 63, 65, 96, 1000, 65536}) {
    EXPECT_EQ(create(1, window).code(), absl::StatusCode::kInvalidArgument) << window;
    EXPECT_THAT(create(1, window).message(), HasSubstr("power of two 64..32768"));
  }
}

TEST_P(SrtpSenderTest, BatchMayBelongToManySendersAndEveryJobGetsItsVerdict) {
  const std::unique_ptr<SrtpSender> one = MakeSender();
  const std::unique_ptr<SrtpSender> two = MakeSender();
  RtpPacketBuilder builder;
  builder.WithSsrc(kSsrc).WithSequence(1).WithPayloadSize(20);
  PacketLoan first = builder.BuildInto(arena_);
  PacketLoan again = builder.BuildInto(arena_);
  PacketLoan other = builder.BuildInto(arena_);
  PacketLoan rtcp = RtcpPacketBuilder().AddReceiverReport(kSsrc).BuildInto(arena_);
  ProtectJob jobs[] = {
      {one.get(), &first, PacketKind::kRtp, ProtectVerdict::kMalformed},
      {one.get(), &again, PacketKind::kRtp, ProtectVerdict::kMalformed},
      {two.get(), &other, PacketKind::kRtp, ProtectVerdict::kMalformed},
      {one.get(), &rtcp, PacketKind::kRtcp, ProtectVerdict::kMalformed},
  };
  Protect(absl::MakeSpan(jobs), engine_);
  EXPECT_EQ(jobs[0].verdict, ProtectVerdict::kOk);
  EXPECT_EQ(jobs[1].verdict, ProtectVerdict::kIndexReused);
  EXPECT_EQ(jobs[2].verdict, ProtectVerdict::kOk);
  EXPECT_EQ(jobs[3].verdict, ProtectVerdict::kOk);
  EXPECT_EQ(first.bytes(), other.bytes());
  Protect({}, engine_);
}

}  // namespace
}  // namespace sluice
