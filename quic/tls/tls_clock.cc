#include "quic/tls/tls_clock.h"

#include <openssl/ssl.h>
#include <sys/time.h>

#include <cstdint>

namespace sluice {
namespace {

thread_local int64_t current_seconds = 0;

void TellTime(const SSL* /*null*/, timeval* out) {
  out->tv_sec = current_seconds;
  out->tv_usec = 0;
}

}  // namespace

ScopedTlsTime::ScopedTlsTime(int64_t seconds) : before_(current_seconds) {
  current_seconds = seconds;
}

ScopedTlsTime::~ScopedTlsTime() { current_seconds = before_; }

void ScopedTlsTime::UseIn(SSL_CTX& context) { SSL_CTX_set_current_time_cb(&context, TellTime); }

}  // namespace sluice
