#ifndef SRTP_AES_GCM_CIPHER_H_
#define SRTP_AES_GCM_CIPHER_H_

#include <openssl/aead.h>

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/rtp_types.h"

namespace sluice {

// AES-GCM (RFC 7714), in place, with one master key's session keys. Knows nothing of streams: who
// gives an index twice gives away the key that authenticates (RFC 7714 section 8.4). Nothing
// allocates once PrepareOpensslErrors was called; const members may be called from several threads.
//
// Layout (RFC 7714 sections 8.2, 9.2, 9.3), the span being all of it:
//   SRTP   header | payload | tag          associated: header
//   SRTCP  8 bytes | payload | tag | word  associated: 8 bytes | word; all but tag if not encrypted
class AesGcmCipher {
 public:
  // `suite` is an AEAD suite; the keys are of its sizes.
  AesGcmCipher(const CipherSuite& suite, const SessionKeys& rtp, const SessionKeys& rtcp);
  ~AesGcmCipher();
  AesGcmCipher(const AesGcmCipher&) = delete;
  AesGcmCipher& operator=(const AesGcmCipher&) = delete;

  // Encrypts what follows the header and writes the tag over the last bytes of `packet`, which has
  // at least header and tag.
  void SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc, PacketIndex index) const;

  // Decrypts what lies between header and tag. When the tag is not true that is zeros, and false.
  [[nodiscard]] bool OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                             PacketIndex index) const;

  // Writes tag and `word` over the last bytes of `packet`, which has at least the first header and
  // these, and encrypts what lies between if the word says so.
  void SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const;

  // `word` is the packet's own. Decrypts, if the word says so, what lies between first header and
  // tag. When the tag is not true that is zeros, and false; if the word says that nothing is
  // encrypted, `packet` stays as it was.
  [[nodiscard]] bool OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const;

 private:
  // What one kind of packet is protected with. All of it is secret.
  class Transform {
   public:
    Transform(const CipherSuite& suite, const SessionKeys& keys);
    ~Transform();

    void Seal(absl::Span<const uint8_t> associated, absl::Span<uint8_t> data,
              absl::Span<uint8_t> tag, Ssrc ssrc, uint64_t index) const;
    bool Open(absl::Span<const uint8_t> associated, absl::Span<uint8_t> data,
              absl::Span<const uint8_t> tag, Ssrc ssrc, uint64_t index) const;

   private:
    void MakeIv(Ssrc ssrc, uint64_t index, uint8_t* iv) const;

    EVP_AEAD_CTX aead_;
    // The 12 bytes of salt as two numbers.
    uint64_t salt_high_;
    uint32_t salt_low_;
  };

  const Transform rtp_;
  const Transform rtcp_;
};

}  // namespace sluice

#endif  // SRTP_AES_GCM_CIPHER_H_
