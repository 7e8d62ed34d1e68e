// Packets and keystreams that RFCs print, made with the pieces that senders and receivers are made
// of. What is put together here is put together by hand, as the RFC says it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/cryptex.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

using Bytes = std::vector<uint8_t>;

// RFC 3711 section 4.1.1.
std::array<uint8_t, kCounterBlockSize> CounterBlock(const Bytes& salt, uint32_t ssrc,
                                                    uint64_t index) {
  std::array<uint8_t, kCounterBlockSize> block = {};
  CopyBytes(absl::MakeSpan(block), salt);
  StoreBe32(block.data() + 4, LoadBe32(block.data() + 4) ^ ssrc);
  StoreBe48(block.data() + 8, LoadBe48(block.data() + 8) ^ index);
  return block;
}

// RFC 7714 section 8.1: 00 00 || SSRC || index, XOR salt.
std::array<uint8_t, kCounterBlockSize> GcmIv(const Bytes& salt, uint32_t ssrc, uint64_t index) {
  std::array<uint8_t, kCounterBlockSize> iv = {};
  CopyBytes(absl::MakeSpan(iv), salt);
  StoreBe32(iv.data() + 2, LoadBe32(iv.data() + 2) ^ ssrc);
  StoreBe48(iv.data() + 6, LoadBe48(iv.data() + 6) ^ index);
  return iv;
}

class PublishedVectorsTest : public testing::Test {
 protected:
  void Crypt(const Bytes& key, const Bytes& salt, uint32_t ssrc, uint64_t index,
             absl::Span<uint8_t> data) {
    const std::unique_ptr<CounterModeKey> engine_key = engine_.MakeCounterModeKey();
    engine_key->Set(key);
    const auto block = CounterBlock(salt, ssrc, index);
    const CounterModeJob job{engine_key.get(), block.data(), data.data(), data.size()};
    engine_.Crypt(absl::MakeConstSpan(&job, 1));
  }

  // Seals `data`, tag at the end, and opens a copy of it again.
  void Seal(const Bytes& key, const std::array<uint8_t, kCounterBlockSize>& iv,
            absl::Span<const uint8_t> associated, absl::Span<uint8_t> data) {
    const std::unique_ptr<GcmKey> engine_key = engine_.MakeGcmKey();
    engine_key->Set(key);
    const size_t size = data.size() - kGcmTagSize;
    const auto job = [&](uint8_t* at) {
      return GcmJob{engine_key.get(), iv.data(), associated.data(), associated.size(), at, size,
                    at + size};
    };
    const Bytes plain(data.begin(), data.begin() + static_cast<ptrdiff_t>(size));
    engine_.Seal(job(data.data()));
    Bytes copy(data.begin(), data.end());
    EXPECT_TRUE(engine_.Open(job(copy.data())));
    EXPECT_THAT(absl::MakeConstSpan(copy).first(size), ElementsAreArray(plain));
  }

  // HMAC-SHA1 over `packet` and the ROC, its first ten bytes (RFC 3711 section 4.2).
  Bytes Tag80(const Bytes& key, absl::Span<const uint8_t> packet, uint32_t roc) {
    const std::unique_ptr<HmacSha1Key> engine_key = engine_.MakeHmacSha1Key();
    engine_key->Set(key);
    Bytes message(packet.begin(), packet.end());
    message.resize(packet.size() + 4);
    StoreBe32(message.data() + packet.size(), roc);
    Bytes mac(kMacSize);
    const MacJob job{engine_key.get(), message.data(), message.size(), mac.data()};
    engine_.Authenticate(absl::MakeConstSpan(&job, 1));
    mac.resize(10);
    return mac;
  }

  BoringSslEngine engine_;
};

