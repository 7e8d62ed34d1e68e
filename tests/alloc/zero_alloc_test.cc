#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// Per path. More than a sequence number has values, so that every RTP path also wraps.
constexpr int kPackets = 100'000;
constexpr uint32_t kSsrc = 0x11223344;
constexpr size_t kSequenceOffset = 2;

// One leg that sends to another, and one packet slot to do it with. The test's own steps allocate
// nothing either, so that all of a path may be counted.
class Path {
 public:
  Path(SuiteId suite, PacketKind kind, size_t max_streams = 64)
      : kind_(kind), random_(1), key_(MasterKey::Generate(suite, random_)) {
    SrtpSenderOptions sender_options;
    sender_options.max_streams = max_streams;
    sender_ = *SrtpSender::Create(key_, sender_options);
    SrtpReceiverOptions receiver_options;
    receiver_options.max_streams = max_streams;
    receiver_ = *SrtpReceiver::Create(key_, receiver_options);
    if (kind == PacketKind::kRtp) {
      plain_ = RtpPacketBuilder().WithSsrc(kSsrc).WithPayloadSize(160).Build();
    } else {
      plain_ = RtcpPacketBuilder()
                   .AddSenderReport(kSsrc, 1, 2, 3, 4)
                   .AddSourceDescription(kSsrc, "caller")
                   .Build();
    }
    saved_.reserve(kPacketSlotSize);
    packet_ = arena_.Lend();
  }

  // The next plain packet of the SSRC.
  void Write(uint32_t ssrc = kSsrc) {
    Load(plain_);
    if (kind_ == PacketKind::kRtp) {
      StoreBe16(bytes() + kSequenceOffset, sequence_++);
    }
    StoreBe32(bytes() + (kind_ == PacketKind::kRtp ? 8 : 4), ssrc);
  }
  ProtectVerdict Send() {
    ProtectJob job{sender_.get(), &packet_, kind_, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1));
    return job.verdict;
  }
  UnprotectVerdict Receive() {
    UnprotectJob job{receiver_.get(), &packet_, kind_, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), arena_);
    return job.verdict;
  }

  void Save() { saved_.assign(packet_.bytes().begin(), packet_.bytes().end()); }
  void Restore() { Load(saved_); }
  void Damage(size_t i) { bytes()[i % packet_.size()] ^= 0x40; }
  void Cut(size_t size) { cut_ &= packet_.Resize(size); }
  void ClearEncryptedFlag(const CipherSuite& suite) {
    bytes()[packet_.size() - 4 - (suite.aead() ? 0 : suite.rtcp_tag_size)] &= 0x7F;
  }

  uint8_t* bytes() { return packet_.bytes().data(); }
  size_t size() const { return packet_.size(); }
  SrtpSender& sender() { return *sender_; }
  SrtpReceiver& receiver() { return *receiver_; }
  PacketArena& arena() { return arena_; }
  PacketLoan& packet() { return packet_; }
  const MasterKey& key() const { return key_; }
  MasterKey NewKey() { return MasterKey::Generate(key_.suite().id, random_); }
  bool ok() const { return cut_; }

 private:
  void Load(absl::Span<const uint8_t> content) {
    Cut(content.size());
    CopyBytes(packet_.bytes(), content);
  }

  const PacketKind kind_;
  SeededRandom random_;
  const MasterKey key_;
  PacketArena arena_{2};
  PacketLoan packet_;
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;
  std::vector<uint8_t> plain_;
  std::vector<uint8_t> saved_;
  uint16_t sequence_ = 65000;
  bool cut_ = true;
};

// Runs `step(i)` for every packet; it gives whether the packet went as it should.
template <typename Step>
void ExpectNoAllocation(Step step) {
  int wrong = 0;
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < kPackets; ++i) {
    wrong += step(i) ? 0 : 1;
  }
  const uint64_t allocations = ThreadAllocations() - before;
  EXPECT_EQ(wrong, 0) << "packets that went another way";
  EXPECT_EQ(allocations, 0u);
}

struct Case {
  SuiteId suite;
  PacketKind kind;
};

class ZeroAllocTest : public testing::TestWithParam<Case> {
 protected:
  const CipherSuite& suite() const { return GetCipherSuite(GetParam().suite); }
  PacketKind kind() const { return GetParam().kind; }
  bool rtp() const { return kind() == PacketKind::kRtp; }

  Path path_{GetParam().suite, GetParam().kind};
};

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const CipherSuite& suite : kCipherSuites) {
    if (suite.transform == PacketTransform::kNull) {
      continue;  // No cipher yet.
    }
    cases.push_back({suite.id, PacketKind::kRtp});
    cases.push_back({suite.id, PacketKind::kRtcp});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ZeroAllocTest, testing::ValuesIn(AllCases()),
                         [](const testing::TestParamInfo<Case>& tested) {
                           return absl::StrCat(
                               GetCipherSuite(tested.param.suite).name,
                               tested.param.kind == PacketKind::kRtp ? "_Rtp" : "_Rtcp");
                         });

TEST(ZeroAllocSelfCheckTest, ASingleAllocationShows) {
  const uint64_t before = ThreadAllocations();
  std::vector<uint8_t> bytes(1);
  __asm__ __volatile__("" : : "r"(bytes.data()) : "memory");
  EXPECT_EQ(ThreadAllocations() - before, 1u);
}

TEST_P(ZeroAllocTest, Sent) {
  ExpectNoAllocation([&](int) {
    path_.Write();
    return path_.Send() == ProtectVerdict::kOk;
  });
}

TEST_P(ZeroAllocTest, Received) {
  ExpectNoAllocation([&](int) {
    path_.Write();
    return path_.Send() == ProtectVerdict::kOk && path_.Receive() == UnprotectVerdict::kOk;
  });
}

