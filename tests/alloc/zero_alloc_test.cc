// Every path of a packet through a sender and a receiver with the options that most have.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/srtp_receiver.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"
#include "tests/alloc/srtp_path.h"

namespace sluice {
namespace {

constexpr uint32_t kSsrc = SrtpPath::kSsrc;
// More than a sequence number has values, so that good packets also wrap.
constexpr int kWrap = 70'000;
// Of paths that have no end: the first few show it.
constexpr int kPackets = 4'000;

class ZeroAllocTest : public testing::TestWithParam<SrtpPathCase> {
 protected:
  bool aead() const { return GetCipherSuite(GetParam().suite.suite).aead(); }
  bool rtp() const { return GetParam().kind == PacketKind::kRtp; }

  SrtpPath path_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, ZeroAllocTest, testing::ValuesIn(AllSrtpPathCases()),
                         SrtpPathCaseName);

TEST(ZeroAllocSelfCheckTest, ASingleAllocationShows) {
  const uint64_t before = ThreadAllocations();
  std::vector<uint8_t> bytes(1);
  __asm__ __volatile__("" : : "r"(bytes.data()) : "memory");
  EXPECT_EQ(ThreadAllocations() - before, 1u);
}

TEST_P(ZeroAllocTest, SentAndReceivedAcrossWraps) {
  ExpectNoAllocation(kWrap, [&](int) { return path_.Deliver(); });
}

TEST_P(ZeroAllocTest, ForgedOfUnknownAndOfKnownSsrc) {
  for (const bool known : {false, true}) {
    path_.Write();
    ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
    if (known) {
      ASSERT_EQ(path_.Receive(), UnprotectVerdict::kOk);
      path_.Write();
      ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
    }
    path_.Save();
    // From the payload on: a damaged header would be malformed or another packet. Nor the word.
    const size_t payload = rtp() ? 12 : 8;
    const size_t damageable = path_.size() - payload - path_.layout().word_from_end;
    ExpectNoAllocation(kPackets, [&](int i) {
      path_.Restore();
      path_.Damage(payload + static_cast<size_t>(i) % damageable);
      return path_.Receive() == UnprotectVerdict::kAuthFailed;
    });
    path_.Restore();
    EXPECT_EQ(path_.Receive(), UnprotectVerdict::kOk);
  }
}

TEST_P(ZeroAllocTest, ReplayedAndTooOld) {
  path_.Write();
  ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
  path_.Save();
  ASSERT_EQ(path_.Receive(), UnprotectVerdict::kOk);
  ExpectNoAllocation(kPackets, [&](int) {
    path_.Restore();
    return path_.Receive() == UnprotectVerdict::kReplayed;
  });
  // Out of the window's sight.
  for (int i = 0; i < 1100; ++i) {
    ASSERT_TRUE(path_.Deliver());
  }
  ExpectNoAllocation(kPackets, [&](int) {
    path_.Restore();
    return path_.Receive() == UnprotectVerdict::kTooOld;
  });
}

TEST_P(ZeroAllocTest, Malformed) {
  const size_t shortest = (rtp() ? 12 : 8) + path_.layout().overhead;
  ExpectNoAllocation(kPackets, [&](int i) {
    path_.Write();
    path_.Cut(static_cast<size_t>(i) % shortest);
    return path_.Receive() == UnprotectVerdict::kMalformed;
  });
  ExpectNoAllocation(kPackets, [&](int i) {
    path_.Write();
    path_.Cut(static_cast<size_t>(i) % (rtp() ? 12 : 8));
    return path_.Send() == ProtectVerdict::kMalformed;
  });
}

TEST_P(ZeroAllocTest, RefusedBySender) {
  SrtpPath path(GetParam(), {.max_streams = 1});
  path.Write();
  path.Save();
  ASSERT_EQ(path.Send(), ProtectVerdict::kOk);
  if (rtp()) {
    ExpectNoAllocation(kPackets, [&](int) {
      path.Restore();
      return path.Send() == ProtectVerdict::kIndexReused;
    });
  }
  ExpectNoAllocation(kPackets, [&](int i) {
    path.Write(kSsrc + 1 + static_cast<uint32_t>(i));
    return path.Send() == ProtectVerdict::kTooManyStreams;
  });
  ExpectNoAllocation(kPackets, [&](int) {
    path.Write();
    path.Cut(path.size() + path.packet().tailroom());
    return path.Send() == ProtectVerdict::kNoTailroom;
  });
}

TEST_P(ZeroAllocTest, ReadableRtcpTakenAndRefused) {
  if (rtp()) {
    return;
  }
  SrtpPath tolerant(GetParam(), {.encrypt_rtcp = false}, {.accept_unencrypted_rtcp = true});
  ExpectNoAllocation(kPackets, [&](int) { return tolerant.Deliver(); });
  SrtpPath strict(GetParam(), {.encrypt_rtcp = false});
  ExpectNoAllocation(kPackets, [&](int) {
    strict.Write();
    return strict.Send() == ProtectVerdict::kOk &&
           strict.Receive() == UnprotectVerdict::kUnencrypted;
  });
}

// More SSRCs than the receiver has places for: each one takes the place of another and gets its
// own indices back, or has been forgotten.
TEST_P(ZeroAllocTest, StreamsThatTakeEachOthersPlace) {
  for (const size_t remembered : {5, 100}) {
    SrtpPath path(GetParam(), {}, {.max_streams = 3, .remembered_streams = remembered});
    ExpectNoAllocation(kPackets, [&](int i) {
      path.Write(static_cast<uint32_t>(i % 60));
      if (path.Send() != ProtectVerdict::kOk) {
        return false;
      }
      const UnprotectVerdict verdict = path.Receive();
      return verdict == UnprotectVerdict::kOk ||
             (rtp() && remembered == 5 && verdict == UnprotectVerdict::kAuthFailed);
    });
    EXPECT_EQ(path.receiver().forgotten_streams() > 0, remembered == 5);
  }
}

TEST_P(ZeroAllocTest, TwoKeys) {
  ASSERT_TRUE(path_.receiver().Rekey(path_.NewKey()).ok());
  // With the previous key, good and forged.
  ExpectNoAllocation(kPackets, [&](int i) {
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
  if (!aead()) {
    return;
  }
  // Without a slot to try in, which only AEAD needs.
  path_.Write();
  ASSERT_EQ(path_.Send(), ProtectVerdict::kOk);
  path_.Save();
  ExpectNoAllocation(kPackets, [&](int) {
    path_.Restore();
    const PacketLoan taken = path_.arena().Lend();
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
    ExpectNoAllocation(kPackets, [&](int) {
      path_.Restore();
      path_.Damage(20);
      return path_.Receive() == UnprotectVerdict::kAuthFailed;
    });
  });
  worker.join();
}

}  // namespace
}  // namespace sluice
