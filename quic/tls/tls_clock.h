#ifndef QUIC_TLS_TLS_CLOCK_H_
#define QUIC_TLS_TLS_CLOCK_H_

#include <openssl/base.h>

#include <cstdint>

namespace sluice {

// BoringSSL asks for the time by a callback that is told nothing of the connection; this is how it
// gets the one that its caller was given. While an object lives, contexts that were told to use it
// see that time in its thread. Objects of a thread nest.
class ScopedTlsTime {
 public:
  // Seconds since 1970, or since whatever all sessions of the context are measured by.
  explicit ScopedTlsTime(int64_t seconds);
  ~ScopedTlsTime();
  ScopedTlsTime(const ScopedTlsTime&) = delete;
  ScopedTlsTime& operator=(const ScopedTlsTime&) = delete;

  // For a context whose connections are only driven while there is an object.
  static void UseIn(SSL_CTX& context);

 private:
  const int64_t before_;
};

}  // namespace sluice

#endif  // QUIC_TLS_TLS_CLOCK_H_
