#ifndef TESTS_INTEROP_LIBSRTP_SESSION_H_
#define TESTS_INTEROP_LIBSRTP_SESSION_H_

#include <srtp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/verdict.h"

namespace sluice {

// One master key of a libsrtp session, which has the same ones for all of its life or until Rekey.
struct LibsrtpKey {
  const MasterKey* master;
  // Empty: packets carry none, and there is one key.
  Mki mki;
};

struct LibsrtpOptions {
  // 64..32767.
  unsigned long rtp_window = 1024;
  // Ids of elements of header extensions (RFC 6904).
  std::vector<int> encrypted_extensions;
  // False: SRTCP is sent with E = 0 and, but for AEAD, taken with E = 0 only.
  bool encrypt_rtcp = true;
};

// Fixed in libsrtp.
inline constexpr size_t kLibsrtpRtcpWindow = 128;

// One direction of libsrtp 2.7.0: any number of SSRCs under its master keys. Fails the running test
// when libsrtp refuses a policy. SetUpLibsrtp has been called.
class LibsrtpSession {
 public:
  LibsrtpSession(const std::vector<LibsrtpKey>& keys, srtp_ssrc_type_t direction,
                 const LibsrtpOptions& options = {});
  ~LibsrtpSession();
  LibsrtpSession(const LibsrtpSession&) = delete;
  LibsrtpSession& operator=(const LibsrtpSession&) = delete;

  // The keys are replaced; indices go on.
  void Rekey(const std::vector<LibsrtpKey>& keys);
  // libsrtp's answer to a session with such options.
  static srtp_err_status_t Try(const std::vector<LibsrtpKey>& keys, const LibsrtpOptions& options);

  // In place; `bytes` becomes longer, or stays as it was. `key` counts the keys.
  srtp_err_status_t Protect(std::vector<uint8_t>& bytes, PacketKind kind, unsigned key = 0);
  // In place; `bytes` becomes shorter, or stays as it was.
  srtp_err_status_t Unprotect(std::vector<uint8_t>& bytes, PacketKind kind);

  srtp_t session() { return session_; }

 private:
  const srtp_ssrc_type_t direction_;
  const LibsrtpOptions options_;
  const bool has_mki_;
  srtp_t session_ = nullptr;
};

// Once for each process, before and after all sessions.
void SetUpLibsrtp();
void TearDownLibsrtp();

// Our verdict where libsrtp's status means the same; kMalformed for everything else.
UnprotectVerdict VerdictOf(srtp_err_status_t status);

}  // namespace sluice

#endif  // TESTS_INTEROP_LIBSRTP_SESSION_H_
