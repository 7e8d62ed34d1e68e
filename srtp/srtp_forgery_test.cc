// What damaged and forged packets come to: one verdict each, bytes as documented, and nothing else.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

constexpr size_t kSequenceOffset = 2;
constexpr size_t kTimestampOffset = 4;
constexpr size_t kSsrcOffset = 8;
// Of SrtpFixture::PlainRtp: one CSRC, then the extension's profile and length.
constexpr size_t kProfileOffset = 16;
constexpr size_t kLengthOffset = 18;

class SrtpForgeryTest : public SrtpFixture {
 protected:
  // What a packet that failed to authenticate is then (srtp/README.md).
  Bytes AfterFailure(Bytes packet, PacketKind kind) const {
    if (aead()) {
      const PacketLayout layout = LayoutOf(suite(), kind, 0);
      const size_t begin =
          kind == PacketKind::kRtp ? packet.size() - layout.overhead - kPayloadSize : 8;
      std::fill(packet.begin() + static_cast<std::ptrdiff_t>(begin),
                packet.end() - static_cast<std::ptrdiff_t>(layout.overhead), uint8_t{0});
    }
    return packet;
  }
  void ExpectUnchanged(const Bytes& packet) { EXPECT_THAT(opened_, ElementsAreArray(packet)); }

  const std::unique_ptr<SrtpSender> sender_ = MakeSender();
  const std::unique_ptr<SrtpReceiver> receiver_ = MakeReceiver();
};

INSTANTIATE_TEST_SUITE_P(All, SrtpForgeryTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpForgeryTest, EveryBitOfTheTagCounts) {
  for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
    const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
    const PacketLayout layout = LayoutOf(suite(), kind, 0);
    const Bytes good =
        kind == PacketKind::kRtp ? ProtectedRtp(*sender_, 7) : ProtectedRtcp(*sender_);
    for (size_t i = 0; i < 8 * layout.tag_size; ++i) {
      Bytes bad = good;
      bad[good.size() - layout.tag_from_end + i / 8] ^= static_cast<uint8_t>(1 << i % 8);
      const Received received = pipe_.Receive(*receiver, kind, bad);
      EXPECT_EQ(received.verdict, UnprotectVerdict::kAuthFailed) << "bit " << i;
      EXPECT_THAT(received.bytes, ElementsAreArray(AfterFailure(bad, kind)));
    }
    EXPECT_TRUE(receiver->ExportStreams().empty());
    EXPECT_EQ(pipe_.Receive(*receiver, kind, good).verdict, UnprotectVerdict::kOk);
  }
}

// Each header field by name, and the verdict that a change of it has.
TEST_P(SrtpForgeryTest, DamagedHeaderFieldsOfRtpHaveOneVerdictEach) {
  const Bytes good = ProtectedRtp(*sender_, 7);
  const struct {
    const char* name;
    size_t offset;
    uint8_t damage;
    UnprotectVerdict verdict;
  } kFields[] = {
      {"version 0", 0, 0x80, UnprotectVerdict::kMalformed},
      {"version 3", 0, 0x40, UnprotectVerdict::kMalformed},
      {"padding", 0, 0x20, UnprotectVerdict::kAuthFailed},
      {"no extension", 0, 0x10, UnprotectVerdict::kAuthFailed},
      {"no CSRC", 0, 0x01, UnprotectVerdict::kAuthFailed},
      {"fifteen CSRCs", 0, 0x0E, UnprotectVerdict::kMalformed},
      {"marker", 1, 0x80, UnprotectVerdict::kAuthFailed},
      {"payload type", 1, 0x01, UnprotectVerdict::kAuthFailed},
      {"sequence number", kSequenceOffset + 1, 0x01, UnprotectVerdict::kAuthFailed},
      {"timestamp", kTimestampOffset, 0x01, UnprotectVerdict::kAuthFailed},
      {"SSRC", kSsrcOffset, 0x01, UnprotectVerdict::kAuthFailed},
      {"CSRC", kProfileOffset - 1, 0x01, UnprotectVerdict::kAuthFailed},
      {"extension profile", kProfileOffset, 0x01, UnprotectVerdict::kAuthFailed},
      {"extension length", kLengthOffset, 0x01, UnprotectVerdict::kMalformed},
      {"extension one word longer", kLengthOffset + 1, 0x03, UnprotectVerdict::kAuthFailed},
      {"extension data", kLengthOffset + 3, 0x01, UnprotectVerdict::kAuthFailed},
      {"payload", kLengthOffset + 10, 0x01, UnprotectVerdict::kAuthFailed},
  };
  for (const auto& field : kFields) {
    SCOPED_TRACE(field.name);
    Bytes bad = good;
    bad[field.offset] ^= field.damage;
    EXPECT_EQ(ReceiveRtp(*receiver_, bad), field.verdict);
    if (field.verdict == UnprotectVerdict::kMalformed || !aead()) {
      ExpectUnchanged(bad);
    } else {
      EXPECT_EQ(opened_.size(), bad.size());
    }
  }
  EXPECT_TRUE(receiver_->ExportStreams().empty());
  EXPECT_EQ(ReceiveRtp(*receiver_, good), UnprotectVerdict::kOk);
}

