#ifndef SRTP_CRYPTO_OPENSSL_ERROR_H_
#define SRTP_CRYPTO_OPENSSL_ERROR_H_

namespace sluice {

// BoringSSL notes every failure in a queue of the calling thread, also an AEAD tag that did not
// verify. Whoever makes a call fail empties the queue here, so that no leftover is taken for the
// error of the next caller (TLS asks the queue why it failed).

// Empties the calling thread's queue. Allocates nothing once the thread has a queue.
void DrainOpensslErrors();

// Makes the calling thread's queue, which BoringSSL otherwise allocates at the first failure. Each
// thread that handles packets calls it before its first one; SrtpReceiver::Create does so for its
// own thread.
void PrepareOpensslErrors();

// Whether the calling thread's queue has anything in it.
bool HasOpensslErrors();

}  // namespace sluice

#endif  // SRTP_CRYPTO_OPENSSL_ERROR_H_
