#include "srtp/header_extension_cipher.h"

#include <openssl/mem.h>

#include <cstddef>
#include <optional>

#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

// The keystream of one packet, read at rising offsets: no block is computed that nobody asks for.
class Keystream {
 public:
  // `first_block` is AES_BLOCK_SIZE bytes, of which the last two are zero.
  Keystream(const AES_KEY& key, const uint8_t* first_block) : key_(key) {
    CopyBytes(counter_block_, {first_block, AES_BLOCK_SIZE});
  }

  // The longest extension is 2^18 bytes, the counter is good for 2^20.
  uint8_t At(size_t offset) {
    const size_t block = offset / AES_BLOCK_SIZE;
    if (block != current_) {
      StoreBe16(counter_block_ + AES_BLOCK_SIZE - 2, static_cast<uint16_t>(block));
      AES_encrypt(counter_block_, bytes_, &key_);
      current_ = block;
    }
    return bytes_[offset % AES_BLOCK_SIZE];
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  const AES_KEY& key_;
  uint8_t counter_block_[AES_BLOCK_SIZE];
  uint8_t bytes_[AES_BLOCK_SIZE];
  size_t current_ = kNone;
};

}  // namespace

HeaderExtensionCipher::HeaderExtensionCipher(const CipherSuite& suite, const HeaderKeys& keys)
    : encrypts_(suite.transform != PacketTransform::kNull) {
  SLUICE_CHECK(keys.encryption.size() == suite.key_size);
  SLUICE_CHECK(keys.salt.size() == suite.salt_size);
  // Cannot fail: every suite has a key size of AES.
  SLUICE_CHECK(AES_set_encrypt_key(keys.encryption.data(),
                                   static_cast<unsigned>(keys.encryption.size() * 8), &key_) == 0);
  SecretBytes<AES_BLOCK_SIZE> salt;
  CopyBytes(salt.mutable_span(), keys.salt.span());
  salt_high_ = LoadBe64(salt.data());
  salt_low_ = LoadBe64(salt.data() + 8);
}

HeaderExtensionCipher::~HeaderExtensionCipher() { OPENSSL_cleanse(this, sizeof(*this)); }

void HeaderExtensionCipher::Crypt(absl::Span<uint8_t> packet, Ssrc ssrc, PacketIndex index,
                                  const EncryptedExtensionIds& ids) const {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet);
  if (!encrypts_ || !view.has_value()) {
    return;
  }
  // The payload's IV with other keys (RFC 6904 section 3.2, RFC 3711 section 4.1.1).
  uint8_t iv[AES_BLOCK_SIZE];
  StoreBe64(iv, salt_high_ ^ ssrc.value());
  StoreBe64(iv + 8, salt_low_ ^ (index.value() << 16));
  Keystream keystream(key_, iv);
  const uint8_t* const begin = view->extension_data().data();
  const absl::Span<uint8_t> extension = packet.subspan(
      view->header_size() - view->extension_data().size(), view->extension_data().size());
  // The walk reads ids and lengths only, which stay as they are.
  view->ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
    if (!ids[id]) {
      return;
    }
    const auto offset = static_cast<size_t>(data.data() - begin);
    for (size_t i = offset; i < offset + data.size(); ++i) {
      extension[i] ^= keystream.At(i);
    }
  });
}

}  // namespace sluice