TEST_P(SrtpForgeryTest, DamagedFieldsOfRtcpHaveOneVerdictEach) {
  const Bytes good = ProtectedRtcp(*sender_);
  const size_t word = good.size() - LayoutOf(suite(), PacketKind::kRtcp, 0).word_from_end;
  const struct {
    const char* name;
    size_t offset;
    uint8_t damage;
    UnprotectVerdict verdict;
  } kFields[] = {
      {"version", 0, 0x40, UnprotectVerdict::kMalformed},
      {"padding", 0, 0x20, UnprotectVerdict::kAuthFailed},
      {"count", 0, 0x01, UnprotectVerdict::kAuthFailed},
      {"type, still of RTCP", 1, 0x01, UnprotectVerdict::kAuthFailed},
      {"type, not of RTCP", 1, 0x80, UnprotectVerdict::kMalformed},
      {"length past the end", 2, 0x01, UnprotectVerdict::kMalformed},
      {"length", 3, 0x01, UnprotectVerdict::kAuthFailed},
      {"SSRC", 4, 0x01, UnprotectVerdict::kAuthFailed},
      {"body", 9, 0x01, UnprotectVerdict::kAuthFailed},
      {"E flag", word, 0x80, UnprotectVerdict::kUnencrypted},
      {"index", word + 3, 0x01, UnprotectVerdict::kAuthFailed},
  };
  for (const auto& field : kFields) {
    SCOPED_TRACE(field.name);
    Bytes bad = good;
    bad[field.offset] ^= field.damage;
    EXPECT_EQ(ReceiveRtcp(*receiver_, bad), field.verdict);
    ExpectUnchanged(field.verdict == UnprotectVerdict::kAuthFailed
                        ? AfterFailure(bad, PacketKind::kRtcp)
                        : bad);
  }
  EXPECT_TRUE(receiver_->ExportStreams().empty());
  EXPECT_EQ(ReceiveRtcp(*receiver_, good), UnprotectVerdict::kOk);
}

TEST_P(SrtpForgeryTest, ExtensionLengthsPastTheEndAreMalformed) {
  const Bytes good = ProtectedRtp(*sender_, 7);
  const size_t words_to_tag = (kPayloadSize + 4) / 4;
  for (size_t words = words_to_tag + 1; words <= 0xFFFF; words += words < 40 ? 1 : 997) {
    Bytes bad = good;
    StoreBe16(bad.data() + kLengthOffset, static_cast<uint16_t>(words));
    ASSERT_EQ(ReceiveRtp(*receiver_, bad), UnprotectVerdict::kMalformed) << words;
    ExpectUnchanged(bad);
  }
}

// Every bit of a packet, against both kinds of receiver: one that knows the SSRC and one that does
// not.
TEST_P(SrtpForgeryTest, EveryDamagedBitIsNoticedAndChangesNothing) {
  for (const bool known : {false, true}) {
    const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
    const std::unique_ptr<SrtpSender> sender = MakeSender();
    if (known) {
      ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, 6)), UnprotectVerdict::kOk);
      ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender)), UnprotectVerdict::kOk);
    }
    const std::vector<ReceiverStreamState> before = receiver->ExportStreams();
    for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
      const Bytes good =
          kind == PacketKind::kRtp ? ProtectedRtp(*sender, 7) : ProtectedRtcp(*sender);
      for (size_t i = 0; i < 8 * good.size(); ++i) {
        Bytes bad = good;
        bad[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
        const Received received = pipe_.Receive(*receiver, kind, bad);
        ASSERT_NE(received.verdict, UnprotectVerdict::kOk) << "bit " << i;
        if (received.verdict != UnprotectVerdict::kAuthFailed || !aead()) {
          ASSERT_THAT(received.bytes, ElementsAreArray(bad)) << "bit " << i;
        }
      }
    }
    EXPECT_TRUE(receiver->ExportStreams() == before);
  }
}

