#ifndef SRTP_HEADER_EXTENSION_CIPHER_H_
#define SRTP_HEADER_EXTENSION_CIPHER_H_

#include <openssl/aes.h>

#include <bitset>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_derivation.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Ids of the extension elements that are encrypted, of either form; one form has only 1..14. What
// both sides agreed on (RFC 6904 section 4). 0 is no id.
using EncryptedExtensionIds = std::bitset<256>;

// Encrypts and decrypts elements of RTP header extensions (RFC 6904), in place. Knows nothing of
// streams: who gives an index twice repeats a keystream. The keystream is AES in counter mode also
// for AEAD suites (RFC 7714 section 8.3), whose salt of 12 bytes counts as followed by two zeros,
// as in libsrtp. NULL suites encrypt nothing: their keystream is zeros (RFC 6904 section 3.2).
// Never allocates. All of it is secret and wiped at the end. Const members may be called from
// several threads.
class HeaderExtensionCipher {
 public:
  // `keys` are of the suite's sizes.
  HeaderExtensionCipher(const CipherSuite& suite, const HeaderKeys& keys);
  ~HeaderExtensionCipher();
  HeaderExtensionCipher(const HeaderExtensionCipher&) = delete;
  HeaderExtensionCipher& operator=(const HeaderExtensionCipher&) = delete;

  // En- or decrypts the data, not id, length or padding, of each element whose id is in `ids`;
  // both are the same. Elements are those of RtpPacketView::ForEachExtension and end where it
  // ends. The keystream begins with the extension's data and goes on over what is not encrypted
  // (RFC 6904 section 3; libsrtp 2.7.0 leaves it where it was over padding between elements, so the
  // two differ there). Any bytes may come: nothing happens to what has no such extension, or is no
  // RTP packet. `packet` may be more or less than the whole packet, but has the whole header.
  //
  // Goes before the packet is authenticated when sending and after when receiving.
  void Crypt(absl::Span<uint8_t> packet, Ssrc ssrc, PacketIndex index,
             const EncryptedExtensionIds& ids) const;

 private:
  AES_KEY key_;
  // The salt and zeros up to 16 bytes, as two numbers.
  uint64_t salt_high_;
  uint64_t salt_low_;
  const bool encrypts_;
};

}  // namespace sluice

#endif  // SRTP_HEADER_EXTENSION_CIPHER_H_
