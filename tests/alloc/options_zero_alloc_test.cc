// Every path of a packet that options open: several keys, lifetimes, derivation rates, encrypted
// headers, rollovers that are tried, ends of indices, whole batches.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/key_id.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"
#include "tests/alloc/srtp_path.h"

namespace sluice {
namespace {

constexpr int kPackets = 5'000;

class OptionsZeroAllocTest : public testing::TestWithParam<SrtpPathCase> {
 protected:
  bool aead() const { return GetCipherSuite(GetParam().suite.suite).aead(); }
  bool rtp() const { return GetParam().kind == PacketKind::kRtp; }
  static Mki MkiOf(uint8_t number) { return *Mki::Create({number, number}); }

  SrtpPath MakePath(const SrtpPolicy& policy) {
    return SrtpPath(GetParam(), {.policy = policy}, {.policy = policy});
  }
};

INSTANTIATE_TEST_SUITE_P(All, OptionsZeroAllocTest, testing::ValuesIn(AllSrtpPathCases()),
                         SrtpPathCaseName);

TEST_P(OptionsZeroAllocTest, SeveralKeysByTheirMki) {
  SrtpPath path(GetParam(), {.mki = MkiOf(1)}, {.mki = MkiOf(1)});
  for (const uint8_t number : {2, 3}) {
    const MasterKey key = path.NewKey();
    ASSERT_TRUE(path.sender().AddKey(key, MkiOf(number)).ok());
    ASSERT_TRUE(path.receiver().AddKey(key, MkiOf(number)).ok());
  }
  const std::array<Mki, 3> mkis = {MkiOf(1), MkiOf(2), MkiOf(3)};
  ExpectNoAllocation(kPackets, [&](int i) {
    return path.sender().SendWith(mkis[static_cast<size_t>(i) % 3]).ok() && path.Deliver();
  });
  // Unknown, and the name of another key.
  path.Write();
  ASSERT_EQ(path.Send(), ProtectVerdict::kOk);
  path.Save();
  const size_t mki_at = path.size() - path.layout(2).mki_from_end;
  ExpectNoAllocation(kPackets, [&](int i) {
    path.Restore();
    path.bytes()[mki_at] = i % 2 == 0 ? 77 : path.bytes()[mki_at];
    path.bytes()[10] ^= 1;
    return path.Receive() ==
           (i % 2 == 0 ? UnprotectVerdict::kUnknownMki : UnprotectVerdict::kAuthFailed);
  });
}

TEST_P(OptionsZeroAllocTest, KeysAtTheEndOfTheirLives) {
  SrtpPolicy policy;
  policy.rtp_lifetime = policy.rtcp_lifetime = {1, 2};
  SrtpPath path(GetParam(), {}, {.policy = policy});
  SrtpPath sending(GetParam(), {.policy = policy});
  ASSERT_TRUE(path.Deliver() && path.Deliver() && sending.Deliver() && sending.Deliver());
  ExpectNoAllocation(kPackets, [&](int) {
    path.Write();
    sending.Write();
    return path.Send() == ProtectVerdict::kOk && path.Receive() == UnprotectVerdict::kRekeyNeeded &&
           path.receiver().rekey_due() && sending.Send() == ProtectVerdict::kRekeyNeeded &&
           sending.sender().rekey_due();
  });
}

TEST_P(OptionsZeroAllocTest, NewSessionKeysForEveryPacket) {
  SrtpPolicy policy;
  policy.key_derivation_rate = *KeyDerivationRate::Create(1);
  policy.encrypted_extensions.set(1);
  SrtpPath path = MakePath(policy);
  ExpectNoAllocation(kPackets, [&](int i) {
    path.Write();
    if (path.Send() != ProtectVerdict::kOk) {
      return false;
    }
    if (i % 3 != 0) {
      return path.Receive() == UnprotectVerdict::kOk;
    }
    path.Damage(20);
    return path.Receive() == UnprotectVerdict::kAuthFailed;
  });
}

TEST_P(OptionsZeroAllocTest, EncryptedExtensions) {
  if (!rtp()) {
    return;
  }
  SrtpPolicy policy;
  policy.encrypted_extensions.set(1).set(5);
  SrtpPath path = MakePath(policy);
  for (const std::vector<uint8_t>& plain :
       {RtpPacketBuilder().AddOneByteExtension(1, {1, 2, 3}).AddOneByteExtension(5, {4}).Build(),
        RtpPacketBuilder().AddTwoByteExtension(5, std::vector<uint8_t>(200, 1)).Build(),
        RtpPacketBuilder().WithRawExtension(0xBEDE, {0x1F, 1, 2, 3}).Build()}) {
    path.UsePlain(plain);
    ExpectNoAllocation(kPackets, [&](int) { return path.Deliver(); });
  }
}

TEST_P(OptionsZeroAllocTest, Cryptex) {
  if (!rtp()) {
    return;
  }
  SrtpPolicy policy;
  policy.cryptex = CryptexPolicy::kRequired;
  SrtpPath path = MakePath(policy);
  const std::vector<uint8_t> csrcs = RtpPacketBuilder().WithCsrcs({1, 2}).Build();
  for (const std::vector<uint8_t>& plain :
       {csrcs, RtpPacketBuilder().WithCsrcs({1}).AddOneByteExtension(1, {1, 2, 3}).Build(),
        RtpPacketBuilder().AddTwoByteExtension(5, std::vector<uint8_t>(200, 1)).Build()}) {
    path.UsePlain(plain);
    ExpectNoAllocation(kPackets, [&](int i) {
      path.Write();
      if (path.Send() != ProtectVerdict::kOk) {
        return false;
      }
      if (i % 3 != 0) {
        return path.Receive() == UnprotectVerdict::kOk;
      }
      path.Damage(path.size() - 1);
      return path.Receive() == UnprotectVerdict::kAuthFailed;
    });
  }
  // What cannot be sent, and what is not taken.
  path.UsePlain(RtpPacketBuilder().WithRawExtension(0xABCD, {1, 2, 3, 4}).Build());
  SrtpPath readable(GetParam(), {}, {.policy = policy});
  readable.UsePlain(csrcs);
  ExpectNoAllocation(kPackets, [&](int) {
    path.Write();
    readable.Write();
    return path.Send() == ProtectVerdict::kCryptexImpossible &&
           readable.Send() == ProtectVerdict::kOk &&
           readable.Receive() == UnprotectVerdict::kCryptexRefused;
  });
}

// The first packet of each stream is one after a wrap: the second rollover that is tried is right.
TEST_P(OptionsZeroAllocTest, RolloversThatAreTried) {
  if (!rtp()) {
    return;
  }
  SrtpPath path(GetParam(), {.max_streams = 1024}, {.max_streams = 2, .remembered_streams = 2});
  for (uint32_t ssrc = 0; ssrc < 500; ++ssrc) {
    path.Write(ssrc, 65535);
    ASSERT_EQ(path.Send(), ProtectVerdict::kOk);
  }
  ExpectNoAllocation(500, [&](int i) {
    path.Write(static_cast<uint32_t>(i), 3);
    return path.Send() == ProtectVerdict::kOk && path.Receive() == UnprotectVerdict::kOk;
  });
  if (!aead()) {
    return;
  }
  ExpectNoAllocation(500, [&](int i) {
    path.Write(static_cast<uint32_t>(i), 4);
    const PacketLoan taken = path.arena().Lend();
    // Those of the last two streams are known, all others forgotten.
    const UnprotectVerdict expected =
        i >= 498 ? UnprotectVerdict::kOk : UnprotectVerdict::kNoScratch;
    return path.Send() == ProtectVerdict::kOk && (path.Receive() == expected || i >= 496);
  });
}

TEST_P(OptionsZeroAllocTest, IndicesAtTheirEnd) {
  SrtpPath path(GetParam());
  const KeyId key = IdOf(path.key());
  const WindowState rtp_end = {kMaxPacketIndex.value() - 1, {}};
  ASSERT_TRUE(path.sender()
                  .RestoreStreams({{Ssrc(SrtpPath::kSsrc), key, rtp_end, kMaxSrtcpIndex.value()}},
                                  {.rtp = 0, .rtcp = 0})
                  .ok());
  ASSERT_TRUE(
      path.receiver().RestoreStreams({{Ssrc(SrtpPath::kSsrc), key, rtp_end, std::nullopt}}).ok());
  ExpectNoAllocation(kPackets, [&](int i) {
    path.Write(SrtpPath::kSsrc, static_cast<uint16_t>(i % 1000));
    return path.Send() == ProtectVerdict::kKeyExhausted &&
           (!rtp() || path.Receive() == UnprotectVerdict::kKeyExhausted);
  });
}

TEST_P(OptionsZeroAllocTest, WholeBatchesOfGoodAndBadPackets) {
  constexpr size_t kBatch = 150;
  SrtpPath path(GetParam());
  PacketArena arena(kBatch);
  std::array<PacketLoan, kBatch> packets;
  std::array<ProtectJob, kBatch> out;
  std::array<UnprotectJob, kBatch> in;
  for (size_t i = 0; i < kBatch; ++i) {
    packets[i] = arena.Lend();
    out[i] = {&path.sender(), &packets[i], GetParam().kind, ProtectVerdict::kMalformed};
    in[i] = {&path.receiver(), &packets[i], GetParam().kind, UnprotectVerdict::kMalformed};
  }
  ExpectNoAllocation(100, [&](int) {
    bool right = true;
    for (size_t i = 0; i < kBatch; ++i) {
      path.Write(static_cast<uint32_t>(i % 3));
      right &= packets[i].Resize(path.size());
      std::copy_n(path.bytes(), path.size(), packets[i].bytes().begin());
    }
    Protect(absl::MakeSpan(out), path.engine());
    for (size_t i = 0; i < kBatch; ++i) {
      right &= out[i].verdict == ProtectVerdict::kOk;
      if (i % 10 == 9) packets[i].bytes()[20] ^= 1;
    }
    Unprotect(absl::MakeSpan(in), path.arena(), path.engine());
    for (size_t i = 0; i < kBatch; ++i) {
      right &=
          in[i].verdict == (i % 10 == 9 ? UnprotectVerdict::kAuthFailed : UnprotectVerdict::kOk);
    }
    return right;
  });
}

}  // namespace
}  // namespace sluice