// A forger knows the SSRC and may choose any sequence number: sipsorcery#1663.
TEST_P(SrtpForgeryTest, ForgedSequenceNumbersMoveNeitherWindowNorRollover) {
  ASSERT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, 100)), UnprotectVerdict::kOk);
  const Bytes next = ProtectedRtp(*sender_, 101);
  for (int i = 0; i < 2000; ++i) {
    Bytes forged = next;
    StoreBe16(forged.data() + kSequenceOffset, static_cast<uint16_t>(102 + i * 31));
    EXPECT_NE(ReceiveRtp(*receiver_, forged), UnprotectVerdict::kOk);
  }
  EXPECT_EQ(ReceiveRtp(*receiver_, next), UnprotectVerdict::kOk);
}

TEST_P(SrtpForgeryTest, ForgedSsrcsMakeNoContexts) {
  SrtpReceiverOptions options;
  options.max_streams = 2;
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver(options);
  const Bytes first = ProtectedRtp(*sender_, 1, 1);
  ASSERT_EQ(ReceiveRtp(*receiver, first), UnprotectVerdict::kOk);
  for (uint32_t ssrc = 2; ssrc < 2000; ++ssrc) {
    Bytes forged = first;
    StoreBe32(forged.data() + kSsrcOffset, ssrc);
    EXPECT_EQ(ReceiveRtp(*receiver, forged), UnprotectVerdict::kAuthFailed);
  }
  EXPECT_EQ(receiver->ExportStreams().size(), 1u);
  EXPECT_EQ(ReceiveRtp(*receiver, first), UnprotectVerdict::kReplayed);
}

// Together with the other suites a million on each engine, in whole batches as a worker has them.
TEST_P(SrtpForgeryTest, AMillionForgedPacketsLeaveStateMemoryAndWindowAlone) {
  constexpr size_t kForged = 100'000;
  constexpr size_t kBatch = 64;
  for (uint16_t sequence = 65000; sequence != 200; sequence += 8) {
    ASSERT_EQ(ReceiveRtp(*receiver_, ProtectedRtp(*sender_, sequence)), UnprotectVerdict::kOk);
  }
  ASSERT_EQ(ReceiveRtcp(*receiver_, ProtectedRtcp(*sender_)), UnprotectVerdict::kOk);
  const Bytes late = ProtectedRtp(*sender_, 65001);
  const Bytes rtp = ProtectedRtp(*sender_, 201);
  const Bytes rtcp = ProtectedRtcp(*sender_);
  const std::vector<ReceiverStreamState> before = receiver_->ExportStreams();

  PacketArena arena(kBatch);
  PacketLoan packets[kBatch];
  UnprotectJob jobs[kBatch];
  for (PacketLoan& packet : packets) {
    packet = arena.Lend();
  }
  size_t opened = 0;
  const uint64_t allocations = ThreadAllocations();
  for (size_t sent = 0; sent < kForged; sent += kBatch) {
    for (size_t i = 0; i < kBatch; ++i) {
      const bool is_rtcp = i % 8 == 7;
      const Bytes& good = is_rtcp ? rtcp : rtp;
      ASSERT_TRUE(packets[i].Resize(good.size()));
      CopyBytes(packets[i].bytes(), good);
      // Of the SSRC that is known and of others, of any sequence number or the next one.
      uint8_t* const bytes = packets[i].bytes().data();
      bytes[8 + random_.Below(good.size() - 8)] ^= static_cast<uint8_t>(1 + random_.Below(255));
      if (!is_rtcp && i % 3 == 0) {
        StoreBe16(bytes + kSequenceOffset, static_cast<uint16_t>(random_.NextU32() | 0x0002));
      }
      jobs[i] = {receiver_.get(), &packets[i], is_rtcp ? PacketKind::kRtcp : PacketKind::kRtp,
                 UnprotectVerdict::kOk};
    }
    Unprotect(absl::MakeSpan(jobs), pipe_.scratch(), engine());
    for (const UnprotectJob& job : jobs) {
      opened += job.verdict == UnprotectVerdict::kOk ? 1 : 0;
    }
  }
  EXPECT_EQ(ThreadAllocations() - allocations, 0u);
  EXPECT_EQ(opened, 0u);
  EXPECT_EQ(pipe_.scratch().free(), pipe_.scratch().capacity());
  EXPECT_TRUE(receiver_->ExportStreams() == before);
  EXPECT_EQ(ReceiveRtp(*receiver_, late), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver_, rtp), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*receiver_, rtcp), UnprotectVerdict::kOk);
}

}  // namespace
}  // namespace sluice