TEST_P(ZeroAllocTest, ForgedOfUnknownAndOfKnownSsrc) {
  for (const bool known : {false, true}) {
    path_.Write();
    ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
    path_.Save();
    if (known) {
      ASSERT_EQ(path_.Receive(), UnprotectVerdict::kOk);
      path_.Write();
      ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
      path_.Save();
    }
    // From the payload on: a damaged header would be malformed or another packet.
    const size_t payload = rtp() ? 12 : 8;
    const size_t damageable = path_.size() - payload - 4;
    ExpectNoAllocation([&](int i) {
      path_.Restore();
      path_.Damage(payload + static_cast<size_t>(i) % damageable);
      return path_.Receive() == UnprotectVerdict::kAuthFailed;
    });
    path_.Restore();
    EXPECT_EQ(path_.Receive(), UnprotectVerdict::kOk);
  }
}

TEST_P(ZeroAllocTest, Replayed) {
  path_.Write();
  ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
  path_.Save();
  ASSERT_EQ(path_.Receive(), UnprotectVerdict::kOk);
  ExpectNoAllocation([&](int) {
    path_.Restore();
    return path_.Receive() == UnprotectVerdict::kReplayed;
  });
  // Out of the window's sight.
  for (int i = 0; i < 1100; ++i) {
    path_.Write();
    ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
    ASSERT_EQ(path_.Receive(), UnprotectVerdict::kOk);
  }
  ExpectNoAllocation([&](int) {
    path_.Restore();
    return path_.Receive() == UnprotectVerdict::kTooOld;
  });
}

TEST_P(ZeroAllocTest, Malformed) {
  const size_t shortest = (rtp() ? 12 + suite().rtp_tag_size : 8 + suite().rtcp_tag_size + 4);
  ExpectNoAllocation([&](int i) {
    path_.Write();
    path_.Cut(static_cast<size_t>(i) % shortest);
    return path_.Receive() == UnprotectVerdict::kMalformed;
  });
  ExpectNoAllocation([&](int i) {
    path_.Write();
    path_.Cut(static_cast<size_t>(i) % (rtp() ? 12 : 8));
    return path_.Send() == ProtectVerdict::kMalformed;
  });
  EXPECT_TRUE(path_.ok());
}

TEST_P(ZeroAllocTest, RefusedBySender) {
  Path path(GetParam().suite, kind(), 1);
  path.Write();
  path.Save();
  ASSERT_EQ(path.Send(), ProtectVerdict::kOk);
  if (rtp()) {
    ExpectNoAllocation([&](int) {
      path.Restore();
      return path.Send() == ProtectVerdict::kIndexReused;
    });
  }
  ExpectNoAllocation([&](int i) {
    path.Write(kSsrc + 1 + static_cast<uint32_t>(i));
    return path.Send() == ProtectVerdict::kTooManyStreams;
  });
  ExpectNoAllocation([&](int) {
    path.Write();
    path.Cut(path.size() + path.packet().tailroom());
    return path.Send() == ProtectVerdict::kNoTailroom;
  });
}

TEST_P(ZeroAllocTest, UnencryptedRtcp) {
  if (rtp()) {
    return;
  }
  path_.Write();
  ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
  path_.ClearEncryptedFlag(suite());
  path_.Save();
  ExpectNoAllocation([&](int) {
    path_.Restore();
    return path_.Receive() == UnprotectVerdict::kUnencrypted;
  });
}

// More SSRCs than the receiver has places for: each one takes the place of another.
TEST_P(ZeroAllocTest, StreamsThatTakeEachOthersPlace) {
  Path path(GetParam().suite, kind(), 64);
  SrtpReceiverOptions options;
  options.max_streams = 3;
  const std::unique_ptr<SrtpReceiver> receiver = *SrtpReceiver::Create(path.key(), options);
  ExpectNoAllocation([&](int i) {
    path.Write(static_cast<uint32_t>(i % 60));
    if (path.Send() != ProtectVerdict::kOk) {
      return false;
    }
    UnprotectJob job{receiver.get(), &path.packet(), kind(), UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), path.arena());
    // A stream that lost its place also lost its rollover counter.
    return job.verdict == UnprotectVerdict::kOk ||
           (rtp() && job.verdict == UnprotectVerdict::kAuthFailed);
  });
}

TEST_P(ZeroAllocTest, TwoKeys) {
  ASSERT_TRUE(path_.receiver().Rekey(path_.NewKey()).ok());
  // With the previous key, good and forged.
  ExpectNoAllocation([&](int i) {
    path_.Write();
    if (path_.Send() != ProtectVerdict::kOk) {
      return false;
    }
    if (i % 2 == 0) {
      return path_.Receive() == UnprotectVerdict::kOk;
    }
    path_.Damage(20);
    return path_.Receive() == UnprotectVerdict::kAuthFailed;
  });
  if (!suite().aead()) {
    return;
  }
  // Without a slot to try in, which only AEAD needs.
  const PacketLoan taken = path_.arena().Lend();
  path_.Write();
  ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
  path_.Save();
  ExpectNoAllocation([&](int) {
    path_.Restore();
    return path_.Receive() == UnprotectVerdict::kNoScratch;
  });
}

// A worker's thread is not the one that made the receiver.
TEST_P(ZeroAllocTest, ForgedOnAnotherThreadThatPrepared) {
  std::thread worker([this] {
    PrepareOpensslErrors();
    path_.Write();
    ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
    path_.Save();
    ExpectNoAllocation([&](int) {
      path_.Restore();
      path_.Damage(20);
      return path_.Receive() == UnprotectVerdict::kAuthFailed;
    });
  });
  worker.join();
}

}  // namespace
}  // namespace sluice
