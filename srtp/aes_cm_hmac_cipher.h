#ifndef SRTP_AES_CM_HMAC_CIPHER_H_
#define SRTP_AES_CM_HMAC_CIPHER_H_

#include <openssl/aes.h>
#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/rtp_types.h"

namespace sluice {

// AES in counter mode and HMAC-SHA1 over the ciphertext (RFC 3711 sections 4.1.1, 4.2.1), in place,
// with one master key's session keys. Knows nothing of streams: who gives an index twice repeats a
// keystream. Nothing allocates; const members may be called from several threads.
//
// Layout (RFC 3711 sections 3.1, 3.4), the span being all of it:
//   SRTP   header | payload | tag          authenticated: header | payload | ROC
//   SRTCP  8 bytes | payload | word | tag  authenticated: 8 bytes | payload | word
class AesCmHmacCipher {
 public:
  // `suite` is not an AEAD suite; the keys are of its sizes.
  AesCmHmacCipher(const CipherSuite& suite, const SessionKeys& rtp, const SessionKeys& rtcp);
  ~AesCmHmacCipher();
  AesCmHmacCipher(const AesCmHmacCipher&) = delete;
  AesCmHmacCipher& operator=(const AesCmHmacCipher&) = delete;

  // Encrypts what follows the header and writes the tag over the last bytes of `packet`, which has
  // at least header and tag.
  void SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc, PacketIndex index) const;

  // Decrypts what lies between header and tag if the tag is true; else `packet` stays as it was.
  [[nodiscard]] bool OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                             PacketIndex index) const;

  // Writes `word` and tag over the last bytes of `packet`, which has at least the first header and
  // these, and encrypts what lies between if the word says so.
  void SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const;

  // `word` is the packet's own. Decrypts, if the word says so, what lies between first header and
  // word if the tag is true; else `packet` stays as it was.
  [[nodiscard]] bool OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const;

 private:
  using Mac = std::array<uint8_t, SHA_DIGEST_LENGTH>;

  // What one kind of packet is protected with. All of it is secret.
  class Transform {
   public:
    explicit Transform(const SessionKeys& keys);
    ~Transform();

    // En- and decryption are the same.
    void Crypt(absl::Span<uint8_t> data, Ssrc ssrc, uint64_t index) const;
    // HMAC-SHA1 over both parts, not truncated.
    Mac Authenticate(absl::Span<const uint8_t> first, absl::Span<const uint8_t> second) const;

   private:
    AES_KEY encryption_;
    // SHA-1 after the block of key XOR ipad or opad: half of HMAC's work on a short packet.
    SHA_CTX inner_;
    SHA_CTX outer_;
    // The 14 bytes of salt and two zeros, as two numbers.
    uint64_t salt_high_;
    uint64_t salt_low_;
  };

  // `authenticated` is the packet without its tag.
  Mac RtpMac(absl::Span<const uint8_t> authenticated, PacketIndex index) const;

  const Transform rtp_;
  const Transform rtcp_;
  const size_t rtp_tag_size_;
  const size_t rtcp_tag_size_;
};

}  // namespace sluice

#endif  // SRTP_AES_CM_HMAC_CIPHER_H_