TEST_F(PublishedVectorsTest, KeystreamsOfRfc6188Section7) {
  ForEachVector("tests/vectors/rfc6188_aes_cm.txt", [&](VectorBlock& block) {
    const Bytes key = block.Bytes("session_key");
    const Bytes salt = block.Bytes("session_salt");
    const uint64_t index = (block.Number("roc") << 16) | block.Number("sequence");
    const auto ssrc = static_cast<uint32_t>(block.Number("ssrc"));
    // Zeros, so that what comes out is the keystream.
    Bytes keystream(block.Number("segment_size"));
    Crypt(key, salt, ssrc, index, absl::MakeSpan(keystream));
    while (block.Has("block")) {
      const size_t offset = block.Number("block") * kCounterBlockSize;
      const Bytes expected = block.Bytes("keystream");
      ASSERT_LE(offset + expected.size(), keystream.size());
      EXPECT_THAT(absl::MakeConstSpan(keystream).subspan(offset, expected.size()),
                  ElementsAreArray(expected))
          << "offset " << offset;
    }
  });
}

class CryptexVectorsTest : public PublishedVectorsTest {
 protected:
  // `packet` as it goes on the wire, marked and encrypted with the session keys.
  Bytes Protect(const CipherSuite& suite, const SessionKeys& keys, uint32_t roc, Bytes packet) {
    const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet);
    EXPECT_TRUE(view.has_value());
    const uint32_t ssrc = view->ssrc().value();
    const uint64_t index = (uint64_t{roc} << 16) | view->sequence_number().value();
    const size_t csrc_count = view->csrc_count();
    const Bytes key(keys.encryption.span().begin(), keys.encryption.span().end());
    const Bytes salt(keys.salt.span().begin(), keys.salt.span().end());

    PacketArena arena(1);
    PacketLoan loan = arena.Lend();
    EXPECT_TRUE(loan.Resize(packet.size()));
    CopyBytes(loan.bytes(), packet);
    EXPECT_EQ(MarkCryptex(loan), view->header_size());
    packet.assign(loan.bytes().begin(), loan.bytes().end());

    const size_t size = packet.size();
    packet.resize(size + LayoutOf(suite, PacketKind::kRtp, 0).overhead);
    const absl::Span<uint8_t> bytes = absl::MakeSpan(packet);
    MoveExtensionHeaderForward(bytes, csrc_count);
    constexpr size_t kClear = kRtpFixedHeaderSize + kRtpExtensionHeaderSize;
    if (suite.aead()) {
      Seal(key, GcmIv(salt, ssrc, index), bytes.first(kClear), bytes.subspan(kClear));
      MoveExtensionHeaderBack(bytes, csrc_count);
    } else {
      Crypt(key, salt, ssrc, index, bytes.subspan(kClear, size - kClear));
      MoveExtensionHeaderBack(bytes, csrc_count);
      const Bytes authentication(keys.authentication.span().begin(),
                                 keys.authentication.span().end());
      CopyBytes(bytes.subspan(size), Tag80(authentication, bytes.first(size), roc));
    }
    return packet;
  }
};

TEST_F(CryptexVectorsTest, PacketsOfRfc9335AppendixA) {
  ForEachVector("tests/vectors/rfc9335.txt", [&](VectorBlock& block) {
    const CipherSuite* suite = FindCipherSuite(block.Text("suite"));
    ASSERT_NE(suite, nullptr);
    Bytes key_and_salt = block.Bytes("master_key");
    const Bytes master_salt = block.Bytes("master_salt");
    key_and_salt.insert(key_and_salt.end(), master_salt.begin(), master_salt.end());
    const absl::StatusOr<MasterKey> master = MasterKey::Create(suite->id, key_and_salt);
    ASSERT_TRUE(master.ok()) << master.status();
    const SessionKeys keys = DeriveSessionKeys(*master, PacketKind::kRtp);
    EXPECT_THAT(keys.encryption.span(), ElementsAreArray(block.Bytes("session_key")));
    EXPECT_THAT(keys.salt.span(), ElementsAreArray(block.Bytes("session_salt")));
    if (!suite->aead()) {
      EXPECT_THAT(keys.authentication.span(), ElementsAreArray(block.Bytes("authentication_key")));
    }
    const auto roc = static_cast<uint32_t>(block.Number("roc"));
    EXPECT_THAT(Protect(*suite, keys, roc, block.Bytes("packet")),
                ElementsAreArray(block.Bytes("protected")));
  });
}

}  // namespace
}  // namespace sluice
